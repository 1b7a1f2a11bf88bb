"""BEAM evidence recall by message id, over the nine abilities that have evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from qgmem.evals.datasets.beam import load_beam
from qgmem.evals.datasets.dialogue import Question, evidence_notes
from qgmem.evals.manifest import build_manifest
from qgmem.evals.metrics.measure import at
from qgmem.evals.protocol import SystemFactory
from qgmem.evals.report import Report, summarise, write_report
from qgmem.evals.runner import run
from qgmem.types import JsonValue

from .locomo import CUTOFFS, evidence_scorer


def run_beam(
    data: Path,
    out: Path,
    factory: SystemFactory,
    *,
    chats: frozenset[str] | None = None,
    limit_conversations: int | None = None,
    cutoffs: Sequence[int] = CUTOFFS,
    command: Sequence[str] | None = None,
    show_progress: bool = True,
) -> Report:
    """As `run_locomo`, over every chat below `data` or those named in `chats` (`100K/15`).

    Questions without evidence cannot be scored by recall and are counted in `skipped` by ability. `macro`
    in the report is the mean over abilities of each ability's mean.
    """
    measures = at(["recall_acc"], sorted(set(cutoffs)))
    names = [str(m) for m in measures]
    dataset = load_beam(data, chats=chats).limited(limit_conversations)
    asked = tuple(q for q in dataset.questions if q.evidence)
    skipped = _without_evidence(dataset.questions)
    dataset = replace(dataset, questions=asked, notes=evidence_notes(asked))
    outcome = run(dataset, factory, evidence_scorer(measures), names, max(cutoffs), show_progress=show_progress)
    settings: dict[str, JsonValue] = {
        "chats": [c.id for c in dataset.conversations],
        "cutoffs": [m.k for m in measures],
    }
    manifest = build_manifest(
        files=dataset.files, settings=settings, system=factory.describe(), seed=None, command=command
    )
    by_ability: dict[str, dict[str, list[float]]] = {}
    for row in outcome.rows:
        for name, score in row.scores.items():
            by_ability.setdefault(row.question.category, {}).setdefault(name, []).append(score)
    macro: dict[str, JsonValue] = {
        name: round(float(np.mean([np.mean(scores[name]) for scores in by_ability.values()])), 6) for name in names
    }
    report = summarise("beam", dataset, outcome, manifest, skipped=skipped, extra={"macro": macro})
    write_report(report, out)
    return report


def _without_evidence(questions: Sequence[Question]) -> dict[str, int]:
    counts = Counter(q.category for q in questions if not q.evidence)
    return {f"no evidence: {ability}": n for ability, n in sorted(counts.items())}
