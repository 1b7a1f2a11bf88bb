"""The default against every other system, question by question at each k: is the difference more than chance?"""

from __future__ import annotations

from collections.abc import Sequence

from ..statistics import Comparison, Pair, compare_family
from .rows import AnswerRow

OURS = "default"


def differences(rows: Sequence[AnswerRow]) -> list[Comparison]:
    """Official F1 of the default less that of each other system, over the questions that all cells have.

    One family, corrected together; conversations are the clusters. None without the default or another system.
    """
    scores: dict[tuple[str, int], dict[str, float]] = {}
    for row in rows:
        scores.setdefault((row.system, row.k), {})[row.question_id] = row.f1
    pairs = [(name, k) for name, k in scores if name != OURS and (OURS, k) in scores]
    if not pairs:
        return []
    shared = sorted(set.intersection(*(set(found) for found in scores.values())))
    if not shared:
        return []
    family = {
        f"{OURS} − {name}, k = {k}": Pair([scores[name, k][q] for q in shared], [scores[OURS, k][q] for q in shared])
        for name, k in sorted(pairs, key=lambda each: (each[1], each[0]))
    }
    return compare_family(family, [question.rpartition(":")[0] for question in shared])


def to_lines(found: Sequence[Comparison]) -> list[str]:
    """The comparisons as a table, in points of F1."""
    lines = [
        "| F1 | questions | difference | 95% by question | 95% by conversation | Holm p: question, conversation |",
        "|---|" + "---:|" * 5,
    ]
    for one in found:
        question, conversation = one.by_question, one.by_conversation
        lines.append(
            f"| {one.name} | {one.n} | {100 * question.difference:+.1f} | "
            f"[{100 * question.low:+.1f}, {100 * question.high:+.1f}] | "
            f"[{100 * conversation.low:+.1f}, {100 * conversation.high:+.1f}] | "
            f"{one.holm_by_question:.2f}, {one.holm_by_conversation:.2f} |"
        )
    return lines
