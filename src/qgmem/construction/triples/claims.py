"""From what the rules read to claims that traces are made of: subjects get ids, everything else is carried over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..traces.claims import Claim
from ..traces.subjects import Mention, subjects
from .readings import Person, Reading


@dataclass(frozen=True, slots=True)
class ReadTurn:
    """One turn after reading: what it claims, and whose kinship it tells (`introduced`)."""

    unit_id: str
    session_id: str
    sequence: int
    speaker: str
    utterance_time: datetime | None
    readings: tuple[Reading, ...]
    introduced: tuple[Person, ...] = ()


def claims_of(turns: Sequence[ReadTurn], speakers: Sequence[str]) -> list[Claim]:
    """Claims of all turns of a memory, in order. Ids depend on all of them: ask again when turns are added.

    A subject whose name several people bear, with nothing to tell which, keeps an id of its own.
    """
    mentions = []
    for turn in turns:
        people = [(reading.place, reading.subject) for reading in turn.readings]
        people += [(-1 - number, person) for number, person in enumerate(turn.introduced)]
        mentions += [
            Mention(turn.unit_id, p.name, turn.speaker, turn.session_id, turn.sequence, p.context, p.kin, place)
            for place, p in people
        ]
    who = subjects(mentions, speakers)
    return [
        Claim(
            unit_id=turn.unit_id,
            subject_id=who[turn.unit_id, reading.place].id,
            subject_name=who[turn.unit_id, reading.place].name,
            predicate=reading.predicate,
            object=reading.object,
            kind=reading.kind,
            fact_time=reading.fact_time,
            utterance_time=turn.utterance_time,
            sequence=turn.sequence,
            place=reading.place,
            text=reading.quote,
            source=reading.source,
            subject_known=True,
        )
        for turn in turns
        for reading in turn.readings
    ]
