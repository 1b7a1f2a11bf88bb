"""ndcg_any@k of LongMemEval (Wu et al., 2025), with the official discount.

Official code: `dcg` in github.com/xiaowu0162/LongMemEval takes rank 1 whole and divides rank r ≥ 2 by
log2 r, so ranks 1 and 2 weigh the same. Kept as it is, since published numbers contain it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log2


def ndcg_any(evidence: Sequence[str], found: Sequence[str], k: int) -> float:
    """nDCG in [0, 1], higher is better; 0 without evidence. Found second alone scores 1."""
    relevant = set(evidence)
    if not relevant:
        return 0.0
    reached = (rank for rank, turn in enumerate(found[:k], 1) if turn in relevant)
    return _dcg(reached) / _dcg(range(1, min(k, len(relevant)) + 1))


def _dcg(ranks: Iterable[int]) -> float:
    return sum(1.0 if rank == 1 else 1 / log2(rank) for rank in ranks)
