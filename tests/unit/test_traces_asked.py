"""Questions about now, about then and about what is to come are answered by the state of that time."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from qgmem import Memory
from qgmem.construction.traces import Claim, Now, Then, as_seen, states
from qgmem.construction.traces.trajectory import trajectory
from qgmem.models.scripted import HashEmbedder
from qgmem.tracing.asked import wanted
from qgmem.types import Granularity, Interval

EMBEDDER = HashEmbedder(32)


def memory_of(path: Path, *said: tuple[str, str, str], today: str = "2026-11-30") -> Memory:
    """A memory of one speaker's (id, words, time), with a clock that stands still."""
    memory = Memory.open(path, embedder=EMBEDDER, clock=lambda: datetime.fromisoformat(today).replace(tzinfo=UTC))
    for id, words, time in said:
        memory.add({"role": "user", "id": id, "name": "Lea", "content": words}, timestamp=time)
    return memory


def first(memory: Memory, query: str, **search: object) -> str:
    """The id of a search's best hit."""
    return memory.search(query, **search)[0].id  # type: ignore[arg-type]


HOMES = (("leeds", "I live in Leeds.", "2024-05-02"), ("york", "I moved to York in May 2031.", "2024-06-02"))
JOBS = (
    ("finch", "I work at Finch.", "2022-03-01"),
    ("heron", "I work at Heron.", "2023-02-01"),
    ("robin", "I work at Robin.", "2024-02-01"),
)

# ---- what is to come


def test_what_begins_later_is_not_what_holds_now(tmp_path: Path) -> None:
    """Today, and as asked in 2026: Leeds. From May 2031 on: York."""
    with memory_of(tmp_path, *HOMES) as memory:
        assert first(memory, "Where does Lea live now?") == "leeds"
        assert first(memory, "Where does Lea live now?", question_time="2026-11-30") == "leeds"
        assert first(memory, "Where does Lea live now?", question_time="2031-04-30") == "leeds"
        assert first(memory, "Where does Lea live now?", question_time="2031-05-01T08:00") == "york"
        assert first(memory, "Where does Lea live now?", question_time="2032") == "york"
        assert first(memory, "Where will Lea live in 2032?") == "york"


@pytest.mark.parametrize(("today", "home"), [("2024-08-31", "lyon"), ("2024-09-01", "nice"), ("2020-01-01", "lyon")])
def test_the_clock_decides_where_nobody_says_when_it_is_asked(tmp_path: Path, today: str, home: str) -> None:
    """Nice from September. A clock behind the memory counts as the day of its last word, in June."""
    said = (("lyon", "I live in Lyon.", "2024-01-02"), ("nice", "I live in Nice from September 2024.", "2024-06-02"))
    with memory_of(tmp_path, *said, today=today) as memory:
        assert first(memory, "Where does Lea live now?") == home
        assert first(memory, "Where does Lea live now?", question_time="2024-07-01") == "lyon"
        assert first(memory, "Where does Lea live now?", question_time="2024-10-01") == "nice"
        (trace,) = memory.trajectory("Lea", "home")
        assert [state.unit_id for state in trace.current] == [home]
        assert [state.unit_id for state in memory.trajectory("Lea", known_at="2024-03")[0].current] == ["lyon"]


def test_a_trajectory_names_what_is_to_come(tmp_path: Path) -> None:
    """York is upcoming in the states, the text and the picture; Leeds is current until then."""
    with memory_of(tmp_path, *HOMES) as memory:
        (home,) = memory.trajectory("Lea", "home")
        assert [(s.value, s.status, s.valid_to) for s in home.states] == [
            ("Leeds", "current", date(2031, 5, 1)),
            ("York", "upcoming", None),
        ]
        assert home.text.splitlines()[2:] == [
            "from 2031-05-01: York, said 2024-06-02 [york]; upcoming",
            "now: Leeds [leeds]",
        ]
        assert "upcoming" in home.timeline()
        assert ">upcoming<" in home.svg()
        assert "York since 2031-05-01 [" in memory.ask("Where does Lea live?", chat=None).context.text


def test_one_of_several_values_may_be_to_come() -> None:
    """Spanish from 2030 on: until then German is the only language, and no longer one of two."""
    later = Interval(date(2030, 1, 1), date(2030, 12, 31), Granularity.YEAR)
    trace = states(
        [
            Claim("a", "lea", "Lea", "speaks", "German", utterance_time=datetime(2024, 1, 1), sequence=1),
            Claim("b", "lea", "Lea", "speaks", "Spanish", "state", later, datetime(2024, 1, 2), 2),
        ]
    )
    assert [state.status for state in trace.states] == ["coexisting", "coexisting"]
    seen = as_seen(trace, Now(Then(date(2026, 1, 1))))
    assert [state.status for state in seen.states] == ["current", "upcoming"]
    assert trajectory(seen).splitlines()[-1] == "now: German [a]"
    assert as_seen(trace, Now(Then(date(2030, 1, 1)))) is trace


def test_an_end_that_is_to_come_leaves_what_holds() -> None:
    """ "I left Acme in June 2030", said in 2024: employed until then."""
    end = Interval(date(2030, 6, 1), date(2030, 6, 30), Granularity.MONTH)
    trace = states(
        [
            Claim("a", "lea", "Lea", "works at", "Acme", utterance_time=datetime(2024, 1, 1), sequence=1),
            Claim("b", "lea", "Lea", "works at", "Acme", "end", end, datetime(2024, 2, 1), 2),
        ]
    )
    assert [s.status for s in as_seen(trace, Now(Then(date(2026, 1, 1)))).states] == ["current"]
    assert [s.status for s in as_seen(trace, Now(Then(date(2030, 6, 1)))).states] == ["superseded"]


# ---- then


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("Where did Lea work in March 2022?", "finch"),
        ("Where did Lea work in 2022?", "finch"),
        ("Who was Lea working for in spring 2022?", "finch"),
        ("Which company did Lea work for in 2022?", "finch"),
        ("In June 2023, where did Lea work?", "heron"),
        ("Where was Lea working on 5 May 2023?", "heron"),
        ("Where did Lea work last year?", "heron"),  # asked in June 2024
        ("Where did I work in 2022?", "finch"),
        ("Where did Lea work before Robin?", "heron"),
        ("Where did Lea work right before Heron?", "finch"),
        ("Where did Lea work before joining Robin?", "heron"),
        ("Where did Lea work after Finch?", "heron"),
        ("Where did Lea work before 2023?", "finch"),
        ("Where did Lea work in May 2025?", "robin"),
        ("Where does Lea work?", "robin"),
        ("Where does Lea work this year?", "robin"),  # in January it was Heron, but the question is about now
    ],
)
def test_the_state_of_that_time_comes_first(tmp_path: Path, question: str, unit: str) -> None:
    """Finch from March 2022, Heron from February 2023, Robin from February 2024."""
    with memory_of(tmp_path, *JOBS) as memory:
        hits = memory.search(question, question_time="2024-06-15")
        assert hits[0].id == unit
        assert {hit.id for hit in hits} == {"finch", "heron", "robin"}


def test_a_question_about_then_sees_no_more_than_its_scope(tmp_path: Path) -> None:
    """Without Heron, which Y was told, X's Finch lasted until Robin."""
    with Memory.open(tmp_path, embedder=EMBEDDER) as memory:
        for (id, words, time), agent in zip(JOBS, "XYX", strict=True):
            memory.add({"role": "user", "id": id, "name": "Lea", "content": words}, timestamp=time, agent_id=agent)
        assert first(memory, "Where did Lea work in June 2023?") == "heron"
        assert first(memory, "Where did Lea work in June 2023?", agent_id="X") == "finch"
        assert first(memory, "Where does Lea work?", agent_id="Y") == "heron"
        assert first(memory, "Where did Lea work before Robin?", agent_id="X") == "finch"
        assert first(memory, "Where does Lea work?", known_at="2023-06") == "heron"


@pytest.mark.parametrize(
    "question",
    [
        "Where did Lea work?",
        "Where did Lea work when she lived in Paris?",
        "Where did Lea first work?",
        "Where did Lea work after 2022?",
        "What did Lea think of the film in 2022?",
        "Where did Lea work before the baby came?",
    ],
)
def test_what_cannot_be_placed_is_left_alone(question: str) -> None:
    """A past without a time, a time told by another event, and what no rule reads."""
    assert wanted(question) is None


def test_an_unknown_neighbour_moves_nothing(tmp_path: Path) -> None:
    """Nobody spoke of Wren, and nothing came before Finch: the order is that of the same words without a trace."""
    with memory_of(tmp_path, *JOBS) as memory:
        for question in ("Where did Lea work before Wren?", "Where did Lea work before Finch?"):
            assert memory._chronicle.sides(memory._existing("default"), question) is None
