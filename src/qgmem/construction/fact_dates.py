"""When it happened, read by our own rules (SPEC §2.3). A model's date only chooses among what the words allow."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from ..types import Granularity, Interval, JsonValue
from .timex import find_times

_ISO = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?(?:[T ].*)?")
_MONTHS = "january february march april may june july august september october november december".split()
_LONGEST = 8  # dates of one unit


@dataclass(frozen=True, slots=True)
class Dates:
    """Fact times of a unit, and how many of the model's dates were set aside."""

    intervals: tuple[Interval, ...]
    rejected: int = 0


def resolve(
    quote: str,
    evidence: str,
    claim: str,
    proposed: Sequence[Interval],
    said: datetime | None,
    *,
    day_first: bool = False,
) -> Dates:
    """The times that the quoted words name; else those of the cited turns that the claim or the model points to.

    `proposed` are the model's dates. One that no words of the evidence bear out is rejected, however likely it looks;
    a date that stands there in figures that our rules cannot read is taken.
    """
    quoted = _times(quote, said, day_first)
    around = _times(evidence, said, day_first)
    named = [time for time in _times(claim, said, day_first) if _borne_out(time, around)]
    agreeing = [time for time in around if any(_agree(time, other) for other in (*proposed, *named))]
    literal = [time for time in proposed if not _borne_out(time, around) and _stands_in(time, evidence)]
    rejected = sum(1 for time in proposed if not _borne_out(time, around) and time not in literal)
    chosen = quoted or agreeing
    return Dates(tuple(sorted({*chosen, *literal})[:_LONGEST]), rejected)


def contradicted(claim: str, evidence: str, said: datetime | None, *, day_first: bool = False) -> bool:
    """True if the claim names a time that its evidence does not bear out; the day of speaking is no such time.

    A time may be less precise than what was said, never more: "last week" is no Tuesday.
    """
    around = _times(evidence, said, day_first)
    words = _words(evidence)
    for mention in find_times(claim, said, day_first=day_first):
        time = mention.interval
        implied = any(time.start <= other.start and other.end <= time.end for other in around)
        spoken = said is not None and time.start <= said.date() <= time.end
        if not (implied or spoken or _words(mention.text) <= words or _stands_in(time, evidence)):
            return True
    return False


def read_interval(item: JsonValue) -> Interval | None:
    """A model's `{"start", "end", "granularity"}`, or None if it is no time. A reversed one is turned around."""
    if isinstance(item, str):
        item = {"start": item.partition("..")[0], "end": item.partition("..")[2] or item}
    if not isinstance(item, dict):
        return None
    first, last = _bounds(item.get("start")), _bounds(item.get("end") or item.get("start"))
    if first is None or last is None:
        return None
    start, end = min(first[0], last[0]), max(first[1], last[1])
    coarser = max(first[2], last[2], key=list(Granularity).index)
    named = item.get("granularity")
    granularity = Granularity(named) if isinstance(named, str) and named in list(Granularity) else coarser
    return Interval(start, end, granularity)


def _bounds(value: JsonValue) -> tuple[date, date, Granularity] | None:
    found = _ISO.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None
    year, month, day = int(found[1]), found[2], found[3]
    try:
        if month is None:
            return date(year, 1, 1), date(year, 12, 31), Granularity.YEAR
        if day is None:
            start = date(year, int(month), 1)
            after = date(year + (int(month) == 12), int(month) % 12 + 1, 1)
            return start, after - timedelta(days=1), Granularity.MONTH
        one = date(year, int(month), int(day))
    except (ValueError, OverflowError):
        return None
    return one, one, Granularity.DAY


def _times(text: str, said: datetime | None, day_first: bool) -> list[Interval]:
    return [mention.interval for mention in find_times(text, said, day_first=day_first)]


def _borne_out(time: Interval, around: Sequence[Interval]) -> bool:
    return any(_agree(time, other) for other in around)


def _agree(one: Interval, other: Interval) -> bool:
    """True if one lies within the other: the same time, said more or less precisely."""
    return (one.start <= other.start and other.end <= one.end) or (other.start <= one.start and one.end <= other.end)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _stands_in(time: Interval, text: str) -> bool:
    """True if year, month and day of both ends stand in the text, as far as the granularity has them."""
    words = _words(text)
    figures = {int(word) for word in words if word.isdecimal() and len(word) < 5}
    for day in {time.start, time.end}:
        if day.year not in figures:
            return False
        if time.granularity is not Granularity.YEAR:
            name = _MONTHS[day.month - 1]
            if day.month not in figures and not words & {name, name[:3]}:
                return False
        if time.granularity is Granularity.DAY and day.day not in figures:
            return False
    return True
