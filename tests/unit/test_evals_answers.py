"""Answers measured: a fixed sample, the same prompt for all systems, failures in every mean, and runs that go on."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from qgmem.errors import InvalidInput, ModelRefused, ModelUnavailable
from qgmem.evals.answers.differences import differences
from qgmem.evals.answers.readers import NAMES
from qgmem.evals.answers.rows import Journal
from qgmem.evals.answers.sample import sampled
from qgmem.evals.datasets.dialogue import Conversation, Dataset, Question
from qgmem.evals.tasks.locomo_answers import AnswerRun, run_locomo_answers
from qgmem.generation.answer_form import SHORT
from qgmem.generation.text_answerer import TextAnswerer
from qgmem.memory import Memory
from qgmem.models.chat import ChatRequest
from qgmem.models.retry import RetryPolicy
from qgmem.models.scripted import HashEmbedder
from qgmem.models.scripted_chat import Reply, ScriptedChat
from qgmem.settings import Settings

TURNS = [
    "I planted tomatoes on the roof.",
    "How lovely!",
    "The goat ate all my tomatoes.",
    "The goat is called Heidi.",
]
QA = [
    {"question": "What ate the tomatoes?", "answer": "a goat", "evidence": ["D1:3"], "category": 4},
    {"question": "What is the goat called?", "answer": "Heidi", "evidence": ["D1:4"], "category": 4},
    {"question": "Who sold the goat?", "adversarial_answer": "B", "evidence": ["D1:3"], "category": 5},
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    session: Any = [{"speaker": "AB"[n % 2], "dia_id": f"D1:{n + 1}", "text": text} for n, text in enumerate(TURNS)]
    dialogue = {
        "speaker_a": "A",
        "speaker_b": "B",
        "session_1": session,
        "session_1_date_time": "1:00 pm on 8 May, 2023",
    }
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps([{"sample_id": "conv-1", "conversation": dialogue, "qa": QA}]))
    return file


def said(answer: str, path: str = "[MU1]") -> str:
    return json.dumps({"reasoning_path": path, "answer": answer})


def knowing(request: ChatRequest) -> Reply:
    """Right about the tomatoes, wrong about the name, silent about the sale."""
    if "ate" in request.user.rpartition("QUESTION:")[2]:
        return said("The goat")
    return said("Not mentioned") if "sold" in request.user.rpartition("QUESTION:")[2] else said("Peter")


def run(data: Path, out: Path, chat: ScriptedChat, **more: Any) -> AnswerRun:
    given: dict[str, Any] = {"ks": [2], "sample": None, "embedder": HashEmbedder(32), "show_progress": False, **more}
    return run_locomo_answers(data, out, TextAnswerer(chat), **given)


def test_answers_are_scored_by_the_official_f1_beside_evidence_tokens_and_seconds(data: Path, tmp_path: Path) -> None:
    """ "The goat" is "a goat" without articles: 1; Peter for Heidi: 0; "Not mentioned" to the adversarial one: 1."""
    chat = ScriptedChat({"answer": knowing})
    done = run(data, tmp_path / "out", chat)
    assert [(row.system, row.f1) for row in done.rows] == [
        ("bm25", 1.0), ("default", 1.0), ("bm25", 0.0), ("default", 0.0), ("bm25", 1.0), ("default", 1.0),
    ]  # fmt: skip
    cells = {(each["system"], each["k"]): each for each in done.report["cells"]}  # type: ignore[index,union-attr,call-overload]
    for name in ("bm25", "default"):
        cell = cells[name, 2]
        assert cell["F1"] == pytest.approx(200 / 3)
        assert (cell["F1 answerable"], cell["n"], cell["failed"]) == (50.0, 3, 0)
        assert cell["context tokens"] > 10
        assert cell["prompt tokens"] > cell["context tokens"]
        assert 0 < cell["recall"] <= 100
        assert cell["F1 by category"] == {"adversarial": 100.0, "single-hop": 50.0}
    assert "| default | 2 | 3 | 66.7 | 50.0 |" in (tmp_path / "out" / "report.md").read_text()
    [compared] = cast(list[dict[str, Any]], done.report["differences"])  # the same answers, so no difference
    assert (compared["name"], compared["n"], compared["mean_a"]) == ("default − bm25, k = 2", 3, pytest.approx(2 / 3))
    assert compared["by_question"] == {"difference": 0.0, "low": 0.0, "high": 0.0, "p": 1.0}
    assert (tmp_path / "out" / "f1-by-tokens.svg").read_text().startswith("<?xml")


def test_differences_are_of_the_same_questions_and_of_one_family(data: Path, tmp_path: Path) -> None:
    """The default is wrong once where BM25 is right; what only one of them was asked counts for neither."""
    done = run(data, tmp_path / "out", ScriptedChat({"answer": knowing}), ks=[1, 2])
    rows = [replace(row, f1=0.0) if (row.system, row.k, row.f1) == ("default", 2, 1.0) else row for row in done.rows]
    rows = [row for row in rows if (row.system, row.question_id) != ("bm25", rows[-1].question_id)]
    found = {one.name: one for one in differences(rows)}
    assert list(found) == ["default − bm25, k = 1", "default − bm25, k = 2"]
    assert {one.n for one in found.values()} == {2}
    assert found["default − bm25, k = 2"].by_question.difference == pytest.approx(-0.5)
    assert differences([row for row in rows if row.system == "bm25"]) == []


def test_all_systems_get_the_same_prompt_around_the_same_kind_of_line(data: Path, tmp_path: Path) -> None:
    chat = ScriptedChat({"answer": knowing})
    run(data, tmp_path / "out", chat)
    first, second = chat.requests[:2]
    assert first.system == second.system
    for request in (first, second):
        assert "2023-05-08 13:00 A: The goat ate all my tomatoes." in request.user


def test_a_local_model_gets_its_own_prompt_from_all_systems_and_the_manifest_says_which(
    data: Path, tmp_path: Path
) -> None:
    class Local(TextAnswerer):
        form = SHORT

    chat = ScriptedChat({"graph-answer": knowing})
    done = run_locomo_answers(
        data, tmp_path / "out", Local(chat), ks=[2], sample=None, embedder=HashEmbedder(32), show_progress=False
    )
    assert {request.prompt for request in chat.requests} == {SHORT.prompt}
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["settings"]["prompt"] == SHORT.prompt
    assert len(done.rows) == 6


def test_every_system_brings_evidence_and_entity_memory_ranks_as_its_own_fusion(data: Path, tmp_path: Path) -> None:
    done = run(data, tmp_path / "out", ScriptedChat({"answer": knowing}), systems=list(NAMES))
    assert Counter(row.system for row in done.rows) == dict.fromkeys(NAMES, 3)
    settings = Settings(fusion="entity_memory", rerank="none")
    with Memory.open(tmp_path / "out" / "memories", embedder=HashEmbedder(32), settings=settings) as memory:
        for row in done.rows:
            if row.system == "entity_memory":
                text = next(one["question"] for one in QA if f"conv-1:{QA.index(one)}" == row.question_id)
                hits = memory.search(str(text), user_id="conv-1", limit=2)
                assert row.found == tuple(turn for hit in hits for turn in hit.turn_ids)


def test_a_manifest_that_cannot_be_read_is_said(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path / "out", ScriptedChat({"answer": knowing}))
    (tmp_path / "out" / "manifest.json").write_text("")
    with pytest.raises(InvalidInput, match=r"manifest\.json cannot be read"):
        run(data, tmp_path / "out", ScriptedChat({"answer": knowing}))


def test_an_answer_that_cannot_be_used_scores_nothing_and_stays_in_the_mean(data: Path, tmp_path: Path) -> None:
    """One question of three fails on each system: prose in both attempts, or a request that the server refuses."""
    replies: dict[str, Reply] = {"bm25": "prose", "default": ModelRefused("too long", status=400)}
    for name, reply in replies.items():
        rule = lambda request, r=reply: r if "What ate" in request.user else knowing(request)  # noqa: E731
        chat = ScriptedChat({"answer": rule})
        done = run(data, tmp_path / name, chat, systems=[name])
        assert [row.failure is not None for row in done.rows] == [True, False, False]
        [cell] = done.report["cells"]  # type: ignore[misc]
        assert (cell["n"], cell["failed"]) == (3, 1)  # type: ignore[index,call-overload]
        assert cell["F1"] == pytest.approx(100 / 3)  # type: ignore[index,call-overload]
        assert done.rows[0].found  # its evidence was found all the same


@pytest.mark.parametrize("system", ["bm25", "default"])
def test_a_server_that_is_gone_ends_the_run_and_the_next_goes_on(
    data: Path, tmp_path: Path, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second question finds nobody there; its row is not written, and the first is not asked again."""
    for module in ("qgmem.asking", "qgmem.evals.answers.readers"):
        monkeypatch.setattr(f"{module}.RETRY", RetryPolicy(2, sleep=lambda _: None))
    with pytest.raises(ModelUnavailable, match="down"):
        run(data, tmp_path / "out", ScriptedChat([said("goat"), ModelUnavailable("down")]), systems=[system])
    assert len((tmp_path / "out" / "questions.jsonl").read_text().splitlines()) == 1
    chat = ScriptedChat({"answer": knowing})
    done = run(data, tmp_path / "out", chat, systems=[system])
    assert len(chat.requests) == 2
    assert [row.prediction for row in done.rows] == ["goat", "Peter", "Not mentioned"]


def test_a_wrong_key_ends_the_run(data: Path, tmp_path: Path) -> None:
    for name in ("bm25", "default"):
        with pytest.raises(ModelRefused):
            run(data, tmp_path / name, ScriptedChat([ModelRefused("wrong key", status=401)]), systems=[name])


def test_a_finished_run_asks_nobody_and_may_be_widened(data: Path, tmp_path: Path) -> None:
    """Three rows more for another k, none for those that are there; the report holds what was asked for last."""
    run(data, tmp_path / "out", ScriptedChat({"answer": knowing}), systems=["bm25"])
    chat = ScriptedChat({"answer": knowing})
    done = run(data, tmp_path / "out", chat, systems=["bm25"], ks=[2, 1])
    assert len(chat.requests) == 3
    assert Counter(row.k for row in done.rows) == {2: 3, 1: 3}


def test_a_folder_with_another_readers_answers_is_refused(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path / "out", ScriptedChat({"answer": knowing}), systems=["bm25"])
    other = ScriptedChat({"answer": knowing}, model="another")
    with pytest.raises(InvalidInput, match="holds a run with other settings"):
        run(data, tmp_path / "out", other, systems=["bm25"])


def test_a_line_that_a_kill_cut_off_is_asked_again(data: Path, tmp_path: Path) -> None:
    run(data, tmp_path / "out", ScriptedChat({"answer": knowing}), systems=["bm25"])
    file = tmp_path / "out" / "questions.jsonl"
    file.write_bytes(file.read_bytes()[:-9])
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert len(Journal(tmp_path / "out", manifest).rows) == 2
    chat = ScriptedChat({"answer": knowing})
    assert len(run(data, tmp_path / "out", chat, systems=["bm25"]).rows) == 3
    assert len(chat.requests) == 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"systems": ["bm26"]}, "systems"),
        ({"systems": []}, "systems"),
        ({"ks": [2, 2]}, "k"),
        ({"sample": 0}, "sample"),
    ],
)
def test_what_cannot_be_run_is_named(data: Path, tmp_path: Path, given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        run(data, tmp_path / "out", ScriptedChat([]), **given)
    assert caught.value.field == field


def _dataset(conversations: int, categories: dict[str, int]) -> Dataset:
    """So many conversations, each with so many questions of each category."""
    questions = tuple(
        Question(f"c{c}:{name}{n}", f"c{c}", "?", "", (), name)
        for c in range(conversations)
        for name, count in categories.items()
        for n in range(count)
    )
    return Dataset("d", tuple(Conversation(f"c{c}", ()) for c in range(conversations)), questions, ())


def test_the_sample_is_even_over_conversations_and_in_proportion_over_categories() -> None:
    """Shares 60, 35 and 5 % of 60 seats are 36, 21 and 3, although 5 % of a conversation's six is no whole seat."""
    dataset = _dataset(10, {"a": 120, "b": 70, "c": 10})
    chosen = sampled(dataset, 60)
    assert Counter(q.conversation_id for q in chosen) == {f"c{n}": 6 for n in range(10)}
    assert Counter(q.category for q in chosen) == {"a": 36, "b": 21, "c": 3}
    assert chosen == sampled(dataset, 60)
    assert chosen != sampled(dataset, 60, seed=1)
    assert list(chosen) == [q for q in dataset.questions if q in chosen]


def test_a_sample_of_as_many_as_there_are_is_all_of_them_and_a_rest_goes_to_the_first() -> None:
    dataset = _dataset(3, {"a": 2, "b": 1})
    assert sampled(dataset, 9) == sampled(dataset, None) == dataset.questions
    assert Counter(q.conversation_id for q in sampled(dataset, 7)) == {"c0": 3, "c1": 2, "c2": 2}
