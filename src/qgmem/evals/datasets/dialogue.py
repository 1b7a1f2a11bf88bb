"""The one shape that every benchmark is read into.

Messages are mappings in the shape that `Memory.add` takes, dates are strings as the file writes them,
and evidence ids stay as written: an id that names no turn is counted, never repaired or dropped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import JsonValue

Message = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Session:
    """One session: its messages in order, and its date as the file writes it (None if it has none)."""

    id: str
    timestamp: str | None
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """What one system is built on: sessions in order. Every message has an `id`."""

    id: str
    sessions: tuple[Session, ...]

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """Ids of all messages, in order."""
        return tuple(str(m["id"]) for s in self.sessions for m in s.messages)

    def texts(self) -> dict[str, str]:
        """Message id → its content."""
        return {str(m["id"]): str(m["content"]) for s in self.sessions for m in s.messages}


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold. `evidence` holds turn ids exactly as the file writes them.

    `distractor` is the wrong answer that an adversarial question fishes for; `rubric` the nuggets that
    a judge checks; `asked_at` the question's own date as written.
    """

    id: str
    conversation_id: str
    text: str
    answer: str
    evidence: tuple[str, ...]
    category: str
    asked_at: str | None = None
    distractor: str | None = None
    rubric: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MalformedEvidence:
    """One evidence entry that names no turn of its conversation."""

    question_id: str
    entry: str
    reason: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """A benchmark as read. `files` are what its manifest hashes; `notes` counts what looked odd."""

    name: str
    conversations: tuple[Conversation, ...]
    questions: tuple[Question, ...]
    files: tuple[Path, ...]
    malformed: tuple[MalformedEvidence, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)

    def questions_of(self, conversation_id: str) -> tuple[Question, ...]:
        """Questions about one conversation, in file order."""
        return tuple(q for q in self.questions if q.conversation_id == conversation_id)

    def limited(self, conversations: int | None) -> Dataset:
        """The first `conversations` of it with their questions; all of it when None."""
        if conversations is None:
            return self
        if conversations < 1:
            raise InvalidInput("limit_conversations", f"{conversations} is below 1", "leave it out for all")
        kept = self.conversations[:conversations]
        ids = {c.id for c in kept}
        questions = tuple(q for q in self.questions if q.conversation_id in ids)
        asked = {q.id for q in questions}
        malformed = tuple(m for m in self.malformed if m.question_id in asked)
        return Dataset(self.name, kept, questions, self.files, malformed, evidence_notes(questions))


def evidence_notes(questions: Iterable[Question]) -> dict[str, int]:
    """Counts of questions whose evidence is empty, and of repeated entries inside one question."""
    empty = repeated = 0
    for question in questions:
        empty += not question.evidence
        repeated += sum(n - 1 for n in Counter(question.evidence).values())
    return {"questions_without_evidence": empty, "repeated_evidence_entries": repeated}


def unknown_entries(
    questions: Iterable[Question], known: Mapping[str, frozenset[str]]
) -> tuple[MalformedEvidence, ...]:
    """Every evidence entry that is no turn id of its conversation, with why it is not."""
    return tuple(
        MalformedEvidence(q.id, entry, _why_unknown(entry, known[q.conversation_id]))
        for q in questions
        for entry in q.evidence
        if entry not in known[q.conversation_id]
    )


def _why_unknown(entry: str, known: frozenset[str]) -> str:
    parts = entry.replace(";", " ").replace(",", " ").split()
    if len(parts) > 1:
        return "several ids in one entry"
    if parts and parts[0] in known:
        return "spaces around the id"
    shape = {"".join("9" if c.isdigit() else c for c in turn) for turn in known}
    same_shape = "".join("9" if c.isdigit() else c for c in entry) in shape
    return "no such turn" if same_shape else "not written as an id"


def read_json(path: Path) -> object:
    """The parsed file. Raises InvalidInput naming file and place."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InvalidInput("data", f"no file {path.name!r}", "give the path of the benchmark file") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInput("data", f"{path.name} is not JSON: {error}") from error


def expect_mapping(value: object, where: str) -> Mapping[str, object]:
    """`value` as a mapping, or InvalidInput that says where it is not one."""
    if not isinstance(value, Mapping):
        raise InvalidInput(where, f"expected an object, got {type(value).__name__}")
    return value


def expect_list(value: object, where: str) -> list[object]:
    """`value` as a list, or InvalidInput that says where it is not one."""
    if not isinstance(value, list):
        raise InvalidInput(where, f"expected a list, got {type(value).__name__}")
    return value


def expect_text(record: Mapping[str, object], key: str, where: str) -> str:
    """A required string field (numbers are written out), or InvalidInput naming it."""
    value = record.get(key)
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise InvalidInput(f"{where}.{key}", f"expected text, got {type(value).__name__}")


def optional_text(record: Mapping[str, object], key: str, where: str) -> str | None:
    """A string field that may be missing or null."""
    return None if record.get(key) is None else expect_text(record, key, where)
