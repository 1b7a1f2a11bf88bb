"""LoCoMo evidence recall: which turns does the memory find for each of the 1,986 questions?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.evals.datasets.dialogue import Question
from qgmem.evals.datasets.locomo import load_locomo
from qgmem.evals.manifest import build_manifest
from qgmem.evals.metrics.measure import Measure, at
from qgmem.evals.protocol import SystemFactory
from qgmem.evals.report import Report, compact, summarise, write_report
from qgmem.evals.runner import Scorer, run
from qgmem.types import JsonValue

CUTOFFS = (5, 10, 25, 50)


def run_locomo(
    data: Path,
    out: Path,
    factory: SystemFactory,
    *,
    limit_conversations: int | None = None,
    caption_query: bool = True,
    also_without_caption_query: bool = False,
    cutoffs: Sequence[int] = CUTOFFS,
    command: Sequence[str] | None = None,
    show_progress: bool = True,
) -> Report:
    """Builds one memory a conversation, sessions in order, and reports recall_acc at the cutoffs.

    `caption_query` says whether the words that an image was searched by reach the memory; nobody said
    them, and a system that leaves them out finds less, so a report always states it. With
    `also_without_caption_query` a second pass goes into the report's `without_caption_query`.
    Writes `report.json`, `report.md` and `questions.jsonl` into `out`.
    Raises InvalidInput naming what is wrong with `data`.
    """
    if also_without_caption_query and not caption_query:
        raise InvalidInput("also_without_caption_query", "the first pass already leaves it out")
    measures = at(["recall_acc"], sorted(set(cutoffs)))
    dataset = load_locomo(data, caption_query=caption_query).limited(limit_conversations)
    outcome = run(
        dataset,
        factory,
        evidence_scorer(measures),
        [str(m) for m in measures],
        max(cutoffs),
        show_progress=show_progress,
    )
    extra: dict[str, JsonValue] = {}
    if also_without_caption_query:
        bare = load_locomo(data, caption_query=False).limited(limit_conversations)
        second = run(
            bare,
            factory,
            evidence_scorer(measures),
            [str(m) for m in measures],
            max(cutoffs),
            show_progress=show_progress,
        )
        extra["without_caption_query"] = compact(second)
    settings: dict[str, JsonValue] = {
        "caption_query": caption_query,
        "limit_conversations": limit_conversations,
        "cutoffs": [m.k for m in measures],
    }
    manifest = build_manifest(
        files=dataset.files, settings=settings, system=factory.describe(), seed=None, command=command
    )
    report = summarise("locomo", dataset, outcome, manifest, extra=extra)
    write_report(report, out)
    return report


def evidence_scorer(measures: Sequence[Measure]) -> Scorer:
    """Scores found turn ids against a question's evidence with each measure."""

    def score(question: Question, found: Sequence[str]) -> Mapping[str, float]:
        return {str(m): m(question.evidence, found) for m in measures}

    return score
