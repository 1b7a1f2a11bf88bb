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
    """Where a unit comes from: first and last turn id, and the words it rests on.

    `turns` holds the ids of all of them in order when there are several, nothing otherwise.
    """

    first_turn: str
    last_turn: str
    quote: str
    turns: tuple[str, ...] = ()

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """All source turns in order, each once."""
        return self.turns or tuple(dict.fromkeys((self.first_turn, self.last_turn)))


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
    """What could not be read: which file and record, which field, and why.

    `kept`: the record itself is kept, or held nothing to keep; only what is named here is not. Else it is lost.
    """

    where: str
    field: str
    reason: str
    kept: bool = False


AddStatus = Literal["stored", "deduplicated", "failed"]


@dataclass(frozen=True, slots=True)
class AddItem:
    """What became of one message: `turn_id` once it has one, `reason` when it failed.

    `note` tells of something that was not understood and did not stop it, as a timestamp that cannot be read.
    """

    status: AddStatus
    turn_id: str | None = None
    reason: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class AddReport:
    """One item a message, in order. `pending` says why vectors are missing, if the embedder failed.

    `redacted` counts the secrets that were blacked out before storing, by pattern. Turns whose vectors are pending
    are stored and found by their words; `Memory.embed_pending` catches up. `notes` tell of a file what belongs to no
    message that failed, as a time that is left out.
    """

    items: tuple[AddItem, ...]
    pending: str | None = None
    redacted: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def count(self, status: AddStatus) -> int:
        """How many messages ended so."""
        return sum(item.status == status for item in self.items)


@dataclass(frozen=True, slots=True)
class Hit:
    """One unit of working memory and why it is there.

    `score` is the fusion's (or reranker's) own; higher is better, comparable within one search only. `channels`
    holds each channel's rank and score of this unit, `contributions` what each part added to `score`. `flags`
    names what could not be checked, as `time-unknown` under `as_of`.
    """

    unit: MemoryUnit
    rank: int
    score: float
    channels: Mapping[str, ChannelScore]
    contributions: Mapping[str, float] = field(default_factory=dict)
    flags: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The unit's id."""
        return self.unit.id

    @property
    def text(self) -> str:
        """The unit's fact text."""
        return self.unit.text

    @property
    def speaker(self) -> str:
        """Who said it."""
        return self.unit.speaker

    @property
    def quote(self) -> str:
        """The words it rests on."""
        return self.unit.span.quote

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """All source turns in order."""
        return self.unit.span.turn_ids

    @property
    def utterance_time(self) -> datetime | None:
        """When it was said."""
        return self.unit.utterance_time

    @property
    def fact_times(self) -> tuple[Interval, ...]:
        """When it happened."""
        return self.unit.fact_times


_SUMS = ("calls", "retries", "cached", "failed", "tokens_in", "tokens_out", "seconds", "cost", "unpriced")


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """Sums of one namespace, stage and model.

    `calls` were first attempts that reached out; `retries` every further attempt, for whatever reason; `cached` the
    answers that needed no call; `failed` those of `calls` that got no answer. `seconds` is waiting time, summed over
    calls that may have run side by side. `cost` in US dollars covers calls with a known price; `unpriced` counts the
    others.
    """

    namespace: str
    stage: str
    model: str
    calls: int = 0
    retries: int = 0
    cached: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    unpriced: int = 0

    @property
    def key(self) -> tuple[str, str, str]:
        """What rows are summed by."""
        return self.namespace, self.stage, self.model

    def plus(self, other: LedgerRow) -> LedgerRow:
        """The sum of two rows of one key."""
        numbers = {name: getattr(self, name) + getattr(other, name) for name in _SUMS}
        return LedgerRow(*self.key, **numbers)

    def minus(self, earlier: LedgerRow) -> LedgerRow:
        """What was charged since an earlier sum of the same key."""
        numbers = {name: getattr(self, name) - getattr(earlier, name) for name in _SUMS}
        return LedgerRow(*self.key, **numbers)
