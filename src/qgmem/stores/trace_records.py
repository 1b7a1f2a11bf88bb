"""What the tables of traces hold, as values. Keys are the store's own numbers; days are counted from the year 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ..types import Interval, JsonValue, MemoryUnit, Turn


@dataclass(frozen=True, slots=True)
class UnreadTurn:
    """A turn that the rules have not read: as its unit says it now. `session` is the session's number."""

    unit: int
    session: int
    turn: Turn


@dataclass(frozen=True, slots=True)
class UnreadUnit:
    """A unit with a triple, made by an extractor, whose claim has not been taken in. `claim`: see `ClaimMarks`."""

    key: int
    session: int
    unit: MemoryUnit
    claim: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class PersonRow:
    """A subject as it was named, and who is meant: "" where the session decides, None where nobody worked it out."""

    key: int
    name: str
    speaker: str
    context: str
    kin: str
    given: str
    subject: str | None = None
    shown: str | None = None


@dataclass(frozen=True, slots=True)
class NewTriple:
    """What one unit claims, on its way in."""

    unit: int
    place: int
    person: int
    predicate: str
    object: str
    kind: str
    fact_time: Interval | None
    quote: str
    source: str | None = None
    functional: bool | None = None
    sure: bool = True
    compared: bool = False


@dataclass(frozen=True, slots=True)
class TripleRow:
    """A stored claim with what its unit, its turn and its subject say."""

    key: int
    unit: int
    unit_id: str
    place: int
    atom: int
    subject: str
    name: str
    predicate: str
    object: str
    kind: str
    fact_time: Interval | None
    utterance_time: datetime | None
    sequence: int
    quote: str
    source: str | None
    functional: bool | None
    sure: bool


@dataclass(frozen=True, slots=True)
class Spoken:
    """A mention of somebody where the session decides who is meant. `triple` None: an introduction."""

    triple: int | None
    person: int
    session: int
    subject: str | None  # of the triple as it stands


@dataclass(frozen=True, slots=True)
class StateRow:
    """One state; `opening` and `asserting` are triples: the one that opened it, and all that say it."""

    opening: int
    place: int
    value: str
    valid_from: int | None
    valid_to: int | None
    known_from: str | None
    status: str
    reason: str
    flags: str  # JSON


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A trace as it is stored. `ignored`: JSON of (unit id, reason)."""

    id: str
    subject: str
    name: str
    relation: str
    one: bool
    ignored: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A claim that is compared by cosine. `id`: unit id and place, as claims are keyed.

    `ready`: its unit has a vector, and it was not set apart.
    """

    triple: int
    id: str
    unit: int
    atom: int
    subject: str
    relation: str
    name: str
    predicate: str
    sure: bool
    ready: bool
