"""Times with two ends: `from May to July`, `since 2019`, `for three years`, `the past two weeks`, `until Friday`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from ...types import Interval
from .dates import coarser, day, days_from, months, weekend, years
from .named import read_day_number, read_year_after
from .points import read_point
from .quantity import GRANULARITY, read_quantity, shifted
from .scan import Found, Partial, Scan, Tense
from .tense import requested_before, tense_at
from .words import MONTHS, PLURAL_WEEKDAYS, SEASONS, UNITS, WEEKDAYS

_DASHES = ("-", "–", "—")
_RATE = ("a", "an", "per", "every", "each", "old", "-")  # "for two hours a day", "for two-year-olds"
_TO = ("to", "through", "thru", "until", "till", *_DASHES)


def read_span(scan: Scan, i: int) -> Found | None:
    """The span that starts at token i, or None."""
    rule = _BY_WORD.get(scan.lows[i])
    if rule is None:
        return None
    try:
        return rule(scan, i)
    except (ValueError, OverflowError):
        return None


def read_range(
    scan: Scan, i: int, bound: bool = False, joiners: tuple[str, ...] = _TO, known: Found | None = None
) -> Found | None:
    """`May 3 to 5`, `June–August 2021`, `2015-2019`, `3 to 5 May`: both ends, each lending what the other lacks.

    `known` is the time at token i, if it has been read already.
    """
    left = known or (read_point(scan, i, True) if bound else None) or _bare(scan, i) or _month(scan, i, joiners)
    if left is None or (left.interval is None and left.partial is None):
        return None
    j = scan.skip(left.end, ",")
    if scan.lows[j] not in joiners:
        return None
    j = scan.skip(j + 1, "the") if scan.lows[j + 1] == "the" and scan.ordinal(j + 2) else j + 1
    if scan.lows[j] in ("now", "today", "present") and scan.today is not None and left.interval is not None:
        if left.interval.start > scan.today:
            return None
        return Found(j + 1, Interval(left.interval.start, scan.today, left.interval.granularity))
    right = read_point(scan, j, True, None) or _bare(scan, j)
    if right is None:
        return None
    weekdays = scan.lows[i] in WEEKDAYS and scan.lows[j] in WEEKDAYS
    if weekdays and left.partial is None and right.partial is None:
        return _weekday_range(scan, i, j, right.end, bound)
    if right.partial is not None and right.partial.month == 0 and left.partial is not None and not left.partial.year:
        left, right = _dated_after(scan, left, right)  # "May 3-5, 2021"
    low, high = _lend(left, right)
    if low is None or high is None or high.end < low.start:
        return None
    return Found(right.end, Interval(low.start, high.end, coarser(low.granularity, high.granularity)))


def _dated_after(scan: Scan, left: Found, right: Found) -> tuple[Found, Found]:
    """The year that follows the whole range belongs to its first end as well."""
    year, said = read_year_after(scan, right.end), left.partial
    if year is None or said is None or said.day is None or not said.month:
        return left, right
    moved = day(date(year[0], said.month, said.day))
    return left._replace(interval=moved), right._replace(end=year[1])


def _bare(scan: Scan, i: int) -> Found | None:
    """An end of a range that is only a day number, or only a year: its month is the other end's."""
    year = scan.number(i)
    if year is not None and len(scan.lows[i]) == 4 and 1900 <= year <= 2099 and not scan.counts(i + 1):
        return Found(i + 1, years(year))
    if scan.lows[i - 1] in _DASHES and scan.glued(i) and year is not None and len(scan.lows[i]) == 2:
        first = scan.number(i - 2)  # 2015-19
        if first is not None and 1900 <= first <= 2099 and year > first % 100:
            return Found(i + 1, years(first // 100 * 100 + year))
    number = read_day_number(scan, i)
    if number is not None and not scan.counts(number[1]):
        return Found(number[1], None, Partial(None, 0, number[0]))
    return None


def _month(scan: Scan, i: int, joiners: tuple[str, ...]) -> Found | None:
    """The first of two months, which alone might be a name: `May-June`, `March to April`."""
    if scan.capital(i) and scan.lows[i] in MONTHS and scan.lows[i + 1] in joiners and scan.lows[i + 2] in MONTHS:
        return read_point(scan, i, True)
    return None


def _lend(left: Found, right: Found) -> tuple[Interval | None, Interval | None]:
    """Resolve both ends together."""
    a, b = left.partial, right.partial
    if a is not None and a.month == 0:  # "3 to 5 May"
        if b is None or not b.month or b.day is None or a.day is None or right.interval is None:
            return None, None
        return day(right.interval.start.replace(day=a.day)), right.interval
    if b is not None and b.month == 0:  # "May 3 to 5"
        if a is None or a.day is None or b.day is None or left.interval is None:
            return None, None
        return left.interval, day(left.interval.start.replace(day=b.day))
    low, high = left.interval, right.interval
    if a is None or b is None or low is None or high is None or a.year is not None:
        return low, high
    if b.year is None and low.start <= high.start:
        return low, high
    # The first end is the latest such month or day that does not lie after the second.
    year = high.start.year if (a.month, a.day or 0) <= (b.month, b.day or 31) else high.start.year - 1
    return (months(year, a.month) if a.day is None else day(date(year, a.month, a.day))), high


def _weekday_range(scan: Scan, i: int, j: int, end: int, bound: bool) -> Found | None:
    """`from Monday to Friday`, only with a verb that tells which; else it is a habit."""
    cue = tense_at(scan, i, end)
    if scan.today is None or cue in (None, Tense.HABIT) or not bound:
        return Found(end)
    first = read_point(scan, i, True, cue)
    if first is None or first.interval is None:
        return None
    ahead = (WEEKDAYS[scan.lows[j]] - WEEKDAYS[scan.lows[i]]) % 7
    return Found(end, day(first.interval.start, days_from(first.interval.start, ahead)))


def _from(scan: Scan, i: int) -> Found | None:
    return read_range(scan, scan.skip(i + 1, "the") if scan.ordinal(i + 2) else i + 1, True)


def _between(scan: Scan, i: int) -> Found | None:
    return read_range(scan, scan.skip(i + 1, "the") if scan.ordinal(i + 2) else i + 1, True, ("and", "&", *_DASHES))


def _since(scan: Scan, i: int) -> Found | None:
    """[start of the time, today]; nothing for a time still to come."""
    found = read_point(scan, scan.skip(i + 1, "about", "around", "the") if scan.lows[i + 1] != "the"
                       else _after_the(scan, i + 1), True, Tense.PAST)  # fmt: skip
    if found is None:
        return None
    if found.interval is None or scan.today is None or found.interval.start > scan.today:
        return Found(found.end)
    return Found(found.end, Interval(found.interval.start, scan.today, found.interval.granularity))


def _after_the(scan: Scan, i: int) -> int:
    return i if scan.ordinal(i + 1) else i + 1


def _until(scan: Scan, i: int) -> Found | None:
    """by, until, till, before a time to come: [today, that time]. Before a past one the start is unknown: nothing."""
    word, j = scan.lows[i], _after_the(scan, i + 1) if scan.lows[i + 1] == "the" else i + 1
    cue = tense_at(scan, i, j) or Tense.FUTURE
    found = read_point(scan, j, True, cue)
    if found is None:
        return None
    if found.interval is not None and scan.possessive(found.end - 1):
        return found if word in ("before", "until", "till") else None  # "before yesterday's game": on that day
    if found.interval is None or scan.today is None or found.interval.end <= scan.today:
        return Found(found.end)
    end = days_from(found.interval.start, -1) if word == "before" else found.interval.end
    if end < scan.today:
        return Found(found.end)
    return Found(found.end, Interval(scan.today, end, found.interval.granularity))


def _after(scan: Scan, i: int) -> Found | None:
    """after a past time: the days from then to today; after one to come the end is unknown: nothing."""
    j = _after_the(scan, i + 1) if scan.lows[i + 1] == "the" else i + 1
    found = read_point(scan, j, True, None)
    if found is None or found.interval is None or scan.possessive(found.end - 1):
        return found
    if scan.today is None or found.interval.end >= scan.today:
        return Found(found.end)
    return Found(found.end, Interval(days_from(found.interval.end, 1), scan.today, found.interval.granularity))


def _for(scan: Scan, i: int) -> Found | None:
    """`for three years`: [today - 3 years, today], unless the verb looks ahead or the amount is a rate."""
    j = scan.skip(i + 1, "about", "almost", "nearly", "around", "roughly", "over", "at", "more", "well")
    j = scan.skip(scan.skip(j, "least", "than", "over"), "the")
    rolling = _rolling(scan, j) if scan.lows[j] in ("past", "last", "next") else None
    if rolling is not None:
        return rolling
    amount = read_quantity(scan, j)
    if amount is None:
        return None
    end = scan.skip(amount.end, "now", "straight", "already")
    before = scan.lows[amount.end - 1]
    if amount.unit == "minute" or scan.today is None or scan.lows[end] in _RATE:
        return Found(amount.end)
    if scan.possessive(amount.end - 1) or (before in ("day", "week", "month", "year") and scan.modifies(end)):
        return Found(amount.end)  # "for a week's rest", "for a day trip"
    tense = tense_at(scan, i, end)
    if tense in (Tense.FUTURE, Tense.HABIT) or (tense is None and requested_before(scan, i)):
        return Found(end)
    start = shifted(scan.today, -amount.high, amount.unit)
    return Found(end, Interval(start, scan.today, GRANULARITY[amount.unit]), duration=True)


def _rolling(scan: Scan, i: int) -> Found | None:
    """`the past two weeks`, `last 3 months`, `next ten days`: counted from today, not by the calendar."""
    amount = read_quantity(scan, i + 1)
    if amount is None or scan.lows[i + 1] in ("a", "an", "half") or scan.lows[amount.end] == "of":
        return None
    if amount.unit == "minute" or scan.today is None:
        return Found(amount.end)
    granularity = GRANULARITY[amount.unit]
    if scan.lows[i] == "next":
        return Found(amount.end, Interval(scan.today, shifted(scan.today, amount.high, amount.unit), granularity))
    return Found(amount.end, Interval(shifted(scan.today, -amount.high, amount.unit), scan.today, granularity))


def _over(scan: Scan, i: int) -> Found | None:
    """`over the weekend`, `on the weekend`: this one if the verb looks ahead, else the latest that has begun."""
    if scan.lows[i + 1] != "the" or scan.lows[i + 2] != "weekend" or scan.lows[i + 3] in ("of", "before", "after"):
        return None
    if scan.today is None:
        return Found(i + 3)
    here, cue = weekend(scan.today), tense_at(scan, i, i + 3)
    if cue is Tense.HABIT:
        return Found(i + 3)
    this_one = cue is Tense.FUTURE or here.start <= scan.today
    return Found(i + 3, here if this_one else weekend(days_from(scan.today, -7)))


def _every(scan: Scan, i: int) -> Found | None:
    """`every Monday and Thursday`, `each summer`, `every other week`: repeated, so no one time."""
    j = scan.skip(i + 1, "other", "single", "second", "last", "few")
    low = scan.lows[j]
    if low not in WEEKDAYS and low not in SEASONS and low not in UNITS and low not in PLURAL_WEEKDAYS:
        found = read_point(scan, j, True, Tense.PAST)
        return None if found is None else Found(found.end)
    j += 1
    while j < i + 20 and scan.lows[j] in ("and", "or", ",", "to", "through", "&") and scan.lows[j + 1] in WEEKDAYS:
        j += 2
    return Found(j)


_BY_WORD: dict[str, Callable[[Scan, int], Found | None]] = {
    "from": _from, "between": _between, "since": _since, "until": _until, "till": _until, "by": _until,
    "before": _until, "after": _after, "for": _for, "past": _rolling, "last": _rolling, "next": _rolling,
    "over": _over, "on": _over, "at": _over, "during": _over, "every": _every, "each": _every,
}  # fmt: skip
