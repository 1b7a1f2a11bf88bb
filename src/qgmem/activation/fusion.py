"""Fusion of channel lists: reciprocal ranks ([Q] III-B1), or own match with chronological support (the default).

Rank fusion forgets how well the words matched, and a weak channel then pulls a strong one down. The default keeps
the size of the match and adds what surrounds a unit: an answer often stands beside the turn that asked for it, in
the session that is about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..settings import SupportWeights
from ..stores.index import Index, Mask, Rows
from ..stores.segment import CHAIN_SHIFT
from .beside import beside
from .channel import ChannelList, Float32

MARKED = 1 << 17  # rows of an index up to which ticking rows off is faster than sorting them


@dataclass(frozen=True, slots=True)
class Fused:
    """Candidates sorted by (-score, unit id) with what each part added to the score, by name."""

    rows: Rows
    scores: Float32
    parts: dict[str, Float32] = field(default_factory=dict)


def rrf(index: Index, lists: Sequence[ChannelList], kappa: int, pool: int) -> Fused:
    """Reciprocal rank fusion: score = Σ over channels 1 / (κ + rank), rank from 1."""
    rows = np.unique(np.concatenate([found.rows for found in lists])) if lists else np.empty(0, np.intp)
    total = np.zeros(len(rows), np.float64)
    parts: dict[str, Float32] = {}
    for found in lists:
        share = np.zeros(len(rows), np.float64)
        share[np.searchsorted(rows, found.rows)] = 1 / (kappa + np.arange(1, len(found.rows) + 1))
        total += share
        parts[found.name] = share.astype(np.float32)
    return _sorted(index, rows, total.astype(np.float32), parts, pool)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Scores that the default fusion can ask for at any row, not only at a channel's best.

    `lexical` and `attributes`: (rows,) dense scores; `query`: (d,); `named`: speaker codes that the question names.
    """

    lexical: Float32
    attributes: Float32
    query: Float32 | None
    named: frozenset[int]


def support(
    index: Index,
    lists: Sequence[ChannelList],
    evidence: Evidence,
    weights: SupportWeights,
    pool: int,
    allowed: Mask | None,
) -> Fused:
    """Own match plus support of neighbours and session, over the channels' best and their neighbours."""
    if not any(len(found.rows) for found in lists):
        return Fused(np.empty(0, np.intp), np.empty(0, np.float32))
    seeds = _distinct(np.concatenate([found.rows for found in lists]), index.rows)
    rows = _distinct(np.concatenate([seeds, index.around(seeds).ravel()]), index.rows)
    around = beside(index, rows).T
    scope = _distinct(np.concatenate([rows, around.ravel()]), index.rows)
    parts_in_scope = _own(index, scope, evidence, weights)
    own_in_scope = sum(parts_in_scope.values(), np.zeros(len(scope), np.float32))
    places = _Places(scope, index.rows)
    at = places.of(rows)
    parts = {name: values[at] for name, values in parts_in_scope.items()}
    met = np.zeros(len(scope) + 1, np.float32)  # the last, 0, is met where nothing stands beside
    np.maximum(own_in_scope, 0, out=met[:-1])
    before, after, second_before, second_after = met[places.of(around)]
    parts["neighbour"] = weights.neighbour * np.maximum(before, after)
    parts["second_neighbour"] = weights.second_neighbour * np.maximum(second_before, second_after)
    session = np.asarray(index.gather("chain", rows)) >> CHAIN_SHIFT
    session -= session.min()
    best_of_session = np.zeros(int(session.max()) + 1, np.float32)
    np.maximum.at(best_of_session, session, own_in_scope[at])
    parts["session"] = weights.session * best_of_session[session]
    if evidence.named:
        speaker = np.asarray(index.gather("speaker", rows))
        spoken = np.logical_or.reduce([speaker == code for code in evidence.named])
        parts["speaker"] = weights.speaker * spoken.astype(np.float32)
    total = sum(parts.values(), np.zeros(len(rows), np.float32))
    if allowed is not None:
        kept = allowed[rows]
        rows, total = rows[kept], total[kept]
        parts = {name: values[kept] for name, values in parts.items()}
    return _sorted(index, rows, total, parts, pool)


def _distinct(rows: Rows, n: int) -> Rows:
    """The rows, all below `n`, once each, ascending, without -1; much faster than numpy's own at these sizes."""
    if n <= MARKED:
        marks = np.zeros(n + 1, np.bool_)
        marks[rows] = True
        return np.flatnonzero(marks[:n])  # -1 has marked the one behind
    rows = np.sort(rows)
    new = rows >= 0
    new[1:] &= rows[1:] != rows[:-1]
    found: Rows = rows[new]
    return found


def _own(index: Index, rows: Rows, evidence: Evidence, weights: SupportWeights) -> dict[str, Float32]:
    best = float(evidence.lexical.max(initial=0)) or 1.0
    own = {"lexical": np.float32(weights.lexical / best) * evidence.lexical[rows]}
    if evidence.query is not None:
        own["semantic"] = np.float32(weights.semantic) * index.cosines(evidence.query, rows)
    if len(evidence.attributes):
        own["event_attributes"] = np.float32(weights.attributes) * evidence.attributes[rows]
    return own


class _Places:
    """Where rows stand in `scope`, which ascends, below `n`; one behind its end for -1.

    Looked up in a table as long as that is faster than searching.
    """

    def __init__(self, scope: Rows, n: int) -> None:
        self._scope, self._table = scope, None
        if n <= MARKED:
            self._table = np.empty(n + 1, np.int32)
            self._table[scope] = np.arange(len(scope), dtype=np.int32)
            self._table[n] = len(scope)  # which is where -1 looks

    def of(self, rows: Rows) -> NDArray[np.integer]:
        """Places of these, of any shape; all are in the scope, or -1."""
        if self._table is not None:
            return self._table[rows]
        # Contiguous, each line ascends almost everywhere, and that is searched three times faster.
        place = np.searchsorted(self._scope, np.ascontiguousarray(rows))
        place[rows < 0] = len(self._scope)
        return place


def _sorted(index: Index, rows: Rows, total: Float32, parts: dict[str, Float32], pool: int) -> Fused:
    total = np.asarray(total, np.float32)
    at = index.order(rows, total, pool)
    return Fused(rows[at], total[at], {name: values[at] for name, values in parts.items()})
