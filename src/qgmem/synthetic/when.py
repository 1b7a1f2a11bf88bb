"""Times as people say them: the words and the closed interval that the words mean.

Weeks run Monday to Sunday. "In March" is the last March before the day of speaking; "two weeks ago" is the week,
"three months ago" the month and "two years ago" the year that lies so far back.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, timedelta

from ..types import Granularity, Interval
from .seeds import Draw

MONTHS = tuple(calendar.month_name[i] for i in range(13))
DAYS = tuple(calendar.day_name[i] for i in range(7))
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven")
VAGUE = ("recently", "not long ago", "a while ago", "the other day", "some time ago")


@dataclass(frozen=True, slots=True)
class When:
    """An expression and what it means; `interval` is None for an empty or vague one.

    `absolute`: it means the same on whichever day it is said.
    """

    text: str
    interval: Interval | None = None
    absolute: bool = False


NOTHING = When("")


def day(value: date) -> Interval:
    """One day."""
    return Interval(value, value, Granularity.DAY)


def week(value: date) -> Interval:
    """The Monday-to-Sunday week around a day."""
    monday = value - timedelta(days=value.weekday())
    return Interval(monday, monday + timedelta(days=6), Granularity.WEEK)


def month(value: date) -> Interval:
    """The calendar month around a day."""
    last = calendar.monthrange(value.year, value.month)[1]
    return Interval(value.replace(day=1), value.replace(day=last), Granularity.MONTH)


def year(value: date) -> Interval:
    """The calendar year around a day."""
    return Interval(date(value.year, 1, 1), date(value.year, 12, 31), Granularity.YEAR)


def lasting(begun: Interval, said: date) -> Interval:
    """What "since …" means: from the first day of that time to the day of speaking, as precise as was said."""
    return Interval(begun.start, said, begun.granularity)


def first_part(interval: Interval) -> Interval:
    """The day, week, month or year with which an interval begins, by its granularity."""
    return {Granularity.DAY: day, Granularity.WEEK: week, Granularity.MONTH: month, Granularity.YEAR: year}[
        interval.granularity
    ](interval.start)


def months_between(earlier: date, later: date) -> int:
    """Difference of calendar months."""
    return (later.year - earlier.year) * 12 + later.month - earlier.month


def absolute(event: date, draw: Draw) -> list[When]:
    """Dates that need no day of speaking, finest first."""
    name = MONTHS[event.month]
    written = draw.pick(
        (
            f"on {event.day} {name} {event.year}",
            f"on {name} {event.day}, {event.year}",
            f"on {event.isoformat()}",
        )
    )
    return [
        When(written, day(event), absolute=True),
        When(f"in {name} {event.year}", month(event), absolute=True),
        When(f"in {event.year}", year(event), absolute=True),
    ]


def relative(event: date, said: date) -> list[When]:
    """Expressions that hold on the day of speaking; `event` is not after `said`."""
    gap = (said - event).days
    out: list[When] = []
    if gap == 0:
        out += [When("today", day(event)), When("this morning", day(event))]
    elif gap == 1:
        out.append(When("yesterday", day(event)))
    elif gap < 7:
        out += [
            When(f"{NUMBERS[gap]} days ago", day(event)),
            When(f"last {DAYS[event.weekday()]}", day(event)),
        ]
    weeks = (week(said).start - week(event).start).days // 7
    if weeks == 1:
        out.append(When("last week", week(event)))
    elif 2 <= weeks <= 3:
        out.append(When(f"{NUMBERS[weeks]} weeks ago", week(event)))
    months = months_between(event, said)
    if months == 1:
        out.append(When("last month", month(event)))
    elif 2 <= months <= 11:
        out.append(When(f"{NUMBERS[months]} months ago", month(event)))
    if 1 <= months <= 11:
        out.append(When(f"in {MONTHS[event.month]}", month(event)))
        if event.year == said.year:
            out.append(When(f"on {MONTHS[event.month]} {event.day}", day(event)))
    years = said.year - event.year
    if years == 1:
        out.append(When("last year", year(event)))
    elif 2 <= years <= 11:
        out.append(When(f"{NUMBERS[years]} years ago", year(event)))
    return out


def choose(
    draw: Draw, event: date, said: date | None, floor: date | None, *, must: bool = False, loose: bool = False,
    silence: float = 0.25,
) -> When:  # fmt: skip
    """One expression for an event, whose interval begins after `floor`.

    `said` None: an absolute date (the turn carries no time). `must`: neither empty nor vague. `silence`: chance of
    an empty or vague one otherwise. `loose`: months and years before days, as for what is long past.
    The exact date is always possible because `floor` lies before `event`.
    """
    if said is not None and not must and draw.chance(silence):
        return NOTHING if draw.chance(0.6) else When(draw.pick(VAGUE))
    options = absolute(event, draw)
    if said is not None:
        options = relative(event, said) * 5 + options
    fitting = [o for o in options if o.interval is not None and (floor is None or o.interval.start > floor)]
    if loose:
        fitting = [o for o in fitting if o.interval is not None and o.interval.days > 7] or fitting
    return draw.pick(fitting) if fitting else options[-3]


def since(draw: Draw, event: date, floor: date | None) -> When:
    """What may follow "since": a month, a year or a date, beginning after `floor`; empty text if none does."""
    options = [When(o.text.split(" ", 1)[1], o.interval, True) for o in absolute(event, draw)]
    fitting = [o for o in options if o.interval and (floor is None or o.interval.start > floor)]
    return draw.pick(fitting) if fitting else NOTHING
