"""What traces are made of: one claim about one subject, with its two times (SPEC §2.5, §2.6).

A claim is what an extractor, a model or rules, says about one memory unit. It knows nothing of other claims: which
state it opens, repeats or closes is worked out in `states.py` from all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal

from ...types import Interval

ClaimKind = Literal["state", "update", "repeat", "retraction", "end", "coexist"]
KnownAt = datetime | int | None


@dataclass(frozen=True, slots=True)
class Claim:
    """One unit's triple, ready to be put in order.

    `subject_id` tells namesakes apart (`subjects.py`), `subject_name` is how the person is shown. `subject_known`:
    the id is that of one particular person or thing, so that another known id is somebody else, whatever the cosine
    of their names. `kind`: only `retraction` ("forget that, I was wrong": it never held) and `end` ("I left Acme": it
    holds no more, from its time on) change how the claim acts; the others are hints for relations that nothing else
    is known of. `object` may be empty for those two: whatever was said last, or whatever holds. `sequence` is the
    turn's ingestion counter, `place` the order within the turn. `source` is who is quoted, for hearsay.
    `functional`: the extractor knows whether one value holds at a time.
    """

    unit_id: str
    subject_id: str
    subject_name: str
    predicate: str
    object: str
    kind: ClaimKind = "state"
    fact_time: Interval | None = None
    utterance_time: datetime | None = None
    sequence: int = 0
    place: int = 0
    text: str = ""
    source: str | None = None
    functional: bool | None = None
    subject_known: bool = False

    @property
    def key(self) -> str:
        """The claim's own id: a unit that makes several claims has several."""
        return self.unit_id if self.place == 0 else f"{self.unit_id}#{self.place}"

    @property
    def valid_from(self) -> date | None:
        """First day: of the fact time, else the day it was said; None when neither is known. Never stored."""
        if self.fact_time is not None:
            return self.fact_time.start
        return self.utterance_time.date() if self.utterance_time is not None else None

    @property
    def since(self) -> datetime | None:
        """The moment from which it holds, where the day is that of the utterance; None where a fact time says."""
        return self.utterance_time if self.fact_time is None else None

    @property
    def said(self) -> tuple[int, int, str]:
        """The order in which things were said."""
        return self.sequence, self.place, self.unit_id


def known(claim: Claim, known_at: KnownAt) -> bool:
    """Had it been said by `known_at`? Both ends included.

    An integer is a turn's sequence number and places every claim. A datetime places those that carry one; a claim
    of unknown time counts as known. Times without offset are read as UTC, as filters do.
    """
    if known_at is None:
        return True
    if isinstance(known_at, int):
        return claim.sequence <= known_at
    return claim.utterance_time is None or instant(claim.utterance_time) <= instant(known_at)


def instant(time: datetime) -> datetime:
    """An aware time; one without offset is read as UTC."""
    return time if time.tzinfo is not None else time.replace(tzinfo=UTC)
