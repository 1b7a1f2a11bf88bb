"""A question about the present, read by the rules: whose relation it asks for, and which units are out of date."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..construction.traces import KnownAt, relation_of
from ..construction.traces.claims import known
from ..construction.traces.states import states
from ..construction.triples.asks import asked
from ..construction.triples.clean import plain
from ..construction.triples.subject import Speech
from ..stores.trace_reading import TraceReading
from .claims import claim_of
from .names import Bearers

PAST = re.compile(
    r"\b(?:was|were|did|had|used to|before|previous(?:ly)?|former(?:ly)?|first|original(?:ly)?|earlier|ever|ago|"
    r"last|back (?:in|then)|until|when)\b",
    re.I,
)
CURRENT = ("current", "coexisting")


@dataclass(frozen=True, slots=True)
class Sides:
    """Keys of the units that say what holds, or that nothing does, and of those that say only what held before."""

    current: tuple[int, ...]
    superseded: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Whose relation a question asks for; `subject` "" means whoever speaks as the user."""

    subject: str
    relation: str


def wanted(question: str) -> Wanted | None:
    """What a question about the present asks for; None where the rules cannot read one.

    >>> wanted("Where does Ana live now?")
    Wanted(subject='Ana', relation='home')
    >>> wanted("Where did Ana live?")
    """
    if PAST.search(question):
        return None
    text = re.sub(
        r"\b(?:now|currently|nowadays|these days|at the moment|at present|right now)\b ?", "", plain(question)
    )
    for said, meant in (("do I ", "do you "), ("am I ", "are you "), ("my ", "your ")):
        text = text.replace(said, meant)
    ask = asked(text.strip(), Speech("", None))
    if ask is None:
        return None
    person = ask.subject
    if person is not None and person.kin and not person.name:
        return Wanted(f"'s {person.kin}", relation_of(ask.predicate, "").name)
    return Wanted("" if person is None else person.shown, relation_of(ask.predicate, "").name)


def sides(reading: TraceReading, bearers: Bearers, want: Wanted, known_at: KnownAt) -> Sides | None:
    """The units of that subject and relation, by what holds at the end of what was said; None where no trace is."""
    subject = want.subject
    if not subject or subject.startswith("'s "):
        if len(bearers.users) != 1:
            return None
        subject = f"{bearers.users[0]}{subject}"
    found = [_sides(reading, each, want.relation, known_at) for each in bearers.find(subject)]
    parts = [each for each in found if each is not None]
    if not parts:
        return None
    current = {unit for each in parts for unit in each.current}
    return Sides(tuple(sorted(current)), tuple(sorted({u for each in parts for u in each.superseded} - current)))


def _sides(reading: TraceReading, subject: str, relation: str, known_at: KnownAt) -> Sides | None:
    rows: Sequence[tuple[int, str | None, int]]
    if known_at is None:
        rows = [(side.unit, side.status, side.said) for side in reading.sides(subject, relation)]
    else:
        rows = _then(reading, subject, relation, known_at)
    if not rows:
        return None
    current = [unit for unit, status, _ in rows if status in CURRENT]
    if not current:  # nothing holds: whoever said so last is the newest word
        closing = [(said, unit) for unit, status, said in rows if status is None]
        current = [max(closing)[1]] if closing else []
    return Sides(tuple(current), tuple(unit for unit, status, _ in rows if status not in (*CURRENT, None)))


def _then(
    reading: TraceReading, subject: str, relation: str, known_at: KnownAt
) -> Sequence[tuple[int, str | None, int]]:
    found: list[tuple[int, str | None, int]] = []
    traces = [trace for name, trace in reading.relations(subject) if name == relation]
    for rows in reading.claims(traces):
        heard = {claim.key: row for row in rows if known(claim := claim_of(row), known_at)}
        if not heard:
            continue
        trace = states(map(claim_of, heard.values()))
        status = {key: s.status for s, keys in zip(trace.states, trace.asserting, strict=True) for key in keys}
        found += [(row.unit, status.get(key), row.sequence) for key, row in heard.items()]
    return found
