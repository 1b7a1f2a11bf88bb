"""Amounts of time: `two weeks`, `a couple of days`, `2-3 months`, `a year and a half`, `a day or two`."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from ...types import Interval
from .dates import DAY, MONTH, WEEK, YEAR, day, days_from, months, shift_months, week, years
from .scan import Scan
from .words import NUMBERS, TENS, UNITS

GRANULARITY = {"day": DAY, "week": WEEK, "month": MONTH, "year": YEAR}


class Quantity(NamedTuple):
    """`low` to `high` units (equal if exact) of minute, day, week, month or year."""

    end: int
    low: int
    high: int
    unit: str


def read_count(scan: Scan, i: int) -> tuple[int, int] | None:
    """(value, end): `12`, `twelve`, `twenty-five`, `a`, `a couple of`."""
    low = scan.lows[i]
    if low in ("a", "an"):
        if scan.lows[i + 1] == "couple":
            return 2, scan.skip(i + 2, "of")
        return 1, i + 1
    if low == "couple":
        return 2, scan.skip(i + 1, "of")
    if low in TENS:
        j = scan.skip(i + 1, "-")
        ones = NUMBERS.get(scan.lows[j], 99)
        return (TENS[low] + ones, j + 1) if ones < 10 else (TENS[low], i + 1)
    if low in NUMBERS:
        return NUMBERS[low], i + 1
    value = scan.number(i)
    if value is None or (scan.glued(i) and scan.lows[i - 1] not in "(\"'-–—~“‘"):
        return None
    return value, i + 1


def read_quantity(scan: Scan, i: int) -> Quantity | None:
    """An amount from token i on; None for vague ones (a few, several, some) and for hyphened adjectives."""
    if scan.lows[i] == "half" and scan.lows[i + 1] in ("a", "an"):
        return _halves(scan.lows[i + 2], 1, i + 3)
    count = read_count(scan, i)
    if count is None:
        return None
    low, j = count
    if scan.lows[j] == "." and scan.lows[j + 1] == "5" and scan.glued(j) and scan.glued(j + 1):
        return _halves(scan.lows[j + 2], 2 * low + 1, j + 3)
    if scan.lows[j] == "and" and scan.lows[j + 1] == "a" and scan.lows[j + 2] == "half":
        return _halves(scan.lows[j + 3], 2 * low + 1, j + 4)
    high = low
    if scan.lows[j] in ("or", "to", "-", "–"):
        other = read_count(scan, j + 1)
        if other is not None and other[0] > low and scan.lows[j + 1] not in ("a", "an"):
            high, j = other
    unit = UNITS.get(scan.lows[j])
    if unit is None:
        return None
    j += 1
    if scan.lows[j] == "and" and scan.lows[j + 1] == "a" and scan.lows[j + 2] == "half" and low == high:
        return _halves(scan.lows[j - 1], 2 * low + 1, j + 3)
    if scan.lows[j] == "or" and scan.lows[j + 1] == "two" and low == high == 1:
        high, j = 2, j + 2
    elif scan.lows[j] == "or" and scan.lows[j + 1] == "so":
        j += 2
    return Quantity(j, low * unit[1], high * unit[1], unit[0])


def _halves(word: str, halves: int, end: int) -> Quantity | None:
    """Half units, as whole units of the next smaller kind: half a year is six months."""
    unit, factor = UNITS.get(word, ("", 1))
    if unit == "year" and factor > 1:
        return Quantity(end, halves * factor // 2, halves * factor // 2, "year")
    if unit == "year":
        return Quantity(end, 6 * halves, 6 * halves, "month")
    if unit == "minute":
        return Quantity(end, halves * factor // 2, halves * factor // 2, "minute")
    return None


def at_distance(today: date, count: int, unit: str) -> Interval:
    """The day, ISO week, month or year that lies `count` units from today (negative: before)."""
    if unit == "day":
        return day(days_from(today, count))
    if unit == "week":
        return week(days_from(today, 7 * count))
    if unit == "month":
        there = shift_months(today, count)
        return months(there.year, there.month)
    return years(today.year + count)


def shifted(today: date, count: int, unit: str) -> date:
    """The date exactly `count` units from today (negative: before)."""
    if unit in ("day", "week"):
        return today + timedelta(days=count * (7 if unit == "week" else 1))
    return shift_months(today, count * (12 if unit == "year" else 1))
