"""Segments: building, merging, and the small searches that stand on them."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from segments import row

from qgmem.stores.part import Part, joined
from qgmem.stores.segment import FIELDS, IndexRow, Segment, build, merge, term_hash

DIMENSION = 4


def rows_of(count: int, start: int = 1) -> list[IndexRow]:
    """Rows with something in every array."""
    return [
        row(
            key,
            id=f"é{key}" * (key % 3 + 1),
            chain=(key % 3 << 40) | key,
            speaker=key % 2,
            verbatim=key % 4 != 0,
            terms=["tea"] * (key % 5) + ["sea", f"word{key}"],
            utterance_day=key,
            utterance_us=key * 10,
            valid_from=key - 1,
            intervals=[(key, key + n) for n in range(key % 3)],
            entities=[key % 7, 100 + key],
            locations=[key % 7],
            vectors=[np.full(DIMENSION, key + n, np.float16).tobytes() for n in range(key % 3)],
        )
        for key in range(start, start + count)
    ]


def assert_same(found: Segment, expected: Segment) -> None:
    for field in fields(Segment):
        left, right = getattr(found, field.name), getattr(expected, field.name)
        assert left.dtype == right.dtype, field.name
        np.testing.assert_array_equal(left, right, err_msg=field.name)


def test_every_array_is_named_for_the_snapshot() -> None:
    assert set(FIELDS) == {field.name for field in fields(Segment)}


def test_merging_gives_what_building_at_once_gives() -> None:
    rows = rows_of(40)
    parts = [build(rows[20:], DIMENSION), build(rows[:13], DIMENSION), build(rows[13:20], DIMENSION)]
    assert_same(merge(parts, [np.ones(len(part), bool) for part in parts]), build(rows, DIMENSION))


def test_the_dead_leave_nothing_behind() -> None:
    rows = rows_of(40)
    parts = [build(rows[::2], DIMENSION), build(rows[1::2], DIMENSION)]
    alive = [part.key % 5 != 0 for part in parts]
    kept = [one for one in rows if one.key % 5]
    merged = merge(parts, alive)
    assert_same(merged, build(kept, DIMENSION))
    assert term_hash("word5") not in merged.term
    assert "é5".encode() not in bytes(merged.id_bytes)


def test_a_row_written_again_lives_in_the_newer_segment() -> None:
    old = Part.of(build(rows_of(10), DIMENSION))
    changed = [row(3, id="new", terms=["fresh"])]
    new = Part.of(build(changed, DIMENSION))
    both = joined([old.without(np.array([3])), new])
    expected = [one for one in rows_of(10) if one.key != 3] + changed
    assert_same(both.segment, build(expected, DIMENSION))
    assert (both.size, both.dead) == (10, 0)


def test_parts_count_what_lives() -> None:
    part = Part.of(build(rows_of(10), DIMENSION))
    lengths = {one.key: len(one.terms) for one in rows_of(10)}
    assert (part.size, part.length) == (10, sum(lengths.values()))
    less = part.without(np.array([2, 3, 999]))
    assert (less.size, less.dead, less.length) == (8, 2, part.length - lengths[2] - lengths[3])
    assert less.without(np.array([2])) is less
    assert part.without(np.array([], np.int64)) is part
    assert set(less.chain[1].tolist()) == {row for row in range(10) if (row + 1) % 4 and row not in (1, 2)}
    assert (np.diff(less.chain[0]) > 0).all()


@pytest.mark.parametrize("rows", [[], [row(1)], [row(1, terms=["a"], id="x")]])
def test_small_segments(rows: list[IndexRow]) -> None:
    segment = build(rows, DIMENSION)
    assert len(segment) == len(rows)
    assert segment.vector.shape == (0, DIMENSION)
    assert_same(merge([segment, build([], DIMENSION)], [np.ones(len(rows), bool), np.ones(0, bool)]), segment)


def test_counts_stop_at_what_16_bits_hold() -> None:
    segment = build([row(1, terms=["tea"] * 70_000)], DIMENSION)
    assert segment.posting_count.tolist() == [65_535]
    assert segment.length.tolist() == [70_000]


def test_postings() -> None:
    segment = build([row(1, terms=["a", "b", "a"]), row(2, terms=["b"])], DIMENSION)
    a, b, absent = segment.postings(np.array([term_hash(t) for t in ("a", "b", "absent")], np.uint64))
    assert (segment.posting_row[a].tolist(), segment.posting_count[a].tolist()) == ([0], [2])
    assert (segment.posting_row[b].tolist(), segment.posting_count[b].tolist()) == ([0, 1], [1, 1])
    assert absent == slice(0, 0)
    assert build([], DIMENSION).postings(np.array([5], np.uint64)) == [slice(0, 0)]


def test_names_sort_as_the_ids_do() -> None:
    ids = ["b", "a", "ab", "é", "😀", "z" * 300, "A", "\u00ff", "\uffff"]
    segment = build([row(n + 1, id=name) for n, name in enumerate(ids)], DIMENSION)
    order = np.argsort(segment.names(np.arange(len(ids))), kind="stable")
    assert [ids[place] for place in order] == sorted(ids)
    assert segment.ids(range(len(ids))) == ids


def test_the_rank_of_ids_is_that_of_their_bytes() -> None:
    """UTF-8 sorts "b" before "é"; a prefix goes before what it begins."""
    names = ["é", "b", "ba", "a"]
    segment = build([row(key + 1, id=name) for key, name in enumerate(names)], DIMENSION)
    assert segment.id_rank.tolist() == [3, 1, 2, 0]


def test_reach_ends_at_the_borders_of_a_session() -> None:
    """Three turns of one session, then one and two of others."""
    chains = [(1, 1), (1, 2), (1, 3), (2, 4), (3, 5), (3, 6)]
    part = Part.of(build([row(turn, chain=session << 40 | turn) for session, turn in chains], DIMENSION))
    before, after = part.reach
    assert before.tolist() == [0, 1, 2, 0, 0, 1]
    assert after.tolist() == [2, 1, 0, 0, 1, 0]
