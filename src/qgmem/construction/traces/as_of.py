"""What was true on a day, for one who had heard the dialogue up to some point: exact on both axes (SPEC §2.6)."""

from __future__ import annotations

from datetime import date

from .claims import KnownAt, known
from .states import State, Trace, states


def known_by(trace: Trace, known_at: KnownAt) -> Trace | None:
    """The trace as it stood when no more had been said than by `known_at`; None if nothing had.

    `known_at`: a datetime, the sequence number of a turn (`serial-N`), or None for everything.
    """
    if known_at is None:
        return trace
    heard = [claim for claim in trace.claims if known(claim, known_at)]
    return states(heard) if heard else None


def state_at(trace: Trace, as_of: date | None = None, known_at: KnownAt = None) -> tuple[State, ...]:
    """States that held on the day `as_of` as far as was known at `known_at`, oldest first; empty if none is known.

    `as_of` None asks for what is current. Otherwise a state holds from its first day up to, and without, the first
    day of what closed it. States whose time is unknown cannot be ruled out: they are given, flagged `time-unknown`,
    and so is a state whose end is unknown, flagged `end-unknown`.
    """
    then = known_by(trace, known_at)
    if then is None:
        return ()
    if as_of is None:
        return then.current
    return tuple(state for state in then.states if state.status != "retracted" and _held(state, as_of))


def _held(state: State, day: date) -> bool:
    begun = state.valid_from is None or state.valid_from <= day
    return begun and (state.valid_to is None or day < state.valid_to)
