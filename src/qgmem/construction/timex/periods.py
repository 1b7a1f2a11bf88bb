"""Years and what is made of them: `in 2019`, `the 90s`, `the 19th century`, `summer 2022`, `Q3 2021`."""

from __future__ import annotations

from datetime import date

from ...types import Interval
from .dates import Season, century, decade, nearest, quarter, season, years
from .named import full_year, read_year_after
from .scan import Found, Scan, Tense
from .tense import tense_at
from .words import BEFORE_YEAR, DECADES, INDEFINITE, ORDINALS, SEASONS, word_set

_AGE_BEFORE = word_set("my your his her our their its one's")
_BEFORE_SEASON = word_set("in during over through throughout since until till by before after for")


def read_year(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:  # noqa: ARG001
    """Four digits where only a year can stand: `in 2019`, `the year 2019`, `back in '98`."""
    low = scan.lows[i]
    if low in ("'", "’", "‘") and scan.glued(i + 1) and len(scan.lows[i + 1]) == 2:
        short = scan.number(i + 1)
        if short is None or not (bound or scan.lows[i - 1] in BEFORE_YEAR) or scan.counts(i + 2):
            return None
        return Found(i + 2, years(full_year(short)))
    year = scan.number(i)
    if year is None or len(low) != 4 or not 1000 <= year <= 2999:
        return None
    quarters = _quarter_at(scan, i + 1)
    if quarters is not None and not scan.glued(i):
        return Found(quarters[1], quarter(year, quarters[0]))
    before = scan.lows[i - 1]
    led = bound or before in BEFORE_YEAR or (before == "of" and scan.lows[i - 2] in ("class", "year", "summer"))
    if not led or (scan.glued(i) and not bound) or scan.counts(i + 1):
        return None
    if not 1900 <= year <= 2099 and scan.modifies(i + 1) and not scan.capital(i + 1):
        return None  # "in 1500 villages" may lack the plural s: "in 1500 sheep"
    return Found(i + 1, years(year))


def read_decade(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:  # noqa: ARG001
    """`the 90s`, `the 1990s`, `the '90s`, `the nineties`; not "in his 30s"."""
    low, before = scan.lows[i], scan.lows[i - 1]
    if low in DECADES:
        if not (before == "the" or (bound and before not in _AGE_BEFORE)):
            return None
        return _two_digits(scan, DECADES[low], i + 1)
    if low in ("'", "’", "‘"):
        inner = scan.lows[i + 1]
        if not scan.glued(i + 1) or len(inner) != 3 or inner[-1] != "s" or not inner[:2].isdigit():
            return None
        return _two_digits(scan, int(inner[:2]), i + 2)
    digits = low[:-1].rstrip("'")
    if low[-1:] != "s" or not digits.isascii() or not digits.isdigit() or (scan.glued(i) and before != "-"):
        return None
    if len(digits) == 4 and digits[0] in "12":
        return Found(i + 1, decade(int(digits)))
    if len(digits) != 2 or not (before == "the" or (bound and before not in _AGE_BEFORE)):
        return None
    return _two_digits(scan, int(digits), i + 1)


def _two_digits(scan: Scan, number: int, end: int) -> Found | None:
    """The latest decade of that number that has begun; without a reference the 20th century's, from the 30s on."""
    if scan.today is None:
        return Found(end, decade(1900 + number)) if number >= 30 else Found(end)
    start = scan.today.year // 100 * 100 + number
    return Found(end, decade(start if start <= scan.today.year else start - 100))


def read_century(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:  # noqa: ARG001
    """`the 19th century`, `twentieth-century`: 1801 to 1900, 1901 to 2000."""
    number = scan.ordinal(i) or ORDINALS.get(scan.lows[i])
    j = i + 1
    if scan.lows[i] == "twenty" and scan.lows[scan.skip(j, "-")] == "first":
        number, j = 21, scan.skip(j, "-") + 1
    j = scan.skip(j, "-", "‑")
    if number is None or scan.lows[j] != "century" or not 1 <= number <= 30:
        return None
    return Found(j + 1, century(number))


def read_season(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:
    """`summer 2022`, `the fall of 2019`, `in the winter`; "in summer" and "every spring" are habits."""
    name = SEASONS.get(scan.lows[i])
    if name is None:
        return None
    year = read_year_after(scan, i + 1)
    if year is not None and scan.lows[i + 1] != ",":
        return Found(year[1], season(year[0], name))
    before = scan.lows[i - 1]
    if before in INDEFINITE:
        return Found(i + 1)
    led = bound or (before == "the" and scan.lows[i - 2] in _BEFORE_SEASON)
    if not led or scan.today is None or scan.modifies(i + 1):
        return None
    cue = tense or tense_at(scan, i, i + 1)
    if cue is None:
        return None  # "in the summer we swim": no one summer
    return Found(i + 1, nearest(lambda y: season(y, name), scan.today, cue.value))


def season_around(today: date, name: Season) -> Interval:
    """`this winter`: the one that holds today, else that of this calendar year."""
    before = season(today.year - 1, name)
    return before if before.end >= today else season(today.year, name)


def read_quarter(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:
    """`Q3 2021`, `in Q3`, `Q1 of last year`, `H1 2021`, `the third quarter of 2021`."""
    number = scan.ordinal(i) or ORDINALS.get(scan.lows[i])
    if number is not None:
        year = read_year_after(scan, i + 2)
        if not 1 <= number <= 4 or scan.lows[i + 1] != "quarter" or year is None:
            return None
        return Found(year[1], quarter(year[0], number))
    short = _quarter_at(scan, i)
    if short is not None:
        year = read_year_after(scan, short[1])
        if year is not None and scan.lows[short[1]] != "in":
            return Found(year[1], quarter(year[0], short[0]))
        if scan.today is None or not (bound or scan.lows[i - 1] in ("in", "during", "since", "until", "by", "for")):
            return None
        side = tense or tense_at(scan, i, short[1]) or Tense.PAST
        return Found(short[1], nearest(lambda y: quarter(y, short[0]), scan.today, side.value))
    if scan.lows[i] == "h" and scan.capital(i) and scan.glued(i + 1) and scan.lows[i + 1] in ("1", "2"):
        year = read_year_after(scan, i + 2)
        if year is None:
            return None
        first, last = (1, 2) if scan.lows[i + 1] == "1" else (3, 4)
        whole = quarter(year[0], first)
        return Found(year[1], Interval(whole.start, quarter(year[0], last).end, whole.granularity))
    return None


def _quarter_at(scan: Scan, i: int) -> tuple[int, int] | None:
    """(number, end) of `Q3`."""
    if scan.lows[i] == "q" and scan.capital(i) and scan.glued(i + 1) and scan.lows[i + 1] in ("1", "2", "3", "4"):
        return int(scan.lows[i + 1]), i + 2
    return None
