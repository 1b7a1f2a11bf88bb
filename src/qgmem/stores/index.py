"""Search over all segments of a namespace as one: the primitives that the channels are made of.

A *row* is a unit's place in this index; rows are valid for this index object only. Scores follow the
channel's definition: BM25 with Lucene's IDF over this namespace's statistics, cosine, overlap of days.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .chronology import beside, needs_no_chain
from .dense import RESCORED, RESCORED_LEAST, Float32, best, contenders, descending, widened
from .part import Mask, Part, Phrases, Rows
from .segment import NO_DAY, Int32, Int64, UInt64, term_hash

__all__ = ["Index", "Mask", "Part", "Phrases", "Rows"]

FEW_IDS = 48  # are read one by one


class Index:
    """An immutable view of a namespace at one change number. Safe to share between threads."""

    def __init__(self, parts: Sequence[Part], phrases: Sequence[Phrases], change: int, k1: float, b: float) -> None:
        self.parts, self.phrases, self.change = tuple(parts), tuple(phrases), change
        self._k1, self._b = k1, b
        self._start = np.cumsum([0] + [len(part.segment) for part in self.parts])
        self.size = sum(part.size for part in self.parts)  # living units
        self.unknown: Mask | None = None  # (rows,) what had not been said yet: it stands beside nothing

    def as_known(self, known: Mask) -> Index:
        """The same rows, as somebody saw them who knew these alone. `known`: (rows,)."""
        view = copy(self)
        view.unknown = ~known
        return view

    # ---- rows

    @property
    def rows(self) -> int:
        """Number of rows, dead ones included."""
        return int(self._start[-1])

    @cached_property
    def alive(self) -> Mask | None:
        """(rows,) which rows are living units; None for all."""
        if self.size == self.rows:
            return None
        return np.concatenate([part.living() for part in self.parts])

    def column(self, name: str) -> NDArray[np.generic]:
        """(rows,) one column of all segments: key, chain, speaker, utterance_day, utterance_us, valid_from."""
        arrays = [np.asarray(getattr(part.segment, name)) for part in self.parts]
        if len(arrays) == 1:
            return arrays[0]
        return np.concatenate(arrays) if arrays else np.empty(0, np.int64)

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
        if len(self.parts) == 1 and len(rows) < FEW_IDS:
            return self.parts[0].segment.ids(rows)
        return [name.decode() for name in self._names(np.asarray(rows, np.intp)).tolist()]

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
        place = self.order(rows, scores, n)
        return rows[place], scores[place]

    def order(self, rows: Rows, scores: Float32, n: int) -> Rows:
        """Places in `rows` of the n best, sorted by (-score, unit id)."""
        kept = best(scores, n)
        values = scores[kept]
        order = descending(values)
        place, values = kept[order], values[order]
        same = values[1:] == values[:-1]
        if same.any():
            tied = np.zeros(len(place), np.bool_)
            tied[1:] = same
            tied[:-1] |= same
            where = np.flatnonzero(tied)
            ids = self._by_id(rows[place[where]])
            place[where] = place[where[np.lexsort((ids, -values[where]))]]
        return place[:n]

    def _by_id(self, rows: Rows) -> NDArray[np.generic]:
        """What sorts as the unit ids of these rows do."""
        if len(self.parts) == 1:
            return self.parts[0].segment.id_rank[rows]
        place = int(np.searchsorted(self._start, rows[0], side="right")) - 1
        start, stop = self._start[place : place + 2]
        if ((rows >= start) & (rows < stop)).all():
            return np.asarray(self.parts[place].segment.id_rank[rows - start])
        return self._names(rows)

    def _names(self, rows: Rows) -> NDArray[np.bytes_]:
        """Unit ids of many rows as an array that sorts like the ids; they hold no NUL."""
        if len(self.parts) == 1:
            return self.parts[0].segment.names(rows)
        owner = np.searchsorted(self._start, rows, side="right") - 1
        names: NDArray[np.bytes_] = np.empty(len(rows), "S1")
        for place, part in enumerate(self.parts):
            inside = np.flatnonzero(owner == place)
            if len(inside):
                found = part.segment.names(rows[inside] - self._start[place])
                if found.itemsize > names.itemsize:
                    names = names.astype(found.dtype)
                names[inside] = found
        return names

    # ---- lexical

    def lexical(self, terms: Sequence[str]) -> Float32:
        """(rows,) BM25 of the terms, 0 where none occurs: Σ idf · tf / (tf + k1·(1 − b + b·length/mean))."""
        if not terms or not self.size:
            return np.zeros(self.rows, np.float32)
        numbers = np.array([term_hash(term) for term in terms], np.uint64)
        found = [_postings(part, numbers) for part in self.parts]
        frequency = sum(np.bincount(owner, minlength=len(terms)) for _, _, owner in found)
        idf = np.log1p((self.size - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
        mean = sum(part.length for part in self.parts) / self.size
        flat, slope = np.float32(self._k1 * (1 - self._b)), np.float32(self._k1 * self._b / max(mean, 1e-9))
        scores = []
        for part, (at, count, owner) in zip(self.parts, found, strict=True):
            weight = count.astype(np.float32)
            norm = flat + slope * part.segment.length[at]
            scores.append(np.bincount(at, idf[owner] * weight / (weight + norm), len(part.segment)))
        return (scores[0] if len(scores) == 1 else np.concatenate(scores)).astype(np.float32)

    def matched_terms(self, terms: Sequence[str], rows: Rows) -> tuple[Float32, Float32]:
        """((len(rows), t) 1 where the term occurs, (t,) its IDF); `rows` ascending, terms distinct."""
        matched = np.zeros((len(rows), len(terms)), np.float32)
        if not terms or not len(rows):
            return matched, np.zeros(len(terms), np.float32)
        frequency = np.zeros(len(terms), np.int64)
        numbers = np.array([term_hash(term) for term in terms], np.uint64)
        for part, start in zip(self.parts, self._start, strict=False):
            at, _, owner = _postings(part, numbers)
            frequency += np.bincount(owner, minlength=len(terms))
            place = np.minimum(np.searchsorted(rows, at + start), len(rows) - 1)
            hit = rows[place] == at + start
            matched[place[hit], owner[hit]] = 1
        idf = np.log1p((self.size - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
        return matched, idf

    def rows_with_all(self, terms: Sequence[str]) -> Rows:
        """Living rows in which every one of these distinct terms occurs, ascending."""
        found = []
        numbers = np.array([term_hash(term) for term in terms], np.uint64)
        for part, start in zip(self.parts, self._start, strict=False):
            at, _, _ = _postings(part, numbers)
            rows, count = np.unique(at, return_counts=True)
            found.append(rows[count == len(terms)] + start)
        return np.concatenate(found) if found and terms else np.empty(0, np.intp)

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
                scores[~(usable if part.one_each else usable[vector_row])] = -2
            enough = block.few and part.one_each  # one exact score a unit
            if enough:
                kept = best(scores, n)
            elif part.one_each:
                kept = contenders(scores, n)
            else:  # the n best units may have more than n pieces among the best
                kept = best(scores, max(RESCORED * n, RESCORED_LEAST))
            if usable is not None:
                kept = kept[scores[kept] > -2]
            values = scores[kept] if block.few else block.exact(query, kept)
            block.release()  # these lie anywhere; what fusion reads lies elsewhere, and together they are too much
            at = kept if part.one_each else vector_row[kept].astype(np.intp)
            if not part.one_each:
                at, values = _best_per_row(at, values)
            rows.append(at + start)
            cosines.append(values)
        if not rows:
            return np.empty(0, np.intp), np.empty(0, np.float32)
        if len(rows) == 1:
            return self.top(rows[0], cosines[0], n)
        return self.top(np.concatenate(rows), np.concatenate(cosines), n)

    def cosines(self, query: Float32, rows: Rows) -> Float32:
        """(len(rows),) exact cosines; 0 for a row without a vector."""
        if len(self.parts) == 1 and self.parts[0].one_each:
            return self.parts[0].vectors.exact(query, rows)
        values = np.zeros(len(rows), np.float32)
        for part, start, inside in self._split(rows):
            local = rows[inside] - start
            if part.one_each:
                values[inside] = part.vectors.exact(query, local)
                continue
            left = np.searchsorted(part.segment.vector_row, local, side="left")
            right = np.searchsorted(part.segment.vector_row, local, side="right")
            pieces, owner = _ranges(left, right)
            if len(pieces):
                best_of = np.full(len(local), -2, np.float32)
                np.maximum.at(best_of, owner, part.vectors.exact(query, pieces))
                values[inside] = np.where(best_of > -2, best_of, 0)
        return values

    def vectors(self, rows: Rows) -> Float32:
        """(len(rows), d) the units' vectors, of length 1: the mean of a long text's pieces; zeros where none is."""
        width = self.parts[0].segment.vector.shape[1] if self.parts else 0
        total = np.zeros((len(rows), width), np.float32)
        for part, start, inside in self._split(rows):
            local = rows[inside] - start
            if part.one_each:
                total[inside] = widened(part.segment.vector[local])
                continue
            left = np.searchsorted(part.segment.vector_row, local, side="left")
            right = np.searchsorted(part.segment.vector_row, local, side="right")
            pieces, owner = _ranges(left, right)
            if len(pieces):
                first = np.flatnonzero(np.diff(owner, prepend=-1))
                total[inside[owner[first]]] = np.add.reduceat(widened(part.segment.vector[pieces]), first, axis=0)
        length = np.linalg.norm(total, axis=1, keepdims=True)
        unit: Float32 = total / np.maximum(length, 1e-9)
        return unit

    # ---- event attributes

    def phrase_matches(
        self, vectors: Float32, hashes: Sequence[int], threshold: float, locations: bool
    ) -> tuple[Rows, Float32]:
        """SemMatch of c constraints: (rows, scores), the mean over constraints of each one's best phrase.

        A phrase counts at cosine ≥ threshold, or 1 when its text is the constraint's.
        `vectors`: (c, d), `hashes`: of the c texts.
        """
        scores = np.zeros((len(hashes), self.rows), np.float32)
        for run in self.phrases:
            keys, strength, constraint = _phrase_matches(run, vectors, np.array(hashes, np.uint64), threshold)
            self._spread(scores, keys, strength, constraint, locations)
        total = scores[0] if len(scores) == 1 else scores.sum(axis=0)
        rows = np.flatnonzero(total > 0)  # of booleans: eight times faster than of floats
        return rows, total[rows] / np.float32(max(len(hashes), 1))

    def _spread(self, scores: Float32, phrases: Int64, strength: Float32, constraint: Rows, locations: bool) -> None:
        """Raise (c, rows) scores to the strongest phrase of each constraint that each living unit mentions."""
        flat = scores.reshape(-1)
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
            np.maximum.at(flat, constraint[owner] * self.rows + at + int(start), strength[owner])

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
        rows = np.flatnonzero(scores > 0)
        return rows, scores[rows]

    def fact_ends(self, rows: Rows) -> Int32:
        """(len(rows),) last day of each unit's fact times, NO_DAY where it states none."""
        found = np.full(len(rows), NO_DAY, np.int32)
        for part, start, inside in self._split(rows):
            local = rows[inside] - start
            left = np.searchsorted(part.segment.interval_row, local, side="left")
            right = np.searchsorted(part.segment.interval_row, local, side="right")
            places, owner = _ranges(left, right)
            np.maximum.at(found, inside[owner], part.segment.interval_last[places])
        return found

    # ---- chronology

    def neighbours(self, rows: Rows, distance: int = 1) -> NDArray[np.intp]:
        """(len(rows), 2) rows of the verbatim units `distance` turns before and after in the session, -1 if none."""
        return self.around(rows, distance)[:, 2 * distance - 2 :]

    def around(self, rows: Rows, distance: int = 2) -> NDArray[np.intp]:
        """(len(rows), 2 · distance): one turn before, one after, two before, two after, …; -1 if none."""
        if not len(rows):
            return np.empty((0, 2 * distance), np.intp)
        chain = None if needs_no_chain(self.parts, distance) else np.asarray(self.gather("chain", rows), np.int64)
        found = beside(self.parts, self._start[:-1].tolist(), rows, chain, distance).T
        if self.unknown is not None:
            found[(found >= 0) & self.unknown[found]] = -1
        return found

    # ---- inside

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


def _phrase_matches(run: Phrases, vectors: Float32, numbers: UInt64, threshold: float) -> tuple[Int64, Float32, Rows]:
    """(phrase keys, strengths, which constraint) of all matches in one run of phrases."""
    likely = (run.vectors.scans(vectors) >= threshold - 0.02).any(axis=0)
    likely |= (run.hash == numbers[:, None]).any(axis=0)
    near = np.flatnonzero(likely)
    strength = np.minimum(run.vectors.exacts(vectors, near), 1)
    strength[run.hash[near] == numbers[:, None]] = 1
    constraint, at = np.nonzero(strength >= threshold)
    return run.key[near[at]], strength[constraint, at], constraint


def _postings(part: Part, numbers: UInt64) -> tuple[Rows, NDArray[np.uint16], Rows]:
    """Rows, counts and the place among `numbers` of every living posting of these terms."""
    segment = part.segment
    spans = segment.postings(numbers)
    at = np.concatenate([segment.posting_row[span] for span in spans]).astype(np.intp)
    count = np.concatenate([segment.posting_count[span] for span in spans])
    owner = np.repeat(np.arange(len(spans)), [span.stop - span.start for span in spans])
    if part.alive is None:
        return at, count, owner
    living = part.alive[at]
    return at[living], count[living], owner[living]


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
