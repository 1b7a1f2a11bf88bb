"""What the facade hands to a store and gets back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ..types import Attributes, JsonValue, Role


@dataclass(frozen=True, slots=True)
class NewTurn:
    """A turn on its way in, with what construction read off it.

    `sequence` is asked for by imports only. `vectors`: (chunks, d), or None if not made yet.
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


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """The words of a unit before an event, and when the event was recorded (UTC, ISO 8601)."""

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


@dataclass(frozen=True, slots=True)
class StoreStats:
    """Counts of one namespace, bytes of its files, and what still waits for the embedder."""

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
