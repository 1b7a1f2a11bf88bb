"""τ under complete linkage: how well clusters find the subject–relations of simulated lives.

`python tests/property/test_traces_tau.py` embeds the facts of 20 lives with the default model and prints the
curves of docs/results/traces.md. Pairs of facts of one life count; a pair is right if both are of one subject and
relation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from qgmem.construction.traces import relation_of
from qgmem.construction.traces.clusters import Clusters
from qgmem.construction.traces.items import Item
from qgmem.protocols import Embedder
from qgmem.synthetic.phrases import Fact, related_facts

STEPS = tuple(step / 100 for step in range(20, 96, 5))
WAYS = ("cosines", "names", "ids")


class Bags:
    """Texts as sums of seeded word vectors."""

    id, dimension = "bags-48", 48

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, 48), rows of length 1."""
        rows = np.stack([sum((self._word(w) for w in t.lower().split()), np.zeros(48)) for t in texts])
        unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit

    @staticmethod
    def _word(word: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
        return np.random.default_rng(seed).normal(size=48)


def item(number: int, fact: Fact, way: str) -> Item:
    """`cosines`: nothing but the three cosines. `names`: equal (name, relation of the table) share a trace, known
    relations part. `ids`: the subject's id is known too.
    """
    key = (f"own{number}", "")
    marks: tuple[str | None, str | None] = (None, None)
    if way != "cosines":
        relation = relation_of(fact.predicate, fact.text)
        subject = fact.label[0] if way == "ids" else fact.subject.casefold()
        key = subject, relation.name
        marks = (fact.label[0] if way == "ids" else None), (relation.name if relation.one is not None else None)
    return Item(f"f{number:06d}", key, fact.subject, fact.predicate, marks)


def curve(
    embedder: Embedder, lives: list[list[Fact]], way: str, steps: Sequence[float] = STEPS
) -> list[tuple[float, float, float, float]]:
    """(τ, precision, recall, F1) over pairs within each life."""
    embedded = []
    for life in lives:
        texts = [[f.text for f in life], [f.subject for f in life], [f.predicate for f in life]]
        embedded.append([embedder.embed(part) for part in texts])
    rows = []
    for tau in steps:
        right = joined = related = 0
        for life, parts in zip(lives, embedded, strict=True):
            clusters = Clusters(embedder.dimension, tau)
            clusters.add([item(n, fact, way) for n, fact in enumerate(life)], *parts)
            pairs = {p for cluster in clusters.clusters() for p in combinations(cluster, 2)}
            same = {
                (f"f{a:06d}", f"f{b:06d}")
                for a, b in combinations(range(len(life)), 2)
                if life[a].label == life[b].label
            }
            right, joined, related = right + len(pairs & same), joined + len(pairs), related + len(same)
        precision, recall = right / max(1, joined), right / max(1, related)
        rows.append((tau, precision, recall, 2 * precision * recall / max(1e-9, precision + recall)))
    return rows


def test_keys_and_ids_only_help() -> None:
    """At the best τ of each: cosines alone, then names and known relations, then ids."""
    lives = related_facts(3, lives=3)
    best = [max(f1 for *_, f1 in curve(Bags(), lives, way, (0.3, 0.5, 0.7))) for way in WAYS]
    assert best[0] < best[1] < best[2]
    assert best[2] > 0.9


def test_precision_rises_with_tau() -> None:
    """Complete linkage at .9 joins next to nothing wrong; at .2 it joins much more."""
    lives = related_facts(3, lives=3)
    loose, tight = curve(Bags(), lives, "cosines", (0.2, 0.9))
    assert tight[1] > loose[1]
    assert tight[2] < loose[2]


if __name__ == "__main__":
    from qgmem.models.onnx import MiniLM

    model = MiniLM()
    facts = related_facts(20, lives=20)
    print(f"{model.id}: {len(facts)} lives, {sum(map(len, facts))} facts")
    found = {way: curve(model, facts, way) for way in WAYS}
    print("| τ | " + " | ".join(f"{way} P/R/F1" for way in WAYS) + " |\n|---|" + "---|" * len(WAYS))
    for place, step in enumerate(STEPS):
        cells = [" / ".join(f"{value:.2f}" for value in found[way][place][1:]) for way in WAYS]
        print(f"| {step:.2f} | " + " | ".join(cells) + " |")
