"""Searches as of a day or a moment: only what a search sees may end a state, and no evidence is lost to a doubt."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import pytest

from qgmem import Memory
from qgmem.construction.traces import Claim, Then, state_at, states
from qgmem.models.scripted import HashEmbedder
from qgmem.types import Granularity, Interval

EMBEDDER = HashEmbedder(32)


def memory_of(path: Path, *said: tuple[str, str, str]) -> Memory:
    """A memory of one speaker's (id, words, time)."""
    memory = Memory.open(path, embedder=EMBEDDER)
    for id, words, time in said:
        memory.add({"role": "user", "id": id, "name": "Mia", "content": words}, timestamp=time)
    return memory


def ids(memory: Memory, query: str, **search: object) -> set[str]:
    """Ids of a search's hits."""
    return {hit.id for hit in memory.search(query, **search)}  # type: ignore[arg-type]


# ---- what may end a state


@pytest.mark.parametrize("by", ["agent_id", "run_id", "filters"])
def test_only_what_the_scope_lets_through_supersedes(tmp_path: Path, by: str) -> None:
    """X heard of Finch alone, Y of Robin alone; who sees both sees Robin. The third word is of X again."""
    with Memory.open(tmp_path, embedder=EMBEDDER) as memory:
        for owner, words, time in (
            ("X", "I work at Finch.", "2024-01-05"),
            ("Y", "I work at Robin.", "2024-02-05"),
            ("X", "I work at Heron.", "2024-04-05"),
        ):
            shared = {"metadata": {"team": owner}} if by == "filters" else {by: owner}
            memory.add({"role": "user", "name": "Mia", "content": words}, timestamp=time, **shared)

        def seen(as_of: str, owner: str | None, known_at: str | None = None) -> list[str]:
            scope: dict[str, object] = {} if owner is None else {by: owner}
            if by == "filters" and owner is not None:
                scope = {"filters": {"metadata.team": owner}}
            hits = memory.search("Mia work", as_of=as_of, known_at=known_at, **scope)  # type: ignore[arg-type]
            return sorted(hit.unit.text for hit in hits)

        assert seen("2024-03", "X") == ["I work at Finch."]
        assert seen("2024-03", "Y") == ["I work at Robin."]
        assert seen("2024-03", None) == ["I work at Robin."]
        assert seen("2024-05", "X") == ["I work at Heron."]
        assert seen("2024-05", "Y") == ["I work at Robin."]
        assert seen("2024-05", "X", known_at="2024-03-31") == ["I work at Finch."]
        assert seen("2024-05", None) == ["I work at Heron."]


def test_an_end_or_a_retraction_out_of_scope_does_nothing(tmp_path: Path) -> None:
    """What X was told, Y's "I left" and "I never" do not undo, except for who sees both."""
    with Memory.open(tmp_path, embedder=EMBEDDER) as memory:
        for agent, id, words, time in (
            ("X", "a", "I work at Finch.", "2024-01-05"),
            ("X", "b", "I live in Turin.", "2024-01-06"),
            ("Y", "c", "I left Finch.", "2024-02-05"),
            ("Y", "d", "I never lived in Turin.", "2024-02-06"),
        ):
            memory.add({"role": "user", "name": "Mia", "id": id, "content": words}, timestamp=time, agent_id=agent)
        assert ids(memory, "Mia work live", as_of="2024-03", agent_id="X") == {"a", "b"}
        assert ids(memory, "Mia work live", as_of="2024-03") == {"c", "d"}


def test_what_ends_another_state_is_shown_though_its_own_time_is_later(tmp_path: Path) -> None:
    """York was said with a lease that starts in 2027: on a day of 2025 Mia lives in York, and not nowhere."""
    said = (
        ("a", "I live in Leeds.", "2024-05-02"),
        ("b", "I moved to York. The new lease starts in March 2027.", "2024-06-02"),
    )
    with memory_of(tmp_path, *said) as memory:
        assert memory.get("b").fact_times[0].start.year == 2027
        assert ids(memory, "Where does Mia live?", as_of="2024-05-20") == {"a"}
        assert ids(memory, "Where does Mia live?", as_of="2025-01-01") == {"b"}


# ---- late reports


@pytest.mark.parametrize(
    ("words", "shown", "hidden"),
    [
        ("Until 2023 I lived in Bath.", "2022", "2024-02"),
        ("I lived in Bath till May 2021.", "2021-05", "2021-06"),
        ("Up to the end of 2020 I lived in Bath.", "2019", None),
        ("Before 2020 I lived in Bath.", "2019", "2020"),
        ("By 2020 I had lived in Bath for ages.", "2019", "2021"),
        ("I used to live in Bath.", "2010", None),
        ("Until recently I lived in Bath.", "2024-07", None),
    ],
)
def test_what_began_nobody_knows_when_is_shown_and_flagged(
    tmp_path: Path, words: str, shown: str, hidden: str | None
) -> None:
    """Said in August 2024: up to the end it names it may have held; between that and August it is not shown."""
    with memory_of(tmp_path, ("a", words, "2024-08-02")) as memory:
        (hit,) = memory.search("Where did Mia live?", as_of=shown)
        assert hit.id == "a"
        assert "state-time-unknown" in hit.flags
        assert hidden is None or ids(memory, "Where did Mia live?", as_of=hidden) == set()
        assert ids(memory, "Where did Mia live?", as_of=shown, known_at="2024-07") == set()
        memory.update("a", "I live in Bath.")
        assert ids(memory, "Where did Mia live?", as_of=shown) == set()


@pytest.mark.parametrize(
    "words", ["I have time until Friday.", "I am used to rain.", "We travelled by train.", "Wait until you see Bath."]
)
def test_deadlines_and_habits_are_no_late_reports(tmp_path: Path, words: str) -> None:
    """None of them speaks of a time that was over when it was said."""
    with memory_of(tmp_path, ("a", words, "2024-08-02")) as memory:
        assert ids(memory, "Bath train rain time", as_of="2023") == set()
        assert ids(memory, "Bath train rain time", as_of="2025") == {"a"}


# ---- times of day


def test_the_time_of_day_counts_where_utterances_give_the_times(tmp_path: Path) -> None:
    """Leeds said at nine, York at six in the evening of one day; a bare day means its end."""
    said = (
        ("a", "I live in Leeds.", "2024-05-02T09:00"),
        ("b", "I moved to York.", "2024-05-02T18:00"),
        ("c", "The bakery was shut.", "2024-05-02T13:00"),
    )
    with memory_of(tmp_path, *said) as memory:
        for as_of, seen in (
            ("2024-05-02T08:59", set()),
            ("2024-05-02T12:00", {"a"}),
            ("2024-05-02T17:59", {"a", "c"}),
            ("2024-05-02T18:00", {"b", "c"}),
            ("2024-05-02", {"b", "c"}),
            ("2024-05-02T12:30+02:00", {"a"}),  # half past ten
            ("2024-05-02T10:30+02:00", set()),  # half past eight
        ):
            assert ids(memory, "Where does Mia live, bakery?", as_of=as_of) == seen, as_of
            homes = {"Leeds" if "a" in seen else "York"} if seen & {"a", "b"} else set()
            found = memory.trajectory("Mia", "home", as_of=as_of)
            assert {state.value for each in found for state in each.states} == homes, as_of
        (noon,) = memory.trajectory("Mia", as_of="2024-05-02T12:00")
        assert noon.text.splitlines()[-1] == "at 2024-05-02 12:00: Leeds [a]"


def test_statements_of_one_day_stand_by_the_time_of_day_however_they_arrived(tmp_path: Path) -> None:
    """The evening's words are imported before the morning's: York is still the later home."""
    said = (("b", "I moved to York.", "2024-05-02T18:00"), ("a", "I live in Leeds.", "2024-05-02T09:00"))
    with memory_of(tmp_path, *said) as memory:
        (home,) = memory.trajectory("Mia")
        assert [(state.value, state.status) for state in home.states] == [
            ("Leeds", "superseded"),
            ("York", "current"),
        ]


def test_where_a_fact_time_decides_the_day_counts() -> None:
    """York from 2 May by its words: on that day York holds from midnight, though it was said in the evening."""
    may = Interval(date(2024, 5, 2), date(2024, 5, 2), Granularity.DAY)
    claims = [
        Claim("a", "mia", "Mia", "lives in", "Leeds", utterance_time=datetime(2024, 5, 2, 9), sequence=1),
        Claim("b", "mia", "Mia", "lives in", "York", "state", may, datetime(2024, 5, 2, 18), 2),
    ]
    then = Then(date(2024, 5, 2), datetime(2024, 5, 2, 12))
    assert [state.value for state in state_at(states(claims), then)] == ["York"]
    assert [state.value for state in state_at(states(claims), Then(date(2024, 5, 1)))] == []
