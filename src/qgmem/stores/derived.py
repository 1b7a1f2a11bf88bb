"""The derived index of one namespace: a base snapshot on disk and a small delta in memory.

`current()` replays what the store has written since, so every search sees every acknowledged write of any process.
When the delta has grown, it is folded into a new base, in the background. Everything here can be lost and made again.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from ..errors import StoreError, StoreUnavailable
from . import segment as seg
from . import snapshot
from .dense import VectorBlock
from .folder import FOLD_LOCK, SNAPSHOT
from .index import Index
from .locks import FileLock
from .part import Part, Phrases, joined, joined_phrases
from .protocol import Analyse, Store
from .segment import term_hash

FOLD_FROM = 2000  # rows outside the base before folding is worth a file
FOLD_SHARE = 0.25  # or this share of the base, whichever is more
SMALL = 512  # rows; segments up to this are merged with whatever is newer, since every segment costs each search
RELEASE_FROM = 256 << 20  # bytes of exact vectors in the base; fewer may all stay in memory
MERGE_RATIO = 2  # a newer segment is merged into the one before it when that is at most so many times larger


class DerivedIndex:
    """Keeps one `Index` up to date with its store. Safe to share between threads and processes.

    `folder` holds the snapshot. `recipe` names everything that the arrays depend on besides the store; a snapshot of
    another recipe is not used.
    """

    def __init__(
        self,
        store: Store,
        folder: Path,
        analyse: Analyse,
        recipe: str,
        embedder_id: str,
        dimension: int,
        k1: float,
        b: float,
    ) -> None:
        self._store, self._folder, self._analyse, self._recipe = store, folder, analyse, recipe
        self._embedder_id, self._dimension = embedder_id, dimension
        self._k1, self._b = k1, b
        self._lock = threading.RLock()
        self._index: Index | None = None
        self._based = False  # the first part is the snapshot's
        self._folding: threading.Thread | None = None
        self._pages: snapshot.Pages | None = None

    def current(self) -> Index:
        """The index as of the store's last change. Raises StoreError."""
        with self._lock:
            if self._index is None:
                self._index, self._based = self._load()
            self.stay_small()
            if self._index.change != self._store.change:
                self._index = self._replayed(self._index)
                self._fold_soon(self._index)
            return self._index

    def fold(self, *, force: bool = False) -> bool:
        """Merge the delta into a new base on disk when it has grown enough; True if a file was written.

        Raises StoreUnavailable when the file cannot be written; the index in memory is right all the same.
        """
        with self._lock:
            index = self.current()
            if not (self._grown(index) if not force else index.size):
                return False
        try:
            with FileLock(self._folder / FOLD_LOCK):
                with self._lock:
                    index = self.current()  # deletions that were scrubbed while we waited are seen here
                if not index.size:
                    return False
                name = uuid4().hex
                self._store.mark_index(name)
                snapshot.write(self._folder / SNAPSHOT, self._snapshot(index, name))
        except OSError as error:
            raise StoreUnavailable(f"{self._folder.name}/{SNAPSHOT}: {error.strerror or error}") from error
        with self._lock:
            self._index, self._based = self._load()
        return True

    def settle(self) -> None:
        """Before closing: wait for a fold in the background, and fold what is worth it.

        What cannot be written is left for later: the next opening takes longer, nothing else is lost.
        """
        self._join()
        with self._lock:
            if self._index is None:
                known = snapshot.peek(self._folder / SNAPSHOT, self._recipe)
                if self._store.written_after(known) < FOLD_FROM:
                    return
        self._fold_quietly()

    def forget(self) -> None:
        """Drop everything in memory, after a fold in progress; the next search starts from the files."""
        self._join()
        with self._lock:
            self._index, self._based = None, False

    def unbase(self) -> None:
        """The snapshot on disk is gone: what is in memory goes on, and is folded into a new one in time."""
        with self._lock:
            self._based = False

    def stay_small(self) -> None:
        """Let go of what a search has mapped of a large base: soon it would be all exact vectors.

        A search that goes on in another thread reads them again.
        """
        pages = self._pages
        if pages is not None and pages.length > RELEASE_FROM:
            pages.release()

    def _fold_soon(self, index: Index) -> None:
        """Fold in the background if the delta has grown enough, so that no search waits for it."""
        busy = self._folding is not None and self._folding.is_alive()
        if not busy and self._grown(index):
            self._folding = threading.Thread(target=self._fold_quietly, name="qgmem-fold", daemon=True)
            self._folding.start()

    def _join(self) -> None:
        thread = self._folding
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _fold_quietly(self) -> None:
        if not os.access(self._folder, os.W_OK):
            return  # nobody writes here, so the delta does not grow either
        try:
            self.fold()
        except StoreError as error:
            logging.getLogger(__name__).warning("index not written: %s", error)

    def _grown(self, index: Index) -> bool:
        base = len(index.parts[0].segment) if self._based and index.parts else 0
        outside = index.rows - base + sum(part.dead for part in index.parts)
        return outside >= max(FOLD_FROM, FOLD_SHARE * base) and index.size > 0

    # ---- building

    def _load(self) -> tuple[Index, bool]:
        """The base as it lies on disk, or nothing; and whether there is one."""
        found = snapshot.read(self._folder / SNAPSHOT, self._recipe)
        nothing = Index([], [], 0, self._k1, self._b)
        self._pages = None
        if found is None or found.change > self._store.change or not self._store.knows_index(found.name):
            return nothing, False
        try:
            arrays = found.arrays
            base = seg.Segment(**{name: arrays[name] for name in seg.FIELDS})
            pages = found.pages if found.pages is not None and found.pages.length > RELEASE_FROM else None
            block = VectorBlock.mapped(base.vector, arrays["vector_codes"], arrays["vector_scale"], pages)
            vectors = VectorBlock.mapped(arrays["phrase_vector"], arrays["phrase_codes"], arrays["phrase_scale"])
            phrases = Phrases(arrays["phrase_key"], arrays["phrase_hash"], vectors)
        except KeyError:  # arrays of another version under the same recipe
            return nothing, False
        self._pages = found.pages
        return Index([Part.of(base, block)], [phrases], found.change, self._k1, self._b), True

    def _replayed(self, index: Index) -> Index:
        """The index with everything written since. Large gaps are read in pages, then what came meanwhile."""
        while True:
            seen, key = index.change, 0
            until: int | None = None
            while True:
                page = self._store.index_page(seen, key, self._analyse, self._embedder_id)
                until = page.change if until is None else until
                touched = np.array(sorted({row.key for row in page.rows} | set(page.gone)), np.int64)
                parts = [part.without(touched) for part in index.parts]
                parts = [part for place, part in enumerate(parts) if part.size or (self._based and place == 0)]
                phrases = self._with_phrases(index.phrases, page.phrases)
                if page.rows:
                    parts.append(Part.of(seg.build(page.rows, self._dimension)))
                    parts = self._compacted(parts)
                index = Index(parts, phrases, until, self._k1, self._b)
                if not page.more:
                    break
                key = page.rows[-1].key
            if page.change == until:
                return index

    def _compacted(self, parts: list[Part]) -> list[Part]:
        """Merge from the end while the newer segment is not small beside the one before it."""
        first = 1 if self._based else 0
        start = len(parts) - 1
        rows = len(parts[-1].segment)
        while start - 1 >= first and len(parts[start - 1].segment) <= max(SMALL, MERGE_RATIO * rows):
            start -= 1
            rows += len(parts[start].segment)
        return parts if start == len(parts) - 1 else [*parts[:start], joined(parts[start:])]

    def _with_phrases(self, runs: Sequence[Phrases], rows: Sequence[tuple[int, str, bytes | None]]) -> list[Phrases]:
        """Phrases with those that came, or got their vector, since; small runs are merged like segments."""
        if not rows:
            return list(runs)
        key = np.array([key for key, _, _ in rows], np.int64)
        parts = [run.without(key) for run in runs]
        empty = np.zeros(self._dimension, np.float16).tobytes()
        vectors = np.frombuffer(b"".join(v or empty for _, _, v in rows), np.float16)
        hashes = np.array([term_hash(text) for _, text, _ in rows], np.uint64)
        parts.append(Phrases(key, hashes, VectorBlock.of(vectors.reshape(-1, self._dimension))))
        first = 1 if self._based else 0
        while len(parts) - first >= 2 and len(parts[-2].key) <= max(SMALL, MERGE_RATIO * len(parts[-1].key)):
            parts[-2:] = [joined_phrases(parts[-2:])]
        return parts

    def _snapshot(self, index: Index, name: str) -> snapshot.Snapshot:
        """The living rows of the index as one base, with the phrases that they mention."""
        part, phrases = joined(index.parts), joined_phrases(index.phrases) if index.phrases else self._no_phrases()
        phrases = phrases.without(np.setdiff1d(phrases.key, part.segment.mention_phrase))
        arrays: dict[str, NDArray[np.generic]] = {name: getattr(part.segment, name) for name in seg.FIELDS}
        for kind, block in (("vector", part.vectors), ("phrase", phrases.vectors)):
            arrays[f"{kind}_codes"] = np.empty((0, 0), np.int8) if block.codes is None else block.codes
            arrays[f"{kind}_scale"] = np.empty(0, np.float32) if block.scale is None else block.scale
        arrays["phrase_key"], arrays["phrase_hash"] = phrases.key, phrases.hash
        arrays["phrase_vector"] = phrases.vectors.vector
        return snapshot.Snapshot(self._recipe, name, index.change, arrays)

    def _no_phrases(self) -> Phrases:
        vectors = VectorBlock.of(np.empty((0, self._dimension), np.float16))
        return Phrases(np.empty(0, np.int64), np.empty(0, np.uint64), vectors)
