"""Answer metrics against values derived by hand."""

from __future__ import annotations

import sys

import pytest

from qgmem.errors import InvalidInput, MissingExtra
from qgmem.evals.metrics import locomo_f1 as f1_module
from qgmem.evals.metrics.beam_event_ordering import beam_event_ordering, kendall_tau_b
from qgmem.evals.metrics.beam_nugget import beam_macro, beam_nugget
from qgmem.evals.metrics.locomo_f1 import locomo_f1, words
from qgmem.evals.metrics.substring_exact_match import substring_exact_match


def test_words_are_stemmed_without_commas_punctuation_and_articles() -> None:
    assert words("The cats, and a dog's 1,000 toys!") == ["cat", "dog", "1000", "toy"]


def test_f1_of_a_worked_example() -> None:
    # Offered {7, may, 2023}, wanted {8, may, 2023}: 2 shared of 3 and 3.
    assert locomo_f1("7 May 2023", "8 May, 2023", "temporal") == pytest.approx(2 / 3)
    # The bag counts repeats: [pari, pari] against [pari] shares one: P 1/2, R 1.
    assert locomo_f1("Paris Paris", "Paris", "single-hop") == pytest.approx(2 / 3)
    assert locomo_f1("", "Paris", "single-hop") == 0


def test_multi_hop_averages_the_best_match_of_each_gold_part() -> None:
    # swim: best offer "swimming" 1; hiking: 0 → mean 1/2, whatever the order of the parts.
    assert locomo_f1("pottery, swimming", "swim, hiking", "multi-hop") == 0.5
    assert locomo_f1("hiking, swimming", "swimming, hiking", "multi-hop") == 1


def test_open_domain_gold_ends_at_its_first_semicolon() -> None:
    assert locomo_f1("yes", "Yes; because she said so", "open-domain") == 1
    assert locomo_f1("yes", "Yes; because she said so", "single-hop") < 1


@pytest.mark.parametrize(
    ("said", "score"),
    [("No information available.", 1), ("It is NOT MENTIONED anywhere", 1), ("self-care", 0), ("unknown", 0)],
)
def test_an_adversarial_question_is_right_only_by_declining(said: str, score: float) -> None:
    assert locomo_f1(said, "self-care", "adversarial") == score


def test_an_unknown_category_is_refused() -> None:
    with pytest.raises(InvalidInput, match="category"):
        locomo_f1("a", "b", "trivia")


def test_without_nltk_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk", None)
    monkeypatch.setitem(sys.modules, "nltk.stem", None)
    f1_module._stemmer.cache_clear()
    with pytest.raises(MissingExtra, match=r"qgmem\[eval\]"):
        locomo_f1("a", "b", "temporal")
    f1_module._stemmer.cache_clear()


def test_substring_match_ignores_case_punctuation_and_articles() -> None:
    assert substring_exact_match("She moved to the U.K., I think", "UK") == 1
    assert substring_exact_match("An answer: The Beatles", "beatles") == 1
    assert substring_exact_match("France", "Paris") == 0


def test_a_half_nugget_counts_in_the_paper_and_not_in_the_code() -> None:
    assert beam_nugget([1, 0.5, 0.5, 0], "paper") == 0.5
    assert beam_nugget([1, 0.5, 0.5, 0], "official") == 0.25


@pytest.mark.parametrize("verdicts", [[], [0.7], [2]])
def test_impossible_verdicts_are_refused(verdicts: list[float]) -> None:
    with pytest.raises(InvalidInput, match="verdicts"):
        beam_nugget(verdicts, "paper")


def test_macro_weighs_abilities_not_questions() -> None:
    assert beam_macro({"a": [1, 1, 1, 1], "b": [0]}) == 0.5
    with pytest.raises(InvalidInput, match="b has no scores"):
        beam_macro({"a": [1], "b": []})


def test_kendall_tau_b_of_worked_examples() -> None:
    assert kendall_tau_b([1, 2, 3], [1, 2, 3]) == 1
    assert kendall_tau_b([1, 2, 3], [3, 2, 1]) == -1
    # One of three pairs tied on the right: (2 - 0) / sqrt(3 · 2).
    assert kendall_tau_b([1, 2, 3], [1, 2, 2]) == pytest.approx(2 / 6**0.5)
    assert kendall_tau_b([1, 1], [1, 2]) is None


def test_kendall_tau_b_agrees_with_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    left, right = [1, 2, 3, 4, 5, 8, 8], [3, 1, 8, 2, 8, 4, 5]
    assert kendall_tau_b(left, right) == pytest.approx(stats.kendalltau(left, right, variant="b").statistic)


def test_event_ordering_in_both_modes() -> None:
    told = ["a", "b"]
    # Ranks over [a b c]: 1 2 3 against 1 2 4, so tau is 1; F1 of two of three events is 4/5.
    assert beam_event_ordering(["a", "b", "c"], told, "official") == 1
    assert beam_event_ordering(["a", "b", "c"], told, "paper") == pytest.approx(0.8)
    assert beam_event_ordering(["a", "b", "c"], ["c", "b", "a"], "official") == 0
    assert beam_event_ordering(["a", "b"], [], "official") == 0


def test_event_ordering_where_tau_is_undefined() -> None:
    assert beam_event_ordering(["a"], ["a"], "official") == beam_event_ordering(["a"], ["a"], "paper") == 1
