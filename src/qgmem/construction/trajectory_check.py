"""Does a text tell the states of a trace? The checks between what a model words and what is kept (SPEC §2.5).

Judged by words: values, names, numbers and dates, as with units (`support.py`); no model takes part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from ..types import Interval
from .support import content, foreign_names, foreign_numbers, share
from .timex import find_times
from .traces import State, Trace

LONGEST = 1200  # characters of the text
NAMED = 0.7  # share of a value's words by which it counts as named
_BOUND = re.compile(r"\b(?:from|since|until|till|before|after|to|by)\b", re.IGNORECASE)
REASONS = {
    "unreadable-answer": "is no JSON object with a text",
    "no-text": "has no text, or one that is too long",
    "latest-missing": "does not name a value that holds",
    "latest-not-last": "ends in a value that holds no more",
    "unsupported-name": "has a name that no state has",
    "unsupported-number": "has a number that no state has",
    "unsupported-date": "has a date that no state has",
    "relative-date": "dates by the day of reading",
}


def check_text(text: str, trace: Trace) -> str | None:
    """Why a text does not tell these states (a key of REASONS), or None."""
    if not text or len(text) > LONGEST:
        return "no-text"
    source = _source(trace)
    words = content(text)
    if any(not _named(state.value, words) for state in _latest(trace)):
        return "latest-missing"
    if not _ends_in_latest(text, trace):
        return "latest-not-last"
    if foreign_names(text, source, subject=trace.subject_name):
        return "unsupported-name"
    if reason := _misdated(text, trace):
        return reason
    return "unsupported-number" if foreign_numbers(_undated(text), source) else None


def _latest(trace: Trace) -> Sequence[State]:
    """What holds now; if nothing does, what held last."""
    if trace.current:
        return trace.current
    return [state for state in trace.states if state.status == "superseded"][-1:]


def _named(value: str, words: set[str]) -> bool:
    return share(content(value), words) >= NAMED


def _ends_in_latest(text: str, trace: Trace) -> bool:
    """Is the value that the text names last one of the latest? Values that share their words are not told apart."""
    latest = [state.value for state in _latest(trace)]
    told = {value: _last_place(value, text) for value in {state.value for state in trace.states}}
    last = max(told.values())
    return any(told[value] == last for value in latest)


def _last_place(value: str, text: str) -> int:
    """Where the last word of the value's own stands for the last time; -1 if it is not named."""
    own = content(value)
    places = [found.start() for found in re.finditer(r"[\w'’-]+", text) if content(found[0]) & own]
    return max(places, default=-1)


def _source(trace: Trace) -> str:
    """All that the text may rest on."""
    parts = [trace.subject_name, trace.relation.replace("_", " ")]
    for claim in trace.claims:
        parts += [claim.predicate.replace("_", " "), claim.object, claim.text, claim.source or ""]
        if claim.utterance_time is not None:
            parts.append(claim.utterance_time.date().isoformat())
    for state in trace.states:
        parts += [state.value, *(day.isoformat() for day in (state.valid_from, state.valid_to) if day is not None)]
    return "\n".join(parts)


def _misdated(text: str, trace: Trace) -> str | None:
    """A date must lie in one of the states' own days, or hold one; what is counted from a day of reading is none."""
    known = {day for state in trace.states for day in (state.valid_from, state.valid_to) if day is not None}
    known |= {state.known_from.date() for state in trace.states if state.known_from is not None}
    spans = [claim.fact_time for claim in trace.claims if claim.fact_time is not None]
    text = _bare(text)
    absolute = find_times(text, None)
    for mention in absolute:
        time = mention.interval
        if not any(time.start <= day <= time.end for day in known) and not any(_agree(time, one) for one in spans):
            return "unsupported-date"
    places = {mention.start for mention in absolute}
    values = " ".join(state.value for state in trace.states).casefold()
    counted = [mention for mention in find_times(text, datetime(2000, 1, 1, 12)) if mention.start not in places]
    return "relative-date" if any(mention.text.casefold() not in values for mention in counted) else None


def _bare(text: str) -> str:
    """Bounds as plain times, letter for letter: what "until May 2023" leaves open is the day of reading."""
    return _BOUND.sub(lambda word: "in".ljust(len(word[0])), text)


def _agree(one: Interval, other: Interval) -> bool:
    return (one.start <= other.start and other.end <= one.end) or (other.start <= one.start and one.end <= other.end)


def _undated(text: str) -> str:
    """The text without its dates, whose figures have a check of their own."""
    left = list(text)
    for mention in find_times(_bare(text), None):
        left[mention.start : mention.end] = " " * (mention.end - mention.start)
    return "".join(left)
