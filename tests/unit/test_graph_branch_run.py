"""The whole study on a tiny random model, from lives to tables. Needs torch; skipped by name without."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qgmem.models.hf_chat import HfChat
from qgmem.training.graph_branch.run import StudySettings, study_graph_branch

for needed in ("torch", "torch_geometric", "transformers", "safetensors"):
    pytest.importorskip(needed, reason=f"needs {needed}: pip install 'qgmem[graph]'")

from tiny_models import tiny  # noqa: E402 - needs what may be missing

SETTINGS = StudySettings(
    lives=3, years=0.2, seeds=(0,), tokens=(1, 2), k=2, per_type=1, limit=3, epochs=1, accumulate=1, batch=3,
    ablation_questions=1, histories=(0.1,), cost_questions=2, resamples=50,
)  # fmt: skip


def test_the_study_runs_from_lives_to_tables_and_a_second_run_asks_nothing(tmp_path: Path) -> None:
    llm = HfChat(tiny("smollm", tmp_path), threads=1)
    out = tmp_path / "out"
    study = study_graph_branch(llm, out, SETTINGS, show_progress=False)
    found = json.loads((out / "study.json").read_text(encoding="utf-8"))
    assert found == json.loads(json.dumps(study))
    names = ["none", "text", "token-1", "shuffled-1", "untrained-1", "blind-1", "token-2"]
    assert list(found["conditions"]) == names
    questions = found["conditions"]["none"]["answers"]
    assert questions > 0
    assert [found["conditions"][name]["answers"] for name in names[2:]] == [questions] * 5
    assert found["conditions"]["token-2"]["tokens_in"] == found["conditions"]["none"]["tokens_in"] + 2
    assert found["conditions"]["text"]["tokens_in"] > found["conditions"]["none"]["tokens_in"]
    assert list(found["ablations"]) == ["full", "no units", "no traces", "no hybrid", "no reranker", "no graph"]
    assert sorted(found["training"]) == ["blind-1-seed-0", "token-1-seed-0", "token-2-seed-0"]
    assert all(len(one["validation"]) == 2 for one in found["training"].values())
    assert [one["questions"] for one in found["costs"]] == [2]
    assert (out / "study.md").read_text(encoding="utf-8").count("\n## ") == 5
    assert (out / "sheet.csv").is_file()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("asked again")

    llm.generate = llm.losses = refuse  # type: ignore[method-assign,assignment]
    again = StudySettings(
        **{**{n: getattr(SETTINGS, n) for n in SETTINGS.__slots__}, "parts": ("answers", "ablations")}
    )
    assert study_graph_branch(llm, out, again, show_progress=False)["conditions"] == study["conditions"]
