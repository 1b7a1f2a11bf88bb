"""What a channel hands to fusion: rows of the index with their scores, best first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..stores.dense import best
from ..stores.index import Index, Mask, Rows

Float32 = NDArray[np.float32]
MANY = 4  # times the wanted number


@dataclass(frozen=True, slots=True)
class ChannelList:
    """A channel's n best rows, sorted by (-score, unit id); rows scored zero are not in it."""

    name: str
    rows: Rows
    scores: Float32

    @classmethod
    def of(cls, name: str, index: Index, dense: Float32, n: int, allowed: Mask | None) -> ChannelList:
        """The n best rows that score above zero and pass the filter. `dense`: (rows,) scores ≥ 0."""
        scores = dense if allowed is None else np.where(allowed, dense, np.float32(0))
        some = scores > 0
        # Of booleans, eight times faster than of floats; where many score, the best are found among the zeros.
        rows = best(scores, n) if np.count_nonzero(some) > MANY * n else np.flatnonzero(some)
        return cls(name, *index.top(rows, scores[rows], n))

    @classmethod
    def empty(cls, name: str) -> ChannelList:
        """A channel with nothing to say."""
        return cls(name, np.empty(0, np.intp), np.empty(0, np.float32))
