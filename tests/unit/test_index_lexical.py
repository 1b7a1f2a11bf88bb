"""BM25 of the index against bm25s, which computes Lucene's formula by other means."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from segments import index_of_terms

from qgmem.stores.analyser import terms

K1, B = 1.2, 0.75


def bm25s_scores(corpus: Sequence[Sequence[str]], query: Sequence[str]) -> np.ndarray:
    """(n,) scores of every document, by bm25s."""
    import bm25s

    retriever = bm25s.BM25(method="lucene", k1=K1, b=B)
    retriever.index([list(document) for document in corpus], show_progress=False)
    return np.asarray(retriever.get_scores([term for term in query if term in retriever.vocab_dict]))


def assert_equal_to_bm25s(corpus: Sequence[Sequence[str]], queries: Sequence[Sequence[str]]) -> None:
    import bm25s

    retriever = bm25s.BM25(method="lucene", k1=K1, b=B)
    retriever.index([list(document) for document in corpus], show_progress=False)
    third = len(corpus) // 3
    whole, parted = index_of_terms([corpus]), index_of_terms([corpus[:third], corpus[third:-7], corpus[-7:]])
    compared = 0
    for query in queries:
        known = [term for term in query if term in retriever.vocab_dict]
        expected = np.asarray(retriever.get_scores(known)) if known else np.zeros(len(corpus))
        for index in (whole, parted):
            found = index.lexical(query)
            np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-4)
            rows = np.flatnonzero(found)
            best, _ = index.top(rows, found[rows], 10)
            edge = np.sort(expected)[::-1][len(best) - 1] if len(best) else 0
            assert (expected[best] >= edge - 2e-4).all()
        compared += int((expected > 0).sum())
    assert compared > 10 * len(queries)


def test_bm25_of_a_made_corpus_is_that_of_bm25s() -> None:
    """1,500 documents with words as uneven as in language, repeated words, and one that is in most documents."""
    drawn = random.Random(1)
    vocabulary = [f"w{n}" for n in range(800)]
    weights = [1 / (n + 1) for n in range(800)]
    corpus = [drawn.choices(vocabulary, weights, k=drawn.randint(1, 60)) for _ in range(1500)]
    queries = [[*drawn.choices(vocabulary, weights, k=drawn.randint(1, 12)), "absent"] for _ in range(60)]
    assert_equal_to_bm25s(corpus, queries)


def test_bm25_of_real_dialogues_is_that_of_bm25s(bench_data: Path) -> None:
    """The largest LoCoMo conversation, its own questions, our analyser on both sides."""
    conversations = json.loads((bench_data / "locomo" / "locomo10.json").read_text())
    largest = max(conversations, key=lambda one: len(json.dumps(one["conversation"])))
    sessions = [part for part in largest["conversation"].values() if isinstance(part, list)]
    corpus = [terms(f"{turn['speaker']} {turn['text']}") for session in sessions for turn in session]
    queries = [terms(question["question"]) for question in largest["qa"]]
    assert len(corpus) > 500
    assert_equal_to_bm25s(corpus, queries)


def test_scores_by_hand() -> None:
    """Three documents of lengths 2, 1, 3; mean 2. idf(tea) = ln(1 + 1.5/2.5), tf part of the first 1 / (1 + 1.2)."""
    index = index_of_terms([[["red", "tea"], ["tea"], ["sea", "sea", "kite"]]])
    idf = np.log(1 + 1.5 / 2.5)
    np.testing.assert_allclose(index.lexical(["tea"]), [idf / 2.2, idf / (1 + 1.2 * (0.25 + 0.75 / 2)), 0], rtol=1e-6)
    twice = np.log(1 + 2.5 / 1.5) * 2 / (2 + 1.2 * (0.25 + 0.75 * 1.5))
    np.testing.assert_allclose(index.lexical(["sea"]), [0, 0, twice], rtol=1e-6)
    np.testing.assert_allclose(index.lexical(["sea", "sea"]), [0, 0, 2 * twice], rtol=1e-6)


@pytest.mark.parametrize("terms_asked", [[], ["absent"]])
def test_no_match_scores_nothing(terms_asked: list[str]) -> None:
    assert not index_of_terms([[["tea"], ["sea"]]]).lexical(terms_asked).any()
    assert index_of_terms([]).lexical(terms_asked).shape == (0,)


def test_ties_break_by_id() -> None:
    index = index_of_terms([[["tea"], ["tea"]], [["tea"], ["sea"], ["tea"]]], ids=["b", "é", "a", "x", "ab"])
    scores = index.lexical(["tea"])
    rows = np.flatnonzero(scores)
    best, values = index.top(rows, scores[rows], 3)
    assert index.ids(best) == ["a", "ab", "b"]
    assert len(set(values.tolist())) == 1
