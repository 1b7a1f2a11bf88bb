"""From a pattern that matched to readings: object, kind and time, or nothing where one of them is unclear."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from ...types import Interval
from ..timex import TimeMention, find_times
from .doubts import GONE, LONG_PAST, ONWARD
from .patterns import Pattern, Tense
from .readings import Person, Reading, ReadingKind
from .shapes import firm_of, fits_relation, is_place, objects, tidy_object


def made(
    pattern: Pattern, match: re.Match[str], subject: Person | None, quote: str, time: datetime | None,
    source: str | None, over: bool, following: str = "", lower: bool = False,
) -> list[Reading]:  # fmt: skip
    """Readings of a match, if its subject is clear, its object fits, and it says when it must.

    `over`: the clause says "no longer". `following`: the clauses after this one, which may say that it ended.
    `lower`: the speaker uses no capitals.
    """
    if subject is None:
        return []
    turned = "rest" in match.re.groupindex
    rest = match.group("object") + (match.group("rest") if turned else "")
    denied = "no" in match.re.groupindex and match.group("no") is not None
    kind = _kind(pattern.tense, denied, over)
    if kind is None:
        return []
    mentions = find_times(rest, time)
    if pattern.tense == "event":  # "moved there for two weeks" says nothing of when
        mentions = tuple(each for each in mentions if not each.text.lower().startswith("for "))
    said = match.group("object") if turned else rest[: mentions[0].start] if mentions else rest
    began = kind == "state" and pattern.tense in ("event", "past")
    ended = (GONE.search(rest) or GONE.search(f", {following}" if following else "")) if began else None
    when, until = _span(mentions, rest, following, ended is not None, time)
    if began and not _dated(pattern.tense, rest, mentions, when, ended is not None, until):
        return []
    fact_time = None if denied else when
    predicate = pattern.predicate
    if "{0}" in predicate:
        predicate = predicate.replace("{0}", next(g for g in match.groups()[::-1][1:] if g))
    if pattern.shape == "none":
        return [Reading(subject, each, "", kind, fact_time, quote, source) for each in predicate.split(" & ")]
    readings = [
        Reading(subject, predicate, tidy_object(found, pattern.shape, predicate), kind, fact_time, quote, source)
        for found in objects(said, pattern.shape, predicate, lower)
        if fits_relation(found, predicate, match.group()[: match.start("object") - match.start()])
    ]
    verb = match.group()[: match.start("object") - match.start()].split()
    readings += [each for one in readings for each in _along(one, pattern.shape)]
    if kind == "end" and predicate == "works at" and verb[-1:] == ["left"]:
        readings = _left(readings)
    return readings + _closed(readings, until, mentions[0].interval.granularity if mentions else "day")


def _kind(tense: Tense, denied: bool, over: bool) -> ReadingKind | None:
    if over:
        return "end" if tense == "now" and not denied else None
    if tense == "end":
        return None if denied else "end"
    return "retraction" if denied else "state"


def _along(reading: Reading, shape: str) -> list[Reading]:
    """What else the same words say: a post is held somewhere, and goes with the firm; "left" may be a home."""
    if shape == "office" and (firm := firm_of(reading.object)):
        return [replace(reading, predicate="works at", object=firm)]
    if reading.predicate != "works at" or reading.kind == "state":
        return []
    return [replace(reading, predicate="works as")]


def _left(readings: list[Reading]) -> list[Reading]:
    """ "I left Lyon", a town, ends a home; "I left Acme" a job; of what is known as neither, whichever held."""
    first = readings[:1]
    home = [replace(each, predicate="lives in") for each in first]
    return home if first and is_place(first[0].object) else readings + home


def _span(
    mentions: Sequence[TimeMention], rest: str, following: str, ended: bool, time: datetime | None
) -> tuple[Interval | None, date | None]:
    """(when it began, the first day on which it was over), as far as one time, or two in their order, tell."""
    today = time.date() if time else date.max
    if not mentions:
        return None, None
    first = mentions[0]
    if len(mentions) == 1 and ended:
        later = find_times(following, time)
        if len(later) == 1 and later[0].interval.start >= first.interval.start:
            return first.interval, later[0].interval.start
        return first.interval, None
    if len(mentions) == 1:
        spans = re.match(r"(?:from|between)\b", first.text, re.I) is not None and first.interval.end < today
        return first.interval, date.fromordinal(first.interval.end.toordinal() + 1) if spans else None
    if len(mentions) == 2:
        second = mentions[1]
        one, two = first.interval, second.interval
        if one.start <= two.start and two.end <= one.end:
            return two, None
        if two.start <= one.start and one.end <= two.end:
            return one, None
        if ended and one.end < two.start and GONE.search(rest[first.end : second.start]):
            return one, two.start
    return None, None


def _dated(
    tense: Tense, rest: str, mentions: Sequence[TimeMention], when: Interval | None, ended: bool, until: date | None
) -> bool:
    """May something that began be read? Not if times conflict, nor if it is long past or over and nobody "
    "says when."""
    if mentions and when is None:
        return False
    if ended and until is None:
        return False
    if not mentions:
        return tense == "event" and not LONG_PAST.search(rest) and not ONWARD.search(rest)
    return not (until is None and re.search(r"\b(?:until|till|for (?:\w+ ){1,2}(?:years?|months|weeks))\b", rest))


def _closed(readings: list[Reading], until: date | None, granularity: str) -> list[Reading]:
    """ "From 2019 to 2021", "in 2015 and left in 2018" also say when it ended."""
    if until is None:
        return []
    end = Interval(until, until, "day") if granularity == "day" else Interval(until, until, granularity)  # type: ignore[arg-type]
    return [replace(each, kind="end", fact_time=end) for each in readings if each.kind == "state"]
