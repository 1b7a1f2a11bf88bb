"""The k best of many scores, ties in the order of their ids as strings."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def top(
    scores: NDArray[np.float64], positions: NDArray[np.intp], ids: Sequence[str], k: int
) -> list[tuple[int, float]]:
    """The k best of `positions` as (position, score), by score descending, then `ids[position]`.

    `scores`: (m,) float64 beside `positions`: (m,). Only the group that straddles the k-th place is ever
    compared by id as a whole, so a long tail of ties costs O(m log k), not a sort of all ids.
    """
    if k <= 0 or not len(positions):
        return []
    if len(positions) > k:
        kth = np.partition(scores, len(scores) - k)[len(scores) - k]
        above, level = scores > kth, positions[scores == kth]
        kept = list(zip(positions[above].tolist(), scores[above].tolist(), strict=True))
        fill = heapq.nsmallest(k - len(kept), level.tolist(), key=ids.__getitem__)
        kept += [(position, float(kth)) for position in fill]
    else:
        kept = list(zip(positions.tolist(), scores.tolist(), strict=True))
    return sorted(kept, key=lambda item: (-item[1], ids[item[0]]))
