"""Entity–Memory ranking: entity score and cosine fused over the gated pool ([E] §3.3, equation 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qgmem.errors import InvalidInput

from .gate import entity_scores, expand_neighbours
from .graph import EntityGraph
from .top import top


@dataclass(frozen=True, slots=True)
class EntityMemoryOptions:
    """The published setting, and every switch of [E] table 2 and §5.4.

    `sequence`: "fused" spreads scores to neighbours before the pool is cut, so a neighbour can enter it;
    "after_gating" cuts the pool first and lets neighbours lift only what is inside; "off" spreads nothing.
    `entity_score` off keeps the pool but ranks it by cosine alone. `semantic` off ranks by entity score
    alone and fills nothing up. `speaker_links` off drops mentions that only the speaker link made.
    """

    entity_weight: float = 0.30
    semantic_weight: float = 0.70
    sequence_scale: float = 0.5
    sequence: Literal["fused", "after_gating", "off"] = "fused"
    speaker_links: bool = True
    entity_score: bool = True
    semantic: bool = True


def rank(
    graph: EntityGraph,
    keys: Sequence[str],
    cosines: NDArray[np.floating] | None,
    k: int,
    options: EntityMemoryOptions | None = None,
) -> list[tuple[str, float]]:
    """The k best memories as (memory id, s), s = 0.30·s_e + 0.70·cosine; ties by memory id.

    `cosines`: (n,) by position in `graph.memory_ids`; None ranks as with `semantic` off. Where the pool is
    smaller than k, the best remaining by cosine follow it, even if their s is higher than the pool's last.
    Raises InvalidInput for cosines of another shape, and when every score is switched off.
    """
    chosen = options or EntityMemoryOptions()
    n = len(graph.memory_ids)
    if cosines is not None and cosines.shape != (n,):
        raise InvalidInput("cosines", f"expected ({n},), got {cosines.shape}", "one cosine a memory")
    semantic = cosines is not None and chosen.semantic
    if not semantic and not chosen.entity_score:
        raise InvalidInput("options", "neither entity score nor cosines to rank by")

    gate = entity_scores(graph, keys, speaker_links=chosen.speaker_links)
    spread = gate if chosen.sequence == "off" else expand_neighbours(graph, gate, chosen.sequence_scale)
    pool = np.flatnonzero((gate if chosen.sequence == "after_gating" else spread) > 0)
    if not len(pool):
        pool = np.arange(n)

    similarity = cosines.astype(np.float64) if semantic and cosines is not None else None
    fused = np.zeros(n)
    if chosen.entity_score:
        fused += spread if similarity is None else chosen.entity_weight * spread
    if similarity is not None:
        fused += chosen.semantic_weight * similarity
    ranked = top(fused[pool], pool, graph.memory_ids, k)
    if similarity is not None and len(ranked) < k:
        outside = np.setdiff1d(np.arange(n), pool, assume_unique=True)
        extra = top(similarity[outside], outside, graph.memory_ids, k - len(ranked))
        ranked += [(position, float(fused[position])) for position, _ in extra]
    return [(graph.memory_ids[position], score) for position, score in ranked]
