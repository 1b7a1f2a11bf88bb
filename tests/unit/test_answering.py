"""From a model's words to a draft: one more attempt where it helps, and none where it does not."""

from __future__ import annotations

import json
from datetime import date, datetime

import pytest

from qgmem.errors import ModelMisbehaved
from qgmem.generation.answering import UNSUPPORTED, Drafted, draft_answer, request_for
from qgmem.generation.serialise import Context
from qgmem.models.chat import ChatAnswer, ChatRequest
from qgmem.types import Hit, MemoryUnit, SourceSpan

CONTEXT = Context("[MU1] …", 3, {"MU1": "u1", "MU2": "u2"})
HITS = [
    Hit(MemoryUnit(id, "verbatim", text, SourceSpan(id, id, text), "s", 1, "Ana", "user"), rank, 1.0, {})
    for rank, (id, text) in enumerate([("u1", "We moved to Porto in May."), ("u2", "Porto has a bridge.")], 1)
]


class Asked:
    """Answers from a list and keeps what was asked, with the reasons for asking again."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.requests: list[tuple[ChatRequest, bool]] = []
        self.reasons: list[str] = []

    def __call__(self, request: ChatRequest, again: bool) -> ChatAnswer:
        self.requests.append((request, again))
        return ChatAnswer(self.replies[len(self.requests) - 1], 100, 10)

    def draft(self) -> Drafted:
        return draft_answer(request_for(CONTEXT, "Where?"), CONTEXT, HITS, self, self.reasons.append)


def said(path: str, answer: str) -> str:
    return json.dumps({"reasoning_path": path, "answer": answer})


def test_a_good_answer_is_asked_for_once() -> None:
    asked = Asked(said("[MU1]", "Porto"))
    drafted = asked.draft()
    assert (drafted.draft.answer, drafted.draft.cited) == ("Porto", ("MU1",))
    assert (drafted.tokens_in, drafted.tokens_out, asked.reasons) == (100, 10, [])


def test_prose_is_asked_for_again_with_the_reason_and_both_attempts_are_counted() -> None:
    asked = Asked("It is Porto!", said("[MU1]", "Porto"))
    drafted = asked.draft()
    assert drafted.draft.answer == "Porto"
    assert (drafted.tokens_in, drafted.tokens_out) == (200, 20)
    assert [again for _, again in asked.requests] == [False, True]
    assert asked.reasons == ["holds no JSON object"]
    assert asked.requests[1][0].user.endswith(
        "it holds no JSON object. Answer again, with the whole JSON object only."
    )


def test_after_two_failures_it_fails_with_the_last_reason() -> None:
    with pytest.raises(ModelMisbehaved, match="after 2 attempts it has no field `answer`"):
        Asked("Porto", '{"reasoning_path": "[MU1]"}').draft()


def test_an_uncited_answer_gets_the_labels_of_memories_with_all_its_words() -> None:
    """Only u1 has both "porto" and "may"; no second call is made."""
    asked = Asked(said("she said so", "Porto, May"))
    drafted = asked.draft()
    assert drafted.draft.cited == ("MU1",)
    assert drafted.draft.notes == ("it cites nothing; labels are those of memories with its words",)
    assert len(asked.requests) == 1


def test_an_answer_that_cites_only_what_does_not_exist_is_asked_for_again_and_then_stands_as_unsupported() -> None:
    """No memory has the word Lisbon, and both attempts cite MU7 alone."""
    asked = Asked(said("[MU7]", "Lisbon"), said("[MU7]", "Lisbon"))
    drafted = asked.draft()
    assert (drafted.draft.answer, drafted.draft.cited, drafted.draft.reasoning_path) == ("Lisbon", (), "")
    assert drafted.draft.notes[-1] == UNSUPPORTED
    assert len(asked.requests) == 2


def test_an_uncited_answer_stands_when_the_second_attempt_cannot_be_read() -> None:
    asked = Asked(said("", "Lisbon"), "no idea")
    assert asked.draft().draft.answer == "Lisbon"


def test_abstaining_needs_no_label() -> None:
    asked = Asked(said("nothing about it", "Not mentioned"))
    assert asked.draft().draft.abstained
    assert len(asked.requests) == 1


def test_the_request_has_the_context_the_times_and_the_question_as_they_are() -> None:
    """A `$name` in what was said is no place to fill in."""
    context = Context("[MU1] costs $question", 4, {"MU1": "u1"})
    request = request_for(context, "How much is $context?", datetime(2024, 5, 8, 21, 10), date(2024, 2, 29))
    assert "[MU1] costs $question" in request.user
    assert "QUESTION_TIME: 2024-05-08 21:10\nAS_OF: 2024-02-29\n" in request.user
    assert request.user.endswith("QUESTION: How much is $context?")
    assert (request.name, request.temperature) == ("answer", 0.0)
    assert "TIME" not in request_for(context, "How much?").user
