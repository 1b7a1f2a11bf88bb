"""Every row of `timex_table.txt`, and what the finder promises besides the intervals."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

import pytest

from qgmem.construction.timex import fact_times, find_times
from qgmem.types import Granularity, Interval

TABLE = Path(__file__).with_name("timex_table.txt")


class Row(NamedTuple):
    """One line of the table."""

    line: int
    reference: datetime | date | None
    day_first: bool
    text: str
    expected: tuple[Interval, ...]


def _interval(cell: str) -> Interval:
    days, granularity = cell.split()
    first, _, last = days.partition("..")
    return Interval(date.fromisoformat(first), date.fromisoformat(last or first), Granularity(granularity))


def _reference(word: str) -> datetime | date | None:
    if word == "none":
        return None
    return datetime.fromisoformat(word) if "T" in word else date.fromisoformat(word)


def _rows() -> list[Row]:
    rows: list[Row] = []
    reference: datetime | date | None = None
    day_first = False
    for number, line in enumerate(TABLE.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("@ "):
            reference, day_first = _reference(line.split()[1]), line.endswith(" day_first")
        elif line and not line.startswith("#"):
            text, _, cells = line.partition(" => ")
            expected = () if cells == "-" else tuple(_interval(cell) for cell in cells.split(","))
            rows.append(Row(number, reference, day_first, text, expected))
    return rows


ROWS = _rows()


def test_the_table_is_large_and_has_both_kinds_of_rows() -> None:
    assert len(ROWS) >= 220
    assert len([row for row in ROWS if not row.expected]) >= 60


@pytest.mark.parametrize("row", ROWS, ids=[f"line {row.line}: {row.text}" for row in ROWS])
def test_table(row: Row) -> None:
    found = find_times(row.text, row.reference, day_first=row.day_first)
    assert tuple(mention.interval for mention in found) == row.expected


@pytest.mark.parametrize("row", ROWS, ids=[f"line {row.line}" for row in ROWS])
def test_offsets_point_at_the_words(row: Row) -> None:
    end = 0
    for mention in find_times(row.text, row.reference, day_first=row.day_first):
        assert mention.start >= end, "mentions are in order and do not overlap"
        end = mention.end
        assert row.text[mention.start : end] == mention.text != ""


def test_fact_times_are_sorted_and_distinct() -> None:
    """Said on Wednesday 10 May: yesterday is the 9th, and so is last Tuesday; today is the 10th."""
    found = fact_times("today, yesterday, last Tuesday", date(2023, 5, 10))
    days = [Interval(date(2023, 5, d), date(2023, 5, d), Granularity.DAY) for d in (9, 10)]
    assert found == tuple(days)


def test_offsets_count_characters_of_the_given_text() -> None:
    """`İ` grows by a character in lower case; offsets must not."""
    text = "İİİ 😀 we met yesterday’s team on 5 May 2021!"
    assert [m.text for m in find_times(text, date(2023, 5, 10))] == ["yesterday", "5 May 2021"]


def test_the_reference_counts_in_its_own_offset() -> None:
    """23:50 on the 10th in Tokyo is 14:50 UTC of the 10th, and 00:10 there is still the 10th in London."""
    tokyo = timezone(timedelta(hours=9))
    late, early = datetime(2023, 5, 10, 23, 50, tzinfo=tokyo), datetime(2023, 5, 11, 0, 10, tzinfo=tokyo)
    assert fact_times("tomorrow", late)[0].start == date(2023, 5, 11)
    assert fact_times("tomorrow", early)[0].start == date(2023, 5, 12)


@pytest.mark.parametrize("reference", [date.min, date.max, datetime.min, datetime.max])
def test_the_ends_of_the_calendar_give_nothing_rather_than_an_error(reference: date) -> None:
    words = "yesterday tomorrow last week next week a year ago in 3 months for ten years 5 hours ago last weekend"
    words += ". on Friday. in March. last summer. Easter. in 99999 years. 99999999 centuries ago. since 9999"
    for mention in find_times(words, reference):
        assert mention.interval.start <= mention.interval.end
