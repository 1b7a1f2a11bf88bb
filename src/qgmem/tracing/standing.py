"""What no longer holds on a day, or does not hold now: which units' states are over (SPEC §2.6).

Stored states answer for days and for everything that is stored. Traces of which a search sees a part, and those in
which something changed around the very time of day that is asked for, are worked out from their claims.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from ..construction.traces import KnownAt, State, Then, states
from ..construction.traces.claims import instant, known
from ..stores.reading import time_number
from ..stores.trace_reading import UNKNOWN, Asserted, Int64, TraceReading
from ..stores.trace_records import TripleRow
from .claims import claim_of

Passes = Callable[[Int64], NDArray[np.bool_]]  # (n,) keys of units → (n,) which of them the search may see
NO_TRACES: Int64 = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Standing:
    """Keys of units, ascending. `over`: every state that the unit says was over by then.

    `opens`: it was the first to say something that held then, or tells something of unknown beginning that may have.
    `vague`: of the states it says only those may have held
    whose beginning or end nobody knows.
    """

    over: Int64
    vague: Int64
    opens: Int64


def looking_back(standing: Standing, last_days: Mapping[int, int], then: Then) -> Standing:
    """With the units that tell of the past without saying since when. `last_days`: unit → up to which day (ordinal).

    They count as vague on those days, unless a state that they say is known to be over or to hold.
    """
    day = then.day.toordinal()
    units = np.array(sorted(unit for unit, last in last_days.items() if day <= last), np.int64)
    units = units[~np.isin(units, standing.over) & ~np.isin(units, standing.opens)]
    return Standing(standing.over, np.union1d(standing.vague, units), np.union1d(standing.opens, units))


def on(reading: TraceReading, asserted: Asserted, then: Then, known_at: KnownAt, passes: Passes | None) -> Standing:
    """What stood then. A unit that says several states is over only when none of them holds.

    Only what `passes` lets through may end or take back anything. States that begin later do not count as over: a
    unit whose states all begin later is kept out, or not, by its own time. A state that was taken back never held.
    """
    day = then.day.toordinal()
    begun = (asserted.valid_from == UNKNOWN) | (asserted.valid_from <= day)
    over = ((asserted.valid_to != UNKNOWN) & (asserted.valid_to <= day)) | (asserted.retracted == 1)
    holds, vague = begun & ~over, asserted.vague == 1
    again = np.union1d(_in_part(asserted, over | vague, passes), _close(asserted, then, day))
    kept = ~np.isin(asserted.trace, again)
    fresh = [
        (unit, then.held(state), then.over(state) or state.status == "retracted", _vague(state), opens)
        for rows in reading.claims_of(again).values()
        for unit, state, opens in _stated(rows, known_at, passes)
    ]
    rows = np.array(fresh, np.int64).reshape(-1, 5)
    unit, holds, over, vague, opens = (
        np.concatenate([stored[kept], rows[:, place].astype(stored.dtype)])
        for place, stored in enumerate((asserted.unit, holds, over, vague, asserted.opens == 1))
    )
    return Standing(
        np.setdiff1d(unit[over], unit[holds]),
        np.setdiff1d(unit[holds & vague], unit[holds & ~vague]),
        np.unique(unit[holds & opens]),
    )


def _in_part(asserted: Asserted, doubtful: NDArray[np.bool_], passes: Passes | None) -> Int64:
    """Traces with claims on both sides of a filter, as far as something in them is over or vague."""
    if passes is None or not len(asserted.claims):
        return NO_TRACES
    unit, trace = asserted.claims[:, 0], asserted.claims[:, 1]
    seen = passes(unit)
    both = np.intersect1d(trace[seen], trace[~seen])
    return np.intersect1d(both, asserted.trace[doubtful])


def _close(asserted: Asserted, then: Then, day: int) -> Int64:
    """Traces where a state begins or ends about that day, if the time of day may decide; a day off for zones."""
    if then.moment is None:
        return NO_TRACES
    near = (np.abs(asserted.valid_from - day) <= 1) | (np.abs(asserted.valid_to - day) <= 1)
    return np.unique(asserted.trace[near])


def heard(reading: TraceReading, everything: Asserted, known_at: KnownAt) -> Asserted:
    """The states as they stood when no more had been said than by `known_at`.

    Only traces of which something was said later are worked out again; those of which nothing had been said have no
    unit that a search at that time could see.
    """
    if known_at is None:
        return everything
    if isinstance(known_at, int):
        parts = reading.heard_in_part(None, known_at)
    else:
        parts = reading.heard_in_part(time_number(instant(known_at)), None)
    found = [
        (unit, trace, _day(state.valid_from), _day(state.valid_to), state.status == "retracted", _vague(state), opens)
        for trace, rows in parts.items()
        for unit, state, opens in _stated(rows, known_at, None)
    ]
    again = np.array(found, np.int64).reshape(-1, 7)
    kept = ~np.isin(everything.trace, np.array(list(parts), np.int64))
    columns = (
        everything.unit, everything.trace, everything.valid_from, everything.valid_to, everything.retracted,
        everything.vague, everything.opens,
    )  # fmt: skip
    joined = (np.concatenate([column[kept], again[:, n]]) for n, column in enumerate(columns))
    return Asserted(everything.claims, *joined)


def _stated(rows: Iterable[TripleRow], known_at: KnownAt, passes: Passes | None) -> Iterator[tuple[int, State, bool]]:
    """Each unit with each state that it says, first or again, by the claims that had been said and may be seen."""
    heard = [row for row in rows if known(claim_of(row), known_at)]
    if passes is not None and heard:
        seen = passes(np.array([row.unit for row in heard], np.int64))
        heard = [row for row, passing in zip(heard, seen, strict=True) if passing]
    if not heard:
        return
    units = {claim_of(row).key: row.unit for row in heard}
    found = states(map(claim_of, heard))
    for state, keys in zip(found.states, found.asserting, strict=True):
        for key in keys:
            yield units[key], state, key == keys[0]


def _vague(state: State) -> bool:
    return "time-unknown" in state.flags or "end-unknown" in state.flags


def _day(day: date | None) -> int:
    return UNKNOWN if day is None else day.toordinal()
