"""What a channel hands to fusion: rows of the index with their scores, best first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..stores.index import Index, Mask, Rows

Float32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ChannelList:
    """A channel's n best rows, sorted by (-score, unit id); rows scored zero are not in it."""

    name: str
    rows: Rows
    scores: Float32

    @classmethod
    def of(cls, name: str, index: Index, rows: Rows, scores: Float32, n: int, allowed: Mask | None) -> ChannelList:
        """The n best of these that score above zero and pass the filter."""
        kept = scores > 0
        if allowed is not None:
            kept &= allowed[rows]
        best, values = index.top(rows[kept], scores[kept], n)
        return cls(name, best, values)

    @classmethod
    def empty(cls, name: str) -> ChannelList:
        """A channel with nothing to say."""
        return cls(name, np.empty(0, np.intp), np.empty(0, np.float32))
