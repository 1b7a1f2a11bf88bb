"""What the facade hands to a store and gets back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..types import Attributes, JsonValue, MemoryUnit, Role

Status = Literal["pending", "done", "partial", "failed"]  # of a window


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn on its way in, with what construction read off it.

    `sequence` is asked for by imports only. `vectors`: (chunks, d), or None if not made yet. `pieces`: as
    `pieces.joined` gives them, or None from an embedder that shows none.
    """

    id: str
    session_id: str
    speaker: str
    role: Role
    text: str
    utterance_time: datetime | None = None
    caption: str | None = None
    caption_query: str | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    agent_id: str | None = None
    run_id: str | None = None
    sequence: int | None = None
    attributes: Attributes = field(default_factory=Attributes)
    vectors: NDArray[np.float32] | None = None
    pieces: bytes | None = None


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """The words of a unit before an event, and when the event was recorded (UTC, ISO 8601).

    For the event `state`, which is worked out and not stored: a state that the unit says, and when it was said.
    """

    unit_id: str
    event: str
    text: str
    recorded_at: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a deletion removed: ids and counts only, never content."""

    user_id: str
    unit_ids: tuple[str, ...]
    turns: int
    units: int
    phrases: int
    vectors: int
    history: int
    windows: int = 0  # of construction by a language model
    cached: int = 0  # its answers
    quarantined: int = 0


@dataclass(frozen=True, slots=True)
class StoreStats:
    """Counts of one namespace, bytes of its files, and what still waits for the embedder.

    `without_pieces`: units that have vectors and no word pieces; all of them where the embedder shows none.
    """

    turns: int
    units: int
    sessions: int
    phrases: int
    history: int
    vectors: int
    pending_units: int
    pending_phrases: int
    bytes: int
    change: int
    embedder: str | None
    dimension: int | None
    without_pieces: int = 0


# ---- construction by a language model


@dataclass(frozen=True, slots=True)
class WindowRecord:
    """One window and how it ended. `reason` is a short code, never a word of the dialogue.

    pending: not read yet. done: read, its units (perhaps none) are final. partial: its units are kept, something is
    still missing. failed: nothing could be read; its turns are found by their own words only.
    """

    id: str
    session_id: str
    turn_ids: tuple[str, ...]
    overlap: int
    status: Status = "pending"
    reason: str | None = None
    attempts: int = 0  # how often it was worked on


@dataclass(frozen=True, slots=True)
class ClaimMarks:
    """What an extractor knows of a unit's claim besides its triple; nothing is needed.

    `kind`: `retraction` (it never held), `end` (it holds no more) or a state. `subject_id`: one particular person or
    thing, told apart from namesakes. `source`: who is quoted. `functional`: whether one value holds at a time.
    """

    kind: str = "state"
    subject_id: str | None = None
    source: str | None = None
    functional: bool | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """Only what is not as it mostly is."""
        given = {name: getattr(self, name) for name in ("subject_id", "source", "functional")}
        marks: dict[str, JsonValue] = {name: value for name, value in given.items() if value is not None}
        return marks if self.kind == "state" else {"kind": self.kind, **marks}

    @classmethod
    def from_json(cls, marks: Mapping[str, JsonValue]) -> ClaimMarks:
        """What `to_json` gave; anything else is left out."""

        def text(name: str) -> str | None:
            value = marks.get(name)
            return value if isinstance(value, str) else None

        functional = marks.get("functional")
        kind = text("kind") or "state"
        return cls(kind, text("subject_id"), text("source"), functional if isinstance(functional, bool) else None)


@dataclass(frozen=True, slots=True)
class UnitRecord:
    """A unit that passed every check. `partial`: something of it was lost, and a resumed run will ask again."""

    unit: MemoryUnit
    partial: bool = False
    claim: ClaimMarks = ClaimMarks()


@dataclass(frozen=True, slots=True)
class Quarantined:
    """Something a model claimed and the dialogue does not bear out: kept apart to be looked at, never as truth.

    `kind`: unit, triple or attribute. `claim` is the text in question.
    """

    kind: Literal["unit", "triple", "attribute"]
    reason: str
    claim: str


@dataclass(frozen=True, slots=True)
class WindowOutcome:
    """All that came of one window. Recording it replaces everything recorded of that window before."""

    window_id: str
    status: Status
    reason: str | None = None
    units: tuple[UnitRecord, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    notes: tuple[tuple[str, int], ...] = ()  # what was repaired or corrected on the way, counted


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What went when turns or windows were forgotten: unit ids, and counts of the rest."""

    unit_ids: tuple[str, ...] = ()
    windows: int = 0
    cached: int = 0
    quarantined: int = 0
