"""What is known around the units of an answer: their claims as triples, and the trajectories these belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from .construction.traces import Claim, KnownAt, Now, as_seen, known_by, states
from .generation.serialise import Step, Trail
from .stores.protocol import Store
from .tracing import claim_of
from .tracing.sides import passing
from .tracing.standing import Passes
from .trajectory import TraceState, Trajectory, told
from .types import MemoryUnit, Triple


@dataclass(frozen=True, slots=True)
class Told:
    """`triples` by unit id, in the order in which a unit says them; one trajectory a trace.

    `written`: by trace id, the words of a model that has told these very states.
    """

    triples: Mapping[str, tuple[Triple, ...]] = field(default_factory=dict)
    trajectories: tuple[Trajectory, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)

    def trails(self, as_of: date | None = None) -> list[Trail]:
        """The trajectories as a context shows them. With `as_of` they are composed: a text tells all of it."""
        written = self.written if as_of is None else {}
        return [replace(trail(each, as_of), written=written.get(each.trace.id)) for each in self.trajectories]


def around(
    store: Store, units: Sequence[MemoryUnit], known_at: KnownAt, now: Now, passes: Passes | None = None
) -> Told:
    """Claims of these units and their traces, as known by `known_at`; it takes as long as those traces are.

    `now` decides which of the states are current. Claims of units that a filter keeps from being seen do not count,
    neither as states nor as the end of others: `passes`, None for no filter.

    Triples are of states that somebody tells of first hand: no retraction, no end, no hearsay.
    """
    with store.traced() as reading:
        trace_ids = sorted({trace for unit in units for trace in reading.traces_of_unit(unit.id)})
        claims = [list(map(claim_of, passing(rows, passes))) for rows in reading.claims(trace_ids)]
    wanted = {unit.id for unit in units}
    said: dict[str, list[Claim]] = {}
    for claim in sorted((claim for each in claims for claim in each), key=lambda claim: claim.said):
        if claim.unit_id in wanted and claim.kind not in ("retraction", "end") and claim.source is None:
            said.setdefault(claim.unit_id, []).append(claim)
    triples = {
        unit_id: tuple(Triple(claim.subject_name, claim.predicate, claim.object) for claim in each)
        for unit_id, each in said.items()
    }
    found = (known_by(states(each), known_at) for each in claims if each)
    return Told(triples, tuple(told(as_seen(trace, now)) for trace in found if trace is not None))


def trail(trajectory: Trajectory, as_of: date | None = None) -> Trail:
    """The states of a trajectory as steps; with `as_of` those that had begun by that day, as they stood on it."""
    steps = [_step(state, as_of) for state in trajectory.states if as_of is None or _begun(state, as_of)]
    return Trail(trajectory.subject, trajectory.relation, tuple(steps))


def _begun(state: TraceState, day: date) -> bool:
    return state.valid_from is None or state.valid_from <= day


def _step(state: TraceState, as_of: date | None) -> Step:
    status, end = state.status, state.valid_to
    if as_of is not None and end is not None and end > as_of:
        end = None
        status = "current" if status == "superseded" else status
    return Step(state.value, state.valid_from, end, status, (state.unit_id, *state.repeats))
