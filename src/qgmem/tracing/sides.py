"""Which units say what a question asks for, and which say only what held at other times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from ..construction.traces import KnownAt, Now, State, Then, Trace, states, value_key
from ..construction.traces.as_of import holds
from ..construction.traces.claims import known
from ..construction.traces.matching import the_match
from ..construction.traces.states import HOLDING
from ..stores.trace_reading import Side, TraceReading
from ..stores.trace_records import TripleRow
from .asked import Wanted
from .claims import claim_of
from .names import Bearers
from .standing import Passes


@dataclass(frozen=True, slots=True)
class Sides:
    """Keys of the units that say what is asked for, or that nothing holds, and of those that say others."""

    current: tuple[int, ...]
    superseded: tuple[int, ...]


def sides(
    reading: TraceReading, bearers: Bearers, want: Wanted, now: Now, known_at: KnownAt, passes: Passes | None
) -> Sides | None:
    """The units of that subject and relation; None where no trace is, or none of its states is the one meant.

    Only claims count that had been said by `known_at` and that pass.
    """
    subject = want.subject
    if not subject or subject.startswith("'s "):
        if len(bearers.users) != 1:
            return None
        subject = f"{bearers.users[0]}{subject}"
    stored = not want.times and not want.side and known_at is None and passes is None
    parts: list[Sides] = []
    for each in bearers.find(subject):
        rows = reading.sides(each, want.relation) if stored else []
        if stored and not _to_come(rows, now):
            parts += [_parted([(row.unit, _holding(row.status), row.said) for row in rows])] if rows else []
        else:
            parts += _worked_out(reading, each, want, now, known_at, passes)
    if not parts:
        return None
    current = {unit for each in parts for unit in each.current}
    return Sides(tuple(sorted(current)), tuple(sorted({u for each in parts for u in each.superseded} - current)))


def _holding(status: str | None) -> bool | None:
    return None if status is None else status in HOLDING


def _to_come(rows: Sequence[Side], asked: Now) -> bool:
    """Does a state begin or end later than now, or so near that the time of day may decide?"""
    now = asked.among(date.fromisoformat(row.day) for row in rows if row.day)
    today = now.day.toordinal() - (0 if now.moment is None else 1)  # a day off for zones
    return any((row.begins or 0) > today or (row.ends or 0) > today for row in rows)


def _worked_out(
    reading: TraceReading, subject: str, want: Wanted, now: Now, known_at: KnownAt, passes: Passes | None
) -> list[Sides]:
    """The same from the claims, one trace at a time."""
    found: list[Sides] = []
    traces = dict.fromkeys(trace for name, trace in reading.relations(subject) if name == want.relation)
    for rows in reading.claims(list(traces)):
        heard = {claim.key: row for row in passing(rows, passes) if known(claim := claim_of(row), known_at)}
        if not heard:
            continue
        trace = states(map(claim_of, heard.values()))
        meant = _meant(trace, want, now)
        if meant is None:
            continue
        says = {
            key: state in meant for state, keys in zip(trace.states, trace.asserting, strict=True) for key in keys
        }
        found.append(_parted([(row.unit, says.get(key), row.sequence) for key, row in heard.items()]))
    return found


def passing(rows: Sequence[TripleRow], passes: Passes | None) -> Sequence[TripleRow]:
    """The rows whose units a filter lets through."""
    if passes is None or not rows:
        return rows
    seen = passes(np.array([row.unit for row in rows], np.int64))
    return [row for row, one in zip(rows, seen, strict=True) if one]


def _meant(trace: Trace, want: Wanted, asked: Now) -> list[State] | None:
    """The states asked for; None where none of them is sure to be meant, empty where nothing holds now."""
    if want.side:
        return _next_to(trace, want)
    if want.times:
        held = [state for state in trace.states if any(_during(state, time.start, time.end) for time in want.times)]
        sure = [state for state in held if state.valid_from is not None and "end-unknown" not in state.flags]
        return sure or held or None
    now = asked.among(claim.utterance_time.date() for claim in trace.claims if claim.utterance_time)
    return [state for state in trace.states if holds(state, now)]


def _during(state: State, first: date, last: date) -> bool:
    """Did it hold on a day from `first` to `last`?"""
    then = Then(first)
    return state.status != "retracted" and Then(last).begun(state) and not then.over(state)


def _next_to(trace: Trace, want: Wanted) -> list[State] | None:
    """The state right before or after a value, where one value holds at a time."""
    held = [state for state in trace.states if state.status != "retracted"]
    key = the_match(value_key(want.value), [value_key(state.value) for state in held])
    places = [place for place, state in enumerate(held) if value_key(state.value) == key]
    if not trace.one or not places:
        return None
    place = places[0] - 1 if want.side == "before" else places[-1] + 1
    return [held[place]] if 0 <= place < len(held) else None


def _parted(said: Sequence[tuple[int, bool | None, int]]) -> Sides:
    """`said`: unit, does it say what is asked for (None: it says no state), sequence."""
    current = [unit for unit, meant, _ in said if meant]
    if not current:  # nothing holds: whoever said so last is the newest word
        closing = [(order, unit) for unit, meant, order in said if meant is None]
        current = [max(closing)[1]] if closing else []
    return Sides(tuple(current), tuple(unit for unit, meant, _ in said if meant is False))
