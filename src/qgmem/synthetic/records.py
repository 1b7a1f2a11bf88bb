"""What a simulated life is made of: dialogues, the claims said in them, and questions with known answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

from ..types import Interval, Role

if TYPE_CHECKING:
    from .truth import Truth

DialogueKind = Literal["assistant", "friends"]
ClaimKind = Literal["state", "update", "repeat", "retraction", "end", "late", "hearsay", "coexist"]
QuestionType = Literal[
    "single", "update", "multi_hop", "as_of", "retraction", "late_report", "namesake", "unanswerable",
    "aggregation", "when",
]  # fmt: skip
NO_ANSWER = "not mentioned"


@dataclass(frozen=True, slots=True)
class Person:
    """Someone in a life. Two people may share `name`; `id` and `qualifier` tell them apart.

    `relation` is what the person is to the main speaker ("sister", "colleague"), empty for speakers.
    """

    id: str
    name: str
    pronoun: Literal["she", "he"]
    relation: str = ""
    qualifier: str = ""

    @property
    def first_name(self) -> str:
        """The name friends use."""
        return self.name.split(" ", 1)[0]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. `sequence` counts from 1 through the whole dialogue."""

    id: str
    session_id: str
    sequence: int
    role: Role
    name: str
    content: str
    timestamp: datetime | None = None
    caption: str | None = None
    caption_query: str | None = None

    def record(self) -> dict[str, object]:
        """The mapping that `Memory.add` takes; absent values are left out."""
        out: dict[str, object] = {
            "id": self.id, "session_id": self.session_id, "role": self.role, "name": self.name,
            "content": self.content,
        }  # fmt: skip
        if self.timestamp is not None:
            out["timestamp"] = self.timestamp.isoformat()
        if self.caption is not None:
            out["caption"] = self.caption
        if self.caption_query is not None:
            out["caption_query"] = self.caption_query
        return out


@dataclass(frozen=True, slots=True)
class Session:
    """An ordered run of turns; `started` is None when its turns carry no time."""

    id: str
    started: datetime | None
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """All sessions of one namespace, in the order in which they were held."""

    namespace: str
    case_id: str
    kind: DialogueKind
    speakers: tuple[str, str]
    sessions: tuple[Session, ...]

    def messages(self) -> Iterator[Message]:
        """Every turn, oldest first."""
        for session in self.sessions:
            yield from session.messages


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing said about one subject: an oracle unit.

    `fact_time` is the time as said (None when nothing or only something vague was said).
    `valid_from` = start of the fact time, else the day of the utterance (SPEC §2.6);
    `valid_to` = the day on which the next state of the finished dialogue begins, None while open.
    `position` = (sequence of the turn, place within the turn): the order in which things were said.
    `support` = other turns that are needed to read it (the question before a two-word answer).
    `source` = who is quoted, for hearsay.
    """

    id: str
    case_id: str
    subject_id: str
    subject_name: str
    predicate: str
    object: str
    functional: bool
    kind: ClaimKind
    turn_id: str
    position: tuple[int, int]
    utterance_time: datetime | None
    fact_time: Interval | None
    valid_from: date
    valid_to: date | None = None
    support: tuple[str, ...] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer and the turns that carry it.

    `evidence` = the least set of turns that is needed, empty when the dialogue does not say.
    `support` = further turns that say the same again or complete an elliptical answer.
    `as_of` is the day the question is about, None for the day of asking.
    """

    id: str
    case_id: str
    type: QuestionType
    text: str
    answer: str
    evidence: tuple[str, ...]
    support: tuple[str, ...]
    as_of: date | None
    question_time: datetime
    subject_id: str
    predicate: str


@dataclass(frozen=True, slots=True)
class Life:
    """One case: its dialogue, everything claimed in it, and questions about it."""

    case_id: str
    dialogue: Dialogue
    people: tuple[Person, ...]
    claims: tuple[Claim, ...]
    questions: tuple[Question, ...]
    truth: Truth
