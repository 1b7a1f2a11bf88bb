"""LongMemEval: a small hand-made file in the official format, from reading to the official scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from qgmem.errors import InvalidInput
from qgmem.evals.datasets.dialogue import Conversation
from qgmem.evals.datasets.longmemeval import is_abstention, load_longmemeval
from qgmem.evals.metrics.turn_ids import HasTurnIds
from qgmem.evals.protocol import EvidenceSystem, Ingested
from qgmem.evals.tasks.longmemeval import longmemeval_scores, run_longmemeval

RECORD: dict[str, Any] = {
    "question_id": "q1",
    "question_type": "single-session-user",
    "question": "Which bus do I take?",
    "answer": 42,
    "question_date": "2023/05/30 (Tue) 23:40",
    "haystack_session_ids": ["share_1", "answer_9"],
    "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 02:57"],
    "haystack_sessions": [
        [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Hi."}],
        [
            {"role": "user", "content": "Morning.", "has_answer": False},
            {"role": "assistant", "content": "Good morning.", "has_answer": False},
            {"role": "user", "content": "The 42 was late again.", "has_answer": True},
        ],
    ],
    "answer_session_ids": ["answer_9"],
}


def write(path: Path, records: object) -> Path:
    file = path / "longmemeval.json"
    file.write_text(json.dumps(records))
    return file


def test_evidence_is_the_marked_user_turn_and_ids_count_all_turns(tmp_path: Path) -> None:
    data = load_longmemeval(write(tmp_path, [RECORD]))
    (question,) = data.questions
    assert question.evidence == ("answer_9_3",)
    assert question.answer == "42"
    assert question.asked_at == "2023/05/30 (Tue) 23:40"
    assert data.conversations[0].turn_ids == ("share_1_1", "answer_9_1", "answer_9_3")
    both = load_longmemeval(write(tmp_path, [RECORD]), user_turns_only=False)
    assert both.conversations[0].turn_ids == (
        "share_1_1",
        "share_1_2",
        "answer_9_1",
        "answer_9_2",
        "answer_9_3",
    )


def test_an_answer_session_that_is_not_there_is_reported(tmp_path: Path) -> None:
    record = deepcopy(RECORD) | {"answer_session_ids": ["answer_9", "answer_10"]}
    data = load_longmemeval(write(tmp_path, [record]))
    assert [(m.question_id, m.entry) for m in data.malformed] == [("q1", "answer_10")]


def test_a_repeated_session_is_kept_once_and_counted(tmp_path: Path) -> None:
    record = deepcopy(RECORD)
    for key in ("haystack_session_ids", "haystack_dates", "haystack_sessions"):
        record[key] = [*record[key], record[key][0]]
    data = load_longmemeval(write(tmp_path, [record]))
    assert [s.id for s in data.conversations[0].sessions] == ["share_1", "answer_9"]
    assert data.notes["repeated_haystack_sessions"] == 1


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"question": None}, r"longmemeval.json\[0\].question"),
        ({"haystack_dates": []}, "lengths differ: 2 ids, 0 dates, 2 sessions"),
        ({"haystack_sessions": "none"}, "haystack_sessions"),
    ],
)
def test_a_malformed_record_is_refused_naming_record_and_field(
    tmp_path: Path, change: Mapping[str, object], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        load_longmemeval(write(tmp_path, [RECORD | change]))


def test_a_file_that_is_not_json_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "broken.json"
    file.write_text("[{")
    with pytest.raises(InvalidInput, match=r"broken\.json is not JSON"):
        load_longmemeval(file)


def test_session_scores_follow_the_official_conversion() -> None:
    # Two answer sessions; ranking: a1's evidence, another turn of a1, s1, a2's evidence.
    found = ["answer_1_1", "answer_1_3", "s1_1", "answer_2_1"]
    evidence = ["answer_1_1", "answer_2_1"]
    scores = longmemeval_scores(evidence, found, [1, 3, 4])
    assert scores["turn.recall_any@1"] == 1
    assert scores["turn.recall_all@3"] == 0
    assert scores["turn.recall_all@4"] == 1
    # The other turn of answer_1 counts as a session of its own, so three sessions end before answer_2.
    assert scores["session.recall_all@3"] == 0
    assert scores["session.recall_all@4"] == 1
    # Ranks 1 and 4 of an ideal 1 and 2: (1 + 1/2) / (1 + 1).
    assert scores["session.ndcg_any@4"] == pytest.approx(0.75)


class Hit:
    def __init__(self, *turns: str) -> None:
        self.turn_ids = turns


class Newest:
    """Returns all turns, newest first."""

    def build(self, conversation: Conversation) -> Ingested:
        self.turns = conversation.turn_ids
        return Ingested(len(self.turns))

    def search(self, question: str, k: int) -> Sequence[HasTurnIds]:
        assert question
        return [Hit(turn) for turn in reversed(self.turns)][:k]

    def close(self) -> None: ...


class NewestFactory:
    def __call__(self, namespace: str) -> EvidenceSystem:
        assert namespace
        return Newest()

    def describe(self) -> Mapping[str, Any]:
        return {"name": "newest"}


def test_the_run_leaves_abstention_out_and_counts_it(tmp_path: Path) -> None:
    abstention = RECORD | {"question_id": "q2_abs"}
    unmarked = deepcopy(RECORD) | {"question_id": "q3"}
    unmarked["haystack_sessions"][1][2]["has_answer"] = False
    report = run_longmemeval(
        write(tmp_path, [RECORD, abstention, unmarked]), tmp_path / "out", NewestFactory(), cutoffs=(1, 5)
    )
    assert report.n == 1
    assert report.skipped == {"abstention": 1, "no evidence in user turns": 1}
    assert report.metrics["turn.recall_all@1"] == 1
    assert is_abstention(load_longmemeval(write(tmp_path, [abstention])).questions[0])
