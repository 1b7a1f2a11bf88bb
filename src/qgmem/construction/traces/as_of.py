"""What was true then, for one who had heard the dialogue up to some point: exact on both axes (SPEC §2.6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime

from .claims import KnownAt, instant, known
from .states import HOLDING, State, Status, Trace, states


@dataclass(frozen=True, slots=True)
class Then:
    """A point of valid time: a day, and the moment of it where a time of day was given; else the whole day counts."""

    day: date
    moment: datetime | None = None

    def reached(self, day: date, moment: datetime | None = None) -> bool:
        """Has that day come? Of two known moments the moments decide, else the days."""
        if moment is not None and self.moment is not None:
            return instant(moment) <= instant(self.moment)
        return day <= self.day

    def begun(self, state: State) -> bool:
        """True from the beginning of a state on; one of unknown beginning cannot be ruled out."""
        return state.valid_from is None or self.reached(state.valid_from, state.since)

    def over(self, state: State) -> bool:
        """True from the known end of a state on."""
        return state.valid_to is not None and self.reached(state.valid_to, state.until)

    def held(self, state: State) -> bool:
        """Had it begun and was it not over? What was taken back never held."""
        return state.status != "retracted" and self.begun(state) and not self.over(state)


@dataclass(frozen=True, slots=True)
class Now:
    """When a question is asked. `given`: somebody said so; else it is the clock's day, and a memory may be ahead."""

    then: Then
    given: bool = False

    def among(self, said: Iterable[date]) -> Then:
        """The point itself; a day that nobody gave is at least that of the latest of what was said."""
        return self.then if self.given else Then(max((self.then.day, *said)))


def as_seen(trace: Trace, asked: Now) -> Trace:
    """The trace with each state's status when asked: what is to begin is `upcoming`, what is to end still holds.

    Statuses of `states` are those at the end of all time that is spoken of: "I move to York in 2031" ends what was
    before. Only the statuses and their reasons change.
    """
    now = asked.among(claim.utterance_time.date() for claim in trace.claims if claim.utterance_time)
    if all(now.begun(state) and (state.valid_to is None or now.over(state)) for state in trace.states):
        return trace
    holding = [state for state in trace.states if holds(state, now)]
    status: Status = "coexisting" if not trace.one and len(holding) > 1 else "current"

    def judged(state: State) -> State:
        if state.status == "retracted":
            return state
        if not now.begun(state):
            return replace(state, status="upcoming", reason=f"begins on {state.valid_from}")
        if state not in holding or state.status == status:
            return state
        kept = state.reason if state.valid_to is None else f"holds until {state.valid_to}, then {state.reason}"
        return replace(state, status=status, reason=kept)

    return replace(trace, states=tuple(map(judged, trace.states)))


def holds(state: State, now: Then) -> bool:
    """Is it what holds now, as far as is known: begun, and not over or known to be followed at some time?"""
    return now.begun(state) and (state.status in HOLDING or (state.valid_to is not None and now.held(state)))


def known_by(trace: Trace, known_at: KnownAt) -> Trace | None:
    """The trace as it stood when no more had been said than by `known_at`; None if nothing had.

    `known_at`: a datetime, the sequence number of a turn (`serial-N`), or None for everything.
    """
    if known_at is None:
        return trace
    heard = [claim for claim in trace.claims if known(claim, known_at)]
    return states(heard) if heard else None


def state_at(trace: Trace, as_of: date | Then | None = None, known_at: KnownAt = None) -> tuple[State, ...]:
    """States that held at `as_of` as far as was known at `known_at`, oldest first; empty if none is known.

    `as_of` None asks for what is current. Otherwise a state holds from its first day up to, and without, the first
    day of what closed it; with a time of day, from and up to the moment where an utterance gave the day. States whose
    time is unknown cannot be ruled out: they are given, flagged `time-unknown`, and so is a state whose end is
    unknown, flagged `end-unknown`.
    """
    then = known_by(trace, known_at)
    if then is None:
        return ()
    if as_of is None:
        return then.current
    when = as_of if isinstance(as_of, Then) else Then(as_of)
    return tuple(state for state in then.states if when.held(state))
