"""Compares finished runs question by question, from the `questions.jsonl` that each report leaves."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from qgmem.errors import InvalidInput

from .statistics import RESAMPLES, SEED, Comparison, Pair, compare_family


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """Question id → its conversation and its scores."""

    conversations: Mapping[str, str]
    scores: Mapping[str, Mapping[str, float]]


def read_run(folder: Path) -> ScoredRun:
    """The per-question scores in a report's folder. Raises InvalidInput where there are none."""
    path = folder / "questions.jsonl"
    if not path.is_file():
        raise InvalidInput("run", f"{folder.name!r} holds no questions.jsonl", "give a bench output folder")
    rows = [json.loads(line) for line in path.read_bytes().splitlines()]
    return ScoredRun({row["id"]: row["conversation"] for row in rows}, {row["id"]: row["scores"] for row in rows})


def compare_runs(
    a: ScoredRun,
    others: Mapping[str, ScoredRun],
    metrics: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> list[Comparison]:
    """`b - a` for each other run and metric, all one Holm family; scores in percentage points.

    Names are `<run> <metric>`. Raises InvalidInput unless all runs asked the same questions.
    """
    questions = sorted(a.scores)
    pairs: dict[str, Pair] = {}
    for name, b in others.items():
        if sorted(b.scores) != questions:
            raise InvalidInput("run", f"{name} did not ask the same questions", "rerun on the same data")
        for metric in metrics:
            pairs[f"{name} {metric}"] = Pair(_column(a, questions, metric), _column(b, questions, metric))
    clusters = [a.conversations[question] for question in questions]
    return compare_family(pairs, clusters, resamples=resamples, seed=seed)


def comparisons_table(comparisons: Sequence[Comparison]) -> str:
    """A Markdown table: differences in points with 95 % intervals, Holm-adjusted p of both kinds."""
    lines = [
        "| comparison | A | B | B - A | by question | by conversation | Holm p | supported |",
        "|---|---:|---:|---:|---|---|---|---|",
    ]
    for c in comparisons:
        question, cluster = c.by_question, c.by_conversation
        lines.append(
            f"| {c.name} | {c.mean_a:.2f} | {c.mean_b:.2f} | {question.difference:+.2f} "
            f"| [{question.low:.2f}, {question.high:.2f}] | [{cluster.low:.2f}, {cluster.high:.2f}] "
            f"| {c.holm_by_question:.4f} / {c.holm_by_conversation:.4f} | {'yes' if c.supported else 'no'} |"
        )
    return "\n".join(lines) + "\n"


def _column(run: ScoredRun, questions: Sequence[str], metric: str) -> list[float]:
    try:
        return [100 * run.scores[question][metric] for question in questions]
    except KeyError as error:
        known = ", ".join(next(iter(run.scores.values())))
        raise InvalidInput("metric", f"{metric!r} was not measured", f"one of {known}") from error
