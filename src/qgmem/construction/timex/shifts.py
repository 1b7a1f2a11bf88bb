"""Distances: `two weeks ago`, `in three days`, `a week from tomorrow`, `the day before yesterday`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, timedelta

from ...types import Interval
from .dates import Season, add_months, day, days_from, months, nearest, season, week, weekday_in_week, weekend, years
from .quantity import GRANULARITY, Quantity, at_distance, read_count, read_quantity, shifted
from .scan import Found, Scan, Tense
from .tense import tense_at
from .weekdays import latest_before
from .words import NEAR_DAYS, PLURAL_WEEKDAYS, SEASONS, WEEKDAYS, word_set

ReadPoint = Callable[[Scan, int, bool, Tense | None], Found | None]
_NOT_EXACT = word_set("over than least most under")
_PLURAL_SEASONS: dict[str, Season] = {word + "s": name for word, name in SEASONS.items()}


def read_ago(scan: Scan, i: int, point: ReadPoint) -> Found | None:
    """N units ago, from now, or before or after another time."""
    past_event = _event_ago(scan, i)
    if past_event is not None:
        return past_event
    amount = read_quantity(scan, i)
    if amount is None:
        return None
    word, j = scan.lows[amount.end], amount.end + 1
    if word in ("ago", "back") or (word == "from" and scan.lows[j] == "now"):
        back = word != "from"
        end = j if back else j + 1
        if word == "back" and tense_at(scan, i, end) is not Tense.PAST:
            return None
        if scan.today is None or scan.lows[i - 1] in _NOT_EXACT:
            return Found(end)  # "over a year ago" has no earlier end
        if back and scan.lows[j] in ("today", "yesterday") and amount.low == amount.high and amount.unit != "minute":
            anchor = days_from(scan.today, NEAR_DAYS[scan.lows[j]])
            return Found(j + 1, day(shifted(anchor, -amount.low, amount.unit)))
        if back and amount.unit == "week" and amount.low == amount.high:
            k = scan.skip(j, "on")
            if scan.lows[k] in WEEKDAYS:
                there = days_from(scan.today, -7 * amount.low)
                return Found(k + 1, weekday_in_week(there, WEEKDAYS[scan.lows[k]]))
        return Found(end, _distance(scan, amount, -1 if back else 1))
    if word in ("from", "before", "after", "prior") and amount.low == amount.high and amount.unit != "minute":
        k = scan.skip(j, "to") if word == "prior" else j
        anchor_found = point(scan, k, True, None)
        if anchor_found is not None and anchor_found.interval is not None:
            sign = -1 if word in ("before", "prior") else 1
            if word == "from" and anchor_found.interval.days == 1:
                exact = shifted(anchor_found.interval.start, amount.low, amount.unit)
                return Found(anchor_found.end, day(exact))
            return Found(anchor_found.end, _from_anchor(anchor_found.interval, sign * amount.low, amount.unit))
    return None


def nearest_day_number(scan: Scan, number: int, tense: Tense | None, start: int, end: int) -> Found | None:
    """The nearest day with this number in its month, on the side of the tense, by default the past."""
    today = scan.today
    if today is None:
        return None
    side = tense or tense_at(scan, start, end) or Tense.PAST
    if side is Tense.HABIT:
        return Found(end)
    step = 1 if side is Tense.FUTURE else -1
    for distance in range(13):
        year, month = add_months(today.year, today.month, step * distance)
        try:
            there = date(year, month, number)
        except ValueError:
            continue
        if there >= today if step > 0 else there <= today:
            return Found(end, day(there))
    return None


def _event_ago(scan: Scan, i: int) -> Found | None:
    """`two Fridays ago`, `three weekends ago`, `two summers ago`: the nth latest one counted from the last."""
    count = read_count(scan, i)
    if count is None or scan.lows[count[1] + 1] != "ago" or scan.today is None:
        return None
    n, j = count
    word = scan.lows[j]
    if word in PLURAL_WEEKDAYS:
        return Found(j + 2, day(days_from(latest_before(scan.today, PLURAL_WEEKDAYS[word]), -7 * (n - 1))))
    if word in ("weekend", "weekends"):
        return Found(j + 2, weekend(days_from(scan.today, -7 * n)))
    if word in _PLURAL_SEASONS:
        latest = nearest(lambda y: season(y, _PLURAL_SEASONS[word]), scan.today, "last")
        return Found(j + 2, season(latest.start.year - n + 1, _PLURAL_SEASONS[word]))
    return None


def _distance(scan: Scan, amount: Quantity, sign: int) -> Interval | None:
    """The period that lies `amount` away; a range of amounts gives everything between."""
    assert scan.today is not None
    if amount.unit == "minute":
        return _minutes(scan, amount, sign)
    near = at_distance(scan.today, sign * amount.low, amount.unit)
    far = at_distance(scan.today, sign * amount.high, amount.unit)
    return Interval(min(near.start, far.start), max(near.end, far.end), near.granularity)


def _minutes(scan: Scan, amount: Quantity, sign: int) -> Interval | None:
    """Hours and minutes need the clock; they may cross midnight of the speaker's own offset."""
    if scan.moment is None:
        return None
    offset, zone = scan.moment.utcoffset(), scan.moment.tzinfo
    utc = (scan.moment - offset if offset else scan.moment).replace(tzinfo=UTC)
    ends = []
    for minutes in (amount.low, amount.high):
        there = utc + timedelta(minutes=sign * minutes)
        ends.append((there if zone is None or offset is None else there.astimezone(zone)).date())
    return day(min(ends), max(ends))


def _from_anchor(anchor: Interval, count: int, unit: str) -> Interval:
    """`two weeks before Christmas` is an ISO week, `three days after 5 May` a day: the unit that was said."""
    if unit == "day":
        edge = anchor.start if count < 0 else anchor.end
        return day(days_from(edge, count))
    return at_distance(anchor.start if count < 0 else anchor.end, count, unit)


def read_in(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:  # noqa: ARG001
    """`in three days` (the day, week, month or year at that distance), `within two weeks` (all days until then).

    With a past verb it is a duration ("built it in two days") and no time.
    """
    before = scan.lows[i - 1]
    amount = read_quantity(scan, scan.skip(i + 1, "about", "around", "roughly", "just"))
    if amount is None or before in ("once", "twice", "times", "time"):
        return None
    end = amount.end
    if scan.lows[end] in ("'", "’"):
        end += 1
    end = scan.skip(end, "time")
    if scan.lows[end] in ("ago", "before", "after", "of", "per", "-") or scan.today is None:
        return None
    if (tense or tense_at(scan, i, end)) in (Tense.PAST, Tense.HABIT):
        return Found(end)
    if scan.lows[i] == "in":
        return Found(end, _distance(scan, amount, 1))
    if amount.unit == "minute":
        return Found(end)
    return Found(end, Interval(scan.today, shifted(scan.today, amount.high, amount.unit), GRANULARITY[amount.unit]))


def read_neighbour(scan: Scan, i: int, point: ReadPoint) -> Found | None:
    """`day before yesterday`, `weekend before last`, `week after next`, `week of 5 May`, `day after Christmas`."""
    unit, link, j = scan.lows[i], scan.lows[i + 1], i + 2
    if scan.today is None or link not in ("before", "after", "of"):
        return None
    if link != "of" and scan.lows[j] == ("last" if link == "before" else "next"):
        ending = j + 1
        return None if scan.modifies(ending) else _second(unit, -2 if link == "before" else 2, scan.today, ending)
    if link == "of":
        return _around(scan, i, j, point)
    anchor = point(scan, j, True, None)
    if anchor is None or anchor.interval is None:
        return None
    sign = -1 if link == "before" else 1
    if unit == "night":
        unit = "day"
    if unit == "weekend":
        edge = anchor.interval.start if sign < 0 else anchor.interval.end
        there = weekend(edge)
        outside = there.end < edge if sign < 0 else there.start > edge
        return Found(anchor.end, there if outside else weekend(days_from(edge, 7 * sign)))
    return Found(anchor.end, _from_anchor(anchor.interval, sign, unit))


def _second(unit: str, step: int, today: date, end: int) -> Found | None:
    """before last: two back; after next: two on."""
    if unit == "night":
        return Found(end, day(days_from(today, step)))
    if unit == "weekend":
        return Found(end, weekend(days_from(today, 7 * step)))
    return None if unit == "day" else Found(end, at_distance(today, step, unit))


def _around(scan: Scan, i: int, j: int, point: ReadPoint) -> Found | None:
    """`week of 5 May`, `weekend of the 6th`, `night of 5 May`, `month of May`, `year of 2019`."""
    anchor = point(scan, j, scan.lows[i] in ("month", "year"), None)
    if anchor is None or anchor.interval is None or anchor.interval.days > 31:
        return None
    unit, start = scan.lows[i], anchor.interval.start
    if unit == "month":
        return anchor if anchor.interval == months(start.year, start.month) else None
    if anchor.interval.days > 7:
        return None
    if unit == "week":
        return Found(anchor.end, week(start))
    if unit == "weekend":
        return Found(anchor.end, weekend(start))
    if unit == "year":
        return Found(anchor.end, years(start.year))
    return anchor
