"""Retrieval metrics against values derived by hand."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgmem.errors import InvalidInput
from qgmem.evals.metrics.longmemeval_sessions import session_depth
from qgmem.evals.metrics.measure import RETRIEVAL, Measure, at, parse
from qgmem.evals.metrics.ndcg import ndcg, ndcg_retrieved
from qgmem.evals.metrics.ndcg_any import ndcg_any
from qgmem.evals.metrics.precision import precision
from qgmem.evals.metrics.recall_acc import recall_acc
from qgmem.evals.metrics.recall_all import recall_all
from qgmem.evals.metrics.recall_any import recall_any
from qgmem.evals.metrics.turn_ids import turn_ids_at


@dataclass(frozen=True)
class Span:
    turn_ids: tuple[str, ...]


def test_k_counts_distinct_turns_in_rank_order_and_cuts_inside_a_span() -> None:
    hits = [Span(("a", "b")), Span(("b",)), Span(("c", "d", "e"))]
    assert turn_ids_at(hits, 2) == ["a", "b"]
    assert turn_ids_at(hits, 4) == ["a", "b", "c", "d"]
    assert turn_ids_at(hits, 9) == ["a", "b", "c", "d", "e"]
    assert turn_ids_at(hits, 0) == []


def test_recall_acc_counts_repeated_entries_and_misses_malformed_ones() -> None:
    assert recall_acc(["D1:1", "D1:1", "D2:9"], ["D1:1"], 5) == pytest.approx(2 / 3)
    assert recall_acc(["D8:6; D9:17"], ["D8:6", "D9:17"], 5) == 0  # two ids in one entry match neither
    assert recall_acc(["D1:1", "D"], ["D1:1", "D1:2"], 5) == 0.5
    assert recall_acc([], [], 5) == 1


def test_recall_acc_looks_no_further_than_k() -> None:
    assert recall_acc(["x"], ["a", "b", "x"], 2) == 0
    assert recall_acc(["x"], ["a", "b", "x"], 3) == 1


def test_precision_divides_by_k_even_when_less_was_found() -> None:
    assert precision(["a", "b"], ["a"], 10) == 0.1
    assert precision(["a", "b"], ["a", "x", "b", "y"], 4) == 0.5


def test_ndcg_of_a_worked_example() -> None:
    # Relevant at ranks 1 and 3 of [a x b]: 1 + 1/log2 4 = 1.5; three relevant exist: 1 + 1/log2 3 + 1/2.
    ideal = 1 + 1 / log2(3) + 0.5
    assert ndcg(["a", "b", "c"], ["a", "x", "b"], 3) == pytest.approx(1.5 / ideal)
    # Against what was retrieved the ideal is two relevant: 1 + 1/log2 3.
    assert ndcg_retrieved(["a", "b", "c"], ["a", "x", "b"], 3) == pytest.approx(1.5 / (1 + 1 / log2(3)))
    assert ndcg([], ["a"], 3) == ndcg_retrieved(["z"], ["a"], 3) == 0


def test_longmemeval_dcg_weighs_ranks_one_and_two_the_same() -> None:
    assert ndcg_any(["a"], ["a", "x"], 5) == ndcg_any(["a"], ["x", "a"], 5) == 1
    assert ndcg_any(["a"], ["x", "y", "a"], 5) == pytest.approx(1 / log2(3))
    # Ideal of three: 1 + 1 + 1/log2 3; reached at ranks 2 and 4: 1 + 1/2.
    found = ["x", "a", "y", "b"]
    assert ndcg_any(["a", "b", "c"], found, 4) == pytest.approx(1.5 / (2 + 1 / log2(3)))
    assert ndcg_any([], ["a"], 5) == 0


def test_recall_any_and_all_of_nothing_follow_the_official_code() -> None:
    assert recall_any(["a", "b"], ["b"], 1) == 1
    assert recall_all(["a", "b"], ["b"], 1) == 0
    assert recall_all(["a", "b"], ["b", "a"], 2) == 1
    assert (recall_any([], ["a"], 1), recall_all([], ["a"], 1)) == (0, 1)


def test_session_depth_reads_until_k_sessions_were_met() -> None:
    found = ["s1_1", "s1_3", "s2_1", "s3_1"]
    assert session_depth([], found, 1) == 1
    assert session_depth([], found, 2) == 3
    assert session_depth([], found, 9) == 9  # fewer sessions than k: everything, and the cutoff stays k


def test_an_answer_session_counts_twice_by_its_evidence_and_its_other_turns() -> None:
    # The official code renames the turns without evidence, so both look like sessions.
    assert session_depth(["s1_1"], ["s1_1", "s1_3", "s2_1"], 2) == 2


@pytest.mark.parametrize("name", sorted(RETRIEVAL))
def test_a_printed_measure_parses_back(name: str) -> None:
    measure = Measure(name, 10)
    assert str(measure) == f"{name}@10"
    assert parse(str(measure)) == measure


@pytest.mark.parametrize("printed", ["recall_acc", "recall_acc@0", "recall_acc@-1", "recall@5", "@5", ""])
def test_an_unknown_measure_is_refused_with_the_known_ones(printed: str) -> None:
    with pytest.raises(InvalidInput, match="recall_acc"):
        parse(printed)


def test_measures_are_listed_name_by_name() -> None:
    assert [str(m) for m in at(["recall_acc", "ndcg"], [5, 10])] == [
        "recall_acc@5",
        "recall_acc@10",
        "ndcg@5",
        "ndcg@10",
    ]


ids = st.sampled_from("abcdefgh")


@given(evidence=st.lists(ids, min_size=1, unique=True), found=st.lists(ids, unique=True), k=st.integers(1, 9))
def test_every_measure_stays_in_range_and_is_full_for_a_perfect_ranking(
    evidence: list[str], found: list[str], k: int
) -> None:
    for metric in RETRIEVAL.values():
        assert 0 <= metric(evidence, found, k) <= 1 + 1e-12
    perfect = evidence + [i for i in "abcdefgh" if i not in evidence]
    size = len(evidence)
    assert recall_acc(evidence, perfect, size) == recall_all(evidence, perfect, size) == 1
    assert ndcg(evidence, perfect, k) == pytest.approx(1)
    assert ndcg_any(evidence, perfect, k) == pytest.approx(1)


@given(evidence=st.lists(ids), found=st.lists(ids, unique=True), k=st.integers(1, 8))
def test_recall_never_falls_with_k(evidence: list[str], found: list[str], k: int) -> None:
    assert recall_acc(evidence, found, k) <= recall_acc(evidence, found, k + 1)
