"""The int8 scan with exact rescoring against exact search, and exact cosines against numpy in float64."""

from __future__ import annotations

import numpy as np
import pytest
from segments import index_of_vectors

from qgmem.models.onnx import MiniLM
from qgmem.stores import dense
from qgmem.stores.dense import SCAN_FROM, VectorBlock, best, quantise


def clustered(count: int, dimension: int, seed: int) -> np.ndarray:
    """Unit vectors as sentence embeddings lie: few wide topics, many narrow themes in them, a common direction."""
    drawn = np.random.default_rng(seed)
    topics = drawn.standard_normal((40, dimension))
    themes = topics[drawn.integers(0, 40, 900)] + 0.8 * drawn.standard_normal((900, dimension))
    scale = drawn.lognormal(0, 0.5, dimension)  # some directions carry more
    vectors = themes[drawn.integers(0, 900, count)] + 0.5 * drawn.standard_normal((count, dimension))
    vectors = vectors * scale + 0.3 * scale
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def recall(vectors: np.ndarray, queries: np.ndarray, n: int) -> float:
    """Share of the exact n best that the index finds; a tie in float16 counts as found."""
    index = index_of_vectors(vectors)
    assert index.parts[0].vectors.codes is not None
    stored = vectors.astype(np.float16).astype(np.float32)
    found = 0
    for query in queries:
        exact = stored @ query
        edge = np.sort(exact)[-n]
        rows, _ = index.semantic(query, n)
        assert len(rows) == n
        found += int((exact[rows] >= edge - 1e-6).sum())
    return found / (n * len(queries))


@pytest.mark.parametrize("n", [10, 100])
def test_recall_of_the_scan_at_20_000_clustered_vectors(n: int) -> None:
    """Queries are near-duplicates of stored vectors and points between clusters."""
    vectors = clustered(20_000, 384, seed=1)
    drawn = np.random.default_rng(2)
    near = vectors[drawn.integers(0, 20_000, 60)] + 0.02 * drawn.standard_normal((60, 384)).astype(np.float32)
    between = clustered(60, 384, seed=3)
    queries = np.concatenate([near, between])
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    assert recall(vectors, queries, n) >= 0.999


def test_recall_of_the_scan_on_real_embeddings() -> None:
    """1,500 short sentences of few topics by the shipped embedder: as close together as vectors get."""
    people, things, places = ("Ann", "Bob", "Eve", "Max", "Zoe"), ("kite", "tax form", "tea", "boat", "book"), 60
    texts = [
        f"{who} {verb} the {what} in town {place}"
        for who in people
        for verb in ("lost", "bought")
        for what in things
        for place in range(places)
    ][:1500]
    embedder = MiniLM(threads=1)
    vectors = embedder.embed(texts)
    queries = embedder.embed([f"Where did {who} get a {what}?" for who in people for what in things])
    assert len(vectors) > SCAN_FROM
    assert recall(vectors, queries, 100) >= 0.999


def test_cosines_are_exact_to_float32() -> None:
    vectors = clustered(2000, 96, seed=4)
    block = VectorBlock.of(vectors.astype(np.float16))
    query = clustered(1, 96, seed=5)[0]
    rows = np.array([0, 7, 1999, 7])
    exact = vectors[rows].astype(np.float16).astype(np.float64) @ query.astype(np.float64)
    np.testing.assert_allclose(block.exact(query, rows), exact, atol=2e-7)
    assert block.exact(query, np.empty(0, np.intp)).shape == (0,)
    assert np.abs(block.scan(query) - vectors @ query).max() < 0.02


def test_a_unit_counts_by_its_best_piece_and_once() -> None:
    vectors = np.eye(6, dtype=np.float32)
    index = index_of_vectors(vectors, owners=[0, 0, 0, 1, 1, 2])
    query = np.array([0.1, 0.9, 0.3, 0.2, 0.25, 0.05], np.float32)
    query /= np.linalg.norm(query)
    rows, cosines = index.semantic(query, 10)
    assert index.ids(rows) == ["u000001", "u000002", "u000003"]
    np.testing.assert_allclose(cosines, query[[1, 4, 5]], atol=1e-3)
    np.testing.assert_allclose(index.cosines(query, np.array([2, 0])), query[[5, 1]], atol=1e-3)


def test_pieces_of_one_text_do_not_crowd_out_others() -> None:
    """A text of 500 pieces that are all nearer than anything else still leaves 20 places for 20 other units."""
    drawn = np.random.default_rng(6)
    query = np.zeros(32, np.float32)
    query[0] = 1
    many = query + 0.01 * drawn.standard_normal((60, 32)).astype(np.float32)
    others = query + 0.2 * drawn.standard_normal((300, 32)).astype(np.float32)
    vectors = np.concatenate([many, others])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    index = index_of_vectors(vectors, owners=[0] * 60 + list(range(1, 301)))
    rows, cosines = index.semantic(query, 20)
    assert len(rows) == 20
    exact = np.sort(vectors[60:].astype(np.float16).astype(np.float32) @ query)[::-1][:19]
    np.testing.assert_allclose(cosines[1:], exact, atol=1e-6)


def test_only_allowed_rows_are_found() -> None:
    vectors = clustered(3000, 48, seed=7)
    index = index_of_vectors(vectors)
    allowed = np.zeros(3000, bool)
    allowed[[5, 900, 2999]] = True
    rows, _ = index.semantic(vectors[0], 10, allowed)
    assert sorted(rows.tolist()) == [5, 900, 2999]


def test_best_keeps_the_n_highest_and_their_ties() -> None:
    drawn = np.random.default_rng(8)
    for size, n in ((5, 10), (1000, 1), (5000, 10), (50_000, 100)):
        scores = np.round(drawn.standard_normal(size), 2).astype(np.float32)
        edge = np.sort(scores)[max(size - n, 0)]
        assert sorted(best(scores, n).tolist()) == np.flatnonzero(scores >= edge).tolist()


def test_quantising_keeps_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = clustered(500, 64, seed=9).astype(np.float16)
    codes, scale = quantise(vectors)
    assert (codes.dtype, scale.dtype) == (np.int8, np.float32)
    assert np.abs(codes * scale[:, None] - vectors.astype(np.float32)).max() <= scale.max() / 2 + 1e-6
    assert not quantise(np.zeros((2, 4), np.float16))[0].any()
    monkeypatch.setattr(dense, "SCAN_FROM", 1)
    assert VectorBlock.of(np.zeros((2, 4), np.float16)).scan(np.ones(4, np.float32)).tolist() == [0, 0]


def test_a_cosine_does_not_depend_on_the_rows_beside_it() -> None:
    """To the last bit: scores must not change when segments merge or a snapshot is written."""
    vectors = clustered(3000, 384, seed=10).astype(np.float16)
    query = clustered(1, 384, seed=11)[0]
    whole = VectorBlock.of(vectors).exact(query, np.arange(3000))
    for size in (1, 3, 64, 1000):
        parts = [VectorBlock.of(vectors[start : start + size]) for start in range(0, 1000, size)]
        found = np.concatenate([part.exact(query, np.arange(len(part))) for part in parts])
        assert found.tobytes() == whole[: len(found)].tobytes()
        if size < SCAN_FROM:
            assert np.concatenate([part.scan(query) for part in parts]).tobytes() == found.tobytes()
