"""Dates in figures: ISO 8601 in any language, and day, month and year in the order of the locale."""

from __future__ import annotations

import re
from datetime import date

from .dates import day, months, week
from .named import full_year
from .scan import Found, Scan

_BEFORE = r"(?<![\w/.\-–])"
_AFTER = r"(?![\w/])(?![.\-–][0-9])"
_ISO = re.compile(
    _BEFORE + r"([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})"
    r"(?:[Tt ][0-9]{2}:[0-9]{2}[0-9:.,]{0,16}(?:[Zz]|[+-][0-9:]{2,6})?)?"
    # letters of scripts without spaces may follow: 2023-05-08に
    r"(?![0-9A-Za-z_/])(?![.\-–][0-9])"
)
_ISO_MONTH = re.compile(_BEFORE + r"([0-9]{4})-([0-9]{2})" + _AFTER)
_ISO_WEEK = re.compile(_BEFORE + r"([0-9]{4})-W([0-9]{2})(?:-([1-7]))?" + _AFTER)
_LOCAL = re.compile(_BEFORE + r"([0-9]{1,2})([-/.])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})" + _AFTER)
_MONTH_YEAR = re.compile(_BEFORE + r"([0-9]{1,2})/([0-9]{4})" + _AFTER)


def read_numeric(scan: Scan, i: int) -> Found | None:
    """A date in figures at token i. ValueError if it names no day (31/31/2023, 2023-02-30)."""
    at = scan.tokens[i].start
    text = scan.text
    match = _ISO.match(text, at)
    if match:
        year, month, number = int(match[1]), int(match[3]), int(match[4])
        return Found(_tokens_to(scan, i, match.end()), day(date(year, month, number)))
    match = _ISO_WEEK.match(text, at)
    if match:
        year, number = int(match[1]), int(match[2])
        end = _tokens_to(scan, i, match.end())
        first = date.fromisocalendar(year, number, int(match[3] or 1))
        return Found(end, day(first) if match[3] else week(first))
    match = _ISO_MONTH.match(text, at)
    if match and 1 <= int(match[2]) <= 12 and 1000 <= int(match[1]) <= 2999:
        return Found(_tokens_to(scan, i, match.end()), months(int(match[1]), int(match[2])))
    match = _LOCAL.match(text, at)
    if match:
        return _local(scan, i, match)
    match = _MONTH_YEAR.match(text, at)
    if match and 1 <= int(match[1]) <= 12 and 1900 <= int(match[2]) <= 2099:
        return Found(_tokens_to(scan, i, match.end()), months(int(match[2]), int(match[1])))
    return None


def _local(scan: Scan, i: int, match: re.Match[str]) -> Found | None:
    """`3/4/2023`: March 4, or 3 April if the day comes first, as it always does with dots.

    A number above 12 can only be the day. Two-digit years are taken with slashes or dots only.
    """
    first, mark, second, written = int(match[1]), match[2], int(match[3]), match[4]
    if len(written) == 2 and mark == "-":
        return None
    if mark == "." and len(written) == 2 and (len(match[1]) < 2 or len(match[3]) < 2):
        return None  # 3.4.23 is as often a version or a section
    year = int(written) if len(written) == 4 else full_year(int(written))
    day_first = (scan.day_first or mark == ".") if max(first, second) <= 12 else first > 12
    number, month = (first, second) if day_first else (second, first)
    return Found(_tokens_to(scan, i, match.end()), day(date(year, month, number)))


def _tokens_to(scan: Scan, i: int, offset: int) -> int:
    """Index of the first token that starts at or after this offset."""
    while i < len(scan.tokens) and scan.tokens[i].start < offset:
        i += 1
    return i
