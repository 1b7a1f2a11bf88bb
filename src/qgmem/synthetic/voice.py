"""How the speakers of a life refer to people: by name, by kinship, by pronoun, by what tells namesakes apart."""

from __future__ import annotations

from dataclasses import dataclass, field

from .cast import Cast, Member
from .grammar import article
from .seeds import Draw

Slots = dict[str, str]
PRONOUNS: dict[str, Slots] = {
    "she": {"N": "she", "P": "her", "O": "her", "p": "her"},
    "he": {"N": "he", "P": "his", "O": "him", "p": "his"},
}


@dataclass(slots=True)
class Voice:
    """The state of a conversation that decides how a person may be named.

    `known` holds the people whose kinship was said ("my sister Lena"), so that "Lena" alone is understood;
    `mentioned` everybody who was named at all.
    """

    cast: Cast
    draw: Draw
    known: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)

    def first_person(self, member: Member) -> bool:
        """True when the teller speaks of themself."""
        return member.person.first_name == self.cast.speakers[member.teller]

    def familiar(self, member: Member) -> bool:
        """True when the person was spoken of before, so that the listener may ask about them."""
        return member.person.id in self.mentioned

    def reference(self, member: Member) -> tuple[str, bool]:
        """A noun phrase for somebody who is not present, and whether it says the kinship for the first time."""
        person = member.person
        self.mentioned.add(person.id)
        if member.namesake:
            return f"{person.name} {person.qualifier}", False
        if not person.relation:
            return (person.name if self.draw.chance(0.4) else person.first_name), False
        if person.id not in self.known:
            self.known.add(person.id)
            return f"my {person.relation} {person.first_name}", True
        return (f"my {person.relation}" if self.draw.chance(0.15) else person.first_name), False


def value_slots(value: str) -> Slots:
    """Slots of a value: with article, and split at " named "."""
    kind, _, nick = value.partition(" named ")
    return {"obj": value, "aobj": article(value), "kind": kind, "nick": nick or kind}


def person_slots(reference: str, pronoun: str) -> Slots:
    """Slots of somebody named by a noun phrase."""
    return {"N": reference, "P": f"{reference}'s", "O": reference, "p": PRONOUNS[pronoun]["p"]}
