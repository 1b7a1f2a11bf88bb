"""The recipe of the fusion's weights: its parts add up to the product's own score, and bagging is what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qgmem import Memory, Settings
from qgmem.activation.fusion import Evidence, support
from qgmem.activation.rerank import RerankTask
from qgmem.models.scripted import HashEmbedder
from qgmem.settings import SupportWeights
from qgmem.stores.index import Rows
from qgmem.training.corpora import Asked
from qgmem.training.make_fusion import Parts, bagged, parts
from qgmem.training.ranker_examples import Witness

TALK = [
    {"role": "user", "name": name, "content": words}
    for name, words in (
        ("Ada", "the ferry to Aland was late"),
        ("Ben", "did the ferry wait for you"),
        ("Ada", "no we slept in the harbour"),
        ("Ben", "my sister keeps bees"),
        ("Ada", "bees in the city"),
    )
]


class Keeping(Witness):
    kept: RerankTask | None = None

    def rerank(self, task: RerankTask) -> tuple[Rows, np.ndarray]:
        self.kept = task
        return super().rerank(task)


@pytest.mark.parametrize("setting", [(0.5, 0.1, 0.7, 0.1, 0.1, 0.1), (0.8, 0.0, 0.4, 0.0, 0.3, 0.3)])
def test_parts_times_weights_are_the_score_of_the_product(
    tmp_path: Path, setting: tuple[float, float, float, float, float, float]
) -> None:
    """For every candidate, in the order of ids."""
    witness = Keeping()
    asked = Asked("default", "Where did Ada sleep when the ferry was late?", frozenset({"x"}))
    with Memory.open(tmp_path, embedder=HashEmbedder(), settings=Settings(rerank="none"), reranker=witness) as memory:
        memory.add(TALK)
        one = next(parts(memory, witness, [asked]))
        share, attributes, neighbour, second, session, speaker = setting
        weights = SupportWeights(
            semantic=share,
            lexical=1 - share,
            attributes=attributes,
            neighbour=neighbour,
            second_neighbour=second,
            session=session,
            speaker=speaker,
        )
        task = witness.kept
        assert task is not None
        evidence = Evidence(task.lexical, task.attributes, task.asking.vector, task.asking.named)
        fused = support(task.index, task.lists, evidence, weights, 100, None)
        by_id = dict(zip(task.index.ids(fused.rows), fused.scores.tolist(), strict=True))
    mine = one.columns[share, attributes] @ np.array([1, neighbour, second, session, speaker], np.float32)
    assert mine.tolist() == pytest.approx([by_id[unit_id] for unit_id in sorted(by_id)], abs=1e-5)


def test_recall_by_hand() -> None:
    """Gold is third of seven by score: none of the first … all of the first 5, 10, 25, 50."""
    columns = np.zeros((7, 5), np.float32)
    columns[:, 0] = [7, 6, 5, 4, 3, 2, 1]
    one = Parts(
        Asked("u", "?", frozenset({"a", "b"})),
        np.array([0, 0, 1, 0, 0, 0, 1], bool),
        {(0.5, 0.0): columns},
    )
    # first 5: one of two; first 10 and more: both
    assert one.recall((0.5, 0.0, 0, 0, 0, 0)) == pytest.approx((0.5 + 1 + 1 + 1) / 4)


def test_bagging_goes_between_settings_that_win_on_different_conversations() -> None:
    """Two settings, each best on one of two conversations by as much: both win often; a sure winner wins always."""
    tried = [(0.2, 0.0, 0.0, 0.0, 0.0, 0.0), (0.8, 0.0, 0.0, 0.0, 0.0, 0.0)]
    even = bagged([(np.array([[1.0, 0.0], [0.0, 1.0]]), ["a", "b"])], tried)
    assert 0.3 < even[:, 0].mean() < 0.7
    sure = bagged([(np.array([[0.1, 0.1], [0.2, 0.2]]), ["a", "b"])], tried)
    assert sure[:, 0].tolist() == [0.8] * len(sure)
