"""Entity gate and chronological recovery: a memory's entity score ([E] §3.3, equations 2 and 3)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .graph import EntityGraph
from .top import top

MATCH_FLOOR = 0.5
MATCHES_PER_KEY = 20
WHO_ONLY_DAMPING = 0.25


def match(graph: EntityGraph, key: str) -> dict[int, float]:
    """Entities that one key means, with ρ in [0.5, 1]: at most 20, the best first.

    ρ is the name's BM25 divided by the best name's for that key; the entity with exactly that key has 1.
    """
    entities, scores = graph.names.scores(graph.tokenize(key))
    best = float(scores.max()) if len(scores) else 0.0
    if best > 0:
        rho = scores / best
        kept = rho >= MATCH_FLOOR
        entities, rho = entities[kept], rho[kept]
    else:
        entities, rho = np.empty(0, np.int64), np.empty(0, np.float64)
    exact = graph.entity(key)
    if exact is not None:
        apart = entities != exact
        entities, rho = np.append(entities[apart], exact), np.append(rho[apart], 1.0)
    return dict(top(rho, entities, graph.keys, MATCHES_PER_KEY))


def entity_scores(graph: EntityGraph, keys: Sequence[str], *, speaker_links: bool = True) -> NDArray[np.float64]:
    """s_e⁽⁰⁾ of every memory, (n,) float64 by position, ≥ 0, higher is better, not normalised.

    raw(e) = Σ_u ρ(e, u) / |Q⁺| · 1 / ln(1 + deg e). A memory takes the best raw of its other-than-who
    entities or of its who-like ones, whichever is larger, and a quarter of the latter if it has only those.
    """
    matches = {key: found for key in dict.fromkeys(keys) if (found := match(graph, key))}
    total: dict[int, float] = {}
    matched_keys: dict[int, list[str]] = {}
    for key, found in matches.items():
        for entity, rho in found.items():
            total[entity] = total.get(entity, 0.0) + rho
            matched_keys.setdefault(entity, []).append(key)
    who_keys = {key for key, found in matches.items() if any(_is_who(graph, e) for e in found)}

    raw: list[tuple[float, bool, NDArray[np.int32]]] = []
    for entity, rho_sum in total.items():
        memories = graph.mentions(entity, speaker_links=speaker_links)
        if len(memories):
            # Multiplying by the reciprocal, and log(1 + deg) instead of log1p, is the first release's
            # order of operations: its ties are decided in the last bit.
            score = (rho_sum / len(matches)) * (1.0 / math.log(1 + len(memories)))
            who_like = _is_who(graph, entity) or who_keys.issuperset(matched_keys[entity])
            raw.append((score, who_like, memories))

    who, other = np.zeros(len(graph.memory_ids)), np.zeros(len(graph.memory_ids))
    for score, who_like, memories in sorted(raw, key=lambda item: item[0]):
        (who if who_like else other)[memories] = score  # ascending, so the maximum is what stays
    return np.where(other > 0, np.maximum(other, who), WHO_ONLY_DAMPING * who)


def expand_neighbours(graph: EntityGraph, scores: NDArray[np.float64], scale: float = 0.5) -> NDArray[np.float64]:
    """One hop along the chronological edges: max(own, scale · the better of previous and next)."""
    if len(scores) < 2:
        return scores
    timeline = scores[graph.order]
    neighbour = np.zeros_like(timeline)
    neighbour[1:] = timeline[:-1]
    np.maximum(neighbour[:-1], timeline[1:], out=neighbour[:-1])
    expanded = np.empty_like(scores)
    expanded[graph.order] = np.maximum(timeline, scale * neighbour)
    return expanded


def _is_who(graph: EntityGraph, entity: int) -> bool:
    return graph.entities[entity].type == "Who"
