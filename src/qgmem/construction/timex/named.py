"""Calendar dates in words: `5 May 2021`, `the 3rd of June`, `March-15-2024`, `in August`, `May of last year`."""

from __future__ import annotations

from datetime import date

from ...types import Interval
from .dates import day, months, nearest
from .quantity import read_quantity
from .scan import Found, Partial, Scan, Tense
from .tense import tense_at
from .words import (
    BEFORE_MONTH,
    CLEAR_MONTHS,
    INDEFINITE,
    MONTHS,
    ORDINALS,
    SHORT_MONTHS,
    TENS,
    WORDY_MONTHS,
)

_WHICH_YEAR = {"last": -1, "this": 0, "next": 1}


def read_date(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:
    """A month, with a day or not, with a year or not, from token i on.

    `bound`: the words before prove that a time stands here. `tense` overrides the cue words.
    """
    if scan.lows[i] in MONTHS:
        return _month_first(scan, i, bound, tense)
    return _day_first(scan, i, tense)


def resolve(scan: Scan, said: Partial, tense: Tense | None, start: int, end: int) -> Interval | None:
    """The interval of a partial date; a missing year is the nearest one on the side of the tense, by default
    the past. None without a reference. ValueError if there is no such day."""
    year, month, number = said
    if year is not None:
        return months(year, month) if number is None else day(date(year, month, number))
    if scan.today is None:
        return None
    side = tense or tense_at(scan, start, end) or Tense.PAST
    if number is None:
        return nearest(lambda y: months(y, month), scan.today, side.value)
    return nearest(lambda y: day(date(y, month, number)), scan.today, side.value)


def read_year_after(scan: Scan, i: int) -> tuple[int, int] | None:
    """(year, end) where tokens from i tell the year of the month, season or quarter before them.

    `2021`, `, 2021`, `of 2021`, `'21`, `last year`, `of next year`, `two years ago`.
    """
    j = scan.skip(i, ",", "of", "in")
    year = scan.number(j)
    if year is not None and len(scan.lows[j]) == 4 and year >= 1000:
        return None if scan.counts(j + 1) else (year, j + 1)
    if scan.lows[j] in ("'", "’", "‘") and scan.glued(j + 1) and len(scan.lows[j + 1]) == 2:
        short = scan.number(j + 1)
        return None if short is None else (full_year(short), j + 2)
    if scan.today is None:
        return None
    if scan.lows[j] in _WHICH_YEAR and scan.lows[j + 1] == "year":
        return scan.today.year + _WHICH_YEAR[scan.lows[j]], j + 2
    amount = read_quantity(scan, j)
    if amount and amount.unit == "year" and amount.low == amount.high and scan.lows[amount.end] == "ago":
        return scan.today.year - amount.low, amount.end + 1
    return None


def full_year(short: int) -> int:
    """Two digits: 00 to 68 are 2000 to 2068, 69 to 99 are 1969 to 1999 (POSIX)."""
    return short + (2000 if short < 69 else 1900)


def read_day_number(scan: Scan, i: int) -> tuple[int, int, bool] | None:
    """(day of month, end, said as an ordinal) at token i: `3`, `3rd`, `third`, `twenty-first`."""
    value = scan.ordinal(i)
    if value is None and scan.lows[i] in ORDINALS:
        value = ORDINALS[scan.lows[i]]
    if value is not None:
        return (value, i + 1, True) if 1 <= value <= 31 else None
    tens, j = TENS.get(scan.lows[i]), scan.skip(i + 1, "-")
    if tens in (20, 30) and ORDINALS.get(scan.lows[j], 99) < 10:
        value = (tens or 0) + ORDINALS[scan.lows[j]]
        return (value, j + 1, True) if value <= 31 else None
    value = scan.number(i)
    if value is None or not 1 <= value <= 31 or len(scan.lows[i]) > 2:
        return None
    return value, i + 1, False


def _day_first(scan: Scan, i: int, tense: Tense | None) -> Found | None:
    j = scan.skip(i, "the")
    number = read_day_number(scan, j)
    if number is None or (scan.glued(j) and scan.lows[j - 1] not in "(\"'-–—“‘,"):
        return None
    value, k, ordinal = number
    linked = scan.lows[k] == "of" or (scan.lows[k] in ("-", "/") and scan.glued(k) and scan.glued(k + 1))
    k += linked
    month = MONTHS.get(scan.lows[k])
    if month is None or (not scan.capital(k) and not _sure_lower(scan, k, ordinal or linked)):
        return None
    if scan.lows[j].isalpha() and not linked:
        return None  # "second May holiday"
    end = k + 1 + (scan.lows[k] in SHORT_MONTHS and scan.lows[k + 1] == "." and scan.lows[k + 2] != "")
    year = _hyphen_year(scan, end) or read_year_after(scan, end)
    return _found(scan, Partial(year[0] if year else None, month, value), tense, i, year[1] if year else k + 1)


def _sure_lower(scan: Scan, k: int, ordinal: bool) -> bool:
    """A lower-case month after a day number: `5 june`, `3rd of may`, `5 may 2021`; not "the 5 may leave"."""
    return ordinal or scan.lows[k] not in WORDY_MONTHS | SHORT_MONTHS or read_year_after(scan, k + 1) is not None


def _month_first(scan: Scan, i: int, bound: bool, tense: Tense | None) -> Found | None:
    low, month = scan.lows[i], MONTHS[scan.lows[i]]
    if scan.possessive(i) and scan.lows[i + 1] != "":
        return None  # "May's house"
    j = i + 1
    if low in SHORT_MONTHS and scan.lows[j] == "." and scan.glued(j) and read_day_number(scan, j + 1):
        j += 1  # "Sept. 5"
    named = scan.capital(i) or low not in WORDY_MONTHS | SHORT_MONTHS
    led = bound or scan.lows[i - 1] in BEFORE_MONTH or scan.lows[i - 1] in ("on", "of")
    hyphen = scan.lows[j] in ("-", "/") and scan.glued(j) and scan.glued(j + 1)
    k = scan.skip(j + hyphen, "the") if not hyphen else j + 1
    number = read_day_number(scan, k)
    if number is not None and not (number[2] is False and scan.counts(number[1]) and not hyphen):
        value, end, ordinal = number
        year = _hyphen_year(scan, end) or read_year_after(scan, end)
        if hyphen and year is None:
            number = None
        elif named or ordinal or led or year:
            return _found(scan, Partial(year[0] if year else None, month, value), tense, i, year[1] if year else end)
    year = _hyphen_year(scan, i + 1) or read_year_after(scan, i + 1)
    if year is not None and (named or led or scan.lows[i + 1] not in ("in", ",")):
        return _found(scan, Partial(year[0], month, None), tense, i, year[1])
    if _stands_alone(scan, i, bound):
        return _found(scan, Partial(None, month, None), tense, i, i + 1)
    return None


def _hyphen_year(scan: Scan, i: int) -> tuple[int, int] | None:
    """The year of `March-15-2024`, `15/Mar/2024`, `May-2021`."""
    if scan.lows[i] in ("-", "/") and scan.glued(i) and scan.glued(i + 1) and len(scan.lows[i + 1]) == 4:
        year = scan.number(i + 1)
        return None if year is None or year < 1000 else (year, i + 2)
    return None


def _stands_alone(scan: Scan, i: int, bound: bool) -> bool:
    """May this month name be a time without day and year? "in March" yes, "March on", "I may", "June said" no."""
    low, before = scan.lows[i], scan.lows[i - 1]
    if before in INDEFINITE:
        return False
    led = bound or before in BEFORE_MONTH or (before == "of" and scan.lows[i - 2] == "month")
    if scan.capital(i):
        return led or (low in CLEAR_MONTHS and not (scan.capital(i + 1) and scan.modifies(i + 1)))
    if low in SHORT_MONTHS or low in ("may", "march") or (low == "august" and scan.modifies(i + 1)):
        return False
    return led


def _found(scan: Scan, said: Partial, tense: Tense | None, start: int, end: int) -> Found:
    try:
        return Found(end, resolve(scan, said, tense, start, end), said)
    except ValueError:
        return Found(end)  # 31 June: no such day, and no other reading of its words either
