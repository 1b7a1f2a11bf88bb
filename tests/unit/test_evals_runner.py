"""The runner and its report: what is counted, what is written, and what a failure does to the score."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from qgmem.errors import InvalidInput, ModelUnavailable, StoreUnavailable
from qgmem.evals.compare import compare_runs, comparisons_table, read_run
from qgmem.evals.datasets.beam import load_beam
from qgmem.evals.datasets.dialogue import Conversation
from qgmem.evals.datasets.locomo import load_locomo
from qgmem.evals.manifest import data_digest, nameless
from qgmem.evals.metrics.turn_ids import HasTurnIds
from qgmem.evals.protocol import EvidenceSystem, Ingested
from qgmem.evals.tasks.beam import run_beam
from qgmem.evals.tasks.factconsolidation import run_factconsolidation
from qgmem.evals.tasks.locomo import run_locomo


class Hit:
    def __init__(self, *turns: str) -> None:
        self.turn_ids = turns


class InOrder:
    """Returns turns in the order of the dialogue; fails where the question says so."""

    def __init__(self, fail_build: bool) -> None:
        self._fail_build = fail_build
        self.closed = 0

    def build(self, conversation: Conversation) -> Ingested:
        if self._fail_build:
            raise StoreUnavailable("the disk is full")
        self.conversation = conversation
        return Ingested(len(conversation.turn_ids), 0, ("D1:2: no text",))

    def search(self, question: str, k: int) -> Sequence[HasTurnIds]:
        if "boom" in question:
            raise ModelUnavailable("no answer")
        if "bug" in question:
            raise TypeError("a mistake in the code")
        return [Hit(turn) for turn in self.conversation.turn_ids][:k]

    def close(self) -> None:
        self.closed += 1


class Factory:
    def __init__(self, fail_build: frozenset[str] = frozenset()) -> None:
        self.made: dict[str, InOrder] = {}
        self._fail_build = fail_build

    def __call__(self, namespace: str) -> EvidenceSystem:
        self.made[namespace] = InOrder(namespace in self._fail_build)
        return self.made[namespace]

    def describe(self) -> Mapping[str, Any]:
        return {"name": "in-order"}


def locomo_file(folder: Path, *questions: Mapping[str, Any], samples: Sequence[str] = ("c1",)) -> Path:
    turns = [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "Hello."},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Look.", "blip_caption": "a dog", "query": "dog park"},
    ]
    records = [
        {
            "sample_id": sample,
            "conversation": {
                "speaker_a": "Ann",
                "speaker_b": "Bo",
                "session_2_date_time": "2:00 pm on 9 May, 2023",
                "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "Bye."}],
                "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "Late."}],
                "session_1_date_time": "1:56 pm on 8 May, 2023",
                "session_1": turns,
                "session_3_date_time": "a date without a session",
            },
            "qa": list(questions),
        }
        for sample in samples
    ]
    path = folder / "locomo.json"
    path.write_text(json.dumps(records))
    return path


def qa(text: str, *evidence: str, category: int = 4) -> dict[str, Any]:
    return {"question": text, "answer": 7, "evidence": list(evidence), "category": category}


def test_locomo_sessions_come_in_numeric_order_with_their_dates(tmp_path: Path) -> None:
    data = load_locomo(locomo_file(tmp_path, qa("who?", "D1:1")))
    sessions = data.conversations[0].sessions
    assert [s.id for s in sessions] == ["session_1", "session_2", "session_10"]
    assert [s.timestamp for s in sessions] == ["1:56 pm on 8 May, 2023", "2:00 pm on 9 May, 2023", None]
    assert sessions[0].messages[1] == {
        "role": "user",
        "name": "Bo",
        "content": "Look.",
        "id": "D1:2",
        "caption": "a dog",
        "caption_query": "dog park",
    }
    assert data.questions[0].answer == "7"


def test_without_the_caption_query_the_caption_stays(tmp_path: Path) -> None:
    data = load_locomo(locomo_file(tmp_path), caption_query=False)
    message = data.conversations[0].sessions[0].messages[1]
    assert "caption_query" not in message
    assert message["caption"] == "a dog"


def test_a_second_pass_without_the_caption_query_is_reported_beside_the_first(tmp_path: Path) -> None:
    path = locomo_file(tmp_path, qa("who?", "D1:1"), qa("boom?", "D1:1"))
    report = run_locomo(path, tmp_path / "out", Factory(), also_without_caption_query=True)
    beside = json.loads((tmp_path / "out" / "report.json").read_text())["without_caption_query"]
    assert beside["metrics"] == report.metrics
    assert beside["failures"] == 1
    with pytest.raises(InvalidInput, match="already leaves it out"):
        run_locomo(path, tmp_path, Factory(), caption_query=False, also_without_caption_query=True)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("D8:6; D9:17", "several ids in one entry"),
        ("D9:1 D4:4", "several ids in one entry"),
        ("D9:9", "no such turn"),
        ("D", "not written as an id"),
        ("D:11:26", "not written as an id"),
        (" D1:1", "spaces around the id"),
    ],
)
def test_malformed_evidence_is_reported_with_its_reason_and_missed(tmp_path: Path, entry: str, reason: str) -> None:
    report = run_locomo(locomo_file(tmp_path, qa("who?", "D1:1", entry)), tmp_path / "out", Factory())
    assert report.malformed_evidence["entries"] == [{"question": "c1:0", "entry": entry, "reason": reason}]
    assert report.metrics["recall_acc@50"] == 0.5


def test_a_failing_question_scores_zero_and_stays_in_the_mean(tmp_path: Path) -> None:
    path = locomo_file(tmp_path, qa("who?", "D1:1"), qa("boom?", "D1:1"), qa("boom without evidence?"))
    factory = Factory()
    report = run_locomo(path, tmp_path / "out", factory)
    written = json.loads((tmp_path / "out" / "report.json").read_text())
    assert written["n"] == 3
    assert written["metrics"]["recall_acc@5"] == pytest.approx(1 / 3, abs=1e-6)
    assert written["failures"] == [
        {"question": "c1:1", "error": "search: ModelUnavailable: no answer"},
        {"question": "c1:2", "error": "search: ModelUnavailable: no answer"},
    ]
    assert factory.made["c1"].closed == 1
    assert report.ingest.failed == ("c1: D1:2: no text",)


def test_a_conversation_that_cannot_be_built_fails_its_questions_only(tmp_path: Path) -> None:
    path = locomo_file(tmp_path, qa("who?", "D1:1"), samples=("c1", "c2"))
    factory = Factory(frozenset({"c1"}))
    report = run_locomo(path, tmp_path / "out", factory)
    assert [row.failure for row in report.rows] == ["build: StoreUnavailable: the disk is full", None]
    assert report.metrics["recall_acc@5"] == 0.5
    assert [system.closed for system in factory.made.values()] == [1, 1]


def test_a_mistake_in_the_code_ends_the_run(tmp_path: Path) -> None:
    factory = Factory()
    with pytest.raises(TypeError, match="mistake"):
        run_locomo(locomo_file(tmp_path, qa("bug?", "D1:1")), tmp_path / "out", factory)
    assert factory.made["c1"].closed == 1


def test_the_report_has_its_agreed_shape(tmp_path: Path) -> None:
    path = locomo_file(tmp_path, qa("who?", "D1:1"), qa("when?", "D2:1", category=2))
    run_locomo(path, tmp_path / "out", Factory(), command=["qgmem", "bench", f"--data={path}", str(path)])
    written = json.loads((tmp_path / "out" / "report.json").read_text())
    assert list(written["metrics"]) == ["recall_acc@5", "recall_acc@10", "recall_acc@25", "recall_acc@50"]
    assert written["task"] == "locomo"
    assert written["by_category"]["temporal"]["n"] == 1
    assert set(written["latency_ms"]) == {"p50", "p95"}
    assert written["ingest"]["turns"] == 4
    manifest = written["manifest"]
    assert manifest["command"] == ["qgmem", "bench", "--data=locomo.json", "locomo.json"]
    assert manifest["data"] == data_digest([path])
    assert manifest["settings"]["caption_query"] is True
    assert manifest["packages"]["numpy"]
    assert str(tmp_path) not in (tmp_path / "out" / "report.json").read_text()
    assert "| temporal | 1 |" in (tmp_path / "out" / "report.md").read_text()


def test_two_runs_write_the_same_bytes_but_for_timings(tmp_path: Path) -> None:
    path = locomo_file(tmp_path, qa("who?", "D1:1"), qa("boom?", "D2:1"))
    texts: list[str] = []
    for name in ("one", "two"):
        run_locomo(path, tmp_path / name, Factory(), command=["qgmem"])
        report = json.loads((tmp_path / name / "report.json").read_text())
        report["latency_ms"] = report["ingest"]["seconds"] = None
        for group in report["by_conversation"].values():
            group["latency_ms"] = None
        texts.append(json.dumps(report) + (tmp_path / name / "questions.jsonl").read_text())
    assert texts[0] == texts[1]


def test_the_first_conversations_alone(tmp_path: Path) -> None:
    path = locomo_file(tmp_path, qa("who?", "D9:9"), samples=("c1", "c2", "c3"))
    report = run_locomo(path, tmp_path / "out", Factory(), limit_conversations=2)
    assert report.n == report.malformed_evidence["count"] == 2
    with pytest.raises(InvalidInput, match="limit_conversations"):
        run_locomo(path, tmp_path / "out", Factory(), limit_conversations=0)


@pytest.mark.parametrize("broken", [{"category": 9}, {"evidence": "D1:1"}, {"question": None}])
def test_a_broken_question_is_refused_by_place_and_field(tmp_path: Path, broken: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=rf"locomo\.json\[0\]\.qa\[0\]\.{next(iter(broken))}"):
        load_locomo(locomo_file(tmp_path, qa("who?", "D1:1") | broken))


def test_runs_are_compared_question_by_question(tmp_path: Path) -> None:
    path = locomo_file(tmp_path, qa("who?", "D1:1"), qa("boom?", "D2:1"), samples=("c1", "c2"))
    run_locomo(path, tmp_path / "a", Factory(frozenset({"c1", "c2"})))
    run_locomo(path, tmp_path / "b", Factory())
    a, b = read_run(tmp_path / "a"), read_run(tmp_path / "b")
    (found,) = compare_runs(a, {"b": b}, ["recall_acc@5"])
    assert (found.mean_a, found.mean_b, found.n, found.clusters) == (0, 50, 4, 2)
    assert "| b recall_acc@5 | 0.00 | 50.00 | +50.00 |" in comparisons_table([found])
    run_locomo(path, tmp_path / "c", Factory(), limit_conversations=1)
    with pytest.raises(InvalidInput, match="same questions"):
        compare_runs(a, {"c": read_run(tmp_path / "c")}, ["recall_acc@5"])
    with pytest.raises(InvalidInput, match="was not measured"):
        compare_runs(a, {"b": b}, ["recall_acc@7"])
    with pytest.raises(InvalidInput, match=r"questions\.jsonl"):
        read_run(tmp_path)


def beam_folder(folder: Path) -> Path:
    chat = folder / "100K" / "1"
    (chat / "probing_questions").mkdir(parents=True)
    turns = [
        [
            {"role": "user", "id": 0, "content": "Plan it. ->-> 1,1", "time_anchor": "March-15-2024"},
            {"role": "assistant", "id": 1, "content": "Done ->-> 1,1"},
        ],
        [{"role": "user", "id": 2, "content": "Thanks ->-> 1,N/A"}],
    ]
    batches = [{"batch_number": 1, "time_anchor": None, "turns": turns}]
    (chat / "chat.json").write_text(json.dumps(batches))
    probes = {
        "abstention": [{"question": "why?", "ideal_response": "unknown", "rubric": ["says so"]}],
        "event_ordering": [{"question": "order?", "answer": "x", "source_chat_ids": [[0, 2], 1, 1]}],
        "knowledge_update": [{"question": "now?", "answer": "y", "source_chat_ids": {"old": [0], "new": [77]}}],
    }
    (chat / "probing_questions" / "probing_questions.json").write_text(json.dumps(probes))
    return folder


def test_beam_reads_nested_evidence_dates_and_text(tmp_path: Path) -> None:
    data = load_beam(beam_folder(tmp_path))
    (session,) = data.conversations[0].sessions
    assert (session.id, session.timestamp) == ("batch-1", "March-15-2024")
    assert [m["content"] for m in session.messages] == ["Plan it.", "Done ->-> 1,1", "Thanks"]
    assert [q.evidence for q in data.questions] == [(), ("0", "2", "1", "1"), ("0", "77")]
    assert [(m.question_id, m.entry) for m in data.malformed] == [("100K/1:knowledge_update:0", "77")]


def test_beam_leaves_out_what_has_no_evidence_and_says_so(tmp_path: Path) -> None:
    report = run_beam(beam_folder(tmp_path / "data"), tmp_path / "out", Factory())
    assert report.n == 2
    assert report.skipped == {"no evidence: abstention": 1}
    assert report.metrics["recall_acc@5"] == 0.75  # 4 of 4 entries, and 1 of 2
    assert report.extra["macro"] == report.metrics
    assert set(report.manifest["data"]["files"]) == {
        "chat.json",
        "probing_questions/probing_questions.json",
    }


def test_beam_names_a_chat_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="100K/9"):
        load_beam(beam_folder(tmp_path), chats=frozenset({"100K/9"}))
    with pytest.raises(InvalidInput, match="no folder"):
        load_beam(tmp_path / "none")


def facts_file(folder: Path) -> Path:
    context = "Here is a list of facts:\n0. Ann lives in Oslo.\n1. Ann lives in Rome.\n2. Bo sings.\n"
    records = [
        {
            "context": context,
            "questions": [question],
            "answers": [[gold, "other"]],
            "metadata": {"source": f"factconsolidation_{hops}_6k"},
        }
        for hops, question, gold in (("mh", "Where is Ann's friend?", "Paris"), ("sh", "Where is Ann?", "Rome"))
    ]
    path = folder / "facts.json"
    path.write_text(json.dumps(records))
    return path


def test_factconsolidation_builds_one_memory_a_size_and_scores_the_context(tmp_path: Path) -> None:
    factory = Factory()
    report = run_factconsolidation(facts_file(tmp_path), tmp_path / "out", factory, cutoffs=(1, 5))
    assert list(factory.made) == ["6k"]
    missed = {"n": 1, "substring_exact_match": 0, "answer_in_context@1": 0}
    assert report.by_category["sh_6k"] == {**missed, "answer_in_context@5": 1}
    assert report.by_category["mh_6k"] == {**missed, "answer_in_context@5": 0}


def test_factconsolidation_reports_every_subset_by_its_published_name(tmp_path: Path) -> None:
    """The system finds the facts in their order; the first says Oslo, the answer to one of the two questions."""
    path = facts_file(tmp_path)
    path.write_text(path.read_text().replace('"Rome"', '"Oslo"'))
    run_factconsolidation(path, tmp_path / "out", Factory(), cutoffs=(1,))
    written = json.loads((tmp_path / "out" / "report.json").read_text())
    found = {"n": 1, "substring_exact_match": 1.0, "answer_in_context@1": 1.0, "failures": 0}
    missed = {"n": 1, "substring_exact_match": 0.0, "answer_in_context@1": 0.0, "failures": 0}
    assert written["by_subset"] == {"factconsolidation_mh_6k": missed, "factconsolidation_sh_6k": found}
    assert written["n"] == 2
    assert written["failures"] == []
    assert written["manifest"]["settings"]["prediction"] == "text of the first fact"


def test_a_reader_sees_numbered_facts_and_is_scored(tmp_path: Path) -> None:
    shown: list[list[str]] = []

    def reader(question: str, facts: Sequence[str]) -> str:
        assert question.startswith("Where is Ann")
        shown.append(list(facts))
        return "In Rome."

    report = run_factconsolidation(
        facts_file(tmp_path), tmp_path / "out", Factory(), reader=reader, reader_facts=2, cutoffs=(5,)
    )
    assert shown == [["0. Ann lives in Oslo.", "1. Ann lives in Rome."]] * 2
    assert report.metrics["substring_exact_match"] == 0.5


def test_paths_in_a_command_are_cut_to_names() -> None:
    assert nameless(["/usr/bin/qgmem", "bench", "--out=a/b/", "--url", "http://x/y", "--k=5", "a b"]) == [
        "qgmem",
        "bench",
        "--out=b",
        "--url",
        "http://x/y",
        "--k=5",
        "a b",
    ]
