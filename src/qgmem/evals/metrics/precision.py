"""precision@k: the share of the k places that hold evidence (Cranfield tradition; [Q] §IV reports @10).

Places left empty count as wrong, so a system does not gain by returning less.
"""

from __future__ import annotations

from collections.abc import Sequence


def precision(evidence: Sequence[str], found: Sequence[str], k: int) -> float:
    """Precision in [0, 1], higher is better; 0 for a question without evidence."""
    return len(set(found[:k]) & set(evidence)) / k
