"""One time expression at one place: which rules may start with which word, and the longest of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

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
NestingRule = Callable[[Scan, int, shifts.ReadPoint], Found | None]
_DEEPEST = 3  # "two days before | the end of | the week after | next": more is no English, and would cost time


def read_point(scan: Scan, i: int, bound: bool = False, tense: Tense | None = None, depth: int = 0) -> Found | None:
    """The longest time that starts at token i, its time of day included; ranges are `spans`' business.

    `bound`: the words before prove that a time stands here. `tense` overrides the cue words, also for times
    inside this one, which is itself inside `depth` others.
    """
    plain, nesting = _rules(scan.lows[i])
    best: Found | None = None
    for rule in plain:
        best = _longer(best, rule, scan, i, bound, tense)
    if nesting and depth < _DEEPEST:

        def inside(scan: Scan, i: int, bound: bool, inner: Tense | None) -> Found | None:
            return read_point(scan, i, bound, inner or tense, depth + 1)

        for nesting_rule in nesting:
            best = _longer(best, nesting_rule, scan, i, inside)
    if best is None or best.interval is None or best.interval.days != 1:
        return best
    return best._replace(end=_time_of_day(scan, best.end))


def _longer(best: Found | None, rule: Callable[..., Found | None], *arguments: object) -> Found | None:
    try:
        found = rule(*arguments)
    except (ValueError, OverflowError):
        return best  # no such day, or outside the years 1 to 9999
    return found if found is not None and (best is None or found.end > best.end) else best


def _time_of_day(scan: Scan, i: int) -> int:
    """The end of `morning`, `at 3pm`, `at 15:30`, `at noon` after a day; the day stays what it is."""
    j = i + 2 if scan.lows[i] == "in" and scan.lows[i + 1] == "the" else i
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
    if number is None or j == i or scan.modifies(j + 1) or scan.lows[j + 1] in ("of", "-"):
        return None
    if not bound and scan.lows[i - 1] != "on":
        return None
    return shifts.nearest_day_number(scan, number, tense, i, j + 1)


def _numeric(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:  # noqa: ARG001
    return numeric.read_numeric(scan, i) if scan.lows[i + 1] in ("-", "/", ".") and scan.glued(i + 1) else None


_Rules = tuple[tuple[Rule, ...], tuple[NestingRule, ...]]
_FIGURES: _Rules = (_numeric, named.read_date, periods.read_year), (shifts.read_ago,)
_ORDINAL: _Rules = (
    (named.read_date, periods.read_century, periods.read_quarter),
    (parts.read_nth, parts.read_day_of),
)
_DECADE: _Rules = (periods.read_decade,), ()
_NONE: _Rules = (), ()
_STARTS: tuple[tuple[Iterable[str], tuple[Rule, ...], tuple[NestingRule, ...]], ...] = (
    (feasts.FIRST_WORDS, (feasts.read_feast,), ()),
    (MONTHS, (named.read_date,), ()),
    (WEEKDAYS, (weekdays.read_weekday,), (shifts.read_neighbour,)),
    (PLURAL_WEEKDAYS, (weekdays.read_plural,), ()),
    (NEAR_DAYS, (deictic.read_near_day,), ()),
    (deictic.WHICH, (deictic.read_deictic,), ()),
    (("last",), (), (parts.read_nth,)),
    (SEASONS, (periods.read_season,), ()),
    (DECADES, (periods.read_decade,), ()),
    (ORDINALS, *_ORDINAL),
    (TENS, *_ORDINAL),
    (("the",), (named.read_date, _day_of_month), (parts.read_day_of,)),
    (("a", "an", "couple", "half", *NUMBERS, *TENS), (), (shifts.read_ago,)),
    (("in", "within"), (shifts.read_in,), ()),
    (("day", "night", "week", "weekend", "month", "year"), (), (shifts.read_neighbour,)),
    (parts.THIRDS, (), (parts.read_third,)),
    (("earlier", "later", "rest"), (), (parts.read_earlier,)),
    (("q", "h"), (periods.read_quarter,), ()),
    (("'", "’", "‘"), (periods.read_year, periods.read_decade), ()),
)


def _table() -> dict[str, _Rules]:
    rules: dict[str, _Rules] = {}
    for words, plain, nesting in _STARTS:
        for word in words:
            before = rules.get(word, _NONE)
            rules[word] = before[0] + plain, before[1] + nesting
    return rules


_BY_WORD = _table()


def _rules(low: str) -> _Rules:
    these = _BY_WORD.get(low)
    if these is not None:
        return these
    if not low[:1].isdigit():
        return _NONE
    if low[-1] == "s":
        return _DECADE
    return _FIGURES if low[-1].isdigit() else _ORDINAL
