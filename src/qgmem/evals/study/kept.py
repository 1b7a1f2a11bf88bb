"""JSON artefacts of the study, kept by content hash with what making them cost."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import qgmem
from qgmem.types import JsonValue

from .cost import Cost

T = TypeVar("T")


def kept(
    folder: Path, kind: str, made_from: Sequence[JsonValue], make: Callable[[], T], items: int
) -> tuple[T, Cost, Cost]:
    """What `make` returned for these inputs, now or on an earlier run: (value, cold cost, this run's cost).

    `made_from` must name everything that `make` depends on; the value has to survive JSON as it is. A damaged
    artefact is made anew.
    """
    key = hashlib.sha256(json.dumps([kind, *made_from]).encode()).hexdigest()
    path = folder / kind / f"{key}.json"
    started, cpu = time.perf_counter(), time.process_time()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        wall, processor = found["seconds"]
        cost = Cost(items, items, wall, processor, path.stat().st_size)
        return found["value"], cost, Cost(seconds=time.perf_counter() - started, bytes=cost.bytes)
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        value = make()
    seconds = (time.perf_counter() - started, time.process_time() - cpu)
    text = json.dumps({"seconds": seconds, "value": value}, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
    cost = Cost(items, items, *seconds, path.stat().st_size)
    restored: dict[str, Any] = json.loads(text)
    return restored["value"], cost, cost


@cache
def source_digest(*parts: str) -> str:
    """Digest of this package's own files below the given parts, so that changed rules make new artefacts.

    Read once a process: it stands for the code that was loaded.
    """
    root = Path(qgmem.__file__).parent
    digest = hashlib.sha256()
    for part in parts:
        place = root / part
        files = [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.is_file())
        for file in files:
            if "__pycache__" not in file.parts:
                digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()
