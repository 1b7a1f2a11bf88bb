"""Who lives in one life: speakers, household, kin, friends, and sometimes two people of one name."""

from __future__ import annotations

from dataclasses import dataclass

from . import pools
from . import words_people as words
from .records import DialogueKind, Person
from .seeds import Draw

ASSISTANT = "Assistant"


@dataclass(frozen=True, slots=True)
class Member:
    """A person together with the speaker who tells about them (index 0 or 1)."""

    person: Person
    teller: int
    namesake: bool = False
    partner: bool = False


@dataclass(frozen=True, slots=True)
class Cast:
    """The members of a life; speakers come first."""

    kind: DialogueKind
    speakers: tuple[str, str]
    members: tuple[Member, ...]


def _name(draw: Draw, taken: set[str]) -> tuple[str, str]:
    """A full name with pronoun whose first name nobody in this life has yet."""
    while True:
        pronoun = "she" if draw.chance(0.5) else "he"
        first = draw.pick(words.WOMEN if pronoun == "she" else words.MEN)
        if first not in taken:
            taken.add(first)
            return f"{first} {draw.pick(words.SURNAMES)}", pronoun


def _person(draw: Draw, case: str, number: int, taken: set[str], kin: bool) -> Person:
    name, pronoun = _name(draw, taken)
    relation = draw.pick(words.KIN[pronoun]) if kin else ""
    return Person(f"{case}/p{number}", name, "she" if pronoun == "she" else "he", relation)


def cast(draw: Draw, case: str, kind: DialogueKind, others: int) -> Cast:
    """People for one case: 1 or 2 speakers, a partner each, `others` further people and maybe two namesakes."""
    taken: set[str] = set()
    tellers = 2 if kind == "friends" else 1
    members = [Member(_person(draw, case, i, taken, kin=False), i) for i in range(tellers)]
    for teller in range(tellers):
        members.append(Member(_person(draw, case, len(members), taken, kin=False), teller, partner=True))
    kin_taken: set[tuple[int, str]] = set()
    for _ in range(others):
        teller = draw.between(0, tellers - 1)
        person = _person(draw, case, len(members), taken, kin=True)
        if (teller, person.relation) in kin_taken:  # "my sister" must mean one person
            continue
        kin_taken.add((teller, person.relation))
        members.append(Member(person, teller))
    if draw.chance(0.6):
        members += _namesakes(draw, case, len(members), taken, draw.between(0, tellers - 1))
    second = members[1].person.first_name if kind == "friends" else ASSISTANT
    return Cast(kind, (members[0].person.first_name, second), tuple(members))


def _namesakes(draw: Draw, case: str, number: int, taken: set[str], teller: int) -> list[Member]:
    """Two people of one name at two firms."""
    first, second = pools.firm(draw), pools.firm(draw)
    while second == first:
        second = pools.firm(draw)
    if draw.chance(0.25) and "John" not in taken:
        taken.add("John")
        name, pronoun = "John Smith", "he"
    else:
        name, pronoun = _name(draw, taken)
    return [
        Member(
            Person(f"{case}/p{number + i}", name, "she" if pronoun == "she" else "he", "", f"from {firm}"),
            teller,
            namesake=True,
        )
        for i, firm in enumerate((first, second))
    ]
