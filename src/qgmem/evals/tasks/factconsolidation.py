"""FactConsolidation: do the retrieved facts hold the newest answer, and does a reader say it?

Without a reader this measures retrieval alone: `answer_in_context@k` is `substring_exact_match` of the
gold in any of the first k facts. With one, `substring_exact_match` of its answer is added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

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
    names = [f"answer_in_context@{k}" for k in ks] + (["substring_exact_match"] if reader else [])

    def score(question: Question, found: Sequence[str]) -> Mapping[str, float]:
        facts = [texts[question.conversation_id][turn] for turn in found]
        inside = [substring_exact_match(fact, question.answer) for fact in facts]
        scores = {f"answer_in_context@{k}": max(inside[:k], default=0.0) for k in ks}
        if reader is not None:
            shown = [f"{t}. {f}" for t, f in zip(found, facts, strict=True)][:reader_facts]
            answer = reader(question.text, shown)
            scores["substring_exact_match"] = substring_exact_match(answer, question.answer)
        return scores

    outcome = run(dataset, factory, score, names, max(ks[-1], reader_facts), show_progress=show_progress)
    settings: dict[str, JsonValue] = {
        "sizes": list(sizes),
        "cutoffs": list(ks),
        "reader": None if reader is None else dict(reader_identity or {"id": "unnamed"}),
        "reader_facts": reader_facts if reader is not None else None,
    }
    manifest = build_manifest(
        files=dataset.files, settings=settings, system=factory.describe(), seed=None, command=command
    )
    report = summarise("factconsolidation", dataset, outcome, manifest)
    write_report(report, out)
    return report
