"""Calendar arithmetic behind the time rules: intervals of whole days, all Gregorian, weeks by ISO 8601.

Functions raise ValueError or OverflowError where a date would fall outside the years 1 to 9999; `finder`
reads that as "no such time".
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Literal

from ...types import Granularity, Interval

DAY, WEEK, MONTH, YEAR = Granularity.DAY, Granularity.WEEK, Granularity.MONTH, Granularity.YEAR
_ORDER = {DAY: 0, WEEK: 1, MONTH: 2, YEAR: 3}
Season = Literal["spring", "summer", "autumn", "winter"]
# Meteorological, northern hemisphere; a winter is called after the year of its December.
_SEASON_START: dict[Season, int] = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
Side = Literal["past", "future", "last", "next", "habit"]


def day(start: date, end: date | None = None) -> Interval:
    """One day, or a run of days whose ends are exact."""
    return Interval(start, end or start, DAY)


def days_from(start: date, count: int) -> date:
    """The date `count` days later (earlier when negative)."""
    return start + timedelta(days=count)


def week(inside: date) -> Interval:
    """The ISO week, Monday to Sunday, that holds this date."""
    monday = days_from(inside, -inside.weekday())
    return Interval(monday, days_from(monday, 6), WEEK)


def weekend(inside: date) -> Interval:
    """Saturday and Sunday of the ISO week that holds this date."""
    saturday = days_from(inside, 5 - inside.weekday())
    return day(saturday, days_from(saturday, 1))


def weekday_in_week(inside: date, weekday: int) -> Interval:
    """The given weekday (Monday = 0) of the ISO week that holds this date."""
    return day(days_from(inside, weekday - inside.weekday()))


def months(year: int, month: int, count: int = 1) -> Interval:
    """`count` whole months from this one on."""
    last_year, last_month = add_months(year, month, count - 1)
    return Interval(date(year, month, 1), month_end(last_year, last_month), MONTH)


def month_end(year: int, month: int) -> date:
    """Last day of a month."""
    if not 1 <= year <= 9999:
        raise ValueError(f"year {year} is out of range")
    return date(year, month, monthrange(year, month)[1])


def add_months(year: int, month: int, count: int) -> tuple[int, int]:
    """Year and month `count` months later."""
    index = year * 12 + month - 1 + count
    return index // 12, index % 12 + 1


def shift_months(start: date, count: int) -> date:
    """The same day `count` months later, or the month's last day if it is shorter."""
    year, month = add_months(start.year, start.month, count)
    return min(month_end(year, month), date(year, month, 1) + timedelta(days=start.day - 1))


def years(first: int, last: int | None = None) -> Interval:
    """Whole calendar years."""
    return Interval(date(first, 1, 1), date(first if last is None else last, 12, 31), YEAR)


def decade(inside: int) -> Interval:
    """The ten years that share all but the last digit: 1994 lies in 1990 to 1999."""
    return years(inside // 10 * 10, inside // 10 * 10 + 9)


def century(number: int) -> Interval:
    """The 20th century is 1901 to 2000."""
    return years(number * 100 - 99, number * 100)


def quarter(year: int, number: int) -> Interval:
    """A calendar quarter, 1 to 4."""
    return months(year, number * 3 - 2, 3)


def season(year: int, name: Season) -> Interval:
    """Three whole months; winter 2022 runs from December 2022 to February 2023."""
    return months(year, _SEASON_START[name], 3)


def nth_weekday(month: Interval, weekday: int, nth: int) -> Interval:
    """The nth weekday of a month, or the last one for nth = -1. Raises ValueError if there is none."""
    if nth < 0:
        return day(days_from(month.end, -((month.end.weekday() - weekday) % 7)))
    first = days_from(month.start, (weekday - month.start.weekday()) % 7)
    found = days_from(first, 7 * (nth - 1))
    if found > month.end:
        raise ValueError(f"no weekday number {nth} in the month of {month.start}")
    return day(found)


def easter(year: int) -> date:
    """Easter Sunday of the western churches (the anonymous Gregorian computus)."""
    golden = year % 19
    hundreds, rest = divmod(year, 100)
    leap_hundreds, hundreds_rest = divmod(hundreds, 4)
    moon = (19 * golden + hundreds - leap_hundreds - (hundreds - (hundreds + 8) // 25 + 1) // 3 + 15) % 30
    leaps, leap_rest = divmod(rest, 4)
    sunday = (32 + 2 * hundreds_rest + 2 * leaps - moon - leap_rest) % 7
    correction = (golden + 11 * moon + 22 * sunday) // 451
    month, last = divmod(moon + sunday - 7 * correction + 114, 31)
    return date(year, month, last + 1)


def nearest(of_year: Callable[[int], Interval], today: date, side: Side) -> Interval:
    """The yearly event nearest to today on one side.

    past: the latest that has begun; future: the earliest that has not ended; last: the latest that is over;
    next: the earliest that has not begun; habit: no one of them, a ValueError. Years without the event
    (29 February) are passed over.
    """
    if side == "habit":
        raise ValueError("a habit has no one time")
    backwards = side in ("past", "last")
    for step in range(-1, 10):
        try:
            found = of_year(today.year - step if backwards else today.year + step)
        except (ValueError, OverflowError):
            continue
        if (
            (side == "past" and found.start <= today)
            or (side == "future" and found.end >= today)
            or (side == "last" and found.end < today)
            or (side == "next" and found.start > today)
        ):
            return found
    raise ValueError("no such day within nine years")


def coarser(a: Granularity, b: Granularity) -> Granularity:
    """The less precise of the two."""
    return a if _ORDER[a] >= _ORDER[b] else b


def third(whole: Interval, part: int) -> Interval:
    """Early (0), middle (1) or late (2) part of a named period; it keeps the period's granularity.

    Days 1-10, 11-20, 21-end of a month; Monday-Tuesday, Wednesday-Thursday, Friday-Sunday of a week; four
    months of a year; one month of a season or quarter; years 0-3, 4-6, 7-9 of a decade; 01-33, 34-66, 67-00 of
    a century. A single day stays whole. Raises ValueError for anything else.
    """
    first = whole.start
    if whole.start == whole.end:
        return whole
    if whole.granularity is WEEK and whole.days == 7:
        low, high = ((0, 1), (2, 3), (4, 6))[part]
        return Interval(days_from(first, low), days_from(first, high), WEEK)
    if whole.granularity is MONTH and whole.days <= 31:
        start = first.replace(day=(1, 11, 21)[part])
        return Interval(start, whole.end if part == 2 else first.replace(day=(10, 20)[part]), MONTH)
    span = whole.end.year - first.year + 1
    if whole.granularity is YEAR and span in (10, 100):
        edges = (0, 4, 7, 10) if span == 10 else (0, 33, 66, 100)
        return years(first.year + edges[part], first.year + edges[part + 1] - 1)
    length = (whole.end.year - first.year) * 12 + whole.end.month - first.month + 1
    if first.day == 1 and length in (3, 12):
        year, month = add_months(first.year, first.month, part * length // 3)
        return Interval(date(year, month, 1), months(year, month, length // 3).end, whole.granularity)
    raise ValueError(f"{whole} has no thirds")


def half(whole: Interval, part: int) -> Interval:
    """First (0) or second (1) half of a month (days 1-15, 16-end) or year; keeps the granularity."""
    if whole.granularity is MONTH and whole.days <= 31:
        middle = whole.start.replace(day=15)
        return Interval(whole.start, middle, MONTH) if part == 0 else Interval(days_from(middle, 1), whole.end, MONTH)
    if whole.granularity is YEAR and whole.start.year == whole.end.year:
        return Interval(*((whole.start, whole.start.replace(month=6, day=30)) if part == 0
                          else (whole.start.replace(month=7), whole.end)), YEAR)  # fmt: skip
    raise ValueError(f"{whole} has no halves")
