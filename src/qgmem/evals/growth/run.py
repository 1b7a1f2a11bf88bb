"""One size after the other; a size that was measured before under the same recipe is taken from its file."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import JsonValue

from ..manifest import build_manifest
from .load import SEED
from .namespaces import TURNS, kept_file, measure_namespaces
from .size import QUESTIONS, SizeResult, measure_size

EMBED_UP_TO = 10_000  # turns; more are drawn, which the report says


@dataclass(frozen=True, slots=True)
class Growth:
    """What a run found: one record a size, ascending; the many small namespaces; what it rests on."""

    sizes: tuple[SizeResult, ...]
    namespaces: dict[str, JsonValue] | None
    manifest: dict[str, JsonValue]

    def to_json(self) -> dict[str, JsonValue]:
        """The content of `growth.json`."""
        return {"sizes": list(self.sizes), "namespaces": self.namespaces, "manifest": self.manifest}


def grow(
    sizes: Sequence[int],
    out: Path,
    *,
    namespaces: int = 0,
    embed_up_to: int = EMBED_UP_TO,
    again: bool = False,
    keep: bool = False,
    show: bool = True,
) -> Growth:
    """Measure every size in a namespace of its own under `out`, and `namespaces` small ones if any are wanted.

    `again`: measure anew what was measured before (the filled namespaces are used again). `keep`: leave the
    namespaces on disk afterwards. Raises InvalidInput for a size below 100.
    """
    if not sizes or min(sizes) < 100:
        raise InvalidInput("sizes", f"{list(sizes)}", "give numbers of turns, each 100 or more")
    out.mkdir(parents=True, exist_ok=True)
    found: list[SizeResult] = []
    for n in sorted(set(sizes)):
        vectors = "drawn" if n > embed_up_to else "embedded"
        kept, store = out / f"size-{n}-{vectors}.json", out / "stores" / vectors
        if again or not kept.exists():
            _write(kept, measure_size(n, embed_up_to, store, show=show))
            if not keep:
                shutil.rmtree(store, ignore_errors=True)
        found.append(json.loads(kept.read_text()))
    small = None
    if namespaces:
        kept, store = out / f"namespaces-{namespaces}.json", out / "stores" / "small"
        if again or not kept.exists():
            _write(kept, measure_namespaces(namespaces, store, show=show))
            if not keep:
                shutil.rmtree(store, ignore_errors=True)
                kept_file(store).unlink(missing_ok=True)
        small = json.loads(kept.read_text())
    settings: dict[str, JsonValue] = {
        "questions": QUESTIONS, "embed_up_to": embed_up_to, "turns_a_small_namespace": TURNS,
    }  # fmt: skip
    manifest = build_manifest(files=(), settings=settings, system={"name": "qgmem"}, seed=SEED)
    return Growth(tuple(found), small, manifest)


def _write(path: Path, content: SizeResult) -> None:
    """Whole or not at all, so that an interrupted run leaves no half of a result."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(content, indent=1))
    temporary.replace(path)
