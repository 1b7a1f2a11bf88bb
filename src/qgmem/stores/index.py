"""Search over all segments of a namespace as one: the primitives that the channels are made of.

A *row* is a unit's place in this index; rows are valid for this index object only. Scores follow the
channel's definition: BM25 with Lucene's IDF over this namespace's statistics, cosine, overlap of days.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .dense import RESCORED, Float32, VectorBlock, best
from .segment import NO_DAY, Int32, Int64, Segment, UInt64, term_hash

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Part:
    """A segment with what changes around it: which rows still live, and its vectors ready to compare."""

    segment: Segment
    alive: Mask | None  # None: all
    vectors: VectorBlock

    def living(self) -> Mask:
        return np.ones(len(self.segment), np.bool_) if self.alive is None else self.alive


@dataclass(frozen=True, slots=True)
class Phrases:
    """A run of entity and location phrases: key (p,) ascending, hash of the text, vector (zeros if none yet)."""

    key: Int64
    hash: UInt64
    vectors: VectorBlock


class Index:
    """An immutable view of a namespace at one change number. Safe to share between threads."""

    def __init__(self, parts: Sequence[Part], phrases: Sequence[Phrases], change: int, k1: float, b: float) -> None:
        self.parts, self.phrases, self.change = tuple(parts), tuple(phrases), change
        self._k1, self._b = k1, b
        self._start = np.cumsum([0] + [len(part.segment) for part in self.parts])
        alive = [part.alive for part in self.parts]
        self.alive: Mask | None = (
            None if all(mask is None for mask in alive) else self._join([p.living() for p in self.parts])
        )

    # ---- rows

    @property
    def rows(self) -> int:
        """Number of rows, dead ones included."""
        return int(self._start[-1])

    @cached_property
    def size(self) -> int:
        """Number of living units."""
        return self.rows if self.alive is None else int(np.count_nonzero(self.alive))

    def column(self, name: str) -> NDArray[np.generic]:
        """(rows,) one column of all segments: key, chain, speaker, utterance_day, utterance_us, valid_from."""
        return self._columns(name)

    def gather(self, name: str, rows: Rows) -> NDArray[np.generic]:
        """That column at these rows, without building the whole."""
        if len(self.parts) == 1:
            return np.asarray(getattr(self.parts[0].segment, name)[rows])
        found: NDArray[np.generic] | None = None
        for part, start, inside in self._split(rows):
            values = getattr(part.segment, name)[rows[inside] - start]
            if found is None:
                found = np.empty(len(rows), values.dtype)
            found[inside] = values
        return np.empty(0, np.int64) if found is None else found

    def ids(self, rows: Sequence[int] | Rows) -> list[str]:
        """Unit ids of rows, in the given order."""
        found = []
        for row in rows:
            place = int(np.searchsorted(self._start, row, side="right")) - 1
            found += self.parts[place].segment.ids([int(row) - int(self._start[place])])
        return found

    def rows_of(self, keys: Int64) -> Rows:
        """Rows of living units by key; keys that are not here are left out."""
        found = []
        for part, start in zip(self.parts, self._start, strict=False):
            place = np.searchsorted(part.segment.key, keys)
            place = np.minimum(place, max(len(part.segment) - 1, 0))
            hit = (part.segment.key[place] == keys) if len(part.segment) else np.zeros(len(keys), np.bool_)
            rows = place[hit]
            if part.alive is not None:
                rows = rows[part.alive[rows]]
            found.append(rows + start)
        return np.concatenate(found) if found else np.empty(0, np.intp)

    def top(self, rows: Rows, scores: Float32, n: int) -> tuple[Rows, Float32]:
        """The n best of these, sorted by (-score, unit id)."""
        kept = best(scores, n)
        rows, scores = rows[kept], scores[kept]
        order = np.argsort(-scores, kind="stable")
        rows, scores = rows[order], scores[order]
        tied = np.flatnonzero(scores[1:] == scores[:-1])
        if len(tied):
            where = np.unique(np.concatenate([tied, tied + 1]))
            names = dict(zip(where.tolist(), self.ids(rows[where]), strict=True))
            places = sorted(where.tolist(), key=lambda at: (-float(scores[at]), names[at]))
            rows[where], scores[where] = rows[places], scores[places]
        return rows[:n], scores[:n]

    # ---- lexical

    def lexical(self, terms: Sequence[str]) -> Float32:
        """(rows,) BM25 of the terms, 0 where none occurs: Σ idf · tf / (tf + k1·(1 − b + b·length/mean))."""
        scores = np.zeros(self.rows, np.float32)
        for term in terms:
            number = term_hash(term)
            spans = [part.segment.postings(number) for part in self.parts]
            frequency = 0
            found: list[tuple[Int32, Float32, int]] = []
            for part, span, start, norm in zip(self.parts, spans, self._start, self._norms, strict=False):
                if span.stop == span.start:
                    continue
                at, count = part.segment.posting_row[span], part.segment.posting_count[span]
                if part.alive is not None:
                    living = part.alive[at]
                    at, count = at[living], count[living]
                frequency += len(at)
                weight = count.astype(np.float32)
                found.append((at, weight / (weight + norm[at]), int(start)))
            if frequency == 0:
                continue
            idf = np.float32(np.log1p((self.size - frequency + 0.5) / (frequency + 0.5)))
            for at, weight, start in found:
                scores[start + at] += idf * weight
        return scores

    @cached_property
    def _norms(self) -> list[Float32]:
        """k1·(1 − b + b·length/mean length) of every row, by part."""
        total = sum(int(part.segment.length[part.living()].sum()) for part in self.parts)
        mean = max(total / max(self.size, 1), 1e-9)
        return [
            (self._k1 * (1 - self._b + self._b / mean * part.segment.length)).astype(np.float32)
            for part in self.parts
        ]

    # ---- semantic

    def semantic(self, query: Float32, n: int, allowed: Mask | None = None) -> tuple[Rows, Float32]:
        """The n nearest living rows and their exact cosines, best first; a long text counts by its best piece."""
        rows: list[Rows] = []
        cosines: list[Float32] = []
        for part, start in zip(self.parts, self._start, strict=False):
            block, vector_row = part.vectors, part.segment.vector_row
            if len(block) == 0:
                continue
            scores = block.scan(query)
            usable = self._usable(part, int(start), allowed)
            if usable is not None:
                scores = np.where(usable[vector_row], scores, np.float32(-2))
            exact = block.whole is not None
            kept = best(scores, n * (1 if exact and len(vector_row) == len(part.segment) else RESCORED))
            kept = kept[scores[kept] > -2]
            values = scores[kept] if exact else block.exact(query, kept)
            rows.append(vector_row[kept].astype(np.intp) + start)
            cosines.append(values)
        if not rows:
            return np.empty(0, np.intp), np.empty(0, np.float32)
        found, values = _best_per_row(np.concatenate(rows), np.concatenate(cosines))
        return self.top(found, values, n)

    def cosines(self, query: Float32, rows: Rows) -> Float32:
        """(len(rows),) exact cosines; 0 for a row without a vector."""
        values = np.zeros(len(rows), np.float32)
        for part, start, inside in self._split(rows):
            local = rows[inside] - start
            left = np.searchsorted(part.segment.vector_row, local, side="left")
            right = np.searchsorted(part.segment.vector_row, local, side="right")
            pieces, owner = _ranges(left, right)
            if len(pieces):
                best_of = np.full(len(local), -2, np.float32)
                np.maximum.at(best_of, owner, part.vectors.exact(query, pieces))
                values[inside] = np.where(best_of > -2, best_of, 0)
        return values

    # ---- event attributes

    def phrase_matches(
        self, vectors: Float32, hashes: Sequence[int], threshold: float, locations: bool
    ) -> tuple[Rows, Float32]:
        """SemMatch of c constraints: (rows, scores), the mean over constraints of each one's best phrase.

        A phrase counts at cosine ≥ threshold, or 1 when its text is the constraint's.
        `vectors`: (c, d), `hashes`: of the c texts.
        """
        total = np.zeros(self.rows, np.float32)
        for vector, number in zip(vectors, hashes, strict=True):
            matched = [_phrase_match(part, vector, number, threshold) for part in self.phrases]
            if matched:
                keys = np.concatenate([keys for keys, _ in matched])
                total += self._spread(keys, np.concatenate([strength for _, strength in matched]), locations)
        rows = np.flatnonzero(total)
        return rows, total[rows] / np.float32(max(len(hashes), 1))

    def _spread(self, phrases: Int64, strength: Float32, locations: bool) -> Float32:
        """(rows,) the strongest of these phrases that each living unit mentions."""
        scores = np.zeros(self.rows, np.float32)
        for part, start in zip(self.parts, self._start, strict=False):
            segment = part.segment
            left = np.searchsorted(segment.mention_phrase, phrases, side="left")
            right = np.searchsorted(segment.mention_phrase, phrases, side="right")
            places, owner = _ranges(left, right)
            right_kind = segment.mention_location[places] == locations
            places, owner = places[right_kind], owner[right_kind]
            at = segment.mention_row[places]
            if part.alive is not None:
                living = part.alive[at]
                at, owner = at[living], owner[living]
            np.maximum.at(scores, at + int(start), strength[owner])
        return scores

    def time_matches(self, spans: Sequence[tuple[int, int]], uttered: bool) -> tuple[Rows, Float32]:
        """TimeMatch: the best days(C ∩ T) / min(days C, days T) over pairs; only rows above 0."""
        scores = np.zeros(self.rows, np.float32)
        for part, start in zip(self.parts, self._start, strict=False):
            segment = part.segment
            if uttered:
                at = np.flatnonzero(segment.utterance_day != NO_DAY).astype(np.int32)
                first = last = segment.utterance_day[at]
            else:
                at, first, last = segment.interval_row, segment.interval_first, segment.interval_last
            for low, high in spans:
                shared = np.minimum(last, high) - np.maximum(first, low) + 1
                hit = np.flatnonzero(shared > 0)
                shortest = np.minimum(last[hit] - first[hit] + 1, high - low + 1)
                np.maximum.at(scores, at[hit] + int(start), (shared[hit] / shortest).astype(np.float32))
        if self.alive is not None:
            scores[~self.alive] = 0
        rows = np.flatnonzero(scores)
        return rows, scores[rows]

    # ---- chronology

    def neighbours(self, rows: Rows, distance: int = 1) -> NDArray[np.intp]:
        """(len(rows), 2) rows of the verbatim units `distance` turns before and after in the session, -1 if none."""
        found = np.full((len(rows), 2), -1, np.intp)
        if not len(rows):
            return found
        places = np.searchsorted(self._chain[0], np.asarray(self.gather("chain", rows)))
        session = np.asarray(self.gather("chain", rows)) >> 40
        for side, step in ((0, -distance), (1, distance)):
            at = places + step
            inside = (at >= 0) & (at < len(self._chain[0]))
            at = np.where(inside, at, 0)
            if len(self._chain[0]):
                inside &= (self._chain[0][at] >> 40) == session
                found[:, side] = np.where(inside, self._chain[1][at], -1)
        return found

    @cached_property
    def _chain(self) -> tuple[Int64, Rows]:
        """Chain keys of all living verbatim units, ascending, and their rows."""
        keys, rows = [], []
        for part, start in zip(self.parts, self._start, strict=False):
            at = part.segment.chain_row
            if part.alive is not None:
                at = at[part.alive[at]]
            keys.append(part.segment.chain[at])
            rows.append(at.astype(np.intp) + start)
        if not keys:
            return np.empty(0, np.int64), np.empty(0, np.intp)
        if len(keys) == 1:
            return keys[0], rows[0]
        joined, where = np.concatenate(keys), np.concatenate(rows)
        order = np.argsort(joined, kind="stable")
        return joined[order], where[order]

    # ---- inside

    def _columns(self, name: str) -> NDArray[np.generic]:
        return self._join([getattr(part.segment, name) for part in self.parts])

    @staticmethod
    def _join(arrays: Sequence[NDArray[np.generic]]) -> NDArray:  # type: ignore[type-arg]
        if len(arrays) == 1:
            return arrays[0]
        return np.concatenate(arrays) if arrays else np.empty(0, np.int64)

    def _split(self, rows: Rows) -> list[tuple[Part, int, Rows]]:
        """Which of `rows` lie in which part: (part, its first row, places in `rows`)."""
        if len(self.parts) == 1:
            return [(self.parts[0], 0, np.arange(len(rows)))]
        owner = np.searchsorted(self._start, rows, side="right") - 1
        found = []
        for place, part in enumerate(self.parts):
            inside = np.flatnonzero(owner == place)
            if len(inside):
                found.append((part, int(self._start[place]), inside))
        return found

    def _usable(self, part: Part, start: int, allowed: Mask | None) -> Mask | None:
        if allowed is None:
            return part.alive
        mine = allowed[start : start + len(part.segment)]
        return mine if part.alive is None else mine & part.alive


def _phrase_match(part: Phrases, vector: Float32, number: int, threshold: float) -> tuple[Int64, Float32]:
    """(phrase keys, strengths) that one constraint matches in one run of phrases."""
    near = np.flatnonzero(part.vectors.scan(vector) >= threshold - 0.02)
    strength = part.vectors.exact(vector, near)
    kept = strength >= threshold
    same = np.flatnonzero(part.hash == np.uint64(number))
    strength = np.concatenate([np.minimum(strength[kept], 1), np.ones(len(same), np.float32)])
    return part.key[np.concatenate([near[kept], same])], strength


def _ranges(left: Rows, right: Rows) -> tuple[Rows, Rows]:
    """All places of the half-open ranges, and which range each belongs to."""
    lengths = right - left
    owner = np.repeat(np.arange(len(lengths)), lengths)
    ends = np.cumsum(lengths)
    places = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    return places + np.repeat(left, lengths), owner


def _best_per_row(rows: Rows, scores: Float32) -> tuple[Rows, Float32]:
    order = np.lexsort((-scores, rows))
    rows, scores = rows[order], scores[order]
    first = np.ones(len(rows), np.bool_)
    first[1:] = rows[1:] != rows[:-1]
    return rows[first], scores[first]
