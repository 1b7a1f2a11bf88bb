"""Windows over sessions: every turn new once, nothing across a border, growth and deletion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgmem.construction.windows import Cover, Window, plan, sessions
from qgmem.errors import InvalidInput
from qgmem.types import Turn


def _turns(count: int, session: str = "s", start: int = 0) -> list[Turn]:
    return [Turn(f"{session}{n}", session, n, "Ana", "user", f"line {n}") for n in range(start, start + count)]


def _cover(window: Window) -> Cover:
    return Cover(window.id, window.turn_ids, window.overlap)


def _shape(windows: tuple[Window, ...]) -> list[tuple[str, int]]:
    return [(f"{window.turn_ids[0]}-{window.turn_ids[-1]}", window.overlap) for window in windows]


def test_six_turns_wide_two_seen_before() -> None:
    """14 turns: 0–5 all new, then steps of four with two turns of background."""
    assert _shape(plan(_turns(14)).windows) == [("s0-s5", 0), ("s4-s9", 2), ("s8-s13", 2)]


@pytest.mark.parametrize(("count", "windows"), [(0, 0), (1, 1), (6, 1), (7, 2), (10, 2), (11, 3)])
def test_no_window_consists_of_background_alone(count: int, windows: int) -> None:
    found = plan(_turns(count)).windows
    assert len(found) == windows
    assert all(window.new for window in found)


def test_sessions_part_and_keep_ingestion_order() -> None:
    mixed = [*_turns(3, "b", 10), *_turns(3, "a", 0)]
    found = sessions(reversed(mixed))
    assert {name: [turn.sequence for turn in said] for name, said in found.items()} == {
        "a": [0, 1, 2],
        "b": [10, 11, 12],
    }
    with pytest.raises(InvalidInput, match="several sessions"):
        plan(mixed)


def test_a_width_that_leaves_nothing_new_is_refused() -> None:
    with pytest.raises(InvalidInput, match="overlap"):
        plan(_turns(3), width=2, overlap=2)


def test_same_turns_same_id_and_another_role_another_id() -> None:
    turns = tuple(_turns(6))
    assert Window(turns, 0).id == Window(tuple(_turns(6)), 0).id
    assert Window(turns, 0).id != Window(turns, 2).id
    assert Window(turns[:3], 0).id != Window(turns[:4], 0).id


def test_an_id_tells_nothing_of_what_was_said() -> None:
    one, other = _turns(1)[0], Turn("s0", "s", 0, "Ben", "user", "my PIN is 4821")
    assert Window((one,), 0).id == Window((other,), 0).id


@given(st.lists(st.integers(1, 9), min_size=1, max_size=8))
def test_windows_do_not_depend_on_how_the_history_was_cut(parts: list[int]) -> None:
    """Adding in pieces, with a plan after each, ends in the windows of one plan over all."""
    whole = _turns(sum(parts))
    read: dict[str, Cover] = {}
    at = 0
    for part in parts:
        at += part
        step = plan(whole[:at], read.values())
        for stale in step.stale:
            del read[stale]
        read.update((window.id, _cover(window)) for window in step.windows)
    assert set(read) == {window.id for window in plan(whole).windows}


@given(st.integers(1, 40), st.sets(st.integers(0, 39), max_size=6), st.integers(2, 8), st.integers(0, 3))
def test_every_turn_is_new_in_exactly_one_window_also_after_deletions(
    count: int, gone: set[int], width: int, overlap: int
) -> None:
    overlap = min(overlap, width - 1)
    turns = _turns(count)
    covers = [_cover(window) for window in plan(turns, width=width, overlap=overlap).windows]
    left = [turn for turn in turns if turn.sequence not in gone]
    touched = {f"s{n}" for n in gone}
    known = [cover for cover in covers if not touched.intersection(cover.turn_ids)]
    found = plan(left, known, width=width, overlap=overlap)
    new = [turn.id for window in found.windows for turn in window.new]
    assert sorted(new) == sorted(turn.id for turn in left)
    assert all(len(window.turns) <= width and window.overlap <= overlap for window in found.windows)
    kept = {cover.id for cover in known} - set(found.stale)
    assert kept <= {window.id for window in found.windows}, "a deletion makes no untouched window be read again"


def test_a_window_of_turns_that_are_gone_is_stale() -> None:
    turns = _turns(6)
    cover = _cover(plan(turns).windows[0])
    found = plan(turns[1:], [cover])
    assert found.stale == (cover.id,)
    assert _shape(found.windows) == [("s1-s5", 0)]
