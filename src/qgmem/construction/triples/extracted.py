"""What a unit of a language model claims: its triple, its subject understood as the rules understand subjects."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...types import Interval, MemoryUnit
from ..traces.relations import value_key
from .reader import SessionReader
from .readings import Person, ReadingKind
from .subject import ADJECTIVE, CONTEXT, KIN, NAME

OWNED = re.compile(rf"^(?P<owner>.+?)(?:'s|’s) {ADJECTIVE}(?P<kin>{KIN})(?: (?P<name>{NAME}))?$")
NAMED = re.compile(rf"^(?P<name>{NAME})(?P<context>{CONTEXT})$")
USER = re.compile(r"^(?:the )?user$|^I$|^me$", re.I)
NO_LONGER = re.compile(r"^(?:no longer|not any ?more) (?P<rest>.+)$", re.I)


@dataclass(frozen=True, slots=True)
class Extracted:
    """One claim. `sure`: the subject is a name or somebody's kin, not just any words."""

    subject: Person
    sure: bool
    predicate: str
    object: str
    kind: ReadingKind
    fact_time: Interval | None


def extracted(unit: MemoryUnit) -> Extracted | None:
    """The claim of a unit with a triple; None without one.

    Where the rules read the same object off the unit's text they decide predicate and kind: a triple alone does not
    tell "left Acme" from a new employer.
    """
    triple = unit.triple
    if triple is None:
        return None
    subject, sure = _subject(triple.subject, unit.speaker if unit.role == "user" else "")
    predicate, kind = triple.predicate, "state"
    if (over := NO_LONGER.match(predicate)) is not None:
        predicate, kind = over.group("rest"), "end"
    value = triple.object
    readings = SessionReader().read(unit.text, unit.speaker, "user", unit.utterance_time)
    fitting = [reading for reading in readings if _same(reading.object, value)]
    if len({each.object for each in fitting}) == 1 or len(fitting) == 1:  # the first is what the sentence is about
        predicate, kind, value = fitting[0].predicate, fitting[0].kind, fitting[0].object
    when = min(unit.fact_times, default=None)
    return Extracted(subject, sure, predicate, value, "end" if kind == "end" else _kind(kind), when)


def _kind(kind: str) -> ReadingKind:
    return "retraction" if kind == "retraction" else "state"


def _subject(said: str, user: str) -> tuple[Person, bool]:
    said = said.strip()
    if user and USER.match(said):
        return Person(user), True
    if (kin := OWNED.match(said)) is not None:
        return Person(kin.group("name") or "", kin=kin.group("kin").lower(), of=kin.group("owner")), True
    if (named := NAMED.match(said)) is not None:
        return Person(named.group("name"), (named.group("context") or "").strip()), True
    return Person(said), False


def _same(one: str, other: str) -> bool:
    a, b = value_key(one), value_key(other)
    return a == b or a in b or b in a
