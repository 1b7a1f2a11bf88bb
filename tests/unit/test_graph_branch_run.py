"""The whole study on a tiny random model, from lives to tables. Needs torch; skipped by name without."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from test_graph_examples import example

from qgmem.evals.progress import progress
from qgmem.generation.graph_arrays import GraphArrays
from qgmem.models.hf_chat import HfChat
from qgmem.training.graph_branch.answers import AnswerFile, answer_all
from qgmem.training.graph_branch.conditions import Condition
from qgmem.training.graph_branch.run import StudySettings, study_graph_branch
from qgmem.training.graph_token.asking import asked, target

for needed in ("torch", "torch_geometric", "transformers", "safetensors"):
    pytest.importorskip(needed, reason=f"needs {needed}: pip install 'qgmem[graph]'")

from tiny_models import tiny  # noqa: E402 - needs what may be missing

EMPTY = GraphArrays(np.zeros((0, 4), np.float32), np.zeros((2, 0), np.int64), np.zeros((0, 4), np.float32))
SETTINGS = StudySettings(
    lives=6, years=0.2, seeds=(0,), tokens=(1, 2), k=2, per_type=1, limit=3, epochs=1, accumulate=1, batch=3,
    ablation_questions=1, histories=(0.1,), cost_questions=2, resamples=50,
)  # fmt: skip


def test_the_study_runs_from_lives_to_tables_and_a_second_run_asks_nothing(tmp_path: Path) -> None:
    llm = HfChat(tiny("smollm", tmp_path), threads=1)
    out = tmp_path / "out"
    study = study_graph_branch(llm, out, SETTINGS, show_progress=False)
    found = json.loads((out / "study.json").read_text(encoding="utf-8"))
    assert found == json.loads(json.dumps(study))
    names = [
        "none", "text", "token-1", "shuffled-1", "untrained-1", "blind-1", "token-2", "shuffled-2",
        "untrained-2", "blind-2",
    ]  # fmt: skip
    assert list(found["conditions"]) == names
    questions = found["conditions"]["none"]["answers"]
    assert questions > 0
    assert [found["conditions"][name]["answers"] for name in names[2:]] == [questions] * 8
    assert found["conditions"]["token-2"]["tokens_in"] == found["conditions"]["none"]["tokens_in"] + 2
    assert found["conditions"]["text"]["tokens_in"] > found["conditions"]["none"]["tokens_in"]
    assert all(one["gold_nats"] > 0 < one["path_nats"] for one in found["conditions"].values())
    assert [one["name"] for one in found["comparisons_nats"]] == [one["name"] for one in found["comparisons"]]
    assert list(found["ablations"]) == ["full", "no units", "no traces", "no hybrid", "no reranker", "no graph"]
    assert sorted(found["training"]) == ["blind-1-seed-0", "blind-2-seed-0", "token-1-seed-0", "token-2-seed-0"]
    assert all(len(one["validation"]) == 2 for one in found["training"].values())
    assert [one["questions"] for one in found["costs"]] == [2]
    assert (out / "study.md").read_text(encoding="utf-8").count("\n## ") == 6
    assert (out / "sheet.csv").is_file()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("asked again")

    llm.generate_and_score = llm.losses = refuse  # type: ignore[method-assign,assignment]
    again = StudySettings(
        **{**{n: getattr(SETTINGS, n) for n in SETTINGS.__slots__}, "parts": ("answers", "ablations")}
    )
    assert study_graph_branch(llm, out, again, show_progress=False)["conditions"] == study["conditions"]


def test_rows_of_other_settings_are_kept_and_not_counted(tmp_path: Path) -> None:
    """The second run asks for one token and nothing else; what the first left of two is no part of its report."""
    llm = HfChat(tiny("smollm", tmp_path), threads=1)
    more = replace(SETTINGS, parts=("answers",), tokens=(1, 2))
    study_graph_branch(llm, tmp_path / "out", more, show_progress=False)
    rows = (tmp_path / "out" / "answers.jsonl").read_bytes()
    found = study_graph_branch(llm, tmp_path / "out", replace(more, tokens=(1,)), show_progress=False)
    names = ["none", "text", "token-1", "shuffled-1", "untrained-1", "blind-1"]
    assert list(cast(dict[str, object], found["conditions"])) == names
    assert (tmp_path / "out" / "answers.jsonl").read_bytes() == rows


def test_a_gold_answers_nats_are_those_of_its_tokens_after_its_labels(tmp_path: Path) -> None:
    """The whole target's loss is the labels' and the answer's nats, each times its tokens, and the end token's."""
    llm = HfChat(tiny("smollm", tmp_path), threads=1)
    examples = [example("a/1"), example("b/1", answer="a fjord", context="[MU1] Ben: I saw a fjord.")]
    kept = AnswerFile(tmp_path / "a.jsonl")
    with progress("", 2, False) as bar:
        answer_all(llm, examples, [EMPTY, EMPTY], Condition("none"), None, kept, bar)
    for one in examples:
        row = kept.rows["main", "none", 0, one.id]
        path, answer = target(one)
        sizes = llm.count_tokens(path), llm.count_tokens(answer)
        words = llm.target(path, answer)[:-1]
        loss = float(llm.losses([asked(llm, one)], None, [words])[0])
        assert sum(sizes) == len(words)
        assert row.path_nats * sizes[0] + row.gold_nats * sizes[1] == pytest.approx(loss, abs=1e-2)
