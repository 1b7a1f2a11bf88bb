"""The official LoCoMo evaluator's stored scores of two systems, reproduced row by row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qgmem.evals.datasets.locomo import load_locomo
from qgmem.evals.metrics.locomo_f1 import locomo_f1
from qgmem.evals.metrics.recall_acc import recall_acc

MEANS = {"dense": (51.106, 78.531), "entity_graph": (51.898, 82.541)}


@pytest.mark.parametrize("system", sorted(MEANS))
def test_every_official_row_is_reproduced(bench_data: Path, system: str) -> None:
    questions = {q.id: q for q in load_locomo(bench_data / "locomo" / "locomo10.json").questions}
    rows = json.loads((bench_data / "locomo" / "official_scores.json").read_text())[system]
    assert len(rows) == 1986
    scores: list[tuple[float, float]] = []
    for row in rows:
        question = questions[f"{row['conversation']}:{row['qa_index']}"]
        f1 = locomo_f1(row["prediction"], question.answer, question.category)
        recall = recall_acc(question.evidence, row["context_ids"], len(row["context_ids"]))
        # The stored values carry six decimals.
        assert f1 == pytest.approx(row["f1"], abs=1e-5), question.id
        assert recall == pytest.approx(row["recall_acc"], abs=1e-5), question.id
        scores.append((f1, recall))
    means = [100 * sum(column) / len(rows) for column in zip(*scores, strict=True)]
    assert means == pytest.approx(MEANS[system], abs=5e-4)


def test_the_file_is_the_published_one(bench_data: Path) -> None:
    data = load_locomo(bench_data / "locomo" / "locomo10.json")
    assert len(data.conversations) == 10
    assert sum(len(c.sessions) for c in data.conversations) == 272
    assert sum(len(c.turn_ids) for c in data.conversations) == 5882
    categories = [q.category for q in data.questions]
    assert {c: categories.count(c) for c in categories} == {
        "multi-hop": 282,
        "temporal": 321,
        "open-domain": 96,
        "single-hop": 841,
        "adversarial": 446,
    }
    assert data.notes == {"questions_without_evidence": 4, "repeated_evidence_entries": 1}
    assert [m.question_id for m in data.malformed] == [
        "conv-26:37",
        "conv-42:58",
        "conv-42:88",
        "conv-43:18",
        "conv-47:38",
        "conv-49:31",
        "conv-49:38",
        "conv-49:46",
        "conv-50:69",
    ]
