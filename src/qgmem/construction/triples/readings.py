"""What the rules read off a sentence: a triple, how it acts, who said it and when it held (SPEC §2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...types import Interval, Triple

ReadingKind = Literal["state", "retraction", "end"]


@dataclass(frozen=True, slots=True)
class Person:
    """A subject as it was named. `name` is empty when only the kinship was said ("my sister").

    `context` tells namesakes apart ("from Acme"); `kin` is what the person is to `of`, usually the speaker.
    """

    name: str
    context: str = ""
    kin: str = ""
    of: str = ""

    @property
    def shown(self) -> str:
        """The subject of the triple, in words."""
        if self.name:
            return f"{self.name} {self.context}".strip()
        return f"{self.of}'s {self.kin}"


@dataclass(frozen=True, slots=True)
class Reading:
    """One claim of one sentence. `quote` is the sentence as it stands in the turn.

    `source`: who is quoted, for hearsay. `place`: order within the turn.
    """

    subject: Person
    predicate: str
    object: str
    kind: ReadingKind
    fact_time: Interval | None
    quote: str
    source: str | None = None
    place: int = 0

    @property
    def triple(self) -> Triple:
        """As a memory unit carries it."""
        return Triple(self.subject.shown, self.predicate, self.object)
