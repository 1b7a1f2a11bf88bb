"""Parts of a period: `early August`, `the end of last year`, `first half of 2021`, `the last Friday of May`."""

from __future__ import annotations

from ...types import Interval
from .dates import WEEK, day, days_from, half, months, nth_weekday, third, week, years
from .scan import Found, Scan
from .shifts import ReadPoint
from .words import ORDINALS, WEEKDAYS, word_set

THIRDS = {
    "early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2,
}  # fmt: skip
_NOUNS = word_set("beginning start middle end")


def read_third(scan: Scan, i: int, point: ReadPoint) -> Found | None:
    """early, mid or late in a month, week, season, year, decade or century."""
    word, j = scan.lows[i], i + 1
    if word in _NOUNS:
        if scan.lows[j] != "of":
            return None
        whole = _whole(scan, j + 1, point)
    else:
        j = scan.skip(j, "-", "‑", "in", "on")
        whole = point(scan, j, True, None)
        if whole is not None and scan.lows[j][-1:] == "s" and scan.lows[i - 1] != "the" and len(scan.lows[j]) < 5:
            return Found(whole.end)  # "in my early 20s"
    if whole is None or whole.interval is None:
        return None
    try:
        return Found(whole.end, third(whole.interval, THIRDS[word]))
    except ValueError:
        return whole


def read_earlier(scan: Scan, i: int, point: ReadPoint) -> Found | None:
    """`earlier this week` runs up to today, `later this month` and `the rest of the year` from today on."""
    word, j = scan.lows[i], i + 1
    if word == "rest":
        whole = _whole(scan, j + 1, point) if scan.lows[j] == "of" else None
    else:
        whole = point(scan, scan.skip(j, "in"), True, None)
    if whole is None or whole.interval is None or scan.today is None:
        return None
    span, today = whole.interval, scan.today
    if not span.start <= today <= span.end:
        return whole if span.days == 1 else None
    if word == "earlier":
        return Found(whole.end, Interval(span.start, today, span.granularity))
    return Found(whole.end, Interval(today, span.end, span.granularity))


def read_nth(scan: Scan, i: int, point: ReadPoint) -> Found | None:
    """The nth week, weekend, weekday or day of a month, and halves of a month or year.

    Week n of a month is its days 7n-6 to 7n, the last week its last seven days; a weekend is counted by its
    Saturday.
    """
    word, what = scan.lows[i], scan.lows[i + 1]
    nth = -1 if word == "last" else scan.ordinal(i) or ORDINALS.get(word)
    if nth is None or scan.lows[i + 2] not in ("of", "in") or nth > 31:
        return None
    if what == "half" and nth in (1, 2):
        whole = _whole(scan, i + 3, point)
        if whole is None or whole.interval is None:
            return None
        return Found(whole.end, half(whole.interval, nth - 1))
    if what not in ("week", "weekend", "day") and what not in WEEKDAYS:
        return None
    whole = _whole(scan, i + 3, point)
    if whole is None or whole.interval is None:
        return None
    span = whole.interval
    if what == "day" and span.granularity is not WEEK and nth in (1, -1):
        return Found(whole.end, day(span.start if nth == 1 else span.end))
    if span != months(span.start.year, span.start.month):
        return None
    return Found(whole.end, _nth_of_month(span, what, nth))


def _nth_of_month(month: Interval, what: str, nth: int) -> Interval:
    if what == "day":
        return day(month.start.replace(day=nth))
    if what == "week":
        if nth < 0:
            return Interval(days_from(month.end, -6), month.end, WEEK)
        first = days_from(month.start, 7 * (nth - 1))
        last = days_from(first, 6)
        if first > month.end:
            raise ValueError(f"no week number {nth}")
        return Interval(first, min(last, month.end), WEEK)
    if what == "weekend":
        saturday = nth_weekday(month, 5, nth).start
        return day(saturday, days_from(saturday, 1))
    return nth_weekday(month, WEEKDAYS[what], nth)


def read_day_of(scan: Scan, i: int, point: ReadPoint) -> Found | None:
    """`the 3rd of next month`, `the 15th of last month`."""
    j = scan.skip(i, "the")
    number = scan.ordinal(j)
    if number is None or scan.lows[j + 1] != "of":
        return None
    whole = _whole(scan, j + 2, point)
    if whole is None or whole.interval is None:
        return None
    month = whole.interval
    if month != months(month.start.year, month.start.month):
        return None
    return Found(whole.end, day(month.start.replace(day=number)))


def _whole(scan: Scan, i: int, point: ReadPoint) -> Found | None:
    """The period after "of": a time, or `the week`, `the month`, `the year` that holds today."""
    j = scan.skip(i, "the", "this")
    if scan.lows[i] in ("the", "this") and scan.today is not None and scan.lows[j] in ("week", "month", "year"):
        today = scan.today
        here = {"week": week(today), "month": months(today.year, today.month), "year": years(today.year)}
        return Found(j + 1, here[scan.lows[j]])
    return point(scan, scan.skip(i, "the"), True, None)
