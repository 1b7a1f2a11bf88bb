"""FactConsolidation as published: fact counts, shared contexts, questions."""

from __future__ import annotations

from pathlib import Path

from qgmem.evals.datasets.factconsolidation import load_factconsolidation


def test_contexts_and_questions_have_their_published_sizes(bench_data: Path) -> None:
    data = load_factconsolidation(bench_data / "memoryagentbench" / "Conflict_Resolution.json")
    assert {c.id: len(c.turn_ids) for c in data.conversations} == {
        "6k": 455,
        "32k": 2310,
        "64k": 4580,
        "262k": 18332,
    }
    assert len(data.questions) == 800
    assert len({q.category for q in data.questions}) == 8
