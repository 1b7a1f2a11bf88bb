"""The derived index of one namespace: a base snapshot on disk and a small delta in memory.

`current()` replays what the store has written since, so every search sees every acknowledged write of any process.
When the delta has grown, `fold()` merges it into a new base. Everything here can be lost and made again.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from . import segment as seg
from . import snapshot
from .dense import VectorBlock
from .folder import FOLD_LOCK, SNAPSHOT
from .index import Index, Part, Phrases
from .locks import FileLock
from .reading import Analyse
from .segment import term_hash
from .sqlite import SqliteStore

FOLD_FROM = 2000  # rows outside the base before folding is worth a file
FOLD_SHARE = 0.25  # or this share of the base, whichever is more
MERGE_RATIO = 2  # a newer segment is merged into the one before it when that is at most so many times larger


class DerivedIndex:
    """Keeps one `Index` up to date with its store. Safe to share between threads and processes."""

    def __init__(
        self, store: SqliteStore, analyse: Analyse, recipe: str, dimension: int, k1: float, b: float
    ) -> None:
        self._store, self._analyse, self._recipe, self._dimension = store, analyse, recipe, dimension
        self._k1, self._b = k1, b
        self._lock = threading.RLock()
        self._index: Index | None = None
        self._based = False  # the first part is the snapshot's

    def current(self) -> Index:
        """The index as of the store's last change."""
        with self._lock:
            if self._index is None:
                self._index = self._load()
            if self._index.change != self._store.change:
                self._index = self._replay(self._index)
            return self._index

    def fold(self, *, force: bool = False) -> bool:
        """Merge the delta into a new base on disk when it has grown enough; True if a file was written."""
        index = self.current()
        base = len(index.parts[0].segment) if self._based and index.parts else 0
        dead = 0 if index.alive is None else index.rows - index.size
        outside = index.rows - base + dead
        if not force and outside < max(FOLD_FROM, FOLD_SHARE * base):
            return False
        if outside == 0 or not index.size:
            return False
        with FileLock(self._store.folder / FOLD_LOCK):
            index = self.current()  # deletions that were scrubbed while we waited are seen here
            whole = self._merged(index)
            snapshot.write(self._store.folder / SNAPSHOT, self._snapshot(whole))
        with self._lock:
            loaded = self._load()
            self._index = loaded if loaded.change == self._store.change else self._replay(loaded)
        return True

    def forget(self) -> None:
        """Drop everything in memory; the next search starts from the files."""
        with self._lock:
            self._index, self._based = None, False

    # ---- building

    def _load(self) -> Index:
        found = snapshot.read(self._store.folder / SNAPSHOT, self._recipe)
        self._based = found is not None
        if found is None or found.change > self._store.change:
            self._based = False
            return Index([], [], 0, self._k1, self._b)
        arrays = found.arrays
        base = seg.Segment(**{name: arrays[name] for name in seg.FIELDS})
        block = VectorBlock.mapped(base.vector, arrays["vector_codes"], arrays["vector_scale"])
        phrases = Phrases(
            arrays["phrase_key"],
            arrays["phrase_hash"],
            VectorBlock.mapped(arrays["phrase_vector"], arrays["phrase_codes"], arrays["phrase_scale"]),
        )
        return Index([Part(base, None, block)], [phrases], found.change, self._k1, self._b)

    def _replay(self, index: Index) -> Index:
        change, rows, gone = self._store.index_rows(index.change, self._analyse)
        touched = np.array(sorted({row.key for row in rows} | set(gone)), np.int64)
        parts = [_without(part, touched) for part in index.parts]
        phrases = self._newer_phrases(index)
        if rows:
            new = seg.build(rows, self._dimension)
            parts.append(Part(new, None, VectorBlock.of(new.vector)))
        first = 1 if self._based else 0
        while len(parts) - first >= 2 and len(parts[-2].segment) <= MERGE_RATIO * len(parts[-1].segment):
            merged = seg.merge([p.segment for p in parts[-2:]], [p.living() for p in parts[-2:]])
            parts[-2:] = [Part(merged, None, VectorBlock.of(merged.vector))]
        return Index(parts, phrases, change, self._k1, self._b)

    def _newer_phrases(self, index: Index) -> list[Phrases]:
        """Phrases with those that came, or got their vector, since; small runs are merged like segments."""
        rows = self._store.phrases(index.change)
        parts = list(index.phrases)
        if not rows:
            return parts
        key = np.array([key for key, _, _ in rows], np.int64)
        parts = [_without_phrases(part, key) for part in parts]
        empty = np.zeros(self._dimension, np.float16).tobytes()
        vectors = np.frombuffer(b"".join(v or empty for _, _, v in rows), np.float16)
        hashes = np.array([term_hash(text) for _, text, _ in rows], np.uint64)
        parts.append(Phrases(key, hashes, VectorBlock.of(vectors.reshape(-1, self._dimension))))
        first = 1 if self._based else 0
        while len(parts) - first >= 2 and len(parts[-2].key) <= MERGE_RATIO * len(parts[-1].key):
            parts[-2:] = [_joined_phrases(parts[-2:])]
        return parts

    def _merged(self, index: Index) -> Index:
        parts = index.parts
        whole = seg.merge([p.segment for p in parts], [p.living() for p in parts])
        phrases = _joined_phrases(index.phrases)
        phrases = _without_phrases(phrases, np.setdiff1d(phrases.key, whole.mention_phrase))
        part = Part(whole, None, VectorBlock.of(whole.vector))
        return Index([part], [phrases], index.change, self._k1, self._b)

    def _snapshot(self, index: Index) -> snapshot.Snapshot:
        part, phrases = index.parts[0], index.phrases[0]
        arrays: dict[str, NDArray[np.generic]] = {name: getattr(part.segment, name) for name in seg.FIELDS}
        for name, block in (("vector", part.vectors), ("phrase", phrases.vectors)):
            arrays[f"{name}_codes"] = np.empty((0, 0), np.int8) if block.codes is None else block.codes
            arrays[f"{name}_scale"] = np.empty(0, np.float32) if block.scale is None else block.scale
        arrays["phrase_key"], arrays["phrase_hash"] = phrases.key, phrases.hash
        arrays["phrase_vector"] = phrases.vectors.vector
        return snapshot.Snapshot(self._recipe, index.change, arrays)


def _without(part: Part, keys: NDArray[np.int64]) -> Part:
    """The part with these units dead."""
    segment = part.segment
    if not len(keys) or not len(segment):
        return part
    place = np.minimum(np.searchsorted(segment.key, keys), len(segment) - 1)
    dead = place[segment.key[place] == keys]
    if not len(dead):
        return part
    alive = part.living().copy()
    alive[dead] = False
    return Part(segment, alive, part.vectors)


def _without_phrases(phrases: Phrases, keys: NDArray[np.int64]) -> Phrases:
    """These phrases are somewhere else now, or nowhere."""
    kept = ~np.isin(phrases.key, keys)
    if kept.all():
        return phrases
    return Phrases(phrases.key[kept], phrases.hash[kept], VectorBlock.of(phrases.vectors.vector[kept]))


def _joined_phrases(parts: Sequence[Phrases]) -> Phrases:
    key = np.concatenate([part.key for part in parts])
    order = np.argsort(key, kind="stable")
    vectors = np.concatenate([part.vectors.vector for part in parts])[order]
    return Phrases(key[order], np.concatenate([part.hash for part in parts])[order], VectorBlock.of(vectors))
