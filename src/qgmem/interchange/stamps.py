"""Times in front of a transcript's lines, as chat programs and WhatsApp write them.

    [2024-05-01 10:00] Ana: Hello            2024-05-01 10:00 Ana: Hello
    [12/05/2024, 21:10:05] Ana: Hello        12/05/2024, 21:10 - Ana: Hello

ISO dates may have seconds, an offset, or no clock. Figures between slashes or dots are day, month, year, or year,
month, day; two-digit years are of this century, `9:10 pm` is a clock too. Whether the day or the month comes first is
told by the file as a whole: by the first line whose figures allow one reading only; the day, if there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

_MARKS = "[\u200e\u200f\u202a-\u202e\u2066-\u2069]*"  # what WhatsApp puts around text of either direction
_CLOCK = r"[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?(?:\s?[apAP]\.?\s?[mM]\.?)?"
_ISO = (
    rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}(?:(?:T|,?\s){_CLOCK}(?:\.[0-9]{{1,6}})?\s?(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})?)?"
)
_FIGURES = rf"[0-9]{{1,4}}[/.][0-9]{{1,2}}[/.](?:[0-9]{{4}}|[0-9]{{1,2}}),?\s{_CLOCK}"
_LINE = re.compile(
    rf"{_MARKS}(?:\[(?P<inside>{_ISO}|{_FIGURES})\]\s*(?:[-–—]\s)?|(?P<dashed>{_ISO}|{_FIGURES})\s[-–—]\s|(?P<bare>{_ISO})\s)"
    rf"{_MARKS}(?P<rest>.*)"
)
_PARTS = re.compile(
    r"(?P<a>[0-9]{1,4})[-/.](?P<b>[0-9]{1,2})[-/.](?P<c>[0-9]{1,4})"
    r"(?:(?:T|,?\s)(?P<hour>[0-9]{1,2})[:.](?P<minute>[0-9]{2})(?:[:.](?P<second>[0-9]{2}))?(?:\s?(?P<half>[apAP])\.?\s?[mM]\.?)?)?"
)
# People are called many things where they choose it themselves: a number, a nickname in small letters, a heart.
_SPEAKER = re.compile(r"~?\s?(?P<name>[^:：\"“”<>\[\]{}\n]{1,60}?)\s*[:：](?:\s+|$)(?P<text>.*)")
_WORDS = 5  # of a name, at most


@dataclass(frozen=True, slots=True)
class Stamped:
    """A line with a time in front. `name` is None where nobody speaks: what the program itself says.

    `like_a_message`: nobody that counts as a speaker, and yet words, a colon, and words.
    """

    stamp: str
    name: str | None
    text: str
    like_a_message: bool = False


def stamped(line: str) -> Stamped | None:
    """The line's parts, None if no time stands in front.

    >>> stamped("[12/05/2024, 21:10:05] Ana: see you: soon")
    Stamped(stamp='12/05/2024, 21:10:05', name='Ana', text='see you: soon', like_a_message=False)
    >>> stamped("12/05/2024, 21:09 - Ben joined").name is None
    True
    >>> stamped("2024-05-01 10:00 is the deadline") is None
    True
    """
    found = _LINE.fullmatch(line)
    if found is None:
        return None
    stamp, rest = found["inside"] or found["dashed"] or found["bare"], found["rest"].strip()
    said = _SPEAKER.fullmatch(rest)
    if said is not None and len(words := said["name"].split()) <= _WORDS and words:
        return Stamped(stamp, " ".join(words), said["text"])
    if found["bare"]:  # a sentence that begins with a date
        return None
    return Stamped(stamp, None, rest, like_a_message=re.search(r"\S[:：]\s+\S", rest) is not None)


def day_first(lines: Iterable[str]) -> bool:
    """Whether the stamps of a file put the day before the month; reads until one leaves no choice.

    >>> day_first(["05/06/2024, 9:00 - Ana: a", "05/13/2024, 9:00 - Ana: b"])
    False
    """
    for line in lines:
        found = stamped(line)
        parts = _PARTS.match(found.stamp) if found is not None else None
        if parts is not None and len(parts["a"]) < 3 and max(int(parts["a"]), int(parts["b"])) > 12:
            return int(parts["a"]) > 12
    return True


def moment(stamp: str, *, day_before_month: bool) -> str:
    """The stamp in ISO form; as it stands where it is no time, so that whoever stores it can say so.

    >>> moment("12/05/24, 9:10 pm", day_before_month=True)
    '2024-05-12T21:10:00'
    >>> moment("12/13/2024, 9:10", day_before_month=True)
    '2024-12-13T09:10:00'
    >>> moment("31/02/2024, 9:10", day_before_month=True)
    '31/02/2024, 9:10'
    """
    parts = _PARTS.match(stamp)
    if parts is None:
        return stamp
    numbers = [int(parts[name]) for name in "abc"]
    if len(parts["a"]) == 4:
        year, month, day = numbers
    else:
        first, second, year = numbers
        other = second > 12 if day_before_month else first > 12  # impossible the one way
        day, month = (first, second) if day_before_month != other else (second, first)
        year += 2000 if year < 100 else 0
    hour, half = int(parts["hour"] or 0), (parts["half"] or "").lower()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0) if 1 <= hour <= 12 else 99
    try:
        read = datetime(year, month, day, hour, int(parts["minute"] or 0), int(parts["second"] or 0))
        behind = re.sub(r"\s", "", stamp[parts.end() :])  # a fraction, an offset
        whole = read.isoformat() + behind
        datetime.fromisoformat(whole)
    except ValueError:
        return stamp
    return whole if parts["hour"] else read.date().isoformat()
