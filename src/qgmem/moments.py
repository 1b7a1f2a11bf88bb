"""What `as_of`, `known_at` and `question_time` mean, for searches and for trajectories alike."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

from .construction.timestamps import parse_timestamp
from .errors import InvalidInput

Moment = str | date | datetime | None


def last_day(moment: Moment) -> date:
    """The day that `as_of` names; a year or month alone means its last day. Raises InvalidInput.

    >>> last_day("2024-02")
    datetime.date(2024, 2, 29)
    """
    if (day := _month_end(moment, "as_of")) is not None:
        return day
    if serial(moment) is not None:
        raise InvalidInput("as_of", f"{moment!r} is a place in the order, not a day", "known_at takes it")
    return _parsed(moment, "as_of").date()


def exact_moment(moment: Moment) -> datetime | None:
    """The moment that `as_of` or `question_time` names with a time of day; None for a whole day, month or year.

    Raises InvalidInput.

    >>> exact_moment("2024-05-02T12:00").isoformat()
    '2024-05-02T12:00:00'
    >>> exact_moment("2024-05-02")
    """
    if isinstance(moment, str):
        parsed = None if _month_end(moment, "as_of") else _parsed(moment, "as_of")
        clocked = parsed is not None and (parsed.time() != time() or re.search(r"\d:\d\d|\dT\d", moment))
        return parsed if clocked else None
    return _parsed(moment, "as_of") if isinstance(moment, datetime) else None


def serial(moment: Moment) -> int | None:
    """The sequence number of a turn, if `known_at` is written as one: "serial-7" is 7."""
    found = re.fullmatch(r"serial-(\d+)", moment) if isinstance(moment, str) else None
    return int(found.group(1)) if found else None


def last_moment(moment: Moment) -> datetime:
    """The last moment that `known_at` takes in: of a day, month or year without a clock its end. Raises InvalidInput.

    >>> last_moment("2024-02").isoformat()
    '2024-02-29T23:59:59.999999'
    """
    moment = _month_end(moment, "known_at") or moment
    whole_day = isinstance(moment, date) and not isinstance(moment, datetime)
    if isinstance(moment, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", moment.strip()):
        whole_day = True
    parsed = _parsed(moment, "known_at", "or serial-7 for the order of arrival")
    return parsed + timedelta(days=1, microseconds=-1) if whole_day else parsed


def asked_at(moment: Moment) -> datetime | None:
    """When a question is asked; a year or month alone means its last day. Raises InvalidInput.

    >>> asked_at("2024-02")
    datetime.datetime(2024, 2, 29, 0, 0)
    """
    if moment is None:
        return None
    return _parsed(_month_end(moment, "question_time") or moment, "question_time")


def _parsed(moment: Moment, field: str, also: str = "") -> datetime:
    """The moment, with errors that name the argument it was given as."""
    try:
        parsed = parse_timestamp(moment)
    except InvalidInput as error:
        hint = "write a year, month, day or time, as 2024, 2024-05, 2024-05-08 or 2024-05-08T21:10+02:00"
        raise InvalidInput(field, error.problem, f"{hint}, {also}" if also else hint) from error
    if parsed is None:
        raise InvalidInput(field, "is missing")
    return parsed


def _month_end(moment: Moment, field: str) -> date | None:
    """The last day of a year or month that stands alone; None for anything else."""
    month = re.fullmatch(r"(\d{4})(?:-(\d\d))?", moment.strip()) if isinstance(moment, str) else None
    if month is None:
        return None
    year, number = int(month.group(1)), int(month.group(2) or 12)
    if not 1 <= number <= 12 or year < 1:
        raise InvalidInput(field, f"{moment!r} is no month")
    return date(year, 12, 31) if number == 12 else date(year, number + 1, 1) - timedelta(days=1)
