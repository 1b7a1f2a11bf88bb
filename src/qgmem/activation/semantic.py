"""Semantic channel ([Q] III-B1): cosine of question and unit embeddings."""

from __future__ import annotations

import numpy as np

from ..stores.index import Index, Mask
from .channel import ChannelList, Float32

NAME = "semantic"


def channel(index: Index, query: Float32, n: int, allowed: Mask | None) -> ChannelList:
    """The n nearest rows; `query` is (d,) of length 1, scores are cosines above 0."""
    rows, cosines = index.semantic(query, n, allowed)
    kept = cosines > 0
    return ChannelList(NAME, rows[kept], np.asarray(cosines[kept], np.float32))
