"""Thresholds measured with an embedder whose right answers are known beforehand."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from qgmem.errors import InvalidInput
from qgmem.synthetic.phrases import PREDICATES, calibrate, related_facts, unrelated_pairs
from qgmem.synthetic.relations import RELATIONS


class Bags:
    """Texts as normalised sums of seeded word vectors: shared words are all that makes two texts alike."""

    id = "bags-64"
    dimension = 64

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(n, 64) float32, rows of length 1."""
        rows = np.stack([sum((self._word(w) for w in t.lower().split()), np.zeros(64)) for t in texts])
        unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit

    @staticmethod
    def _word(word: str) -> NDArray[np.float64]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
        return np.random.default_rng(seed).normal(size=64)


def test_curves_are_monotone_and_hold_the_chosen_values() -> None:
    """Percentiles rise, recall falls with the threshold; tau has the best F1, sem_match is the 99th percentile."""
    found = calibrate(Bags(), phrase_pairs=500, lives=6)
    cosines = [c for _, c in found.sem_curve]
    assert cosines == sorted(cosines)
    assert dict(found.sem_curve)[99.0] == found.sem_match
    recalls = [r for _, _, r, _ in found.tau_curve]
    assert recalls == sorted(recalls, reverse=True)
    assert found.f1 == max(f for *_, f in found.tau_curve)
    assert found.tau in {t for t, _, _, f in found.tau_curve if f == found.f1}
    assert found == calibrate(Bags(), phrase_pairs=500, lives=6)
    assert (found.embedder_id, found.dimension, found.phrase_pairs) == ("bags-64", 64, 500)


def test_sem_match_is_the_percentile_of_the_pairs() -> None:
    """Recomputed from the pairs, one cosine at a time."""
    pairs = unrelated_pairs(300, 20)
    bags = Bags()
    cosines = sorted(float(bags.embed([a])[0] @ bags.embed([b])[0]) for a, b in pairs)
    assert calibrate(bags, phrase_pairs=300, lives=2).sem_match == pytest.approx(np.percentile(cosines, 99), abs=1e-3)


def test_phrase_pairs_are_unrelated_and_facts_are_labelled() -> None:
    """The two phrases of a pair differ; each subject–relation has two to six facts; each relation has predicates."""
    assert all(a != b for a, b in unrelated_pairs(500, 1))
    for life in related_facts(1, lives=3):
        labels = [f.label for f in life]
        assert all(2 <= labels.count(label) <= 6 for label in labels)
        assert all(f.text and f.predicate and f.subject.split()[0] in f.text for f in life)
    assert set(PREDICATES) == set(RELATIONS)
    assert all(len(set(p)) >= 3 for p in PREDICATES.values())


def test_too_few_pairs_are_refused() -> None:
    """A 99th percentile of ten values means nothing."""
    with pytest.raises(InvalidInput, match="phrase_pairs"):
        calibrate(Bags(), phrase_pairs=10)
