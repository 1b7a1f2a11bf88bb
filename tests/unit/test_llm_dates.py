"""A model's dates: chosen among what the words allow, never believed (SPEC §2.3)."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from qgmem.construction.fact_dates import contradicted, read_interval, resolve
from qgmem.types import Granularity, Interval

SAID = datetime(2024, 1, 20, 9, 0)  # a Saturday
DAY = Granularity.DAY


def _day(text: str, until: str | None = None, granularity: Granularity = DAY) -> Interval:
    return Interval(date.fromisoformat(text), date.fromisoformat(until or text), granularity)


def test_the_papers_example() -> None:
    """ "I went to the hospital yesterday", said on 20 January: 19 January, whatever the model makes of it."""
    for proposed in ([], [_day("2024-01-19")], [_day("2024-01-20")], [_day("2019-07-01")]):
        found = resolve("I went to the hospital yesterday", "I went to the hospital yesterday", "x", proposed, SAID)
        assert found.intervals == (_day("2024-01-19"),)
        assert found.rejected == sum(time != _day("2024-01-19") for time in proposed)


def test_the_utterance_time_is_never_copied_in() -> None:
    assert resolve("I have a cat.", "I have a cat.", "Ana has a cat.", [_day("2024-01-20")], SAID).intervals == ()
    assert resolve("I saw a cat today.", "I saw a cat today.", "x", [], SAID).intervals == (_day("2024-01-20"),)


def test_vague_recency_stays_empty() -> None:
    found = resolve("I moved recently", "I moved recently", "Ana moved recently.", [_day("2024-01-15")], SAID)
    assert (found.intervals, found.rejected) == ((), 1)


def test_the_model_chooses_among_the_times_of_a_turn() -> None:
    turn = "I moved in 2019 and adopted a dog last week."
    year = _day("2019-01-01", "2019-12-31", Granularity.YEAR)
    assert resolve("adopted a dog", turn, "Ana adopted a dog.", [], SAID).intervals == ()
    chosen = resolve("adopted a dog", turn, "Ana adopted a dog.", [_day("2024-01-10")], SAID).intervals
    assert chosen == (_day("2024-01-08", "2024-01-14", Granularity.WEEK),), "its precision is what was said"
    assert resolve("I moved", turn, "Ana moved in 2019.", [], SAID).intervals == (year,)


def test_a_date_in_figures_that_stands_in_the_text_is_taken() -> None:
    turn = "Ich bin am 3 de marzo de 2021 angekommen (2021, 3, 3)"
    assert resolve("angekommen", turn, "x", [_day("2021-03-03")], None).intervals == (_day("2021-03-03"),)
    assert resolve("angekommen", turn, "x", [_day("2021-03-04")], None).intervals == ()


@pytest.mark.parametrize(
    ("claim", "evidence", "wrong"),
    [
        ("Ana moved on 19 January 2024.", "I moved yesterday", False),
        ("Ana moved in January 2024.", "I moved yesterday", False),
        ("Ana moved on 18 January 2024.", "I moved yesterday", True),
        ("On 20 January 2024 Ana said she has a cat.", "I have a cat", False),
        ("Ana moved in 2019.", "I moved", True),
        ("Ana moved.", "I moved in 2019", False),
    ],
)
def test_a_claims_own_dates_are_checked(claim: str, evidence: str, wrong: bool) -> None:
    assert contradicted(claim, evidence, SAID) == wrong


@pytest.mark.parametrize(
    ("item", "interval"),
    [
        ({"start": "2023-05-08", "end": "2023-05-08", "granularity": "day"}, _day("2023-05-08")),
        ({"start": "2023-02", "end": "2023-02"}, _day("2023-02-01", "2023-02-28", Granularity.MONTH)),
        ({"start": "2023", "end": "2024"}, _day("2023-01-01", "2024-12-31", Granularity.YEAR)),
        ({"start": "2023-12"}, _day("2023-12-01", "2023-12-31", Granularity.MONTH)),
        ({"start": "2023-05-09", "end": "2023-05-08"}, _day("2023-05-08", "2023-05-09")),
        ({"start": "2023-05-08T10:00:00Z", "granularity": "hour"}, _day("2023-05-08")),
        ("2023-05-01..2023-05-03", _day("2023-05-01", "2023-05-03")),
        ("2023", _day("2023-01-01", "2023-12-31", Granularity.YEAR)),
    ],
)
def test_dates_of_reduced_precision(item: object, interval: Interval) -> None:
    assert read_interval(item) == interval  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "item", [None, 5, {}, "yesterday", {"start": "2023-13"}, {"start": "2023-02-30"}, {"start": "0000"}]
)
def test_what_is_no_date_is_none(item: object) -> None:
    assert read_interval(item) is None  # type: ignore[arg-type]
