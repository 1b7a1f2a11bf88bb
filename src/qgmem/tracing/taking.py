"""New turns and units → triples: turns are read by the rules, units of a language model bring their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..construction.triples import Person, SessionReader, introduced
from ..construction.triples.extracted import extracted
from ..stores.records import ClaimMarks
from ..stores.trace_records import NewTriple, UnreadTurn, UnreadUnit
from ..stores.trace_tables import TraceTables


def take_turns(tables: TraceTables, turns: Sequence[UnreadTurn]) -> set[int]:
    """Read turns in order, each session where its reader stood; the sessions."""
    sessions = {one.session for one in turns}
    before = tables.readers(sessions)
    readers = {session: SessionReader.restored(before.get(session)) for session in sessions}
    triples: list[NewTriple] = []
    for one in turns:
        turn = one.turn
        for reading in readers[one.session].read(turn.text, turn.speaker, turn.role, turn.utterance_time):
            person = _person(tables, reading.subject, turn.speaker)
            triples.append(
                NewTriple(
                    one.unit, reading.place, person, reading.predicate, reading.object, reading.kind,
                    reading.fact_time, reading.quote, reading.source,
                )
            )  # fmt: skip
        if turn.role == "user":
            for number, somebody in enumerate(introduced(turn.text, turn.speaker)):
                tables.introduce(one.unit, -1 - number, _person(tables, somebody, turn.speaker))
    tables.put_triples(triples)
    for session, reader in readers.items():
        tables.put_reader(session, reader.state())
    return sessions


def take_units(tables: TraceTables, units: Iterable[UnreadUnit]) -> set[int]:
    """Take in the claims of extracted units, each with the words of the turn that it rests on; the sessions."""
    triples: list[NewTriple] = []
    sessions: set[int] = set()
    for one in units:
        claim, marks = extracted(one.unit), ClaimMarks.from_json(one.claim)
        if claim is None:
            continue
        sessions.add(one.session)
        known = marks.subject_id
        if known is None:
            person = _person(tables, claim.subject, claim.subject.of or one.unit.speaker)
        else:
            person = tables.person(claim.subject.shown, "", "", "", known)
        triple = one.unit.triple
        marked = (
            marks != ClaimMarks() and triple is not None
        )  # the extractor's own word, not what the rules make of it
        predicate, value = (triple.predicate, triple.object) if marked and triple else (claim.predicate, claim.object)
        triples.append(
            NewTriple(
                one.key, 0, person, predicate, value, marks.kind if marked else claim.kind, claim.fact_time,
                one.unit.span.quote, marks.source, marks.functional, known is not None or claim.sure, compared=True,
            )
        )  # fmt: skip
    tables.put_triples(triples)
    if triples:
        tables.keep("uncompared", 1)
    return sessions


def _person(tables: TraceTables, person: Person, speaker: str) -> int:
    return tables.person(person.name, speaker if person.kin or not person.name else "", person.context, person.kin)
