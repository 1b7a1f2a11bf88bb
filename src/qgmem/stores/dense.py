"""Cosine search over float16 vectors: an int8 scan when there are many, exact scores for what it lets through."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import simsimd
from numpy.typing import NDArray

from .snapshot import Pages

Float32 = NDArray[np.float32]

SCAN_FROM = 1024  # rows; fewer are compared exactly
REST = 2048  # a query is its float16 image plus 1/REST of a second one: exact, and no vector is converted
RESCORED, RESCORED_LEAST = 4, 64  # times the wanted number of results, and at least so many
ERROR = 0.01  # of a cosine by the int8 image; 0.0034 at most over 400,000 pairs of real sentences' vectors
PACKED_FROM = 256  # scores
GROUP = 32  # scores at most that are looked at together when the best of many are wanted


@dataclass(frozen=True, slots=True)
class VectorBlock:
    """(v, d) unit vectors. `codes` is their int8 image, `codes ≈ vector / scale[:, None]`, or None when few.

    A row's cosine depends on that row alone, to the last bit, however rows are put together into blocks.
    """

    vector: NDArray[np.float16]
    codes: NDArray[np.int8] | None
    scale: Float32 | None
    pages: Pages | None = None  # of a mapped file, when `vector` is too large to stay in memory

    @classmethod
    def of(cls, vector: NDArray[np.float16]) -> VectorBlock:
        """A block over these rows; quantises when there are `SCAN_FROM` or more."""
        if len(vector) < SCAN_FROM:
            return cls(vector, None, None)
        return cls(vector, *quantise(vector))

    @classmethod
    def mapped(
        cls, vector: NDArray[np.float16], codes: NDArray[np.int8], scale: Float32, pages: Pages | None = None
    ) -> VectorBlock:
        """A block whose int8 image was made before; an empty `codes` means there were few."""
        return cls(vector, codes, scale, pages) if len(codes) else cls.of(vector)

    def __len__(self) -> int:
        return len(self.vector)

    @property
    def few(self) -> bool:
        """True when `scan` is exact."""
        return self.codes is None

    def scan(self, query: Float32) -> Float32:
        """(v,) cosines: exact when few, else within `ERROR`."""
        found: Float32 = self.scans(query[None])[0]
        return found

    def scans(self, queries: Float32) -> Float32:
        """(c, v) the same of c queries (c, d) at once."""
        if self.codes is None or self.scale is None:
            return _dots(self.vector, queries)
        largest = np.abs(queries).max(axis=1, keepdims=True)
        largest[largest == 0] = 1
        code = np.rint(queries * (127 / largest)).astype(np.int8)
        found: Float32 = np.asarray(simsimd.cdist(code, self.codes, "dot", out_dtype="float32"))
        found *= self.scale * (largest / 127)
        return found

    def exact(self, query: Float32, rows: NDArray[np.intp]) -> Float32:
        """(len(rows),) exact cosines of these rows."""
        found: Float32 = self.exacts(query[None], rows)[0]
        return found

    def exacts(self, queries: Float32, rows: NDArray[np.intp]) -> Float32:
        """(c, len(rows)) the same of c queries (c, d) at once."""
        return _dots(np.take(self.vector, rows, axis=0), queries)

    def release(self) -> None:
        """Let go of what was read of a large mapped block: each row may have brought a megabyte around it along."""
        if self.pages is not None:
            self.pages.release()

    def taken(self, rows: NDArray[np.intp]) -> VectorBlock:
        """The block of these rows alone."""
        if self.codes is None or self.scale is None or len(rows) < SCAN_FROM:
            return VectorBlock.of(self.vector[rows])
        return VectorBlock(self.vector[rows], self.codes[rows], self.scale[rows])


def _dots(vector: NDArray[np.float16], queries: Float32) -> Float32:
    """(c, n) products with c float32 queries, exact to float32, without making float32 vectors of them."""
    c, d = queries.shape
    if not len(vector) or not c:
        return np.empty((c, len(vector)), np.float32)
    two = np.empty((2 * c, d), np.float16)
    two[:c] = queries
    two[c:] = (queries - two[:c]) * np.float32(REST)
    dots = np.asarray(simsimd.cdist(two, vector, "dot", out_dtype="float32"))
    found: Float32 = dots[c:]
    found /= np.float32(REST)
    found += dots[:c]
    return found


def widened(vector: NDArray[np.float16]) -> Float32:
    """The same values as float32, six times faster than numpy does it: bits in their new places, then the exponent.

    For finite numbers only, which vectors are.
    """
    bits = vector.view(np.int16).astype(np.int32)
    bits <<= 13
    bits &= np.int32(-0x70002000)  # the sign was spread over the bits between
    found: Float32 = bits.view(np.float32)
    found *= np.float32(2.0**112)
    return found


def quantise(vector: NDArray[np.float16]) -> tuple[NDArray[np.int8], Float32]:
    """(codes (v, d) int8, scale (v,) float32), row by row, in bounded memory."""
    codes = np.empty(vector.shape, np.int8)
    scale = np.empty(len(vector), np.float32)
    for start in range(0, len(vector), 65_536):
        part = widened(vector[start : start + 65_536])
        largest = np.maximum(np.abs(part).max(axis=1), 1e-12)
        codes[start : start + len(part)] = np.rint(part * (127 / largest)[:, None]).astype(np.int8)
        scale[start : start + len(part)] = largest / 127
    return codes, scale


def best(scores: Float32, n: int) -> NDArray[np.intp]:
    """Indexes of the n highest scores and all that tie with the last of them, unordered."""
    if len(scores) <= n:
        return np.arange(len(scores))
    rows = _promising(scores, n)
    values = scores if rows is None else scores[rows]
    edge = np.partition(values, len(values) - n)[len(values) - n]
    kept = np.flatnonzero(values >= edge)
    return kept if rows is None else rows[kept]


def contenders(scores: Float32, n: int) -> NDArray[np.intp]:
    """Indexes of all that the n highest exact scores may be among, unordered; a few times n at most.

    n scores reach the n-th in truth, less the error, and whatever is above that shows it, less the error again.
    """
    if len(scores) <= n:
        return np.arange(len(scores))
    edge = scores[best(scores, n)].min()
    near = np.flatnonzero(scores >= edge - 2 * ERROR)
    most = max(RESCORED * n, RESCORED_LEAST)
    return near if len(near) <= most else near[best(scores[near], most)]


def _promising(scores: Float32, n: int) -> NDArray[np.intp] | None:
    """A superset of the n best of many: the n-th best maximum of small groups is a lower bound for the n-th score.

    A group is a column of the scores laid out in few long lines, which is reduced several at once.
    """
    size = min(GROUP, len(scores) // (4 * n))
    if size < 2:
        return None
    groups = len(scores) // size
    tops = scores[: groups * size].reshape(size, groups).max(axis=0)
    bound = np.partition(tops, groups - n)[groups - n]
    return np.flatnonzero(scores >= bound)


def descending(scores: Float32) -> NDArray[np.intp]:
    """Places from the highest score on, equal ones as they stand: a stable `argsort` of the negated scores.

    Many are sorted three times faster as whole numbers: the score's bits, made to sort as it does, before the place.
    Finite scores only.
    """
    if len(scores) < PACKED_FROM or scores.dtype != np.float32:
        return np.argsort(-scores, kind="stable")
    bits = (np.float32(0) - scores).view(np.int32)  # 0 − 0 is 0: zeros of both signs are equal
    bits ^= (bits >> 31) & np.int32(0x7FFFFFFF)
    packed = bits.astype(np.int64)
    packed <<= 32
    packed |= np.arange(len(scores))
    packed.sort()
    packed &= 0xFFFFFFFF
    return packed
