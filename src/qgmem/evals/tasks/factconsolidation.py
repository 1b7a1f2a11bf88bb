"""FactConsolidation: does the first fact found hold the newest answer, and does a reader say it?

`substring_exact_match` is taken of the first fact's words, or of the reader's answer where there is a reader;
`answer_in_context@k` is the same measure of the best of the first k facts. `by_subset` in the report names the
subsets as their authors do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from qgmem.evals.datasets.dialogue import Question
from qgmem.evals.datasets.factconsolidation import SIZES, load_factconsolidation
from qgmem.evals.manifest import build_manifest
from qgmem.evals.metrics.substring_exact_match import substring_exact_match
from qgmem.evals.protocol import SystemFactory
from qgmem.evals.report import Report, summarise, write_report
from qgmem.evals.runner import run
from qgmem.types import JsonValue

CUTOFFS = (5, 10, 25, 50)
Reader = Callable[[str, Sequence[str]], str]
"""(question, `serial. fact` lines, best first) → answer. It sees no gold."""


def run_factconsolidation(
    data: Path,
    out: Path,
    factory: SystemFactory,
    *,
    sizes: tuple[str, ...] = SIZES,
    reader: Reader | None = None,
    reader_facts: int = 10,
    reader_identity: Mapping[str, JsonValue] | None = None,
    cutoffs: Sequence[int] = CUTOFFS,
    command: Sequence[str] | None = None,
    show_progress: bool = True,
) -> Report:
    """One memory a size, shared by its single-hop and multi-hop questions; categories `sh_6k` and so on.

    `reader` gets the first `reader_facts` facts. Facts carry no dates: their order of arrival is their age.
    """
    ks = sorted(set(cutoffs))
    dataset = load_factconsolidation(data, sizes=sizes)
    texts = {c.id: c.texts() for c in dataset.conversations}
    names = ["substring_exact_match", *(f"answer_in_context@{k}" for k in ks)]

    def score(question: Question, found: Sequence[str]) -> Mapping[str, float]:
        facts = [texts[question.conversation_id][turn] for turn in found]
        inside = [substring_exact_match(fact, question.answer) for fact in facts]
        said = max(inside[:1], default=0.0)
        if reader is not None:
            shown = [f"{t}. {f}" for t, f in zip(found, facts, strict=True)][:reader_facts]
            said = substring_exact_match(reader(question.text, shown), question.answer)
        context = {f"answer_in_context@{k}": max(inside[:k], default=0.0) for k in ks}
        return {"substring_exact_match": said, **context}

    outcome = run(dataset, factory, score, names, max(ks[-1], reader_facts), show_progress=show_progress)
    settings: dict[str, JsonValue] = {
        "sizes": list(sizes),
        "cutoffs": list(ks),
        "prediction": "text of the first fact" if reader is None else "the reader's answer",
        "reader": None if reader is None else dict(reader_identity or {"id": "unnamed"}),
        "reader_facts": reader_facts if reader is not None else None,
    }
    manifest = build_manifest(
        files=dataset.files, settings=settings, system=factory.describe(), seed=None, command=command
    )
    report = summarise("factconsolidation", dataset, outcome, manifest)
    failed = Counter(row.question.category for row in outcome.rows if row.failure)
    by_subset: dict[str, JsonValue] = {
        f"factconsolidation_{category}": {**cast(dict[str, JsonValue], means), "failures": failed[category]}
        for category, means in report.by_category.items()
    }
    report = replace(report, extra={"by_subset": by_subset})
    write_report(report, out)
    return report
