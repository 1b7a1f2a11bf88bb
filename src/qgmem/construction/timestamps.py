"""Utterance times: the timestamp shapes that messages carry, read without asking the server's clock or zone.

A timestamp is either understood or refused. It is never replaced by "now": a message without a time has no
time (SPEC §1). What is returned is naive when nothing was said about the offset, and aware with a fixed offset
when it was, so that "tomorrow" is counted from the speaker's own date wherever the server stands.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from ..errors import InvalidInput

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MONTH_NAMES = (
    "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct "
    "november/nov december/dec"
)
_MONTHS = {name: n for n, names in enumerate(_MONTH_NAMES.split(), 1) for name in names.split("/")}
_CLOCK = r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?(?:\s?(?P<half>[ap])\.?m\.?)?"
_DAY_MONTH = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?[ -](?P<month>[A-Za-z]{3,9})\.?,?[ -](?P<year>[0-9]{4})"
_MONTH_DAY = r"(?P<month>[A-Za-z]{3,9})\.?[ -](?P<day>[0-9]{1,2})(?:st|nd|rd|th)?(?:, ?|[ -])(?P<year>[0-9]{4})"
_SLASHED = r"(?P<year>[0-9]{4})/(?P<month>[0-9]{1,2})/(?P<day>[0-9]{1,2})(?: ?\([A-Za-z]{2,9}\))?"
# `1:56 pm on 8 May, 2023` (LoCoMo); `March-15-2024` (BEAM); `2023/05/20 (Sat) 02:21` (LongMemEval). The
# weekday in brackets repeats the date and is not checked against it.
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE | re.ASCII)
    for shape in (
        rf"{_CLOCK}(?: on|,)? {_DAY_MONTH}",
        rf"{_CLOCK}(?: on|,)? {_MONTH_DAY}",
        rf"{_DAY_MONTH}(?:(?:,| at|, at)? {_CLOCK})?",
        rf"{_MONTH_DAY}(?:(?:,| at|, at)? {_CLOCK})?",
        rf"{_SLASHED}(?: {_CLOCK})?",
    )
)
_ISO = re.compile(r"[0-9]{4}-?(?:[0-9]{2}|W[0-9]{2}).*", re.IGNORECASE | re.ASCII | re.DOTALL)
_UNIX = re.compile(r"[0-9]{9,19}(?:\.[0-9]{1,9})?", re.ASCII)  # ISO's basic dates have at most eight digits
_UTC_NAME = re.compile(r"\s?(?:Z|UTC|GMT)$", re.IGNORECASE)
_LONGEST = 80  # characters; no shape above is longer
_HINT = (
    "give ISO 8601 (2023-05-08T13:56:00+02:00), a datetime, unix seconds as a number, "
    "'1:56 pm on 8 May, 2023', 'March-15-2024' or '2023/05/20 (Sat) 02:21'"
)


def parse_timestamp(
    value: str | datetime | date | int | float | None, *, time_zone: str | tzinfo | None = None
) -> datetime | None:
    """Read one message's time.

    None stays None: unknown. A date without a clock reads as 00:00 of that day. A number, or a text of nine
    digits or more, is unix seconds and comes back aware, in `time_zone` or UTC. A text or datetime with an offset
    keeps it, whatever `time_zone` says; one without is local time in `time_zone` (an IANA name or tzinfo), or naive
    if there is none.

        >>> parse_timestamp("1:56 pm on 8 May, 2023")
        datetime.datetime(2023, 5, 8, 13, 56)

    Raises `InvalidInput` naming `timestamp` or `time_zone`.
    """
    zone = _zone(time_zone)
    if value is None:
        return None
    if isinstance(value, datetime):
        return _settle(value, zone)
    if isinstance(value, date):
        return _settle(datetime.combine(value, time()), zone)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _from_unix(value, zone)
    if isinstance(value, str):
        if len(value) <= _LONGEST and _UNIX.fullmatch(value.strip()):
            return _from_unix(float(value) if "." in value else int(value), zone)
        return _settle(_from_words(value), zone)
    raise InvalidInput("timestamp", f"a {type(value).__name__} is not a time", _HINT)


def sort_key(when: datetime) -> int:
    """Microseconds since 1970-01-01T00:00Z, for ordering; a naive time is read as UTC. Later is larger."""
    aware = when.replace(tzinfo=UTC) if when.utcoffset() is None else when
    return (aware - _EPOCH) // _MICROSECOND


def to_text(when: datetime) -> str:
    """ISO 8601 with the offset if there is one; `from_text` gives back an equal value with the same offset."""
    return _settle(when, None).isoformat()


def from_text(text: str) -> datetime:
    """The inverse of `to_text`. Raises `InvalidInput`."""
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput("timestamp", f"{_shown(text)} is not ISO 8601") from error


def _settle(when: datetime, zone: tzinfo | None) -> datetime:
    """Naive or fixed offset: a stored time must not move when a zone's rules do."""
    offset = when.utcoffset()
    if offset is None and zone is not None:
        offset = when.replace(tzinfo=zone).utcoffset()
    fixed = None if offset is None else timezone(offset) if offset else UTC
    return datetime(when.year, when.month, when.day, when.hour, when.minute, when.second, when.microsecond, fixed)


def _from_unix(seconds: int | float, zone: tzinfo | None) -> datetime:
    try:
        if not math.isfinite(seconds):
            raise InvalidInput("timestamp", f"{seconds} is no number of seconds", _HINT)
        moment = _EPOCH + timedelta(seconds=seconds)
        return _settle(moment.astimezone(zone) if zone else moment, None)
    except OverflowError as error:
        raise InvalidInput(
            "timestamp", "these unix seconds lie outside the years 1 to 9999", "are they milliseconds?"
        ) from error


def _from_words(text: str) -> datetime:
    words = " ".join(text.split()) if len(text) <= _LONGEST else ""
    if _ISO.fullmatch(words) and "/" not in words:
        try:
            return datetime.fromisoformat(_UTC_NAME.sub("+00:00", words) if ":" in words else words)
        except ValueError as error:
            raise InvalidInput("timestamp", f"cannot read {_shown(text)}: {error}", _HINT) from error
    for shape in _SHAPES:
        match = shape.fullmatch(words)
        if match is not None:
            return _assemble(match, text)
    raise InvalidInput("timestamp", f"cannot read {_shown(text)}", _HINT)


def _assemble(match: re.Match[str], text: str) -> datetime:
    parts = match.groupdict()
    month = int(parts["month"]) if parts["month"].isdigit() else _MONTHS.get(parts["month"].lower(), 0)
    hour = int(parts["hour"] or 0)
    if parts["half"]:
        if not 1 <= hour <= 12:
            raise InvalidInput("timestamp", f"cannot read {_shown(text)}: hour {hour} with am or pm", _HINT)
        hour = hour % 12 + (12 if parts["half"].lower() == "p" else 0)
    try:
        return datetime(
            int(parts["year"]), month, int(parts["day"]), hour, int(parts["minute"] or 0), int(parts["second"] or 0)
        )
    except ValueError as error:
        raise InvalidInput("timestamp", f"cannot read {_shown(text)}: {error}", _HINT) from error


def _zone(time_zone: str | tzinfo | None) -> tzinfo | None:
    if not isinstance(time_zone, str):
        return time_zone
    try:
        return ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(
            "time_zone", f"no IANA time zone is called {_shown(time_zone)}", "for example 'Asia/Tokyo'"
        ) from error


def _shown(text: str) -> str:
    """The text, short and in ASCII, for an error message."""
    return ascii(text if len(text) <= 60 else text[:57] + "...")
