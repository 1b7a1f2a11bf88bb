"""The learned ranker: its arithmetic by hand, the weights that ship, and what it does when a channel is off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qgmem import Memory, Settings
from qgmem.activation.learned import LearnedReranker, Network, shipped
from qgmem.activation.piece_match import NAMES
from qgmem.activation.rank_features import FLAGS, features, standardised
from qgmem.activation.rerank import RerankTask
from qgmem.errors import ModelUnavailable
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.index import Rows

Float32 = np.ndarray


def network(names: tuple[str, ...], linear: list[float]) -> Network:
    """One member that is linear: its hidden units are off."""
    f, zeros = len(names), np.zeros
    return Network(
        names,
        zeros(f, np.float32),
        np.ones(f, np.float32),
        zeros((1, f, 2), np.float32),
        zeros((1, 2), np.float32),
        zeros((1, 2, 2), np.float32),
        zeros((1, 2), np.float32),
        zeros((1, 2), np.float32),
        np.array([linear], np.float32),
    )


class Keeps:
    """A reranker that changes nothing and keeps its task."""

    id = "keeps"
    inline = True
    task: RerankTask

    def rerank(self, task: RerankTask) -> tuple[Rows, Float32]:
        self.task = task
        return task.fused.rows, task.fused.scores


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> RerankTask:
    keeps = Keeps()
    with Memory.open(tmp_path_factory.mktemp("m"), embedder=HashEmbedder(32), reranker=keeps) as memory:
        for session, lines in enumerate(
            (["where do you live", "in Oslo since 2019"], ["do you like tea", "green tea , yes", "me too"])
        ):
            memory.add(
                [{"role": "user", "name": "Ana", "content": line} for line in lines],
                session_id=f"s{session}",
                timestamp=f"2024-0{session + 1}-03",
            )
        memory.search("where does Ana live in Oslo ?")
    return keeps.task


def test_one_member_by_hand() -> None:
    """Input (2, 1), mean 0, spread 1. First layer relu(2·1 − 1·1) = 1 and relu(−2) = 0; second relu(1·3 + .5) = 3.5;
    last 2 · 3.5 = 7; linear 2 · 10 + 1 · 1 = 21; together 28. The clip holds (100, 0) at 6: relu(6) → 18.5 → 37,
    linear 60, together 97."""
    one = Network(
        ("a", "b"),
        np.zeros(2, np.float32),
        np.ones(2, np.float32),
        np.array([[[1, -1], [-1, 0]]], np.float32),
        np.zeros((1, 2), np.float32),
        np.array([[[3, 0], [9, 0]]], np.float32),
        np.array([[0.5, 0]], np.float32),
        np.array([[2, 5]], np.float32),
        np.array([[10, 1]], np.float32),
    )
    columns = {"a": np.array([2, 100], np.float32), "b": np.array([1, 0], np.float32)}
    assert one.score(columns).tolist() == [28.0, 97.0]


def test_members_are_averaged_and_inputs_shifted() -> None:
    """Linear members of weight 1 and 3, mean 1, spread 2: input 5 → 2 → (2 + 6) / 2 = 4."""
    one = network(("a",), [1])
    two = Network(
        ("a",),
        np.array([1], np.float32),
        np.array([2], np.float32),
        np.zeros((2, 1, 2), np.float32),
        np.zeros((2, 2), np.float32),
        np.zeros((2, 2, 2), np.float32),
        np.zeros((2, 2), np.float32),
        np.zeros((2, 2), np.float32),
        np.array([[1], [3]], np.float32),
    )
    assert one.score({"a": np.array([5], np.float32)}).tolist() == [5.0]
    assert two.score({"a": np.array([5], np.float32)}).tolist() == [4.0]


def test_a_feature_that_nothing_makes_is_named() -> None:
    with pytest.raises(ModelUnavailable, match="'b' is unknown"):
        network(("a", "b"), [1, 1]).score({"a": np.ones(3, np.float32)})


@pytest.mark.parametrize("name", ["ranker", "ranker-plain"])
def test_the_shipped_weights_fit_the_features(task: RerankTask, name: str) -> None:
    """5 members of 8 hidden units, a column for every name, finite, and nothing about who is named as the speaker."""
    found = shipped(name)
    columns = features(task.index, task.asking, task.fused.rows, task.lists, task.lexical, task.attributes)
    if name == "ranker":
        columns |= dict.fromkeys(NAMES, np.zeros(len(task.fused.rows), np.float32))
        assert set(NAMES) <= set(found.names)
    assert set(found.names) <= set(columns)
    assert not {"speaker_named", "other_named"} & set(found.names)
    assert found.first.shape == (5, len(found.names), 8)
    assert found.second.shape == (5, 8, 8)
    assert found.linear.shape == (5, len(found.names))
    assert all(np.isfinite(array).all() for array in (found.first, found.second, found.last, found.linear))
    assert (found.spread > 0).all()
    assert np.isfinite(found.score(columns)).all()


def test_measures_are_standardised_and_flags_are_not(task: RerankTask) -> None:
    rows = np.sort(task.fused.rows)
    columns = features(task.index, task.asking, rows, task.lists, task.lexical, task.attributes)
    for name, values in columns.items():
        assert values.shape == rows.shape, name
        if name in FLAGS:
            assert ((values >= 0) & (values <= 1)).all(), name
        else:
            assert abs(float(values.mean())) < 1e-4, name
    assert columns["is_question"].tolist() == [0] * 5  # no question mark among them
    assert columns["digit"].tolist() == [0, 1, 0, 0, 0]  # the second turn says 2019


def test_standardised_by_hand() -> None:
    """1 and 3: mean 2, spread 1, and a thousandth more so that equal values do not divide by zero."""
    np.testing.assert_allclose(standardised(np.array([1, 3], np.float32)), [-1 / 1.001, 1 / 1.001], rtol=1e-6)
    assert standardised(np.ones(3, np.float32)).tolist() == [0, 0, 0]
    assert standardised(np.empty(0, np.float32)).tolist() == []


def test_a_quarter_fusion_the_rest_network(task: RerankTask) -> None:
    rows, scores = LearnedReranker(network(("cosine",), [1])).rerank(task)
    columns = features(task.index, task.asking, rows, task.lists, task.lexical, task.attributes)
    place = {int(at): n for n, at in enumerate(task.fused.rows)}
    fused = task.fused.scores[[place[int(at)] for at in rows]]
    assert rows.tolist() == sorted(task.fused.rows.tolist())
    both = 0.25 * standardised(fused) + 0.75 * standardised(columns["cosine"])
    np.testing.assert_allclose(scores, fused.mean() + fused.std() * both, rtol=1e-5, atol=1e-6)


def test_same_task_same_bytes(task: RerankTask) -> None:
    one, two = LearnedReranker().rerank(task), LearnedReranker().rerank(task)
    assert one[1].tobytes() == two[1].tobytes()
    assert one[0].tolist() == two[0].tolist()


@pytest.mark.parametrize(
    ("channels", "off"),
    [
        (("lexical",), "semantic"),
        (("semantic", "event_attributes"), "lexical"),
        (("event_attributes",), "lexical and"),
    ],
)
def test_without_its_channels_the_fused_order_stands(tmp_path: Path, channels: tuple[str, ...], off: str) -> None:
    """The default reranker says what it misses, and the hits are those of `rerank="none"`."""
    found = {}
    for rerank in ("none", "learned"):
        settings = Settings(rerank=rerank, channels=channels)
        with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=settings) as memory:
            memory.add("I moved to Oslo in May 2021", session_id="s", timestamp="2021-06-01")
            memory.add("Tea is what I drink", session_id="t", timestamp="2021-06-02")
            found[rerank] = memory.search("when did I move to Oslo in May 2021 ?")
    assert [hit.id for hit in found["none"]] == [hit.id for hit in found["learned"]]
    assert found["learned"]
    assert all(hit.flags == () for hit in found["none"])
    for hit in found["learned"]:
        assert hit.flags[0].startswith("not-reranked: reranker learned-2: ")
        assert off in hit.flags[0]


def test_a_question_without_a_vector_is_refused(task: RerankTask) -> None:
    asking = replace(task.asking, vector=None)
    with pytest.raises(ModelUnavailable, match="semantic"):
        features(task.index, asking, task.fused.rows, task.lists, task.lexical, task.attributes)
