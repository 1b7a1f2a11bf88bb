"""A model takes a question apart beside the rules; it may point at words of the question, no more (SPEC §3)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pytest

from qgmem import Memory
from qgmem.activation.query import parse_query
from qgmem.activation.query_llm import Parsed, QueryModel, query_request
from qgmem.construction.entities import RuleExtractor
from qgmem.construction.redaction import Redactor
from qgmem.construction.timex import find_times
from qgmem.errors import InvalidInput, ModelRefused
from qgmem.models.chat import ChatRequest
from qgmem.models.ledger import MemoryLedger
from qgmem.models.retry import Transient
from qgmem.models.scripted_chat import Reply, ScriptedChat
from qgmem.settings import Settings
from qgmem.types import Granularity, Interval, Query

ASKED_AT = datetime(2023, 7, 20, 12, 0)
JUNE = Interval(date(2023, 6, 1), date(2023, 6, 30), Granularity.MONTH)


def rules(question: str) -> Query:
    return parse_query(question, ASKED_AT, RuleExtractor(), find_times)


def asked(question: str, answer: Reply | dict[str, object], *, seconds: float = 5.0) -> Parsed:
    reply: Reply = json.dumps(answer) if isinstance(answer, dict) else answer
    model = QueryModel(ScriptedChat({"query": lambda _: reply}), seconds)
    return model.parse(rules(question), find_times(question, ASKED_AT), MemoryLedger(), "ana")


def test_time_of_the_talk_is_told_from_time_of_the_fact() -> None:
    """The rules do not know "recommend": June would be the fact's. The model knows that it is the talk's."""
    question = "Which hotel did Ana recommend to me in June?"
    assert rules(question).constraints.utterance_times == ()
    answer = {"entities": ["hotel", "Ana"], "locations": [], "times": [{"words": "June", "about": "said"}]}
    found = asked(question, answer).query.constraints
    assert (found.utterance_times, found.fact_times) == ((JUNE,), ())
    assert found.entities == ("hotel", "Ana")


def test_no_date_is_taken_from_a_model() -> None:
    """2019 and "last year" are in the answer, not in the question: June stays June 2023, by timex."""
    times = [
        {"words": "last year", "about": "happened", "start": "2022"},
        {"words": "June 2019", "about": "said", "start": "2019-06-01", "end": "2019-06-30"},
    ]
    found = asked("What did we say in June about Ana?", {"entities": ["Ana"], "locations": [], "times": times})
    assert found.query.constraints.utterance_times == (JUNE,)
    assert found.query.constraints.fact_times == ()


def test_question_that_speaks_of_no_talk_has_no_time_of_talk() -> None:
    """ "Where did Ana go in June?" asks for what happened in June, whatever the model finds."""
    answer = {"entities": ["Ana"], "locations": [], "times": [{"words": "June", "about": "said"}]}
    found = asked("Where did Ana go in June?", answer).query.constraints
    assert (found.fact_times, found.utterance_times) == ((JUNE,), ())


def test_what_the_rules_know_to_be_talk_stays_so() -> None:
    """A model that calls "in our chat in June" the fact's time does not move it there."""
    answer = {"entities": [], "locations": [], "times": [{"words": "in June", "about": "happened"}]}
    found = asked("What did Ana eat, as told in our chat in June?", answer).query.constraints
    assert (found.fact_times, found.utterance_times) == ((), (JUNE,))


def test_phrases_that_the_question_does_not_have_are_dropped() -> None:
    """ "Ben" and "Porto" are invented, "country" is the answer's type, "June" a time: the pendant is left."""
    answer = {
        "entities": ["Ben", "country", "the pendant", "June", 7, ""],
        "locations": ["Porto"],
        "times": [],
    }
    found = asked("In which country did Ana buy the pendant in June?", answer).query.constraints
    assert (found.entities, found.locations) == (("the pendant",), ())


def test_place_is_no_entity_besides() -> None:
    """A phrase under both heads counts as a place, as with the rules."""
    answer = {"entities": ["Ana", "Old Mill"], "locations": ["old mill"], "times": []}
    found = asked("What did Ana see at the Old Mill?", answer).query.constraints
    assert (found.entities, found.locations) == (("Ana",), ("old mill",))


@pytest.mark.parametrize(
    "answer", ["{}", "I would say Ana.", "[]", '{"entities": ["An', ModelRefused("no", status=400)]
)
def test_unusable_answer_leaves_the_question_to_the_rules(answer: Reply) -> None:
    """Prose, another shape, or a refusal: the rules' query, and a note that says so."""
    question = "What did Ana do in June?"
    found = asked(question, answer)
    if answer == '{"entities": ["An':  # cut, but readable: an empty list is an answer, and the rules' phrases stand
        assert found.query == rules(question)
    else:
        assert (found.query, found.notes[0][:15]) == (rules(question), "query-by-rules:")


def test_slow_model_costs_its_time_box_once() -> None:
    """The model hangs: the first question waits 0.05 s, the second does not wait for it at all."""
    release = threading.Event()

    def hanging(_: ChatRequest) -> str:
        release.wait(10)
        return "{}"

    model = QueryModel(ScriptedChat({"query": hanging}), 0.05)
    query = rules("Where is Ana?")
    notes = [model.parse(query, (), MemoryLedger(), "ana").notes[0] for _ in range(2)]
    release.set()
    assert notes == [
        "query-by-rules: no answer within 0.05 s",
        "query-by-rules: is still busy with an earlier question",
    ]


def test_one_attempt_is_made_and_counted_and_the_same_question_is_not_asked_twice() -> None:
    """A server that is away is not asked again: nobody waits for a second try. A usable answer is remembered."""
    ledger, chat = MemoryLedger(), ScriptedChat()
    model = QueryModel(chat, 5.0)
    for _ in range(2):
        model.parse(rules("Where is Ana?"), (), ledger, "ana")
    assert [(row.stage, row.calls, row.cached) for row in ledger.ledger()] == [("query", 1, 1)]
    away = ScriptedChat({"query": lambda _: Transient("is away")})
    QueryModel(away, 5.0).parse(rules("Where is Ana?"), (), ledger, "ana")
    assert len(away.requests) == 1


def test_model_is_shown_no_secret() -> None:
    """With redaction on, the number is blacked out before the question leaves."""
    hide: Callable[[str], str] = Redactor.of("ssn").text
    assert "078-05" not in query_request(rules("Whose number is 078-05-1120?"), hide).user


def test_search_tells_why_the_rules_had_to_do(tmp_path: Path) -> None:
    """Nobody listens at that address: the search is answered, and every hit carries the note."""
    settings = Settings(query_parser="llm", chat_model="m", chat_url="http://127.0.0.1:9/v1")
    with Memory.open(tmp_path, settings=settings) as memory:
        memory.add("I moved to Porto.", user_id="ana")
        hits = memory.search("Where did I move?", user_id="ana")
    assert hits
    assert any(flag.startswith("query-by-rules: ") for flag in hits[0].flags)


def test_search_asks_the_model_that_the_settings_name(tmp_path: Path) -> None:
    """The shipped script constrains nothing; the call is in the ledger of the namespace."""
    with Memory.open(tmp_path, settings=Settings(query_parser="llm", chat_model="scripted")) as memory:
        memory.add("I moved to Porto.", user_id="ana")
        hits = memory.search("Where did I move?", user_id="ana")
        assert hits[0].flags == ()
        assert [(row.stage, row.calls) for row in memory.ledger(user_id="ana")] == [("query", 1)]


def test_parser_without_a_model_is_refused_when_the_memory_is_opened(tmp_path: Path) -> None:
    """No model is named."""
    with pytest.raises(InvalidInput, match="chat"):
        Memory.open(tmp_path, settings=Settings(query_parser="llm"))
