"""What is true of a subject at a day, for a reader who has heard the dialogue up to some point (SPEC §2.6).

The rules, on the claims said by `known_at`:

1. A retraction voids every earlier claim of its object: such a claim never held.
2. Repeats confirm and change nothing.
3. Functional relation: the claim with the latest `valid_from` on or before `as_of` decides (ties: said later).
   An `end` there leaves no value. So a state lasts until the next one begins, and a late report takes its
   place in the past without touching what is current.
4. Multi-valued relation: rule 3 for each object by itself.

A turn without time is known at every datetime and placed exactly by a sequence number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime

from ..errors import InvalidInput
from .records import Claim

KnownAt = datetime | int | None


@dataclass(frozen=True, slots=True)
class State:
    """One stretch of days in which `object` held; `valid_to` is the first day after it, None while open."""

    object: str
    valid_from: date
    valid_to: date | None
    claim_id: str


def _said(claim: Claim, known_at: KnownAt) -> bool:
    if known_at is None:
        return True
    if isinstance(known_at, int):
        return claim.position[0] <= known_at
    if claim.utterance_time is None:
        return True
    if (claim.utterance_time.tzinfo is None) != (known_at.tzinfo is None):
        raise InvalidInput("known_at", "naive and aware times cannot be compared",
                           "give known_at an offset exactly if the dialogue's times have one")  # fmt: skip
    return claim.utterance_time <= known_at


def _order(claim: Claim) -> tuple[date, tuple[int, int]]:
    return claim.valid_from, claim.position


def _standing(claims: Iterable[Claim], known_at: KnownAt) -> list[Claim]:
    """Claims that were said by then, were not voided and can change a state, in order of validity."""
    said = [c for c in claims if _said(c, known_at)]
    void: dict[str, tuple[int, int]] = {}
    for claim in said:
        if claim.kind == "retraction":
            void[claim.object] = max(claim.position, void.get(claim.object, claim.position))
    return sorted(
        (
            c
            for c in said
            if c.kind not in ("retraction", "repeat") and not (c.object in void and c.position < void[c.object])
        ),
        key=_order,
    )


class Truth:
    """The claims of one life, asked for any subject, relation, day and state of knowledge."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._claims: dict[tuple[str, str], list[Claim]] = {}
        for claim in claims:
            self._claims.setdefault((claim.subject_id, claim.predicate), []).append(claim)

    def subjects(self) -> list[tuple[str, str]]:
        """Every (subject id, relation) that was spoken of, in order of first mention."""
        return list(self._claims)

    def state(self, subject_id: str, relation: str, as_of: date, known_at: KnownAt = None) -> frozenset[str]:
        """Objects that held on the day `as_of`, as far as was said by `known_at`.

        `known_at`: a datetime, a sequence number of a turn, or None for the whole dialogue; both ends
        included. Empty when nothing is known. Raises InvalidInput for naive against aware times.
        """
        return frozenset(
            s.object
            for s in self.history(subject_id, relation, known_at)
            if s.valid_from <= as_of and (s.valid_to is None or as_of < s.valid_to)
        )

    def history(self, subject_id: str, relation: str, known_at: KnownAt = None) -> list[State]:
        """All states in order of their first day; equal neighbours are merged, empty ones dropped."""
        standing = _standing(self._claims.get((subject_id, relation), ()), known_at)
        lanes: dict[str, list[Claim]] = {}
        for claim in standing:
            lanes.setdefault("" if claim.functional else claim.object, []).append(claim)
        states = [state for lane in lanes.values() for state in _lane(lane)]
        return sorted(states, key=lambda s: (s.valid_from, s.object))


def _lane(claims: list[Claim]) -> list[State]:
    """States of one functional relation, or of one object of a multi-valued one."""
    states: list[State] = []
    for claim in claims:
        if states and states[-1].valid_to is None:
            if claim.kind != "end" and states[-1].object == claim.object:
                continue
            states[-1] = replace(states[-1], valid_to=claim.valid_from)
        if claim.kind != "end":
            states.append(State(claim.object, claim.valid_from, None, claim.id))
    return [s for s in states if s.valid_to is None or s.valid_to > s.valid_from]


def with_ends(claims: Iterable[Claim], truth: Truth) -> tuple[Claim, ...]:
    """The claims with `valid_to` as the finished dialogue knows it; a retracted claim ends where it began."""
    ends: dict[str, date | None] = {}
    for subject, relation in truth.subjects():
        for state in truth.history(subject, relation):
            ends[state.claim_id] = state.valid_to
    return tuple(
        replace(c, valid_to=ends[c.id]) if c.id in ends else _closed(c, claims_end=c.valid_from) for c in claims
    )


def _closed(claim: Claim, claims_end: date) -> Claim:
    opening = claim.kind in ("state", "update", "late", "hearsay", "coexist")
    return replace(claim, valid_to=claims_end) if opening else claim
