"""Every namespace of a folder looked at, and what can be made again tidied up."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from .errors import StoreUnavailable
from .models.onnx import MiniLM
from .stores.health import Health, examine, tidy

__all__ = ["Health", "diagnose", "folders", "tidy"]


def folders(root: Path) -> list[Path]:
    """The folders that may hold a namespace, sorted. Raises StoreUnavailable if `root` cannot be listed."""
    try:
        return sorted(Path(entry.path) for entry in os.scandir(root) if entry.is_dir())
    except OSError as error:
        raise StoreUnavailable(f"{root}: {error.strerror or error}") from error


def diagnose(root: Path) -> Iterator[Health]:
    """The health of each namespace below `root`, one after the other."""
    for folder in folders(root):
        health = examine(folder)
        stats = health.stats
        if stats is not None and stats.embedder == MiniLM.id and stats.without_pieces:
            health.notes.append(
                f"{health.folder}: {stats.without_pieces} units were stored before word pieces were kept, "
                "so they are ranked with less; run `qgmem reembed`"
            )
        yield health
