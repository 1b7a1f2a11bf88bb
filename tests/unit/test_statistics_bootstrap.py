"""Bootstrap and Holm on cases whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgmem.errors import InvalidInput
from qgmem.evals.statistics import Pair, cluster_bootstrap, compare_family, holm, paired_bootstrap


def test_interval_of_a_mean_is_the_normal_one() -> None:
    # 1,000 differences with mean 0.1 and deviation 1: mean ± 1.96 / sqrt(1000) = 0.1 ± 0.0620.
    rng = np.random.default_rng(5)
    difference = rng.normal(size=1000)
    difference = (difference - difference.mean()) / difference.std() + 0.1
    found = paired_bootstrap(np.zeros(1000), difference)
    assert found.difference == pytest.approx(0.1)
    assert (found.low, found.high) == pytest.approx((0.0380, 0.1620), abs=0.003)
    # z = 0.1 · sqrt(1000) = 3.162, two-sided p = 0.00157.
    assert found.p == pytest.approx(0.00157, abs=0.0012)


def test_p_of_a_clear_difference_is_the_smallest_that_the_resamples_can_show() -> None:
    assert paired_bootstrap([0.0] * 40, [1.0] * 40).p == pytest.approx(2 / 10_001)


def test_no_difference_has_p_one_and_an_interval_of_zero() -> None:
    found = paired_bootstrap([0.5] * 20, [0.5] * 20)
    assert (found.difference, found.low, found.high, found.p) == (0, 0, 0, 1)


def test_questions_that_copy_each_other_fool_the_paired_interval_and_not_the_clustered_one() -> None:
    # 8 conversations of 100 identical questions hold 8 observations: ±1 with mean 0.25, deviation
    # sqrt(1 - 1/16). The clustered error is that over sqrt(8), ten times the paired one.
    clusters = [str(i // 100) for i in range(800)]
    b = np.repeat([1, 1, 1, 1, 1, -1, -1, -1], 100).astype(float)
    paired = paired_bootstrap(np.zeros(800), b)
    clustered = cluster_bootstrap(np.zeros(800), b, clusters)
    assert paired.low > 0
    assert clustered.low < 0 < clustered.high
    ratio = (clustered.high - clustered.low) / (paired.high - paired.low)
    assert ratio == pytest.approx(10, rel=0.15)
    found = compare_family({"copied": Pair([0.0] * 800, list(b))}, clusters)[0]
    assert not found.supported


def test_a_large_conversation_weighs_by_its_questions() -> None:
    # One cluster of 30 ones, one of 10 zeros: the mean is 0.75, resamples give 0, 0.75 or 1.
    clusters = ["a"] * 30 + ["b"] * 10
    found = cluster_bootstrap([0.0] * 40, [1.0] * 30 + [0.0] * 10, clusters)
    assert found.difference == 0.75
    assert (found.low, found.high) == (0, 1)


def test_one_seed_one_result() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(50), rng.random(50)
    assert paired_bootstrap(a, b) == paired_bootstrap(a, b)
    assert paired_bootstrap(a, b, seed=1) != paired_bootstrap(a, b, seed=2)


def test_swapping_the_systems_mirrors_the_estimate() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random(60), rng.random(60)
    there, back = paired_bootstrap(a, b), paired_bootstrap(b, a)
    assert back.difference == pytest.approx(-there.difference)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low))
    assert back.p == there.p


def test_holm_of_the_textbook_example() -> None:
    # Sorted .005 .01 .03 .04 times 4 3 2 1 = .02 .03 .06 .04, made monotone: .02 .03 .06 .06.
    found = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert found == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert list(found) == ["a", "b", "c", "d"]
    assert holm({"a": 0.9, "b": 0.8}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


def test_holm_agrees_with_a_plain_rejection_walk() -> None:
    p = {"a": 0.011, "b": 0.02, "c": 0.3, "d": 0.001}
    # Step down at 0.05: .001 ≤ .0125 yes, .011 ≤ .0167 yes, .02 ≤ .025 yes, .3 ≤ .05 no.
    assert {name for name, adjusted in holm(p).items() if adjusted <= 0.05} == {"a", "b", "d"}


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_lowers_a_p_nor_changes_the_order(p: dict[str, float]) -> None:
    found = holm(p)
    for one in p:
        assert p[one] <= found[one] <= 1
        assert all(found[one] <= found[other] for other in p if p[one] < p[other])


@pytest.mark.parametrize(("a", "b"), [([], []), ([1.0], [1.0, 2.0]), ([float("nan")], [1.0]), ([[1.0]], [[1.0]])])
def test_unusable_scores_are_refused(a: list[float], b: list[float]) -> None:
    with pytest.raises(InvalidInput, match="scores"):
        paired_bootstrap(a, b)


def test_clusters_must_match_the_questions() -> None:
    with pytest.raises(InvalidInput, match="clusters"):
        cluster_bootstrap([0.0, 1.0], [1.0, 1.0], ["a"])
    with pytest.raises(InvalidInput, match="resamples"):
        paired_bootstrap([0.0], [1.0], resamples=0)
