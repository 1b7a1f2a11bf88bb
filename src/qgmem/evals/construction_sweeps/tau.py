"""τ: how well the clustering of SPEC §2.5 finds the relations of simulated lives, by pairs of facts of one life.

A pair is right if both facts are of one subject and relation. `cosines` knows nothing but the three cosines; `names`
also that equal (name, known relation) share a trace and that known relations part, as extracted units have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from qgmem.construction.traces import relation_of
from qgmem.construction.traces.clusters import Clusters
from qgmem.construction.traces.items import Item
from qgmem.protocols import Embedder, Vectors
from qgmem.synthetic.phrases import Fact

STEPS = tuple(step / 100 for step in range(16, 92, 2))
WAYS = ("cosines", "names")


@dataclass(frozen=True, slots=True)
class Point:
    """Pairwise precision, recall and F1 at one τ; [0, 1], higher is better."""

    tau: float
    precision: float
    recall: float
    f1: float


def curve(
    embedder: Embedder, lives: Sequence[Sequence[Fact]], way: str, steps: Sequence[float] = STEPS
) -> list[Point]:
    """A point for each τ, over the pairs within each life."""
    embedded = [_embedded(embedder, life) for life in lives]
    related = [
        {(_name(a), _name(b)) for a, b in combinations(range(len(life)), 2) if life[a].label == life[b].label}
        for life in lives
    ]
    points = []
    for tau in steps:
        right = joined = 0
        for life, vectors, same in zip(lives, embedded, related, strict=True):
            clusters = Clusters(embedder.dimension, tau)
            clusters.add([_item(place, fact, way) for place, fact in enumerate(life)], *vectors)
            pairs = {pair for cluster in clusters.clusters() for pair in combinations(cluster, 2)}
            right, joined = right + len(pairs & same), joined + len(pairs)
        precision = right / joined if joined else 1.0
        recall = right / max(1, sum(map(len, related)))
        f1 = 2 * precision * recall / (precision + recall) if right else 0.0
        points.append(Point(tau, precision, recall, f1))
    return points


def _embedded(embedder: Embedder, life: Sequence[Fact]) -> tuple[Vectors, Vectors, Vectors]:
    facts, subjects, predicates = (
        embedder.embed(texts)
        for texts in ([f.text for f in life], [f.subject for f in life], [f.predicate for f in life])
    )
    return facts, subjects, predicates


def _item(place: int, fact: Fact, way: str) -> Item:
    if way == "cosines":
        return Item(_name(place), (f"own{place}", ""), fact.subject, fact.predicate, (None, None))
    relation = relation_of(fact.predicate, fact.text)
    known = relation.name if relation.one is not None else None
    return Item(_name(place), (fact.subject.casefold(), relation.name), fact.subject, fact.predicate, (None, known))


def _name(place: int) -> str:
    return f"f{place:06d}"
