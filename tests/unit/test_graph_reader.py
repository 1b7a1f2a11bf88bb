"""A capable reader chooses what the graph token learns from: answers judged, kept, asked once. Needs no torch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from qgmem.errors import InvalidInput, ModelMisbehaved, ModelRefused, ModelUnavailable
from qgmem.evals.progress import Bar, progress
from qgmem.generation.tokens import estimate_tokens
from qgmem.memory import Memory
from qgmem.models.chat import ChatRequest
from qgmem.models.retry import RetryPolicy
from qgmem.models.scripted import HashEmbedder
from qgmem.models.scripted_chat import Reply, ScriptedChat
from qgmem.synthetic import NO_ANSWER, simulate, write
from qgmem.training.graph_token.answered import ROWS, answered_right
from qgmem.training.graph_token.cases import read_cases
from qgmem.training.graph_token.examples import Example, Layout, build_examples
from qgmem.training.graph_token.judge import judged

LAYOUT = Layout(estimate_tokens, k=8, budget=600)


def judgment(word: object) -> str:
    return json.dumps({"reason": "because", "judgment": word})


def reading(examples: list[Example], verdict: Reply | None = None, said: Reply | None = None) -> ScriptedChat:
    """A reader that answers with the gold, or what is `said`; and judges by `verdict`."""
    gold = {one.question: one.answer for one in examples}

    def answer(request: ChatRequest) -> Reply:
        asked = request.user.rpartition("QUESTION: ")[2]
        return said or json.dumps({"reasoning_path": "[MU1]", "answer": gold[asked]})

    return ScriptedChat({"answer": answer, "judge": lambda _: verdict or judgment("incorrect")})


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lives")
    write(simulate(2, 0.4, 11, questions=2), folder)
    return folder


@pytest.fixture
def made(lives: Path) -> Iterator[tuple[Memory, list[Example]]]:
    """A memory that remembers no model's answers, and what it finds."""
    with Memory.open(lives / "memories", embedder=HashEmbedder(16)) as memory, bar() as shown:
        yield memory, list(build_examples(memory, read_cases(lives), shown, LAYOUT))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits between attempts."""
    monkeypatch.setattr("qgmem.asking.RETRY", RetryPolicy(attempts=1))


def bar() -> Iterator[Bar]:  # a context manager
    return progress("test", 1, False)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("gold", "answer", "said", "right", "by"),
    [
        ("Oslo", "She lives in Oslo now.", None, True, "words"),
        ("Oslo; Porto", "Porto and Oslo", None, True, "words"),
        ("5 May 2024", "on 2024-05-05", judgment("correct"), True, "model"),
        ("Oslo", "Porto", judgment("Incorrect "), False, "model"),
        ("Oslo", "Porto", f"Let me see.\n```json\n{judgment('incorrect')}\n```", False, "model"),
        (NO_ANSWER, "Porto", judgment("incorrect"), False, "model"),
        (NO_ANSWER, NO_ANSWER, None, True, "words"),
    ],
)
def test_an_answer_is_right_by_words_or_by_the_judge(
    gold: str, answer: str, said: str | None, right: bool, by: str
) -> None:
    chat = ScriptedChat([said or RuntimeError("words are enough")])
    found = judged("Where?", gold, answer, chat, "ana")
    assert (found.right, found.by) == (right, by)
    if said:
        assert f"REFERENCE: {gold}\nANSWER: {answer}" in chat.requests[0].user


@pytest.mark.parametrize("said", [judgment("perhaps"), judgment(None), "[]", '{"judgment": ["correct"]}', "correct"])
def test_a_judge_that_does_not_say_is_asked_again_then_fails(said: str) -> None:
    chat = ScriptedChat([said, judgment("correct")])
    assert judged("Where?", "Oslo", "Porto", chat, "ana").right
    with pytest.raises(ModelMisbehaved, match="judge: after 2 attempts"):
        judged("Where?", "Oslo", "Porto", ScriptedChat([said]), "ana")


def test_what_is_answered_right_is_kept_and_asked_once(made: tuple[Memory, list[Example]], tmp_path: Path) -> None:
    memory, examples = made
    reader = reading(examples)
    with bar() as shown:
        kept, counts = answered_right(memory, examples, reader, LAYOUT, tmp_path, shown)
        wanted = [one.id for one in examples if one.labels or (one.answer == NO_ANSWER and one.supported)]
        assert [one.id for one in kept] == wanted
        assert counts == {"asked": len(wanted), "right": len(wanted), "wrong": 0, "failed": 0}
        assert reader.asked("answer") == len(wanted)
        assert 0 < len(wanted) < len(examples)  # the rest shows no evidence
        rows = (tmp_path / ROWS).read_bytes()
        assert [json.loads(line)["by"] for line in rows.splitlines()] == ["words"] * len(wanted)
        (tmp_path / ROWS).write_bytes(rows[:-9])  # a kill cut the last line short
        again = reading(examples)
        assert answered_right(memory, examples, again, LAYOUT, tmp_path, shown) == (kept, counts)
        assert again.asked("answer") == 0  # the memory remembers the one that was cut
        assert (tmp_path / ROWS).read_bytes() == rows


def test_another_reader_or_layout_is_asked_anew(made: tuple[Memory, list[Example]], tmp_path: Path) -> None:
    memory, examples = made
    with bar() as shown:
        kept, _ = answered_right(memory, examples, reading(examples), LAYOUT, tmp_path, shown)
        other = ScriptedChat(["{}"], model="other")
        none, counts = answered_right(memory, examples, other, LAYOUT, tmp_path, shown)
        assert (none, counts["failed"]) == ([], len(kept))
        fewer = reading(examples)
        answered_right(memory, examples, fewer, replace(LAYOUT, k=7), tmp_path, shown)
        assert fewer.asked("answer") == len(kept)


def test_an_answer_that_is_wrong_or_cannot_be_judged_teaches_nothing(
    made: tuple[Memory, list[Example]], tmp_path: Path
) -> None:
    memory, examples = made
    known = [one for one in examples if one.answer != NO_ANSWER]
    said = json.dumps({"reasoning_path": "[MU1]", "answer": "zebra"})
    for verdict, name in ((judgment("incorrect"), "wrong"), ("no idea", "failed"), (judgment("correct"), "right")):
        (tmp_path / name).mkdir()
        with bar() as shown:
            kept, counts = answered_right(
                memory, known, reading(known, verdict, said), LAYOUT, tmp_path / name, shown
            )
        assert counts[name] == counts["asked"] > 0
        assert len(kept) == counts["right"]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("fault", [ModelUnavailable("gone"), ModelRefused("no key", status=401)])
def test_a_reader_that_is_gone_ends_the_run_and_keeps_what_it_said(
    made: tuple[Memory, list[Example]], tmp_path: Path, fault: Exception
) -> None:
    memory, examples = made
    with bar() as shown:
        with pytest.raises(type(fault)):
            answered_right(memory, examples, reading(examples, said=fault), LAYOUT, tmp_path, shown)
        refused = ModelRefused("too long", status=400)  # this question alone
        _, counts = answered_right(memory, examples, reading(examples, said=refused), LAYOUT, tmp_path, shown)
    assert counts["failed"] == counts["asked"]


def test_a_file_of_something_else_is_refused(made: tuple[Memory, list[Example]], tmp_path: Path) -> None:
    memory, examples = made
    (tmp_path / ROWS).write_text('{"id": 1}\n')
    with bar() as shown, pytest.raises(InvalidInput, match=r"answered\.jsonl was not written by this"):
        answered_right(memory, examples, reading(examples), LAYOUT, tmp_path, shown)
