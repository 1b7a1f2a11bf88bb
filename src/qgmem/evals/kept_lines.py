"""Rows of a long run as JSON Lines: each on disk before the next is begun, so that a kill costs at most one."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def kept_lines(file: Path) -> list[bytes]:
    """The whole lines of a file, none if it is not there. A last line that a kill cut short is taken off the file."""
    if not file.exists():
        return []
    lines = file.read_bytes().splitlines(keepends=True)
    whole = [line for line in lines if line.endswith(b"\n")]
    if len(whole) < len(lines):
        with file.open("rb+") as handle:
            handle.truncate(sum(map(len, whole)))
    return whole


def keep_line(file: Path, row: Mapping[str, Any]) -> None:
    """Append a row; it is on disk when this returns."""
    with file.open("a", encoding="utf-8") as handle:
        handle.write(json.dumps(row, ensure_ascii=False) + "\n")
        handle.flush()
        os.fsync(handle.fileno())
