"""The values that stages hand to each other: frozen, typed, and named in SPEC's words.

Nothing here reads a file, a clock or the environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Literal

JsonValue = str | int | float | bool | None | list["JsonValue"] | dict[str, "JsonValue"]
Role = Literal["user", "assistant", "system", "tool"]
ROLES: tuple[Role, ...] = ("user", "assistant", "system", "tool")
EntityType = Literal["Who", "What", "When", "Where", "Why", "How", "How much"]
UnitKind = Literal["verbatim", "extracted"]


class Granularity(StrEnum):
    """How precise a fact time is; the coarsest unit that was actually said."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """A closed interval of calendar days, `start <= end`, in the speaker's own calendar."""

    start: date
    end: date
    granularity: Granularity

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"Interval: end {self.end} lies before start {self.start}")

    @property
    def days(self) -> int:
        """Length in days, at least 1."""
        return self.end.toordinal() - self.start.toordinal() + 1


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance, stored verbatim and never rewritten.

    `utterance_time` is aware when its offset was given, naive local time when not, and None when
    nothing was said about it. `sequence` is the namespace's ingestion counter; larger is newer.
    """

    id: str
    session_id: str
    sequence: int
    speaker: str
    role: Role
    text: str
    utterance_time: datetime | None = None
    caption: str | None = None
    caption_query: str | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    agent_id: str | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """A typed mention; `start` and `end` are character offsets into the unit's text, if it stands there."""

    text: str
    type: EntityType
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Triple:
    """Subject, predicate and object of one claim."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """Where a unit comes from: first and last turn id, and the words it rests on."""

    first_turn: str
    last_turn: str
    quote: str


@dataclass(frozen=True, slots=True)
class MemoryUnit:
    """One independently retrievable claim with its source and its two times (SPEC §1).

    `fact_times` say when it happened (empty when vague), `utterance_time` when it was said.
    """

    id: str
    kind: UnitKind
    text: str
    span: SourceSpan
    session_id: str
    sequence: int
    speaker: str
    role: Role
    utterance_time: datetime | None = None
    entities: tuple[Entity, ...] = ()
    locations: tuple[str, ...] = ()
    fact_times: tuple[Interval, ...] = ()
    triple: Triple | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    agent_id: str | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class Attributes:
    """What construction reads off one text besides its words."""

    entities: tuple[Entity, ...] = ()
    locations: tuple[str, ...] = ()
    fact_times: tuple[Interval, ...] = ()


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a question demands of a unit; every kind may be empty (SPEC §3)."""

    entities: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    fact_times: tuple[Interval, ...] = ()
    utterance_times: tuple[Interval, ...] = ()

    @property
    def empty(self) -> bool:
        """True when no channel can use any of them."""
        return not (self.entities or self.locations or self.fact_times or self.utterance_times)


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed question. `question_time` only resolves relative expressions; it is no constraint."""

    text: str
    question_time: datetime | None = None
    constraints: Constraints = field(default_factory=Constraints)


@dataclass(frozen=True, slots=True)
class ChannelScore:
    """One channel's verdict on one unit: rank from 1, and its score (unit as the channel documents)."""

    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A unit on its way to working memory; higher score is better."""

    unit_id: str
    score: float
    channels: Mapping[str, ChannelScore] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ImportRecord:
    """One message read from a foreign file, in the shape that `Memory.add` takes.

    `where` names file and record for error messages.
    """

    session_id: str | None
    message: Mapping[str, object]
    where: str
    user_id: str | None = None


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """One record that could not be read: which file and record, which field, and why."""

    where: str
    field: str
    reason: str
