"""A capable reader chooses what the graph token learns from: answers judged, kept, asked once. Needs no torch."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from test_graph_examples import example

from qgmem.errors import InvalidInput, ModelMisbehaved, ModelRefused, ModelUnavailable
from qgmem.evals.progress import progress
from qgmem.generation.answer_form import SHORT
from qgmem.generation.text_answerer import TextAnswerer
from qgmem.models.chat import ChatAnswer, ChatRequest
from qgmem.models.retry import RetryPolicy
from qgmem.models.scripted_chat import Reply, ScriptedChat
from qgmem.synthetic import NO_ANSWER
from qgmem.training.graph_token.answered import ROWS, answered_right
from qgmem.training.graph_token.examples import Example
from qgmem.training.graph_token.judge import Ask, judged

EXAMPLES = [
    example("a/q1"),
    example("a/q2", question="Which town?", answer="Porto", context_facts="Memories:\n[MU1] Ana: Porto it is."),
    example("b/q1", question="Who sold it?", answer=NO_ANSWER, labels=()),
    example("b/q2", question="Where was he?", labels=(), supported=False),  # shows no evidence, so it is not asked
]


def judgment(word: object) -> str:
    return json.dumps({"reason": "because", "judgment": word})


def said(answer: str) -> str:
    return json.dumps({"reasoning_path": "[MU1]", "answer": answer})


def reading(verdict: Reply | None = None, always: Reply | None = None, name: str = "scripted") -> ScriptedChat:
    """A reader that answers with the gold, or with the same `always`; and judges by `verdict`."""
    gold = {one.question: one.answer for one in EXAMPLES}

    def answer(request: ChatRequest) -> Reply:
        return always or said(gold[request.user.rpartition("QUESTION: ")[2]])

    return ScriptedChat({"answer": answer, "judge": lambda _: verdict or judgment("incorrect")}, model=name)


def kept(chat: ScriptedChat, out: Path, examples: list[Example] = EXAMPLES) -> tuple[list[str], dict[str, int]]:
    with progress("test", 4, False) as bar:
        found, counts = answered_right(examples, TextAnswerer(chat), out, bar)
    return [one.id for one in found], {name: n for name, n in counts.items() if name != "tokens"}


@pytest.fixture(autouse=True)
def _nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qgmem.training.graph_token.answered.RETRY", RetryPolicy(attempts=1))


def asking(chat: ScriptedChat) -> Ask:
    def ask(request: ChatRequest, _: bool) -> ChatAnswer:
        return chat.complete(request)

    return ask


@pytest.mark.parametrize(
    ("gold", "answer", "said", "right", "by"),
    [
        ("Oslo", "oslo.", None, True, "gold"),
        (NO_ANSWER, NO_ANSWER, None, True, "gold"),
        ("Oslo", "Porto, not Oslo", judgment("incorrect"), False, "model"),  # its words are not enough
        ("5 May 2024", "on 2024-05-05", judgment("correct"), True, "model"),
        ("Oslo", "Porto", judgment("Incorrect "), False, "model"),
        ("Oslo", "Porto", f"Let me see.\n```json\n{judgment('incorrect')}\n```", False, "model"),
        (NO_ANSWER, "Porto", judgment("incorrect"), False, "model"),
    ],
)
def test_an_answer_is_right_if_it_is_the_gold_or_the_judge_says_so(
    gold: str, answer: str, said: str | None, right: bool, by: str
) -> None:
    chat = ScriptedChat([said or RuntimeError("the gold needs no judge")])
    found = judged("Where?", gold, answer, asking(chat))
    assert (found.right, found.by) == (right, by)
    if said:
        assert f"REFERENCE: {gold}\nANSWER: {answer}" in chat.requests[0].user


@pytest.mark.parametrize("said", [judgment("perhaps"), judgment(None), "[]", '{"judgment": ["correct"]}', "correct"])
def test_a_judge_that_does_not_say_is_asked_again_then_fails(said: str) -> None:
    chat = ScriptedChat([said, judgment("correct")])
    assert judged("Where?", "Oslo", "Porto", asking(chat)).right
    assert chat.requests[0].user != chat.requests[1].user  # a greedy model would say the same again
    with pytest.raises(ModelMisbehaved):
        judged("Where?", "Oslo", "Porto", asking(ScriptedChat([said])))


def test_what_is_answered_right_is_kept_and_asked_once(tmp_path: Path) -> None:
    reader = reading()
    assert kept(reader, tmp_path) == (["a/q1", "a/q2", "b/q1"], {"asked": 3, "right": 3, "wrong": 0, "failed": 0})
    assert (reader.asked("answer"), reader.asked("judge")) == (3, 0)
    rows = (tmp_path / ROWS).read_bytes()
    (tmp_path / ROWS).write_bytes(rows[:-9])  # a kill cut the last line short
    again = reading()
    assert kept(again, tmp_path)[0] == ["a/q1", "a/q2", "b/q1"]
    assert again.asked("answer") == 1
    assert (tmp_path / ROWS).read_bytes() == rows


def test_what_failed_is_tried_again_by_the_next_run_and_what_was_wrong_is_not(tmp_path: Path) -> None:
    assert kept(reading(always="no JSON"), tmp_path)[1]["failed"] == 3
    assert kept(reading(judgment("incorrect"), said("zebra")), tmp_path)[1]["wrong"] == 3
    again = reading()
    assert kept(again, tmp_path)[1]["wrong"] == 3
    assert again.requests == []


def test_a_reader_is_shown_what_the_example_holds_and_nothing_else(tmp_path: Path) -> None:
    reader = reading()
    kept(reader, tmp_path)
    for one, request in zip(EXAMPLES, reader.requests, strict=False):
        assert (
            f"MEMORY\n{one.context_facts}\n\nQUESTION_TIME: 2024-05-02 10:00\nQUESTION: {one.question}"
            in request.user
        )


def test_a_local_reader_is_asked_by_its_own_prompt(tmp_path: Path) -> None:
    class Local(TextAnswerer):
        form = SHORT

    chat = ScriptedChat({"graph-answer": lambda _: said("Oslo"), "judge": lambda _: judgment("incorrect")})
    with progress("test", 1, False) as bar:
        found, _ = answered_right(EXAMPLES[:1], Local(chat), tmp_path, bar)
    assert (len(found), chat.requests[0].prompt) == (1, SHORT.prompt)


@pytest.mark.parametrize("change", [{"context_facts": "[MU1] other"}, {"answer": "Lyon"}, {"asked_at": ""}])
def test_another_reader_or_request_is_asked_anew(tmp_path: Path, change: dict[str, str]) -> None:
    kept(reading(), tmp_path)
    other = reading(name="other")
    kept(other, tmp_path)
    assert other.asked("answer") == 3
    changed = reading()
    kept(changed, tmp_path, [replace(EXAMPLES[0], **change), *EXAMPLES[1:]])  # type: ignore[arg-type]
    assert changed.asked("answer") == 1


REFUSED = ModelRefused("too long", status=400)


@pytest.mark.parametrize(
    ("verdict", "answer", "name"),
    [
        (judgment("incorrect"), said("zebra"), "wrong"),
        (judgment("correct"), said("zebra"), "right"),
        ("no idea", said("zebra"), "failed"),
        (REFUSED, said("zebra"), "failed"),
        (None, "no JSON", "failed"),
        (None, REFUSED, "failed"),
    ],
)
def test_an_answer_is_right_wrong_or_failed_and_only_right_ones_teach(
    tmp_path: Path, verdict: Reply | None, answer: Reply, name: str
) -> None:
    ids, counts = kept(reading(verdict, answer), tmp_path)
    assert counts[name] == counts["asked"] == 3
    assert len(ids) == (3 if name == "right" else 0)


@pytest.mark.parametrize("fault", [ModelUnavailable("gone"), ModelRefused("no key", status=401)])
@pytest.mark.parametrize("at", ["answer", "judge"])
def test_a_reader_that_is_gone_ends_the_run_and_keeps_what_it_said(tmp_path: Path, fault: Exception, at: str) -> None:
    """The first question is answered and judged; then nobody is there."""
    calls = {"answer": 0, "judge": 0}

    def reply(name: str, text: str) -> Callable[[ChatRequest], Reply]:
        def rule(_: ChatRequest) -> Reply:
            calls[name] += 1
            return fault if name == at and calls[name] == 2 else text

        return rule

    chat = ScriptedChat({"answer": reply("answer", said("zebra")), "judge": reply("judge", judgment("correct"))})
    with pytest.raises(type(fault)):
        kept(chat, tmp_path)
    assert len((tmp_path / ROWS).read_text().splitlines()) == 1
    assert kept(chat, tmp_path)[1] == {"asked": 3, "right": 3, "wrong": 0, "failed": 0}


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / ROWS).write_text('{"id": 1}\n')
    with pytest.raises(InvalidInput, match=r"answered\.jsonl was not written by this"):
        kept(reading(), tmp_path)
