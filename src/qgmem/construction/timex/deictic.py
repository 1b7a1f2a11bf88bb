"""Times that point from today: `yesterday`, `last week`, `this summer`, `next Tuesday`, `the past month`."""

from __future__ import annotations

from datetime import date

from ...types import Interval
from .dates import add_months, century, day, days_from, decade, months, nearest, quarter, season, week, weekend, years
from .feasts import match_feast
from .named import read_date, read_day_number
from .periods import season_around
from .quantity import GRANULARITY, shifted
from .scan import Found, Partial, Scan, Tense
from .weekdays import earliest_after, latest_before
from .words import DAYPARTS, MONTHS, NEAR_DAYS, SEASONS, SHORT_MONTHS, SHORT_WEEKDAYS, UNITS, WEEKDAYS, word_set

WHICH = {"last": -1, "this": 0, "next": 1, "past": -1, "coming": 1}
_ROLLING_AFTER = word_set("in over within during for throughout")


def read_near_day(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:  # noqa: ARG001
    """`yesterday`, `today`, `tonight`, `tomorrow`."""
    if scan.today is None:
        return Found(i + 1)
    return Found(i + 1, day(days_from(scan.today, NEAR_DAYS[scan.lows[i]])))


def read_deictic(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:  # noqa: ARG001
    """last, this, next, past or coming, and what they point at."""
    low, j = scan.lows[i], i + 1
    which, rolling = WHICH[low], low == "past"
    if low == "this" and scan.lows[j] in ("past", "coming", "upcoming"):
        which, rolling, j = (-1, True, j + 1) if scan.lows[j] == "past" else (1, False, j + 1)
    if low == "past" and scan.lows[i - 1] not in ("the", "this", "these"):
        return None  # "half past", "walked past Monday Street"
    word = scan.lows[j]
    if scan.today is None:
        points = word in UNITS or word in WEEKDAYS or word in SEASONS or word in MONTHS or word == "weekend"
        dated = read_date(scan, j, True, None) if word in MONTHS else None
        return None if not points or (dated and dated.interval) else Found(j + 1)
    article = scan.lows[i - 1] == "the"
    if word in UNITS or word in ("weekend", "quarter") or word in DAYPARTS:
        return _unit(scan, i, j, which, rolling, article)
    found = _named(scan, j, which, scan.today)
    if found is not None and article and which == 1 and low == "next":
        return Found(found.end)  # "the next Friday": told from another time
    return found


def _unit(scan: Scan, i: int, j: int, which: int, rolling: bool, article: bool) -> Found | None:
    today, word = scan.today, scan.lows[j]
    assert today is not None
    if word in DAYPARTS:
        if which == 0 and word != "night":
            return Found(j + 1, day(today))
        if which == -1 and word in ("night", "evening") and not article and not rolling:
            return Found(j + 1, day(days_from(today, -1)))
        return None
    if scan.lows[j + 1] == "of" and which != 0:
        return Found(j + 1)  # "last week of school"
    if word == "weekend":
        if which == 1 and article:
            return Found(j + 1)
        return Found(j + 1, _weekend(today, which, scan.lows[j - 1] in ("coming", "upcoming")))
    unit, count = UNITS.get(word, ("", 1))
    if word in ("weeks", "months", "years", "days", "decades", "nights") or unit in ("day", "minute"):
        return None  # "last day", "the last months": vague or told from elsewhere
    if which != 0 and unit and count in (1, 2, 10) and (rolling or article):
        forward = which == 1
        if forward and scan.lows[i - 2] not in _ROLLING_AFTER:
            return Found(j + 1)  # "the next year I moved"
        other = shifted(today, which * count, unit)
        low, high = (today, other) if forward else (other, today)
        return Found(j + 1, Interval(low, high, GRANULARITY[unit]))
    interval = _calendar_unit(today, word, which)
    return None if interval is None else _narrowed(scan, j + 1, word, interval)


def _calendar_unit(today: date, word: str, which: int) -> Interval | None:
    if word == "week":
        return week(days_from(today, 7 * which))
    if word == "month":
        return months(*add_months(today.year, today.month, which))
    if word == "quarter":
        year, month = add_months(today.year, today.month, 3 * which)
        return quarter(year, (month + 2) // 3)
    if word == "year":
        return years(today.year + which)
    if word == "decade":
        return decade(today.year + 10 * which)
    if word == "century":
        return century((today.year + 99) // 100 + which)
    return None


def _narrowed(scan: Scan, j: int, word: str, whole: Interval) -> Found:
    """`last week on Tuesday`, `next week Friday`, `last year in May`: the smaller time inside the named one."""
    k = scan.skip(j, ",") if scan.lows[j + 1] in ("on", "in") else j
    k = scan.skip(k, "on", "in")
    low = scan.lows[k]
    if word == "week" and low in WEEKDAYS and low not in SHORT_WEEKDAYS:
        return Found(k + 1, day(days_from(whole.start, WEEKDAYS[low])))
    if word == "month" and k > j and scan.lows[k] == "the":
        number = read_day_number(scan, k + 1)
        if number is not None and number[2] and not scan.modifies(number[1]):
            return Found(number[1], day(whole.start.replace(day=number[0])))
    if word == "year" and k > j and low in MONTHS and scan.capital(k):
        inner = read_date(scan, k, True, None)
        if inner is not None and inner.partial is not None and inner.partial.year is None:
            _, month, number_of_day = inner.partial
            year = whole.start.year
            return Found(inner.end, months(year, month) if number_of_day is None
                         else day(date(year, month, number_of_day)))  # fmt: skip
    return Found(j, whole)


def _weekend(today: date, which: int, coming: bool) -> Interval:
    """last: the latest complete one; this: that of the ISO week; next: that of the next ISO week;
    coming: the earliest that has not begun."""
    if coming:
        return weekend(days_from(today, 7 if today.weekday() >= 5 else 0))
    return weekend(days_from(today, 7 * which))


def _named(scan: Scan, j: int, which: int, today: date) -> Found | None:
    """A weekday, month, date, season or feast after last, this or next."""
    word = scan.lows[j]
    side = {-1: "last", 1: "next"}
    feast = match_feast(scan, j)
    if feast is not None:
        of_year, end = feast
        return Found(end, of_year(today.year) if which == 0 else nearest(of_year, today, side[which]))  # type: ignore[arg-type]
    if word in WEEKDAYS and (word not in SHORT_WEEKDAYS or scan.capital(j)):
        weekday = WEEKDAYS[word]
        if which == 0:
            return Found(j + 1, day(days_from(today, weekday - today.weekday())))
        return Found(j + 1, day(latest_before(today, weekday) if which < 0 else earliest_after(today, weekday)))
    if word in SEASONS:
        name = SEASONS[word]
        if which == 0:
            return Found(j + 1, season_around(today, name))
        return Found(j + 1, nearest(lambda y: season(y, name), today, side[which]))  # type: ignore[arg-type]
    if word in MONTHS:
        return _month(scan, j, which, today)
    return None


def _month(scan: Scan, j: int, which: int, today: date) -> Found | None:
    """`last May`, `this March`, `next June 5`; "this may" and "last march" in lower case are no months."""
    word = scan.lows[j]
    if not scan.capital(j) and word in SHORT_MONTHS | {"may", "march"}:
        return None
    dated = read_date(scan, j, True, Tense.PAST)
    if dated is None or dated.partial is None or dated.partial.year is not None:
        return dated
    said: Partial = dated.partial

    def of_year(year: int) -> Interval:
        return months(year, said.month) if said.day is None else day(date(year, said.month, said.day))

    if which == 0:
        return Found(dated.end, of_year(today.year))
    return Found(dated.end, nearest(of_year, today, "last" if which < 0 else "next"))
