"""Late reports of what had begun at an unknown time: "until 2023 I lived in Bath", "I used to work" (SPEC §2.6).

Such a unit has no fact time, or none that tells its beginning, so its own time is that of the utterance. What it
tells may have held on any day before, up to the end that it names.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from ..construction.timex import find_times

WORDS = ("until ", "till ", "before ", "prior to ", "up to ", " by ", "by ", "used to ")  # one of them must occur
_UP_TO = re.compile(
    r"\b(?P<word>up until|up till|until|till|up to|before|prior to|by)\s+"
    r"(?P<part>(?:the )?(?:very )?(?:end|close|start|beginning|middle|summer|spring|autumn|fall|winter) of (?:the )?"
    r"|early |mid-?\s?|late |about |around )?(?P<time>[^.!?;\n]{1,60})",
    re.I,
)
_NO_LONGER = re.compile(
    r"\b(?:until|till) (?:recently|lately|now)\b|(?<!am )(?<!is )(?<!are )(?<!was )(?<!were )(?<!be )(?<!been )"
    r"(?<!being )(?<!get )(?<!got )(?<!getting )(?<!'m )(?<!'s )(?<!'re )\bused to [a-z]",
    re.I,
)
_CUE = re.compile(  # no time is without one of these; to find a time costs more
    r"\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|last|yester|new year|christ"
    r"|easter|summer|winter|spring|autumn|fall)",
    re.I,
)
_FIRST = 4  # characters between the word and the time that it governs


def held_until(text: str, said: datetime) -> date | None:
    """The last day on which something of unknown beginning may have held; None where the text tells nothing such.

    >>> held_until("Until 2023 I lived in Bath.", datetime(2024, 8, 2))
    datetime.date(2023, 12, 31)
    >>> held_until("I used to live in Bath.", datetime(2024, 8, 2))
    datetime.date(2024, 8, 1)
    >>> held_until("I have time until Friday.", datetime(2024, 8, 2))
    """
    days: list[date] = []
    if _NO_LONGER.search(text) and said.date() > date.min:
        days.append(said.date() - timedelta(days=1))
    for found in _UP_TO.finditer(text):
        if not _CUE.search(found["time"]):
            continue
        if any(mention.start == 0 for mention in find_times(found[0], said)):
            continue  # from now until then: a deadline, a plan
        until = _time(found["time"], said)
        if until is None or until[0] >= said.date():
            continue
        before = found["word"].lower() in ("before", "prior to") and found["part"] is None and until[0] > date.min
        days.append(until[0] - timedelta(days=1) if before else min(until[1], said.date()))
    return max(days, default=None)


def _time(text: str, said: datetime) -> tuple[date, date] | None:
    """The time expression that these words begin with."""
    for lead in ("in ", "on ", ""):
        for mention in find_times(lead + text, said):
            if mention.start <= max(len(lead), _FIRST):
                return mention.interval.start, mention.interval.end
    return None
