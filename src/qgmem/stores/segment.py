"""One immutable run of indexed units as numpy arrays: the piece that base snapshot and delta are made of.

A segment knows nothing of statistics or liveness; `snapshot.py` adds those over all segments of a namespace.
Rows are ordered by unit key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]
UInt64 = NDArray[np.uint64]

NO_DAY = np.iinfo(np.int32).min  # a date that is not known
NO_TIME = np.iinfo(np.int64).min  # a time that is not known
USER, ASSISTANT, QUESTION, DIGIT, FACT_TIME, CAPTION = (1 << bit for bit in range(6))  # bits of `traits`
PIECE = 1 << 14  # ids spread out together
CHAIN_SHIFT = 40  # chain key = session code << 40 | turn sequence


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What one unit gives to the index. Days are proleptic ordinals; vectors are float16 of one width."""

    key: int
    id: str
    chain: int  # session code << 40 | first turn's sequence
    speaker: int
    verbatim: bool
    traits: int
    terms: Sequence[str]
    utterance_day: int
    utterance_us: int
    valid_from: int
    intervals: Sequence[tuple[int, int]]
    entities: Sequence[int]  # phrase keys
    locations: Sequence[int]
    vectors: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Segment:
    """Arrays of n units; see the comments for shapes. `*_start` arrays are offsets of length m + 1."""

    key: Int64  # (n,) ascending
    chain: Int64  # (n,)
    speaker: Int32  # (n,)
    verbatim: NDArray[np.bool_]  # (n,)
    traits: NDArray[np.uint8]  # (n,) bits: who speaks, whether it asks, holds a digit, a fact time, a caption
    length: Int32  # (n,) terms
    utterance_day: Int32  # (n,)
    utterance_us: Int64  # (n,)
    valid_from: Int32  # (n,)
    id_start: Int64  # (n + 1,)
    id_bytes: NDArray[np.uint8]
    id_rank: Int32  # (n,) place of the id among those of the segment, sorted as UTF-8
    term: UInt64  # (t,) ascending 64-bit hashes
    term_start: Int64  # (t + 1,)
    posting_row: Int32  # (p,) ascending within a term
    posting_count: NDArray[np.uint16]  # (p,) occurrences in the unit
    chain_row: Int32  # (c,) rows of verbatim units in ascending chain order
    interval_row: Int32  # (i,) ascending
    interval_first: Int32  # (i,) day
    interval_last: Int32  # (i,) day
    mention_phrase: Int64  # (m,) ascending, phrase key
    mention_row: Int32  # (m,)
    mention_location: NDArray[np.bool_]  # (m,)
    vector_row: Int32  # (v,) ascending; a long text has several
    vector: NDArray[np.float16]  # (v, d)

    def __len__(self) -> int:
        return len(self.key)

    def ids(self, rows: Iterable[int]) -> list[str]:
        """Unit ids of rows."""
        return [bytes(self.id_bytes[self.id_start[row] : self.id_start[row + 1]]).decode() for row in rows]

    def names(self, rows: NDArray[np.intp]) -> NDArray[np.bytes_]:
        """Unit ids of rows as UTF-8, padded with NUL: sorted like the ids, and without a loop in Python."""
        start = self.id_start[rows]
        return _named(self.id_bytes, start, self.id_start[rows + 1] - start)

    def postings(self, terms: UInt64) -> list[slice]:
        """Where the postings of these terms lie; an empty slice for one that does not occur."""
        if not len(self.term):
            return [slice(0, 0)] * len(terms)
        place = np.minimum(np.searchsorted(self.term, terms), len(self.term) - 1)
        here = self.term[place] == terms
        first = np.where(here, self.term_start[place], 0).tolist()
        last = np.where(here, self.term_start[place + 1], 0).tolist()
        return [slice(start, stop) for start, stop in zip(first, last, strict=True)]


@lru_cache(maxsize=1 << 17)
def term_hash(term: str) -> int:
    """Stable 64-bit number of a term; among a million terms two agree with probability 3e-8."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def build(rows: Sequence[IndexRow], dimension: int) -> Segment:
    """A segment of these rows, in key order."""
    rows = sorted(rows, key=lambda row: row.key)
    ids = [row.id.encode() for row in rows]
    posting_term: list[int] = []
    posting_row: list[int] = []
    for place, row in enumerate(rows):
        posting_term.extend(map(term_hash, row.terms))
        posting_row.extend([place] * len(row.terms))
    term, term_start, at, count = _postings(np.array(posting_term, np.uint64), np.array(posting_row, np.int32), None)
    intervals = [(place, *span) for place, row in enumerate(rows) for span in row.intervals]
    mentions = sorted(
        {(phrase, place, False) for place, row in enumerate(rows) for phrase in row.entities}
        | {(phrase, place, True) for place, row in enumerate(rows) for phrase in row.locations}
    )
    blobs = [(place, blob) for place, row in enumerate(rows) for blob in row.vectors]
    chain = np.array([row.chain for row in rows], np.int64)
    verbatim = np.array([row.verbatim for row in rows], np.bool_)
    interval = np.array(intervals, np.int32).reshape(-1, 3)
    mention = np.array(mentions, np.int64).reshape(-1, 3)
    return Segment(
        key=np.array([row.key for row in rows], np.int64),
        chain=chain,
        chain_row=_chain_rows(chain, verbatim),
        speaker=np.array([row.speaker for row in rows], np.int32),
        verbatim=verbatim,
        traits=np.array([row.traits for row in rows], np.uint8),
        length=np.array([len(row.terms) for row in rows], np.int32),
        utterance_day=np.array([row.utterance_day for row in rows], np.int32),
        utterance_us=np.array([row.utterance_us for row in rows], np.int64),
        valid_from=np.array([row.valid_from for row in rows], np.int32),
        id_start=_offsets(np.array([len(data) for data in ids], np.int64)),
        id_bytes=np.frombuffer(b"".join(ids), np.uint8),
        id_rank=_ranks(np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int32)),
        term=term,
        term_start=term_start,
        posting_row=at,
        posting_count=count,
        interval_row=interval[:, 0].copy(),
        interval_first=interval[:, 1].copy(),
        interval_last=interval[:, 2].copy(),
        mention_phrase=mention[:, 0].copy(),
        mention_row=mention[:, 1].astype(np.int32),
        mention_location=mention[:, 2].astype(np.bool_),
        vector_row=np.array([place for place, _ in blobs], np.int32),
        vector=np.frombuffer(b"".join(blob for _, blob in blobs), np.float16).reshape(-1, dimension),
    )


def merge(segments: Sequence[Segment], alive: Sequence[NDArray[np.bool_]]) -> Segment:
    """One segment of the living rows of several; what only the dead held is gone from every array."""
    keep = [np.flatnonzero(mask) for mask in alive]
    keys = np.concatenate([s.key[rows] for s, rows in zip(segments, keep, strict=True)])
    order = np.argsort(keys, kind="stable")
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    moved: list[Int32] = []  # old row -> new row, -1 for the dead, one array a segment
    start = 0
    for segment, rows in zip(segments, keep, strict=True):
        new = np.full(len(segment), -1, np.int32)
        new[rows] = place[start : start + len(rows)]
        moved.append(new)
        start += len(rows)

    def rows_of(name: str) -> NDArray[np.generic]:
        parts = [getattr(s, name)[rows] for s, rows in zip(segments, keep, strict=True)]
        return np.concatenate(parts)[order]

    def scattered(row_name: str, *names: str) -> list[NDArray[np.generic]]:
        rows = [new[getattr(s, row_name)] for s, new in zip(segments, moved, strict=True)]
        found: list[NDArray[np.generic]] = [np.concatenate([part[part >= 0] for part in rows])]
        for name in names:
            parts = [getattr(s, name)[part >= 0] for s, part in zip(segments, rows, strict=True)]
            found.append(np.concatenate(parts))
        return found

    id_parts = [_slices(s.id_bytes, s.id_start, rows) for s, rows in zip(segments, keep, strict=True)]
    id_lengths = np.concatenate([lengths for _, lengths in id_parts])
    id_bytes = np.concatenate([data for data, _ in id_parts])
    ordered_bytes, _ = _slices(id_bytes, _offsets(id_lengths), order)
    id_start = _offsets(id_lengths[order])

    posting_row, posting_count, posting_term = [], [], []
    for segment, new in zip(segments, moved, strict=True):
        at = new[segment.posting_row]
        living = at >= 0
        posting_row.append(at[living])
        posting_count.append(segment.posting_count[living])
        posting_term.append(np.repeat(segment.term, np.diff(segment.term_start))[living])
    term, term_start, at, count = _postings(
        np.concatenate(posting_term), np.concatenate(posting_row), np.concatenate(posting_count)
    )

    interval = scattered("interval_row", "interval_first", "interval_last")
    by_row = np.argsort(interval[0], kind="stable")
    mention = scattered("mention_row", "mention_phrase", "mention_location")
    by_phrase = np.lexsort((mention[0], mention[1]))
    vector_row, vector_part = scattered("vector_row", "vector")
    by_vector = np.argsort(vector_row, kind="stable")
    values = {name: rows_of(name) for name in ROW_COLUMNS}
    return Segment(
        chain_row=_chain_rows(values["chain"], values["verbatim"]),  # type: ignore[arg-type]
        **values,  # type: ignore[arg-type]
        id_start=id_start,
        id_bytes=ordered_bytes,
        id_rank=_ranks(np.argsort(_padded(ordered_bytes, id_start), kind="stable").astype(np.int32)),
        term=term,
        term_start=term_start,
        posting_row=at,
        posting_count=count,
        interval_row=interval[0][by_row],  # type: ignore[arg-type]
        interval_first=interval[1][by_row],  # type: ignore[arg-type]
        interval_last=interval[2][by_row],  # type: ignore[arg-type]
        mention_phrase=mention[1][by_phrase],  # type: ignore[arg-type]
        mention_row=mention[0][by_phrase],  # type: ignore[arg-type]
        mention_location=mention[2][by_phrase],  # type: ignore[arg-type]
        vector_row=vector_row[by_vector],  # type: ignore[arg-type]
        vector=vector_part[by_vector],  # type: ignore[arg-type]
    )


ROW_COLUMNS = (
    "key",
    "chain",
    "speaker",
    "verbatim",
    "traits",
    "length",
    "utterance_day",
    "utterance_us",
    "valid_from",
)
FIELDS: tuple[str, ...] = tuple(field.name for field in fields(Segment))


def _postings(
    term: UInt64, row: Int32, count: NDArray[np.uint16] | None
) -> tuple[UInt64, Int64, Int32, NDArray[np.uint16]]:
    """Occurrences sorted into (terms, starts, rows, counts); equal (term, row) pairs are added up if uncounted."""
    order = np.lexsort((row, term))
    term, row = term[order], row[order]
    if count is None:
        first = np.ones(len(term), np.bool_)
        first[1:] = (term[1:] != term[:-1]) | (row[1:] != row[:-1])
        starts = np.flatnonzero(first)
        tally = np.diff(np.append(starts, len(term)))
        count = np.minimum(tally, np.iinfo(np.uint16).max).astype(np.uint16)
        term, row = term[starts], row[starts]
    else:
        count = count[order]
    new = np.ones(len(term), np.bool_)
    new[1:] = term[1:] != term[:-1]
    starts = np.flatnonzero(new)
    return term[starts], np.append(starts, len(term)).astype(np.int64), row, count


def _chain_rows(chain: Int64, verbatim: NDArray[np.bool_]) -> Int32:
    rows = np.flatnonzero(verbatim)
    return rows[np.argsort(chain[rows], kind="stable")].astype(np.int32)


def _named(data: NDArray[np.uint8], start: Int64, length: Int64) -> NDArray[np.bytes_]:
    """The bytes from each start on, padded with NUL."""
    width = int(length.max(initial=1))
    inside = np.arange(width) < length[:, None]
    letters = data[np.where(inside, start[:, None] + np.arange(width), 0)]
    letters *= inside
    return letters.view(f"S{width}").ravel()


def _padded(data: NDArray[np.uint8], start: Int64) -> NDArray[np.bytes_]:
    """Names that lie behind each other, padded with NUL; piece by piece, since offsets take eight bytes a letter."""
    length = np.diff(start)
    names = np.empty(len(length), f"S{int(length.max(initial=1))}")
    for first in range(0, len(length), PIECE):
        piece = slice(first, first + PIECE)
        names[piece] = _named(data, start[:-1][piece], length[piece])
    return names


def _ranks(order: Int32) -> Int32:
    """Where each of 0, 1, 2, … stands in this order."""
    found = np.empty(len(order), np.int32)
    found[order] = np.arange(len(order), dtype=np.int32)
    return found


def _offsets(lengths: Int64) -> Int64:
    found = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=found[1:])
    return found


def _slices(data: NDArray[np.uint8], start: Int64, rows: NDArray[np.intp]) -> tuple[NDArray[np.uint8], Int64]:
    """The bytes of these rows in this order, and their lengths."""
    lengths = (start[1:] - start[:-1])[rows]
    ends = np.cumsum(lengths)
    where = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    return data[where + np.repeat(start[:-1][rows], lengths)], lengths
