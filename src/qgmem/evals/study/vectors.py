"""Vectors of the study: computed once per text and embedder, kept by content hash, never by position.

An artefact is a block of at most 128 texts under one embedder; its name is the hash of both, so a changed text
or model cannot meet an old vector, and an interrupted run goes on behind the last whole block.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qgmem.errors import InvalidInput, ModelMisbehaved
from qgmem.evals.progress import progress
from qgmem.protocols import Embedder, Vectors

from .cost import Cost

BLOCK = 128  # texts; half a minute of a large model on one core is the most that an interrupt loses
FORMAT = 1


@dataclass(frozen=True)
class TextVectors:
    """(n, d) float32 unit rows of n distinct texts, found by text."""

    embedder_id: str
    rows: Mapping[str, int]
    matrix: Vectors

    def of(self, texts: Sequence[str]) -> Vectors:
        """(len(texts), d) in the order asked. Raises InvalidInput for a text that was never embedded."""
        missing = [text for text in texts if text not in self.rows]
        if missing:
            raise InvalidInput("vectors", f"{len(missing)} texts have none, first {missing[0][:60]!r}")
        return self.matrix[[self.rows[text] for text in texts]]


def embed_groups(
    embedder: Embedder, groups: Mapping[str, Iterable[str]], cache: Path, *, show_progress: bool = True
) -> tuple[TextVectors, dict[str, tuple[Cost, Cost]]]:
    """Vectors of every text of every group, and what each group cost: (cold, this run).

    A text of an earlier group is not embedded again. Cold is what making the blocks took, then or now; this
    run's cost counts the calls it made itself and the seconds it spent loading or embedding.
    Raises what the embedder raises; blocks already done stay.
    """
    rows: dict[str, int] = {}
    found: list[Vectors] = []
    costs: dict[str, tuple[Cost, Cost]] = {}
    for name, texts in groups.items():
        new = [text for text in dict.fromkeys(texts) if text not in rows]
        blocks = [new[start : start + BLOCK] for start in range(0, len(new), BLOCK)]
        cold, warm = Cost(), Cost()
        with progress(f"embed {name}", len(new), show_progress) as bar:
            for block in blocks:
                vectors, made, spent = _block(embedder, block, cache)
                cold, warm = cold + made, warm + spent
                found.append(vectors)
                bar.advance(len(block))
        rows.update({text: len(rows) + at for at, text in enumerate(new)})
        costs[name] = (cold, warm)
    matrix = np.concatenate(found) if found else np.empty((0, embedder.dimension), np.float32)
    return TextVectors(embedder.id, rows, matrix), costs


def _block(embedder: Embedder, texts: Sequence[str], cache: Path) -> tuple[Vectors, Cost, Cost]:
    """One block from its artefact, or made and kept."""
    key = json.dumps([FORMAT, embedder.id, list(texts)], ensure_ascii=True).encode()
    path = cache / "vectors" / f"{hashlib.sha256(key).hexdigest()}.npz"
    started = time.perf_counter()
    kept = _read(path, (len(texts), embedder.dimension))
    if kept is not None:
        vectors, made = kept
        return vectors, made, Cost(seconds=time.perf_counter() - started, bytes=made.bytes)
    cpu = time.process_time()
    vectors = np.asarray(embedder.embed(texts), np.float32)
    if vectors.shape != (len(texts), embedder.dimension) or not np.isfinite(vectors).all():
        raise ModelMisbehaved(f"embedder {embedder.id}: expected {(len(texts), embedder.dimension)} numbers, "
                              f"got {vectors.shape}")  # fmt: skip
    made = Cost(1, len(texts), time.perf_counter() - started, time.process_time() - cpu, vectors.nbytes)
    _write(path, vectors, made)
    return vectors, made, made


def _read(path: Path, shape: tuple[int, int]) -> tuple[Vectors, Cost] | None:
    """The artefact, or None where there is none or where it is damaged and has to be made anew."""
    try:
        with path.open("rb") as opened, np.load(opened) as file:
            vectors, cost = file["vectors"], Cost.from_array(file["cost"])
    except (FileNotFoundError, zipfile.BadZipFile, EOFError, ValueError, KeyError):
        return None
    return (vectors, cost) if vectors.shape == shape and vectors.dtype == np.float32 else None


def _write(path: Path, vectors: Vectors, cost: Cost) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")
    with unfinished.open("wb") as file:
        np.savez(file, vectors=vectors, cost=cost.as_array())
    unfinished.replace(path)
