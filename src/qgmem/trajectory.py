"""What `Memory.trajectory` answers: the states of one subject–relation, with the words that they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from .construction.redaction import Redactor
from .construction.traces import State, Then, Trace, relation_of, state_at, timeline, timelines_svg, trajectory
from .construction.traces.states import Status
from .construction.traces.trajectory import line
from .stores.records import HistoryEvent


@dataclass(frozen=True, slots=True)
class TraceState:
    """One value and the days on which it held: `valid_from` included, `valid_to` excluded.

    `valid_from` None: unknown, flagged `time-unknown`. `valid_to` None: still open, unless flagged `end-unknown`.
    `known_from`: when it was said; None for an unknown time, then `sequence` tells the order (`serial-N`). `quote` is
    the sentence in the unit `unit_id`; `repeats` are units that say it again. `source`: who is quoted, for hearsay.
    `status` is judged at `known_at`, else today: what begins later is `upcoming`, what it will end is `current`.
    """

    value: str
    valid_from: date | None
    valid_to: date | None
    known_from: datetime | None
    sequence: int
    status: Status
    reason: str
    unit_id: str
    quote: str
    repeats: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    source: str | None = None

    def says(self, unit_id: str) -> bool:
        """True if this unit says it, first or again."""
        return unit_id == self.unit_id or unit_id in self.repeats


@dataclass(frozen=True, slots=True)
class Trajectory:
    """How one relation of one subject went, oldest state first, as far as was asked for.

    `subject_id` tells namesakes apart. `one`: the relation has one value at a time. `text`: all of it in words, one
    line a state. `trace` is what the states were worked out from.
    """

    subject: str
    subject_id: str
    relation: str
    one: bool
    states: tuple[TraceState, ...]
    text: str
    trace: Trace = field(repr=False)

    @property
    def current(self) -> tuple[TraceState, ...]:
        """What holds to this day, as far as was known; not what is to begin."""
        return tuple(state for state in self.states if state.status in ("current", "coexisting"))

    def timeline(self, width: int = 100) -> str:
        """The states as bars of characters, one row each; `width` in characters."""
        return timeline(self.trace, width)

    def svg(self) -> str:
        """The states as a picture."""
        return timelines_svg([self.trace])


def told(trace: Trace, as_of: Then | None = None) -> Trajectory:
    """The trajectory of a trace; with `as_of` only the states that held then, which may be none."""
    if as_of is not None:
        trace = replace(trace, states=state_at(trace, as_of))
    text = trajectory(trace) if as_of is None else _on(trace, as_of)
    return Trajectory(
        trace.subject_name, trace.subject_id, trace.relation, trace.one,
        tuple(_state(trace, state) for state in trace.states), text, trace,
    )  # fmt: skip


def drawn(found: Sequence[Trajectory]) -> str:
    """Trajectories as one picture, below each other."""
    return timelines_svg([each.trace for each in found])


def state_event(found: Trajectory, state: TraceState, unit_id: str) -> HistoryEvent:
    """A state as an entry of a unit's history: what it says, whether that holds and why, and the quote."""
    [shown] = [each for each in found.trace.states if (each.unit_id, each.value) == (state.unit_id, state.value)][:1]
    text = f"{found.subject} · {found.relation}, {line(shown)}; {state.status}: {state.reason}; “{state.quote}”"
    return HistoryEvent(unit_id, "state", text, "" if state.known_from is None else state.known_from.isoformat())


def blacked_out(found: Trajectory, redactor: Redactor) -> Trajectory:
    """The trajectory without secrets: in names, values, quotes, and in the text.

    `redactor` should know the secrets of the turns behind it; those of the claims' own words are looked for here.
    """
    known = redactor.beside(*(claim.text for claim in found.trace.claims), *(state.quote for state in found.states))

    def maybe(text: str | None) -> str | None:
        return None if text is None else known.part(text)

    trace = replace(
        found.trace,
        subject_name=known.part(found.trace.subject_name),
        states=tuple(
            replace(state, value=known.part(state.value), source=maybe(state.source)) for state in found.trace.states
        ),
        claims=tuple(
            replace(
                claim,
                subject_name=known.part(claim.subject_name),
                predicate=known.part(claim.predicate),
                object=known.part(claim.object),
                text=known.part(claim.text),
                source=maybe(claim.source),
            )
            for claim in found.trace.claims
        ),
    )
    shown = tuple(
        replace(state, value=known.part(state.value), quote=known.text(state.quote), source=maybe(state.source))
        for state in found.states
    )
    subject, text = known.part(found.subject), known.part(found.text)
    return replace(found, subject=subject, states=shown, text=text, trace=trace)


def _on(trace: Trace, then: Then) -> str:
    """In words what held at one time."""
    held = "; ".join(f"{state.value} [{state.unit_id}]" for state in trace.states) or "nothing known"
    rows = [f"{trace.subject_name} · {trace.relation}", *map(line, trace.states), f"{_at(then)}: {held}"]
    return "\n".join(rows)


def _at(then: Then) -> str:
    return f"on {then.day}" if then.moment is None else f"at {then.moment.isoformat(' ', 'minutes')}"


def _state(trace: Trace, state: State) -> TraceState:
    quote = next(
        claim.text
        for claim in trace.claims
        if (claim.unit_id, relation_of(claim.predicate, claim.object).value) == (state.unit_id, state.value)
    )
    return TraceState(
        state.value, state.valid_from, state.valid_to, state.known_from, state.sequence, state.status, state.reason,
        state.unit_id, quote, state.repeats, state.flags, state.source,
    )  # fmt: skip
