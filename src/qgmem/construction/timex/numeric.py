"""Dates in figures: ISO 8601 in any language, and day, month and year in the order of the locale."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from ...types import Interval
from .dates import day, months, week
from .named import full_year
from .scan import Found, Scan

# Scripts without spaces may touch the figures (2023-05-08に); Latin letters may not.
_BEFORE = r"(?<![0-9A-Za-zÀ-ɏ_/.\-–])"
_AFTER = r"(?![0-9A-Za-zÀ-ɏ_/])(?![.\-–][0-9])"
_ISO = re.compile(
    _BEFORE + r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})"
    r"(?:[Tt ][0-9]{2}:[0-9]{2}[0-9:.,]{0,16}(?:[Zz]|[+-][0-9:]{2,6})?)?" + _AFTER
)
_ISO_MONTH = re.compile(_BEFORE + r"([12][0-9]{3})-(0[1-9]|1[0-2])" + _AFTER)
_ISO_WEEK = re.compile(_BEFORE + r"([0-9]{4})-W([0-9]{2})(?:-([1-7]))?" + _AFTER)
_LOCAL = re.compile(_BEFORE + r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})" + _AFTER)
_MONTH_YEAR = re.compile(_BEFORE + r"(0?[1-9]|1[0-2])/((?:19|20)[0-9]{2})" + _AFTER)


def read_numeric(scan: Scan, i: int) -> Found | None:
    """A date in figures at token i; figures of that shape that name no day (2023-02-30) are used up for nothing."""
    at = scan.tokens[i].start
    for shape, reading in _SHAPES:
        match = shape.match(scan.text, at)
        if match is None:
            continue
        end = _tokens_to(scan, i, match.end())
        try:
            return Found(end, reading(match, scan.day_first))
        except ValueError:
            return Found(end)
    return None


def _iso(match: re.Match[str], day_first: bool) -> Interval:  # noqa: ARG001
    return day(date(int(match[1]), int(match[3]), int(match[4])))


def _iso_week(match: re.Match[str], day_first: bool) -> Interval:  # noqa: ARG001
    first = date.fromisocalendar(int(match[1]), int(match[2]), int(match[3] or 1))
    return day(first) if match[3] else week(first)


def _iso_month(match: re.Match[str], day_first: bool) -> Interval:  # noqa: ARG001
    return months(int(match[1]), int(match[2]))


def _month_year(match: re.Match[str], day_first: bool) -> Interval:  # noqa: ARG001
    return months(int(match[2]), int(match[1]))


def _local(match: re.Match[str], day_first: bool) -> Interval | None:
    """`3/4/2023`: March 4, or 3 April if the day comes first, as it always does with dots.

    A number above 12 can only be the day. Two-digit years are taken with slashes or dots only.
    """
    first, mark, second, written = int(match[1]), match[2], int(match[3]), match[4]
    if len(written) == 2 and (mark == "-" or (mark == "." and len(match[1] + match[3]) < 4)):
        return None  # 3-4-23 and 3.4.23 are as often a score, a section or a version
    year = int(written) if len(written) == 4 else full_year(int(written))
    if max(first, second) > 12:
        day_first = first > 12
    number, month = (first, second) if day_first or (mark == "." and first <= 12) else (second, first)
    return day(date(year, month, number))


def _tokens_to(scan: Scan, i: int, offset: int) -> int:
    """Index of the first token that starts at or after this offset."""
    while i < len(scan.tokens) and scan.tokens[i].start < offset:
        i += 1
    return i


_SHAPES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], bool], Interval | None]], ...] = (
    (_ISO, _iso),
    (_ISO_WEEK, _iso_week),
    (_ISO_MONTH, _iso_month),
    (_LOCAL, _local),
    (_MONTH_YEAR, _month_year),
)
