"""Steps of a search that were made fast give what the plain way gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from qgmem import Memory
from qgmem.evals.growth.drawn import DrawnEmbedder
from qgmem.stores.dense import (
    ERROR,
    PACKED_FROM,
    RESCORED,
    SCAN_FROM,
    VectorBlock,
    best,
    contenders,
    descending,
    widened,
)


def test_every_finite_half_becomes_the_same_float() -> None:
    """All 63,488 of them, zeros of both signs and subnormals too, compared bit by bit with numpy's conversion."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)]
    assert len(halves) == 63_488
    assert (widened(halves).view(np.int32) == halves.astype(np.float32).view(np.int32)).all()


def test_several_queries_at_once_are_each_alone() -> None:
    """Scan and exact scores of a row depend on that row and that query only, to the last bit."""
    vectors = DrawnEmbedder().embed([f"turn {n}" for n in range(SCAN_FROM + 5)])
    block = VectorBlock.of(vectors.astype(np.float16))
    queries, rows = vectors[:3], np.array([7, 900, 1])
    for place, query in enumerate(queries):
        assert (block.scans(queries)[place] == block.scan(query)).all()
        assert (block.exacts(queries, rows)[place] == block.exact(query, rows)).all()
    assert np.abs(block.exacts(queries, rows) - queries @ vectors[rows].T).max() < 1e-3


def test_a_speaker_who_came_later_is_known_by_name(tmp_path: Path) -> None:
    """Names are analysed once a change: a search sees Ottilie's as soon as she has spoken, and roles are no names."""
    with Memory.open(tmp_path, embedder=DrawnEmbedder()) as memory:
        memory.add({"content": "I keep bees.", "role": "user"})
        memory.search("What does the user keep?")
        space = memory._spaces.space("default")
        assert space.named(space.index.current(), ["user", "ottili"]) == frozenset()
        memory.add({"content": "I keep goats.", "role": "user", "name": "Ottilie"})
        code = next(code for code, name in space.store.speakers().items() if name == "Ottilie")
        assert space.named(space.index.current(), ["user", "ottili"]) == {code}


def test_the_contenders_hold_the_best_whatever_the_error_was() -> None:
    """Scores off by up to the error either way: the 50 truly best are among them, and they are few."""
    rng = np.random.default_rng(5)
    true = rng.normal(0, 0.2, 20_000).astype(np.float32)
    seen = true + rng.uniform(-ERROR, ERROR, len(true)).astype(np.float32)
    found = contenders(seen, 50)
    assert set(np.argsort(-true)[:50].tolist()) <= set(found.tolist())
    assert len(found) <= RESCORED * 50


def test_the_best_of_many_are_those_of_sorting() -> None:
    """Every length from few to many, with ties: the n best by value, and all that tie with the last."""
    rng = np.random.default_rng(6)
    for size in (1, 9, 10, 79, 80, 81, 1000, 5003):
        scores = np.round(rng.random(size), 2).astype(np.float32)
        edge = np.sort(scores)[::-1][: min(size, 10)][-1]
        assert sorted(best(scores, 10).tolist()) == np.flatnonzero(scores >= edge).tolist()


def test_many_scores_are_sorted_as_few_are() -> None:
    """Negative ones, ties, and zeros of both signs, which are equal: as a stable sort of what is negated."""
    rng = np.random.default_rng(8)
    scores = np.round(rng.normal(0, 1, 2 * PACKED_FROM), 1).astype(np.float32)
    scores[::7], scores[3::7] = 0.0, -0.0
    assert descending(scores).tolist() == np.argsort(-scores, kind="stable").tolist()
    assert descending(scores[:9]).tolist() == np.argsort(-scores[:9], kind="stable").tolist()
