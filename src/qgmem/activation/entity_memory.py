"""Entity–Memory retrieval ([E] §3.3) as a fusion of its own: gate by entities, fuse with cosine, spread one hop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..stores.index import Index, Mask, Rows
from .channel import Float32
from .entity_graph import EntityGraph, EntityMemoryOptions, rank
from .fusion import Fused


@dataclass(frozen=True, slots=True)
class GraphView:
    """The namespace's entity graph beside its index: `rows[i]` is the index row of `graph.memory_ids[i]`."""

    graph: EntityGraph
    rows: Rows


def fuse(
    index: Index,
    view: GraphView,
    keys: Sequence[str],
    query: Float32 | None,
    pool: int,
    allowed: Mask | None,
    options: EntityMemoryOptions | None = None,
) -> Fused:
    """The pool by s = 0.30 · s_e + 0.70 · cosine; `keys`: of the question's entities, `query`: (d,).

    Without a query vector s = s_e alone, and memories without an entity of the question are left out.
    """
    cosines = None if query is None else index.cosines(query, view.rows).astype(np.float64)
    wanted = pool if allowed is None else len(view.rows)
    found = rank(view.graph, keys, cosines, wanted, options)
    if cosines is None:
        found = [(memory_id, score) for memory_id, score in found if score > 0]
    place = dict(zip(view.graph.memory_ids, view.rows.tolist(), strict=True))
    rows = np.array([place[memory_id] for memory_id, _ in found], np.intp)
    scores = np.array([score for _, score in found], np.float32)
    if allowed is not None:
        kept = allowed[rows]
        rows, scores = rows[kept], scores[kept]
    return Fused(rows[:pool], scores[:pool], {"entity_memory": scores[:pool]})
