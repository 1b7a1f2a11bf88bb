"""Date headings of plain transcripts: a line that holds a date, maybe a time, and nothing else."""

from __future__ import annotations

import re
from datetime import datetime

_LONGEST = 100  # characters of a heading with all its decoration
_YEAR = re.compile(r"\d{4}")
_DECORATION = re.compile(r"^[\s#=*_\-–—\[\]~>]+|[\s#=*_\-–—\[\]~:<]+$")
_LABEL = re.compile(r"^(?:date|session(?:\s+\d+)?|day|datum)\s*[:,\-–—]\s*", re.IGNORECASE)
_WEEKDAY = re.compile(r"^(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FULL = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:\s*(?P<half>[ap])\.?m\.?)?"
_DATES = (
    r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})",
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?P<name>[A-Za-z]{3,9})\.?,?\s+(?P<year>\d{4})",
    r"(?P<name>[A-Za-z]{3,9})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})",
    r"(?P<name>[A-Za-z]{3,9})-(?P<day>\d{1,2})-(?P<year>\d{4})",
)
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for date in _DATES
    for form in (rf"{date}(?:(?:\s*,\s*|\s+(?:at\s+)?|T){_CLOCK})?", rf"{_CLOCK}\s*(?:on\s+|,\s*){date}")
)


def heading_time(line: str) -> str | None:
    """The line's date (and time) in ISO form, None if it is no date heading.

    Understood, with any of `# = - * [ ]` around and a weekday, `Date:` or `Session 3 -` before:
    `2024-05-08`, `2024/5/8 18:30`, ISO with offset, `8 May 2024`, `May 8th, 2024, 6:30 pm`,
    `1:56 pm on 8 May, 2023`, `March-15-2024`. Day/month/year in figures is ambiguous and not read.

    >>> heading_time("## Wednesday, 8 May 2024, 6:30 pm")
    '2024-05-08T18:30:00'
    >>> heading_time("May I?") is None
    True
    """
    if len(line) > _LONGEST or _YEAR.search(line) is None:
        return None
    bare = _WEEKDAY.sub("", _LABEL.sub("", _DECORATION.sub("", line)))
    exact = _iso(bare)
    if exact is not None:
        return exact
    for form in _FORMS:
        found = form.fullmatch(bare)
        if found is not None:
            return _compose(found.groupdict())
    return None


def _iso(bare: str) -> str | None:
    """A line that is ISO 8601 as it stands keeps its offset."""
    if not re.match(r"\d{4}-\d\d-\d\d", bare):
        return None
    try:
        datetime.fromisoformat(bare)
    except ValueError:
        return None
    return bare


def _compose(parts: dict[str, str | None]) -> str | None:
    month = _month(parts)
    hour, half = int(parts["hour"] or 0), (parts["half"] or "").lower()
    if half and not 1 <= hour <= 12:
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        moment = datetime(
            int(parts["year"] or 0), month, int(parts["day"] or 0),
            hour, int(parts["minute"] or 0), int(parts["second"] or 0),
        )  # fmt: skip
    except ValueError:  # 30 February, month 13, hour 25
        return None
    return moment.isoformat() if parts["hour"] else moment.date().isoformat()


def _month(parts: dict[str, str | None]) -> int:
    """1 to 12, or 0 for a word that is no month."""
    if parts.get("month"):
        return int(parts["month"] or 0)
    name = (parts.get("name") or "").lower()
    if name in _FULL or name in _MONTHS or name == "sept":
        return _MONTHS.index(name[:3]) + 1
    return 0
