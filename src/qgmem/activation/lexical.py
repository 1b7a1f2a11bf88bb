"""Lexical channel ([Q] III-B1): BM25 over fact text, source text and speaker."""

from __future__ import annotations

from collections.abc import Sequence

from ..stores.index import Index, Mask
from .channel import ChannelList, Float32

NAME = "lexical"


def scores(index: Index, terms: Sequence[str]) -> Float32:
    """(rows,) BM25, ≥ 0, higher is better; see `Index.lexical` for the formula."""
    return index.lexical(terms)


def channel(index: Index, dense: Float32, n: int, allowed: Mask | None) -> ChannelList:
    """The n best rows of `scores`."""
    return ChannelList.of(NAME, index, dense, n, allowed)
