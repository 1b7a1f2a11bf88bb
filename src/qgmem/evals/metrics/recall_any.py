"""recall_any@k of LongMemEval (Wu et al., 2025): 1 if at least one evidence id is in the first k.

Official code: `evaluate_retrieval` in github.com/xiaowu0162/LongMemEval. Without evidence it is 0.
"""

from __future__ import annotations

from collections.abc import Sequence


def recall_any(evidence: Sequence[str], found: Sequence[str], k: int) -> float:
    """0 or 1, higher is better."""
    return float(not set(evidence).isdisjoint(found[:k]))
