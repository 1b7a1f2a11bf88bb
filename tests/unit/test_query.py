"""The question parser: what constrains, what is asked for, and which of two times a question means."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

import pytest

from qgmem.activation.query import parse_query, question_keys
from qgmem.construction.entities import RuleExtractor
from qgmem.construction.timex import find_times
from qgmem.types import Constraints, Granularity, Interval

ASKED_AT = datetime(2023, 7, 20, 12, 0)  # a Thursday
JUNE = Interval(date(2023, 6, 1), date(2023, 6, 30), Granularity.MONTH)


def parse(question: str) -> Constraints:
    return parse_query(question, ASKED_AT, RuleExtractor(), find_times).constraints


@pytest.mark.parametrize(
    ("question", "entities", "locations"),
    [
        ("When did Melanie run a charity race?", ["Melanie", "charity race"], []),
        ("What did Anna do at the beach?", ["Anna"], ["beach"]),
        ("Who visited Anna in Paris?", ["Anna"], ["Paris"]),
        ("Which country did Jolene's mother buy the pendant in?", ["Jolene", "mother", "pendant"], []),
        ("In which state did James adopt a puppy from the shelter?", ["James", "puppy"], ["shelter"]),
        ("How many times has Melanie gone to the beach?", ["Melanie"], ["beach"]),
        ("What books has Tim read?", ["books", "Tim"], []),
        ("Where does Kiran live now?", ["Kiran"], []),
        ("What is the dice method?", ["dice method"], []),
        ("where?", [], []),
        ("東京?", [], []),
    ],
)
def test_entities_and_places(question: str, entities: Sequence[str], locations: Sequence[str]) -> None:
    constraints = parse(question)
    assert list(constraints.entities) == entities
    assert list(constraints.locations) == locations


@pytest.mark.parametrize(
    "question",
    [
        "What did we talk about in our chat in June?",
        "What came up in last month's conversation?",
        "In June, what did I tell you about my job?",
        "Which restaurant was it that I mentioned in June?",
        "What did we discuss in June about the budget?",
        "What did I say in June about the garden?",
        "As mentioned in June, where does Anna live?",
        "In June I mentioned a restaurant, which one was it?",
    ],
)
def test_when_it_was_said(question: str) -> None:
    constraints = parse(question)
    assert constraints.utterance_times == (JUNE,)
    assert constraints.fact_times == ()


@pytest.mark.parametrize(
    "question",
    [
        "What did Anna do in June?",
        "In June, who visited Anna?",
        "What did Anna say about her trip in June?",
        "Where did she tell us that she went in June?",
        "Did I mention who got married in June?",
    ],
)
def test_when_it_happened(question: str) -> None:
    constraints = parse(question)
    assert constraints.fact_times == (JUNE,)
    assert constraints.utterance_times == ()


def test_two_times_of_two_kinds() -> None:
    constraints = parse("What did I say last week about the trip in June?")
    assert constraints.fact_times == (JUNE,)
    assert [str(t.start) for t in constraints.utterance_times] == ["2023-07-10"]


def test_the_question_time_is_no_constraint() -> None:
    assert parse("Where does Kiran work?").fact_times == ()
    query = parse_query("Where does Kiran work?", ASKED_AT, RuleExtractor(), find_times)
    assert query.question_time == ASKED_AT


def test_without_a_question_time_relative_expressions_constrain_nothing() -> None:
    query = parse_query("Who called last week?", None, RuleExtractor(), find_times)
    assert query.constraints.fact_times == ()


def test_the_conversation_itself_is_no_topic() -> None:
    assert parse("What did we talk about in our chat in June?").entities == ()
    assert "chat app" in parse("Which chat app does Anna use?").entities


def test_keys_are_normal_forms_without_repeats() -> None:
    query = parse_query("Did Anna show ANNA the Red  Shed's door at the beach?", None, RuleExtractor(), find_times)
    keys = question_keys(query)
    assert keys[0] == "anna"
    assert keys[-1] == "beach"
    assert len(keys) == len(set(keys))


def test_a_very_long_question_is_parsed() -> None:
    assert "Anna" in parse("What about it? " * 5000 + "And Anna in June?").entities
