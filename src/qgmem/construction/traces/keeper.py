"""Traces of one memory, kept up to date as claims come and go, and what of that is worth storing.

The keeper holds everything in memory and touches no file. Whoever stores writes a `TraceChange` in the transaction of
the units that caused it, and hands the rows back to `TraceKeeper.restored`; nothing is searched again then.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import NotFound
from .claims import Claim
from .clusters import Cluster, ClusterChange, Clusters
from .fixed_point import Dots, products
from .items import Item
from .neighbours import COUNT, Listed
from .relations import relation_of
from .states import Trace, states

Vectors = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class ClaimVectors:
    """(n, d) each, rows of length 1: of the fact texts, the subjects' names, the predicates as worded."""

    facts: Vectors
    subjects: Vectors
    predicates: Vectors


@dataclass(frozen=True, slots=True)
class TraceChange:
    """What to write: traces that are new or different, ids of traces that are no more, lists by claim key."""

    written: tuple[Trace, ...] = ()
    dropped: tuple[str, ...] = ()
    lists: Mapping[str, Listed] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptClaim:
    """One claim as it is stored: with its list of neighbours, (claim key, product) nearest first."""

    claim: Claim
    listed: Listed


class TraceStore(Protocol):
    """What storing traces takes. All rows belong to one namespace; claims are gone with their units."""

    def kept(self) -> tuple[Sequence[KeptClaim], ClaimVectors]:
        """All claims in any order, and their vectors in the same order. Raises StoreError."""

    def save(self, claims: Sequence[Claim], removed: Sequence[str], change: TraceChange) -> None:
        """New claims, keys of removed ones, and what they changed, in one transaction. Raises StoreError."""


class TraceKeeper:
    """Which claims share a trace, and the states of each trace. τ is a cosine, of the embedder in use."""

    def __init__(self, dimension: int, tau: float, *, neighbours: int = COUNT, dots: Dots = products) -> None:
        self._clusters = Clusters(dimension, tau, neighbours=neighbours, dots=dots)
        self._claims: dict[str, Claim] = {}
        self._cluster_of: dict[str, Cluster] = {}
        self._traces: dict[Cluster, Trace] = {}

    @classmethod
    def restored(
        cls, kept: Sequence[KeptClaim], vectors: ClaimVectors, tau: float, *, dots: Dots = products
    ) -> TraceKeeper:
        """A keeper as it was when these rows were stored. Raises InvalidInput if they do not fit."""
        keeper = cls(vectors.facts.shape[1], tau, dots=dots)
        claims = [row.claim for row in kept]
        keeper._clusters.restore(
            [_item(c) for c in claims], vectors.facts, vectors.subjects, vectors.predicates, [r.listed for r in kept]
        )
        keeper._claims = {claim.key: claim for claim in claims}
        keeper._apply(ClusterChange((), frozenset(), keeper._clusters.clusters()))
        return keeper

    def add(self, claims: Sequence[Claim], vectors: ClaimVectors) -> TraceChange:
        """Take in new claims. Raises InvalidInput for a key that is there, or vectors of another shape."""
        change = self._clusters.add(
            [_item(claim) for claim in claims], vectors.facts, vectors.subjects, vectors.predicates
        )
        self._claims |= {claim.key: claim for claim in claims}
        return self._apply(change)

    def remove(self, unit_ids: Iterable[str]) -> TraceChange:
        """Forget all claims of these units, and with them their effect. Raises NotFound for a unit without claims."""
        units = set(unit_ids)
        keys = [key for key, claim in self._claims.items() if claim.unit_id in units]
        if missing := units - {self._claims[key].unit_id for key in keys}:
            raise NotFound(f"unit {min(missing)} makes no claim")
        change = self._clusters.remove(keys)
        for key in keys:
            del self._claims[key]
        return self._apply(change)

    def traces(self) -> tuple[Trace, ...]:
        """Every trace of two or more claims, by id."""
        return tuple(sorted(self._traces.values(), key=lambda trace: trace.id))

    def trajectory(self, subject_id: str, relation: str | None = None) -> tuple[Trace, ...]:
        """Traces of a subject, by relation; what was claimed only once is shown too, as a trace of one state."""
        found: dict[str, Trace] = {}
        for key, claim in self._claims.items():
            if claim.subject_id != subject_id:
                continue
            if relation is not None and relation_of(claim.predicate, claim.object).name != relation:
                continue
            cluster = self._cluster_of.get(key)
            trace = states([claim]) if cluster is None else self._traces[cluster]
            found[trace.id] = trace
        return tuple(sorted(found.values(), key=lambda trace: (trace.relation, trace.id)))

    def _apply(self, change: ClusterChange) -> TraceChange:
        before = {self._traces.pop(cluster).id for cluster in change.gone}
        for cluster in change.gone:
            for key in cluster:
                self._cluster_of.pop(key, None)
        written = []
        for cluster in sorted(change.made):
            trace = states(self._claims[key] for key in cluster)
            self._traces[cluster] = trace
            self._cluster_of |= dict.fromkeys(cluster, cluster)
            written.append(trace)
        dropped = before - {trace.id for trace in written}
        lists = {key: self._clusters.neighbours(key) for key in change.lists}
        return TraceChange(tuple(sorted(written, key=lambda t: t.id)), tuple(sorted(dropped)), lists)


def _item(claim: Claim) -> Item:
    """A claim as clustering sees it. A relation of the table is certain, another is what its words say."""
    relation = relation_of(claim.predicate, claim.object)
    return Item(
        claim.key,
        (claim.subject_id, relation.name),
        claim.subject_name,
        claim.predicate,
        (claim.subject_id if claim.subject_known else None, relation.name if relation.one is not None else None),
    )
