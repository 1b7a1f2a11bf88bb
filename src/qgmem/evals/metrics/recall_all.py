"""recall_all@k of LongMemEval (Wu et al., 2025): 1 if every evidence id is in the first k.

Official code: `evaluate_retrieval` in github.com/xiaowu0162/LongMemEval. Without evidence it is 1.
The Sufficiency@10 of [Q] asks the same of one question.
"""

from __future__ import annotations

from collections.abc import Sequence


def recall_all(evidence: Sequence[str], found: Sequence[str], k: int) -> float:
    """0 or 1, higher is better."""
    return float(set(evidence) <= set(found[:k]))
