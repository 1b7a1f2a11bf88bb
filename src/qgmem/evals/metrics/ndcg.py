"""ndcg@k with binary gains (Järvelin & Kekäläinen, 2002): rank r is worth 1 / log2(r + 1).

Two ideals: `gold` divides by the best order of all evidence, `retrieved` by the best order of the
evidence that was retrieved at all, which is what [Q] §IV reports ("ideal from the retrieved relevant
count"); it judges the order only and is never below the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2


def ndcg(evidence: Sequence[str], found: Sequence[str], k: int, ideal: str = "gold") -> float:
    """nDCG in [0, 1], higher is better; 0 when nothing relevant is (or could be) found."""
    relevant = set(evidence)
    gains = [turn in relevant for turn in found[:k]]
    best = min(k, len(relevant)) if ideal == "gold" else sum(gains)
    if best == 0:
        return 0.0
    reached = sum(1 / log2(rank + 1) for rank, gain in enumerate(gains, 1) if gain)
    return reached / sum(1 / log2(rank + 1) for rank in range(1, best + 1))


def ndcg_retrieved(evidence: Sequence[str], found: Sequence[str], k: int) -> float:
    """`ndcg` against the retrieved relevant count ([Q])."""
    return ndcg(evidence, found, k, "retrieved")
