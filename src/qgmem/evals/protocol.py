"""What a system under test must do, and nothing about how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from qgmem.types import JsonValue

from .datasets.dialogue import Conversation
from .metrics.turn_ids import HasTurnIds


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of a conversation's messages; `failed` says which and why, one text a message."""

    stored: int
    deduplicated: int = 0
    failed: tuple[str, ...] = ()


class EvidenceSystem(Protocol):
    """One memory of one conversation. It never sees gold."""

    def build(self, conversation: Conversation) -> Ingested:
        """Takes in the sessions in order."""

    def search(self, question: str, k: int) -> Sequence[HasTurnIds]:
        """Hits in rank order that together name `k` distinct turns, or all there are."""

    def close(self) -> None:
        """Gives back what `build` took; called once, also after an error."""


class SystemFactory(Protocol):
    """Makes one system a conversation; a run's manifest records what `describe` says."""

    def __call__(self, namespace: str) -> EvidenceSystem: ...

    def describe(self) -> Mapping[str, JsonValue]:
        """Name, settings, model ids and checksums: what determines the result."""
