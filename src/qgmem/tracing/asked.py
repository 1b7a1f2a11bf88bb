"""A question about one relation, read by the rules: whose it is, when, and which units say what held then.

"The newest state answers questions about now, never questions about then" (SPEC §2.6).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from ..construction.timex import find_times
from ..construction.traces import relation_of
from ..construction.triples.asks import asked
from ..construction.triples.clean import plain
from ..construction.triples.subject import Speech
from ..types import Interval
from .tense import beside, present

PAST = re.compile(
    r"\b(?:was|were|did|had|used to|before|previous(?:ly)?|former(?:ly)?|first|original(?:ly)?|earlier|ever|ago|"
    r"last|back (?:in|then)|until|when|will|after)\b",
    re.I,
)
ELSE = re.compile(
    r"\b(?:used to|before|after|previous(?:ly)?|former(?:ly)?|first|original(?:ly)?|earlier|ever|until|till|when|"
    r"while|once|then|always|never|not|both)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose relation a question asks for; `subject` "" means whoever speaks as the user.

    `times`: what held then; without any, what holds now. `side` and `value`: the state next to that value instead.
    """

    subject: str
    relation: str
    times: tuple[Interval, ...] = ()
    side: Literal["before", "after"] | None = None
    value: str = ""


def wanted(question: str, times: Sequence[Interval] = (), asked_at: datetime | None = None) -> Wanted | None:
    """What a question asks for; None where the rules cannot read it, or it is about then without saying when.

    `times`: the fact times in it, as they were resolved.

    >>> wanted("Where does Ana live now?")
    Wanted(subject='Ana', relation='home', times=(), side=None, value='')
    >>> wanted("Where did Ana live?")
    >>> wanted("Where did Ana live before Oslo?").side
    'before'
    """
    text = plain(question)
    if times and asked_at and not PAST.search(text) and any(t.start <= asked_at.date() <= t.end for t in times):
        times = ()  # "this year", in the present tense, is now
    if times:
        return None if ELSE.search(text) else _read(text, tuple(dict.fromkeys(times)))
    found = beside(text)
    if found is None:
        return None if PAST.search(text) else _read(text)
    rest, side, value = found
    if ELSE.search(rest):
        return None
    limit = find_times(f"in {value}", asked_at)
    if limit and limit[0].start <= len("in ") and limit[0].end == len(f"in {value}"):
        if side == "after" or limit[0].interval.start == date.min:
            return None  # whatever held later than that may be meant
        day = date.fromordinal(limit[0].interval.start.toordinal() - 1)
        return _read(rest, (Interval(day, day, limit[0].interval.granularity),))
    return _read(rest, side="before" if side == "before" else "after", value=value)


def _read(
    text: str, times: tuple[Interval, ...] = (), side: Literal["before", "after"] | None = None, value: str = ""
) -> Wanted | None:
    ask = asked(present(text), Speech("", None))
    if ask is None:
        return None
    person, relation = ask.subject, relation_of(ask.predicate, "").name
    if person is not None and person.kin and not person.name:
        subject = f"'s {person.kin}"
    else:
        subject = "" if person is None else person.shown
    return Wanted(subject, relation, times, side, value)
