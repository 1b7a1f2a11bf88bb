"""What an index is made of: segments with their living rows, and runs of phrases. Immutable, replaced on change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from . import segment as seg
from .dense import VectorBlock
from .segment import CHAIN_SHIFT, Int32, Int64, Segment, UInt64

Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

PIECE = 1 << 16  # rows looked at together
FAR = 255  # turns; how far to a session's border is counted


@dataclass(frozen=True)
class Part:
    """A segment with what changes around it: which rows still live, and its vectors ready to compare."""

    segment: Segment
    alive: Mask | None  # (n,); None: all
    vectors: VectorBlock
    size: int  # living rows
    length: int  # terms of all living rows

    @classmethod
    def of(cls, segment: Segment, vectors: VectorBlock | None = None) -> Part:
        """A segment whose rows all live."""
        block = VectorBlock.of(segment.vector) if vectors is None else vectors
        return cls(segment, None, block, len(segment), int(segment.length.sum(dtype=np.int64)))

    @property
    def dead(self) -> int:
        """Rows that no longer count."""
        return len(self.segment) - self.size

    def living(self) -> Mask:
        """(n,) which rows count."""
        return np.ones(len(self.segment), np.bool_) if self.alive is None else self.alive

    @cached_property
    def one_each(self) -> bool:
        """True when every unit has exactly one vector: then a row's vector lies at the row itself."""
        vector_row = self.segment.vector_row
        return len(vector_row) == len(self.segment) and _counts_up(vector_row)

    @cached_property
    def in_order(self) -> bool:
        """True when every row is a living verbatim unit and they lie in chain order, as ingestion leaves them."""
        rows = self.segment.chain_row
        return self.alive is None and len(rows) == len(self.segment) and _counts_up(rows)

    @cached_property
    def chain(self) -> tuple[Int64, Int32 | None]:
        """Chain keys of the living verbatim rows, ascending, and those rows; None: the rows are 0, 1, 2, …."""
        if self.in_order:
            return self.segment.chain, None
        rows = self.segment.chain_row
        if self.alive is not None:
            rows = rows[self.alive[rows]]
        return self.segment.chain[rows], rows

    @cached_property
    def reach(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """(n,) how many turns of its session lie before each row and after it, at most `FAR`; of rows in order."""
        n = len(self.segment)
        session = self.segment.chain >> CHAIN_SHIFT
        border = np.flatnonzero(np.concatenate([[True], session[1:] != session[:-1], [True]]))
        length, first = np.diff(border), border[:-1]
        before = np.arange(n) - np.repeat(first, length)
        after = np.repeat(length - 1, length) - before
        return np.minimum(before, FAR).astype(np.uint8), np.minimum(after, FAR).astype(np.uint8)

    def without(self, keys: Int64) -> Part:
        """The same with these units dead."""
        segment = self.segment
        if not len(keys) or not len(segment):
            return self
        place = np.minimum(np.searchsorted(segment.key, keys), len(segment) - 1)
        dead = place[segment.key[place] == keys]
        if self.alive is not None:
            dead = dead[self.alive[dead]]
        if not len(dead):
            return self
        alive = self.living().copy()
        alive[dead] = False
        length = self.length - int(segment.length[dead].sum(dtype=np.int64))
        return Part(segment, alive, self.vectors, self.size - len(dead), length)


def _counts_up(rows: Int32) -> bool:
    """True for 0, 1, 2, …; compared piece by piece, since a mapped million should not be copied to know."""
    return all(
        bool((rows[start : start + PIECE] == np.arange(start, min(start + PIECE, len(rows)))).all())
        for start in range(0, len(rows), PIECE)
    )


def joined(parts: Sequence[Part]) -> Part:
    """One part of the living rows of several."""
    return Part.of(seg.merge([part.segment for part in parts], [part.living() for part in parts]))


@dataclass(frozen=True, slots=True)
class Phrases:
    """A run of entity and location phrases: key (p,) ascending, hash of the text, vector (zeros if none yet)."""

    key: Int64
    hash: UInt64
    vectors: VectorBlock

    def without(self, keys: Int64) -> Phrases:
        """The same without these phrases."""
        if not len(keys) or not len(self.key):
            return self
        place = np.minimum(np.searchsorted(self.key, keys), len(self.key) - 1)
        gone = place[self.key[place] == keys]
        if not len(gone):
            return self
        kept = np.ones(len(self.key), np.bool_)
        kept[gone] = False
        rows = np.flatnonzero(kept)
        return Phrases(self.key[rows], self.hash[rows], self.vectors.taken(rows))


def joined_phrases(runs: Sequence[Phrases]) -> Phrases:
    """One run of several that share no key."""
    key = np.concatenate([run.key for run in runs])
    order = np.argsort(key, kind="stable")
    vectors = np.concatenate([run.vectors.vector for run in runs])[order]
    return Phrases(key[order], np.concatenate([run.hash for run in runs])[order], VectorBlock.of(vectors))
