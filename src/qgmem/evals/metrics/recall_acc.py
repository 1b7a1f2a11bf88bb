"""recall_acc@k: the share of evidence entries found among the first k turns.

Source: the evaluation script of LoCoMo (Maharana et al., 2024, github.com/snap-research/locomo).
Entries are compared literally: a repeated entry counts each time, an entry that names no turn is a
miss, and a question without evidence scores 1.
"""

from __future__ import annotations

from collections.abc import Sequence


def recall_acc(evidence: Sequence[str], found: Sequence[str], k: int) -> float:
    """Recall in [0, 1], higher is better. [D1:1 D1:1 D2:9], found D1:1 → 2/3."""
    if not evidence:
        return 1.0
    shown = set(found[:k])
    return sum(entry in shown for entry in evidence) / len(evidence)
