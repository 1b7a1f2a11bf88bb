"""Event-attribute channel ([Q] III-B1): S_ELT, the mean over the constraint kinds that the question has.

Kinds: entities and locations by SemMatch, time by TimeMatch (fact constraints against fact times, utterance
constraints against utterance time). A question without constraints has no attribute list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..stores.index import Index, Mask
from ..stores.reading import phrase_text
from ..stores.segment import term_hash
from ..types import Constraints, Interval
from .channel import ChannelList, Float32

NAME = "event_attributes"
EmbedPhrases = Callable[[Sequence[str]], Float32]  # texts -> (n, d) unit vectors, or (0, 0) if that is not possible


def scores(index: Index, constraints: Constraints, embed: EmbedPhrases, threshold: float) -> Float32:
    """(rows,) S_ELT in [0, 1]. `threshold`: cosine from which a phrase matches (SemMatch)."""
    total = np.zeros(index.rows, np.float32)
    kinds = 0
    phrases = [*constraints.entities, *constraints.locations]
    vectors = embed(phrases) if phrases else np.empty((0, 1), np.float32)
    split = len(constraints.entities)
    groups = ((constraints.entities, vectors[:split], False), (constraints.locations, vectors[split:], True))
    for texts, group, locations in groups:
        if texts and len(group) == len(texts):  # an embedder that failed gives none: then times alone count
            kinds += 1
            hashes = [term_hash(phrase_text(text)) for text in texts]
            rows, values = index.phrase_matches(group, hashes, threshold, locations)
            total[rows] += values
    if constraints.fact_times or constraints.utterance_times:
        kinds += 1
        total += _time(index, constraints)
    return total / np.float32(max(kinds, 1))


def channel(index: Index, dense: Float32, n: int, allowed: Mask | None) -> ChannelList:
    """The n best rows of `scores`."""
    return ChannelList.of(NAME, index, dense, n, allowed)


def _time(index: Index, constraints: Constraints) -> Float32:
    best = np.zeros(index.rows, np.float32)
    for intervals, uttered in ((constraints.fact_times, False), (constraints.utterance_times, True)):
        if intervals:
            rows, values = index.time_matches(_days(intervals), uttered)
            best[rows] = np.maximum(best[rows], values)
    return best


def _days(intervals: Sequence[Interval]) -> list[tuple[int, int]]:
    return [(interval.start.toordinal(), interval.end.toordinal()) for interval in intervals]
