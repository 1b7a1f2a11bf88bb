"""An answer that no cited memory holds any word of is noted; words are compared, not sense."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path

import pytest

from qgmem import Memory, Settings
from qgmem.construction.timex import find_times
from qgmem.generation.held import unsupported
from qgmem.models.scripted import HashEmbedder
from qgmem.models.scripted_chat import ScriptedChat
from qgmem.types import Granularity, Interval, MemoryUnit, SourceSpan, Turn

SAID = datetime(2023, 5, 8, 21, 10)  # a Monday
WEEKEND = Interval(date(2023, 5, 6), date(2023, 5, 7), Granularity.DAY)
TEXT = "We moved to Porto last weekend and Ida's three cats came along, after ten years in Oslo."
UNIT = MemoryUnit("u1", "extracted", TEXT, SourceSpan("t1", "t1", "moved to Porto"), "s", 1, "Ana", "user", SAID,
                  fact_times=(WEEKEND,))  # fmt: skip
TURN = Turn("t1", "s", 1, "Ana", "user", f"{TEXT} The rent is 1,250 euros.", SAID, "a harbour at dusk")


def note(answer: str, question: str = "What happened?", beside: str = "") -> str | None:
    def dates(text: str) -> list[tuple[int, int, Interval]]:
        return [(found.start, found.end, found.interval) for found in find_times(text, None)]

    return unsupported(answer, question, [UNIT], {"t1": TURN}, {"u1": beside}, dates)


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("Heroin in Timbuktu", "What did they take?"),
        ("Ana moved to Timbuktu", "Where did Ana move?"),  # "Ana" and "move" are the question's
        ("No, to Lisbon", "Did they move to Madrid?"),
        ("1,300", "What is the rent?"),
        ("in March 2031", "When did they move?"),
        ("2031-03-01", "When did they move?"),
        ("Lisbon last week", "Where did they go?"),
        ("東京", "Where did they go?"),
    ],
)
def test_an_answer_without_one_word_of_its_memory_is_noted(answer: str, question: str) -> None:
    assert (note(answer, question) or "").startswith("unsupported: none of its words (")


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("Porto", "Where did they move?"),
        ("moving", "What did they do?"),  # the stem of "moved"
        ("3 cats", "What came along?"),  # "three"
        ("1250", "What is the rent?"),  # the turn's, beyond the unit's words
        ("Ana", "Who told of it?"),  # the speaker
        ("at the harbours", "What does the photo show?"),  # the caption
        ("7 May 2023", "When did they move?"),  # in the time that the unit is of
        ("2023-05-06", "When did they move?"),
        ("Sunday", "When did they move?"),
        ("2023", "When did they move?"),
        ("8 May 2023", "When did Ana say so?"),
        ("in April 2023", "When did they pack?"),  # counted back from when it was said
        ("since 2013", "Since when were they in Oslo?"),  # 2023 less the ten years
        ("Yes", "Did they move?"),
        ("7", "How many pets and people are there?"),  # counted, not read
        ("the week before last", "When did they pack?"),
        ("Ana moved", "Who moved, Ana or Ben?"),  # all of it is the question's
        ("Braga", "Where did she live first?"),  # told by the trajectory
    ],
)
def test_an_answer_that_may_rest_on_its_memory_is_not(answer: str, question: str) -> None:
    assert note(answer, question, beside="Ana · home – trajectory: Braga since 2019-01-01; Porto") is None


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=Settings()) as memory:
        said = "Ramipril, 5 mg in the morning."
        memory.add({"name": "Kim", "content": said}, user_id="kim", timestamp="2024-08-01")
        yield memory


def test_ask_notes_what_is_not_held_and_changes_nothing(memory: Memory) -> None:
    """The answer, its citation and `abstained` stay as the model gave them."""
    said = json.dumps({"reasoning_path": "See [MU1].", "answer": "Heroin in Timbuktu"})
    answer = memory.ask("What does Kim take?", user_id="kim", chat=ScriptedChat([said]))
    assert (answer.answer, answer.abstained, [c.label for c in answer.citations]) == (
        "Heroin in Timbuktu", False, ["MU1"],
    )  # fmt: skip
    assert answer.notes == ("unsupported: none of its words (Heroin, Timbuktu) is in the memories that it cites",)


@pytest.mark.parametrize("said", ["ramipril 5mg", "Not mentioned"])
def test_ask_notes_nothing_where_it_is_held_or_not_answered(memory: Memory, said: str) -> None:
    reply = json.dumps({"reasoning_path": "See [MU1].", "answer": said})
    assert memory.ask("What does Kim take?", user_id="kim", chat=ScriptedChat([reply])).notes == ()
