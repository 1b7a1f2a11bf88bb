"""One time expression at one place: which rules may start with which word, and the longest of them."""

from __future__ import annotations

from collections.abc import Callable

from . import deictic, feasts, named, numeric, parts, periods, shifts, weekdays
from .scan import Found, Scan, Tense
from .words import (
    DAYPARTS,
    DECADES,
    MONTHS,
    NEAR_DAYS,
    NUMBERS,
    ORDINALS,
    PLURAL_WEEKDAYS,
    SEASONS,
    TENS,
    WEEKDAYS,
)

Rule = Callable[[Scan, int, bool, Tense | None], Found | None]


def read_point(scan: Scan, i: int, bound: bool = False, tense: Tense | None = None) -> Found | None:
    """The longest time that starts at token i, its time of day included; ranges are `spans`' business.

    `bound`: the words before prove that a time stands here. `tense` overrides the cue words.
    """
    best: Found | None = None
    for rule in _rules(scan.lows[i]):
        try:
            found = rule(scan, i, bound, tense)
        except (ValueError, OverflowError):
            continue  # no such day, or outside the years 1 to 9999
        if found is not None and (best is None or found.end > best.end):
            best = found
    if best is None or best.interval is None or best.interval.days != 1:
        return best
    return best._replace(end=_time_of_day(scan, best.end))


def _time_of_day(scan: Scan, i: int) -> int:
    """The end of `morning`, `at 3pm`, `at 15:30`, `at noon` after a day; the day stays what it is."""
    j = scan.skip(i, "in") + 1 if scan.lows[i] == "in" and scan.lows[i + 1] == "the" else i
    if scan.lows[j] in DAYPARTS:
        i = j + 1
    j = scan.skip(scan.skip(i, ","), "at", "around", "by")
    if scan.lows[j] in ("noon", "midnight") and j > i:
        return j + 1
    if scan.number(j) is None or len(scan.lows[j]) > 2 or (scan.glued(j) and j == i):
        return i
    if scan.lows[j + 1] == ":" and scan.glued(j + 1) and scan.number(j + 2) is not None:
        return scan.skip(j + 3, "am", "pm")
    return j + 2 if scan.lows[j + 1] in ("am", "pm", "o'clock") else i


def _day_of_month(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:
    """`on the 3rd`: the nearest month's, by the tense; not "on the 3rd floor"."""
    j = scan.skip(i, "the")
    number = scan.ordinal(j)
    if number is None or scan.today is None or j == i or scan.modifies(j + 1) or scan.lows[j + 1] in ("of", "-"):
        return None
    if not bound and scan.lows[i - 1] != "on":
        return None
    return shifts.nearest_day_number(scan, number, tense, i, j + 1)


def _with_point(rule: Callable[[Scan, int, shifts.ReadPoint], Found | None]) -> Rule:
    """A rule that reads another time inside its own; a tense that is settled holds for that one too."""

    def with_point(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:  # noqa: ARG001
        def point(scan: Scan, i: int, bound: bool, inner: Tense | None) -> Found | None:
            return read_point(scan, i, bound, inner or tense)

        return rule(scan, i, point)

    return with_point


def _numeric(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:  # noqa: ARG001
    return numeric.read_numeric(scan, i)


_ago, _in = _with_point(shifts.read_ago), _with_point(shifts.read_in)
_neighbour, _third = _with_point(shifts.read_neighbour), _with_point(parts.read_third)
_nth, _earlier, _day_of = (_with_point(rule) for rule in (parts.read_nth, parts.read_earlier, parts.read_day_of))

_NUMBER: tuple[Rule, ...] = (_numeric, named.read_date, _ago, periods.read_year)
_ORDINAL: tuple[Rule, ...] = (named.read_date, _nth, _day_of, periods.read_century, periods.read_quarter)


def _table() -> dict[str, tuple[Rule, ...]]:
    rules: dict[str, list[Rule]] = {}

    def add(words: object, *these: Rule) -> None:
        for word in list(words):  # type: ignore[call-overload]
            rules.setdefault(word, []).extend(these)

    add(feasts.FIRST_WORDS, feasts.read_feast)
    add(MONTHS, named.read_date)
    add(WEEKDAYS, weekdays.read_weekday, _neighbour)
    add(PLURAL_WEEKDAYS, weekdays.read_plural)
    add(NEAR_DAYS, deictic.read_near_day)
    add(deictic.WHICH, deictic.read_deictic)
    add(("last",), _nth)
    add(SEASONS, periods.read_season)
    add(DECADES, periods.read_decade)
    add(ORDINALS, *_ORDINAL)
    add(TENS, *_ORDINAL, _ago)
    add(("the",), named.read_date, _day_of_month, _day_of)
    add(("a", "an", "couple", "half", *NUMBERS), _ago)
    add(("in", "within"), _in)
    add(("day", "night", "week", "weekend", "month", "year"), _neighbour)
    add(parts.THIRDS, _third)
    add(("earlier", "later", "rest"), _earlier)
    add(("q", "h"), periods.read_quarter)
    add(("'", "’", "‘"), periods.read_year, periods.read_decade)
    return {word: tuple(these) for word, these in rules.items()}


_BY_WORD = _table()


def _rules(low: str) -> tuple[Rule, ...]:
    these = _BY_WORD.get(low)
    if these is not None:
        return these
    if not low[:1].isdigit():
        return ()
    if low[-1] == "s":
        return (periods.read_decade,)
    return _NUMBER if low[-1].isdigit() else _ORDINAL
