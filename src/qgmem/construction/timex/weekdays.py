"""Names of weekdays: `on Friday`, `Tuesday morning`, `Saturday, 20 May`, `Monday of last week`, `Friday the 13th`."""

from __future__ import annotations

from datetime import date

from ...types import Interval
from .dates import add_months, day, days_from, weekday_in_week
from .named import read_date, read_day_number
from .quantity import read_quantity
from .scan import Found, Scan, Tense
from .tense import tense_at
from .words import BEFORE_SHORT_WEEKDAY, DAYPARTS, NOT_ONE_WEEKDAY, PLURAL_WEEKDAYS, SHORT_WEEKDAYS, WEEKDAYS

_WHICH_WEEK = {"last": -7, "this": 0, "next": 7}


def latest_before(today: date, weekday: int) -> date:
    """The last such weekday strictly before today."""
    return days_from(today, -((today.weekday() - weekday - 1) % 7 + 1))


def earliest_after(today: date, weekday: int) -> date:
    """The first such weekday strictly after today."""
    return days_from(today, (weekday - today.weekday() - 1) % 7 + 1)


def read_weekday(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:
    """A single weekday from token i on. It is never today; without a cue for the future it lies in the past."""
    weekday = WEEKDAYS.get(scan.lows[i])
    if weekday is None:
        return None
    dated = _with_date(scan, i, weekday, tense)
    if dated is not None:
        return dated
    if scan.lows[i] in SHORT_WEEKDAYS and not (
        scan.capital(i) and (bound or scan.lows[i - 1] in BEFORE_SHORT_WEEKDAY)
    ):
        return None
    if scan.today is None:
        return Found(i + 1)
    j, today = i + 1, scan.today
    if scan.lows[j] == "before" and scan.lows[j + 1] == "last":
        return Found(j + 2, day(days_from(latest_before(today, weekday), -7)))
    if scan.lows[j] == "after" and scan.lows[j + 1] == "next":
        return Found(j + 2, day(days_from(earliest_after(today, weekday), 7)))
    if not bound and (scan.lows[i - 1] in NOT_ONE_WEEKDAY or _is_name(scan, i)):
        return Found(j)
    in_week = _in_named_week(scan, j, weekday)
    if in_week is not None:
        return in_week
    if tense is None:
        tense = tense_at(scan, i, j)
    if tense is Tense.HABIT:
        return Found(j)
    return Found(j, day(earliest_after(today, weekday) if tense is Tense.FUTURE else latest_before(today, weekday)))


def read_plural(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:  # noqa: ARG001
    """`Mondays`: a habit, no time; nor are the weekdays joined to it."""
    if scan.lows[i] not in PLURAL_WEEKDAYS:
        return None
    j = i + 1
    while j < i + 16 and scan.lows[j] in ("and", "or", ",", "&") and scan.lows[j + 1] in PLURAL_WEEKDAYS:
        j += 2
    return Found(j)


def _with_date(scan: Scan, i: int, weekday: int, tense: Tense | None) -> Found | None:
    """The weekday only repeats a date: `Saturday, May 20`, `Sun 5 May`, `Friday the 13th`."""
    j = i + 1
    if scan.lows[i] in SHORT_WEEKDAYS:
        j = scan.skip(j, ".")
    j = scan.skip(j, ",")
    found = read_date(scan, j, False, tense)
    if found is not None and found.partial is not None and found.partial.day is not None:
        if scan.lows[i] in SHORT_WEEKDAYS and not scan.capital(i):
            return None
        return found
    if scan.lows[j] != "the" or scan.today is None:
        return None
    number = read_day_number(scan, j + 1)
    if number is None or not number[2] or scan.lows[j + 1].isalpha():
        return None
    interval = _day_on(scan.today, number[0], weekday, tense or tense_at(scan, i, number[1]) or Tense.PAST)
    return Found(number[1], interval)


def _is_name(scan: Scan, i: int) -> bool:
    """`Monday Street`, `Wednesday Addams`; not "On Friday Ana came" nor "Friday Night"."""
    j = i + 1
    return (
        scan.capital(j)
        and not scan.possessive(i)
        and scan.modifies(j)
        and scan.lows[j] not in DAYPARTS
        and scan.lows[i - 1] not in BEFORE_SHORT_WEEKDAY
    )


def _day_on(today: date, number: int, weekday: int, tense: Tense) -> Interval | None:
    """The nearest day with this number in its month that falls on this weekday."""
    step = 1 if tense is Tense.FUTURE else -1
    for distance in range(48):
        year, month = add_months(today.year, today.month, step * distance)
        try:
            there = date(year, month, number)
        except ValueError:
            continue
        if there.weekday() == weekday and (there >= today if step > 0 else there <= today):
            return day(there)
    return None


def _in_named_week(scan: Scan, j: int, weekday: int) -> Found | None:
    """`(Monday) last week`, `(Friday) of next week`, `(Tuesday) two weeks ago`."""
    if scan.today is None:
        return None
    k = scan.skip(j, "of", ",")
    if scan.lows[k] in _WHICH_WEEK and scan.lows[k + 1] == "week":
        there = days_from(scan.today, _WHICH_WEEK[scan.lows[k]])
        return Found(k + 2, weekday_in_week(there, weekday))
    amount = read_quantity(scan, k)
    if amount and amount.unit == "week" and amount.low == amount.high and scan.lows[amount.end] == "ago":
        return Found(amount.end + 1, weekday_in_week(days_from(scan.today, -7 * amount.low), weekday))
    return None
