"""The states of one trace, in order, worked out from its claims alone (SPEC §2.5, §2.6).

`states` is a pure function of the set of claims: the order in which they arrived cannot matter, a claim that is
taken away takes its effect with it, and nothing is ever overwritten. The rules:

1. A retraction voids every claim of its value that was said before it; what it had closed is open again.
2. The others stand in order of their first day (ties: hearsay first, then in the order said), in one lane if the
   relation has one value at a time, else in one lane for each value.
3. A value that already holds is a repeat and merges. Another value, or an `end` of what holds, closes it on the
   day on which it begins. So a late report takes its place in the past and leaves the current state alone.
4. A claim without any time keeps its place by sequence: after all that had been said before. Its state is shown and
   flagged, and what it closes has an unknown end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from ...errors import InvalidInput
from .claims import Claim
from .functional import one_at_a_time
from .lanes import Entry, Place, lanes, places
from .relations import relation_of
from .voiding import voided

Status = Literal["current", "superseded", "retracted", "coexisting", "upcoming"]
HOLDING = ("current", "coexisting")


@dataclass(frozen=True, slots=True)
class State:
    """One value of a subject–relation, and the days on which it held: `valid_from` included, `valid_to` excluded.

    `valid_from` None: unknown, flagged `time-unknown`. `valid_to` None: still open, unless flagged `end-unknown`.
    `known_from`: when it was said; None for an unknown time, then `sequence` tells the order (`serial-N`).
    `repeats` are units that say the same. `reason` says why the status is what it is, naming the unit behind it.
    `flags` also holds `hearsay` when nobody but a quoted person said it. `since`, `until`: the moments of the two
    days, where they are those of utterances; None where a fact time, which knows days only, decides.
    """

    value: str
    unit_id: str
    valid_from: date | None
    valid_to: date | None
    known_from: datetime | None
    sequence: int
    status: Status
    reason: str
    repeats: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    source: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A dynamic memory trace: ordered states of one subject–relation, with the claims they were worked out from.

    `ignored`: (unit id, reason) of claims that changed nothing, as the end of something nobody claimed. `asserting`:
    for each state the keys of the claims that say it, the one that opened it first.
    """

    id: str
    subject_id: str
    subject_name: str
    relation: str
    one: bool
    states: tuple[State, ...]
    claims: tuple[Claim, ...]
    ignored: tuple[tuple[str, str], ...] = ()
    asserting: tuple[tuple[str, ...], ...] = ()

    @property
    def current(self) -> tuple[State, ...]:
        """What holds now: at most one state of a relation with one value at a time."""
        return tuple(state for state in self.states if state.status in HOLDING)


def states(claims: Iterable[Claim]) -> Trace:
    """The trace of these claims, which must belong together. Raises InvalidInput without any, or for twice one unit.

    A unit may not claim two things: (unit_id, place) is its key.
    """
    ordered = sorted(claims, key=lambda claim: claim.said)
    if not ordered:
        raise InvalidInput("claims", "a trace needs at least one claim")
    if len({(claim.unit_id, claim.place) for claim in ordered}) < len(ordered):
        raise InvalidInput("claims", "one unit appears twice", "give each claim of a unit its own place")
    one = one_at_a_time(ordered)
    void = voided(ordered)
    standing = [claim for claim in ordered if claim.said not in void and claim.kind != "retraction"]
    found: list[tuple[Place, State, tuple[str, ...]]] = []
    place = places(ordered)
    laid = lanes(standing, one, place)
    open_values = sum(1 for lane in laid.lanes if lane and lane[-1].closed_by is None)
    for lane in laid.lanes:
        for entry in lane:
            keys = tuple(claim.key for claim in (entry.opening, *entry.repeats))
            found.append((place[entry.opening.said], _state(entry, one, open_values), keys))
    for claim in ordered:
        if claim.said in void and claim.kind != "end":
            found.append((place[claim.said], _retracted(claim, void[claim.said]), (claim.key,)))
    found.sort(key=lambda row: row[0])
    idle = [(c.unit_id, "takes back what was never said") for c in ordered
            if c.kind == "retraction" and c not in void.values()]  # fmt: skip
    head = min(ordered, key=lambda claim: (claim.subject_id, relation_of(claim.predicate, claim.object).name))
    relation = relation_of(head.predicate, head.object).name
    name = max((claim.subject_name for claim in ordered), key=lambda name: (len(name), name))
    return Trace(
        trace_id(head.subject_id, relation), head.subject_id, name, relation, one,
        tuple(state for _, state, _ in found), tuple(ordered), tuple(sorted((*laid.ignored, *idle))),
        tuple(keys for _, _, keys in found),
    )  # fmt: skip


def trace_id(subject_id: str, relation: str) -> str:
    """The id of a trace: a digest of the first subject–relation in it, which does not change as states are added."""
    digest = hashlib.sha256()
    for part in (subject_id, relation):
        data = part.encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return f"trace-{digest.hexdigest()[:24]}"


def states_digest(trace: Trace) -> str:
    """A digest of the states with their days and units: what a text about the trace was written from."""
    digest = hashlib.sha256()
    for state in trace.states:
        told = (
            state.value, state.unit_id, state.valid_from, state.valid_to, state.known_from, state.sequence,
            state.status, state.repeats, state.flags, state.source,
        )  # fmt: skip
        data = repr(told).encode()
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _state(entry: Entry, one: bool, open_values: int) -> State:
    """One stretch of a lane with its status."""
    opening, closing = entry.opening, entry.closed_by
    flags = [] if opening.valid_from is not None else ["time-unknown"]
    valid_to = entry.valid_to
    if closing is None:
        status: Status = "coexisting" if not one and open_values > 1 else "current"
        reason = "holds beside others" if status == "coexisting" else "the latest that is known"
    else:
        status = "superseded"
        reason = f"{'ended' if closing.kind == 'end' else 'superseded'} by {closing.unit_id}"
        if valid_to is None:
            flags.append("end-unknown")
        elif valid_to == opening.valid_from:
            reason = f"replaced on its first day by {closing.unit_id}"
    if all(claim.source is not None for claim in (opening, *entry.repeats)):
        flags.append("hearsay")
    return State(
        entry.value, opening.unit_id, opening.valid_from, valid_to, opening.utterance_time, opening.sequence, status,
        reason, tuple(claim.unit_id for claim in entry.repeats), tuple(flags), opening.source, opening.since,
        entry.until,
    )  # fmt: skip


def _retracted(claim: Claim, by: Claim) -> State:
    """A claim that was taken back: it never held, so it ends where it began."""
    flags = ["hearsay"] if claim.source is not None else []
    return State(
        relation_of(claim.predicate, claim.object).value, claim.unit_id, claim.valid_from, claim.valid_from,
        claim.utterance_time, claim.sequence, "retracted", f"taken back by {by.unit_id}", (), tuple(flags),
        claim.source,
    )  # fmt: skip


def units_of(traces: Sequence[Trace]) -> frozenset[str]:
    """Every unit that has a place in one of the traces."""
    return frozenset(claim.unit_id for trace in traces for claim in trace.claims)
