"""LongMemEval retrieval, scored as the official code does, by turn and by session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from qgmem.evals.datasets.dialogue import Question
from qgmem.evals.datasets.longmemeval import is_abstention, load_longmemeval
from qgmem.evals.manifest import build_manifest
from qgmem.evals.metrics.longmemeval_sessions import session_depth, sessions_of
from qgmem.evals.metrics.ndcg_any import ndcg_any
from qgmem.evals.metrics.recall_all import recall_all
from qgmem.evals.metrics.recall_any import recall_any
from qgmem.evals.protocol import SystemFactory
from qgmem.evals.report import Report, summarise, write_report
from qgmem.evals.runner import run
from qgmem.types import JsonValue

CUTOFFS = (5, 10, 30, 50)
DEPTH_PER_SESSION = 4  # turns retrieved for each session that the largest cutoff asks for


def run_longmemeval(
    data: Path,
    out: Path,
    factory: SystemFactory,
    *,
    user_turns_only: bool = True,
    limit_conversations: int | None = None,
    cutoffs: Sequence[int] = CUTOFFS,
    command: Sequence[str] | None = None,
    show_progress: bool = True,
) -> Report:
    """Reports `turn.` and `session.` recall_any, recall_all and ndcg_any at the cutoffs.

    Abstention questions and questions without a marked user turn are left out, as in the official
    averages, and counted in `skipped`.
    """
    ks = sorted(set(cutoffs))
    dataset = load_longmemeval(data, user_turns_only=user_turns_only).limited(limit_conversations)
    answerable = [q for q in dataset.questions if not is_abstention(q)]
    asked = tuple(q for q in answerable if q.evidence)
    skipped = {
        "abstention": len(dataset.questions) - len(answerable),
        "no evidence in user turns": len(answerable) - len(asked),
    }
    dataset = replace(dataset, questions=asked)
    depth = DEPTH_PER_SESSION * ks[-1]

    def score(question: Question, found: Sequence[str]) -> Mapping[str, float]:
        return longmemeval_scores(question.evidence, found, ks)

    outcome = run(dataset, factory, score, list(longmemeval_scores((), (), ks)), depth, show_progress=show_progress)
    settings: dict[str, JsonValue] = {
        "user_turns_only": user_turns_only,
        "limit_conversations": limit_conversations,
        "cutoffs": list(ks),
        "turns_retrieved": depth,
    }
    manifest = build_manifest(
        files=dataset.files, settings=settings, system=factory.describe(), seed=None, command=command
    )
    report = summarise("longmemeval", dataset, outcome, manifest, skipped=skipped)
    write_report(report, out)
    return report


def longmemeval_scores(evidence: Sequence[str], found: Sequence[str], cutoffs: Sequence[int]) -> dict[str, float]:
    """All scores of one question, `turn.recall_any@5` to `session.ndcg_any@50`, in [0, 1]."""
    scores: dict[str, float] = {}
    for k in cutoffs:
        scores[f"turn.recall_any@{k}"] = recall_any(evidence, found, k)
        scores[f"turn.recall_all@{k}"] = recall_all(evidence, found, k)
        scores[f"turn.ndcg_any@{k}"] = ndcg_any(evidence, found, k)
    for k in cutoffs:
        depth = session_depth(evidence, found, k)
        # A session counts as found only through one of its evidence turns.
        hit = sessions_of([turn for turn in found[:depth] if turn in set(evidence)])
        gold = sessions_of(evidence)
        scores[f"session.recall_any@{k}"] = recall_any(gold, hit, len(hit))
        scores[f"session.recall_all@{k}"] = recall_all(gold, hit, len(hit))
        scores[f"session.ndcg_any@{k}"] = ndcg_any(evidence, found, depth)
    return scores
