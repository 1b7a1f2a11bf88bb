"""What no longer holds on a day, or does not hold now: which units' states are over (SPEC §2.6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

import numpy as np

from ..construction.traces import KnownAt, states
from ..construction.traces.claims import instant, known
from ..stores.reading import time_number
from ..stores.trace_reading import UNKNOWN, Asserted, Int64, TraceReading
from ..stores.trace_records import TripleRow
from .claims import claim_of


@dataclass(frozen=True, slots=True)
class Standing:
    """Keys of units, ascending. `over`: every state that the unit says was over by the day.

    `vague`: of the states it says only those may have held whose beginning or end nobody knows.
    """

    over: Int64
    vague: Int64


def on(asserted: Asserted, day: date) -> Standing:
    """What stands on a day. A unit that says several states is over only when none of them holds.

    States that begin later do not count as over: a unit whose states all begin later is kept out, or not, by its own
    time. A state that was taken back never held.
    """
    number = day.toordinal()
    begun = (asserted.valid_from == UNKNOWN) | (asserted.valid_from <= number)
    ended = (asserted.valid_to != UNKNOWN) & (asserted.valid_to <= number)
    over = ended | (asserted.retracted == 1)
    holds = begun & ~over
    sure = holds & (asserted.vague == 0)
    return Standing(
        np.setdiff1d(asserted.unit[over], asserted.unit[holds]),
        np.setdiff1d(asserted.unit[holds & ~sure], asserted.unit[sure]),
    )


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
    rows = [row for trace, claims in parts.items() for row in _then(trace, claims, known_at)]
    again = np.array(rows, np.int64).reshape(-1, 6)
    kept = ~np.isin(everything.trace, np.array(list(parts), np.int64))
    columns = (
        everything.unit, everything.trace, everything.valid_from, everything.valid_to, everything.retracted,
        everything.vague,
    )  # fmt: skip
    return Asserted(*(np.concatenate([column[kept], again[:, n]]) for n, column in enumerate(columns)))


def _then(trace: int, rows: Iterable[TripleRow], known_at: KnownAt) -> list[tuple[int, int, int, int, int, int]]:
    units = {}
    claims = []
    for row in rows:
        claim = claim_of(row)
        if known(claim, known_at):
            units[claim.key] = row.unit
            claims.append(claim)
    if not claims:
        return []
    found = states(claims)
    return [
        (
            units[key], trace, _day(state.valid_from), _day(state.valid_to), int(state.status == "retracted"),
            int("time-unknown" in state.flags or "end-unknown" in state.flags),
        )
        for state, keys in zip(found.states, found.asserting, strict=True)
        for key in keys
    ]  # fmt: skip


def _day(day: date | None) -> int:
    return UNKNOWN if day is None else day.toordinal()
