"""Feasts whose date everybody shares: fixed ones, and western Easter. Those that differ by country are left out."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from ...types import Interval
from .dates import day, days_from, easter, nearest
from .named import read_year_after
from .scan import Found, Scan, Tense
from .tense import tense_at
from .words import BEFORE_FEAST, DAYPARTS, GREETINGS, INDEFINITE

OfYear = Callable[[int], Interval]


def _fixed(month: int, number: int) -> OfYear:
    return lambda year: day(date(year, month, number))


def _from_easter(offset: int) -> OfYear:
    return lambda year: day(days_from(easter(year), offset))


# Longest name first; words are without 's. The flag: the name needs the 's ("New Year's", not "a new year").
_NAMES: tuple[tuple[tuple[str, ...], bool, OfYear], ...] = (
    (("new", "year", "eve"), False, _fixed(12, 31)),
    (("new", "years", "eve"), False, _fixed(12, 31)),
    (("new", "year", "day"), False, _fixed(1, 1)),
    (("new", "years", "day"), False, _fixed(1, 1)),
    (("new", "year"), True, _fixed(1, 1)),
    (("christmas", "eve"), False, _fixed(12, 24)),
    (("xmas", "eve"), False, _fixed(12, 24)),
    (("christmas", "day"), False, _fixed(12, 25)),
    (("christmas",), False, _fixed(12, 25)),
    (("xmas",), False, _fixed(12, 25)),
    (("boxing", "day"), False, _fixed(12, 26)),
    (("halloween",), False, _fixed(10, 31)),
    (("valentine", "day"), False, _fixed(2, 14)),
    (("valentines", "day"), False, _fixed(2, 14)),
    (("valentine",), True, _fixed(2, 14)),
    (("st", ".", "patrick", "day"), False, _fixed(3, 17)),
    (("st", "patrick", "day"), False, _fixed(3, 17)),
    (("april", "fool", "day"), False, _fixed(4, 1)),
    (("april", "fools", "'", "day"), False, _fixed(4, 1)),
    (("april", "fools", "day"), False, _fixed(4, 1)),
    (("juneteenth",), False, _fixed(6, 19)),
    (("good", "friday"), False, _from_easter(-2)),
    (("easter", "sunday"), False, _from_easter(0)),
    (("easter", "monday"), False, _from_easter(1)),
    (("easter",), False, _from_easter(0)),
)
FIRST_WORDS = frozenset(name[0] for name, _, _ in _NAMES)


def match_feast(scan: Scan, i: int) -> tuple[OfYear, int] | None:
    """(its day in a year, end) of the feast named at token i."""
    if scan.lows[i] not in FIRST_WORDS:
        return None
    for name, flagged, of_year in _NAMES:
        end = i + len(name)
        if tuple(scan.lows[i:end]) == name and (not flagged or scan.possessive(end - 1)):
            return of_year, end
    return None


def read_feast(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:
    """A feast as a time: after a preposition or with a year, and not as the modifier of a noun."""
    feast = match_feast(scan, i)
    if feast is None:
        return None
    of_year, end = feast
    if scan.lows[i - 1] in INDEFINITE | GREETINGS:
        return Found(end)
    year = read_year_after(scan, end)
    if year is not None:
        return Found(year[1], of_year(year[0]))
    led = bound or scan.lows[i - 1] in BEFORE_FEAST
    if not led or (scan.modifies(end) and scan.lows[end] not in DAYPARTS and not scan.capital(end)):
        return Found(end)
    if scan.today is None:
        return Found(end)
    side = tense or tense_at(scan, i, end) or Tense.PAST
    return Found(end, nearest(of_year, scan.today, side.value))
