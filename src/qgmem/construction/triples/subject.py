"""The subject at the start of a clause: "I", a name, "my sister Lena", "she"; nothing else is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from ..entities.lexicon import english
from .borrowed import hidden
from .readings import Person

KIN = (
    "mother|mom|mum|father|dad|sister|brother|son|daughter|wife|husband|partner|girlfriend|boyfriend|"
    "fiancé|fiancée|"
    "aunt|uncle|cousin|niece|nephew|grandmother|grandfather|grandma|grandpa|friend|best friend|colleague|coworker|"
    "co-worker|boss|manager|neighbour|neighbor|roommate|flatmate|housemate|teacher|landlord|landlady|ex|twin|"
    "classmate|mentor|stepmother|stepfather|stepsister|stepbrother|half-sister|half-brother|godmother|godfather|"
    "mother-in-law|father-in-law|sister-in-law|brother-in-law|old friend|school friend|study friend"
)
CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w’'-]*?"
PARTICLES = r"(?: (?:de|van|von|da|del|la|le|bin|al|der|ten|O')(?= ))*"
NAME = rf"(?:Dr\.? |Mr\.? |Mrs\.? |Ms\.? )?{CAPITAL}{PARTICLES}(?: {CAPITAL}){{0,2}}"
CONTEXT = rf"(?: (?:from|at|of) (?:(?:the|de|van|von|di|da) )?{CAPITAL}(?:(?: (?:&|and|de|of))? {CAPITAL})*)?"
PRONOUNS = r"(?:she|he|She|He)"
ADJECTIVE = r"(?:(?:older|younger|little|big|elder|new|old|late) )?"
SUBJECT = (
    rf"(?P<subject>I|{PRONOUNS}|[Mm]y {ADJECTIVE}(?P<kin>{KIN})(?:,? (?P<kinname>{NAME}),?)?|"
    rf"(?P<name>{NAME})(?P<context>{CONTEXT}))"
)
OWNER = (
    rf"(?P<owner>[Mm]y|[Hh]is|[Hh]er|[Mm]y {ADJECTIVE}(?P<okin>{KIN})(?:,? (?P<okinname>{NAME}))?'s|"
    rf"(?P<oname>{NAME})(?P<ocontext>{CONTEXT})'s)"
)
NO_NAMES = frozenset(
    "I A An The It This That These Those There Here He She We You They Everyone Everybody Someone Somebody Nobody "
    "Anyone Nothing Everything Something Who What Where When Why How Which My Your His Her Our Their Its One Some "
    "Any All Most Many Few Both Each Another Other If But And Or So Yes No Not Now Then Today Yesterday Tomorrow "
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August "
    "September October November December People Apparently Maybe Perhaps Also As For In On At By With From".split()
)
_OPENERS = frozenset("my his her he she".split())


FEMALE = frozenset(
    "mother mom mum sister daughter wife girlfriend fiancée aunt niece grandmother grandma landlady stepmother "
    "stepsister half-sister godmother mother-in-law sister-in-law mrs ms".split()
)
MALE = frozenset(
    "father dad brother son husband boyfriend fiancé uncle nephew grandfather grandpa landlord stepfather "
    "stepbrother "
    "half-brother godfather father-in-law brother-in-law mr".split()
)


def sex(person: Person) -> str:
    """ "she" or "he" where the kinship or a title tells; else empty."""
    for word in (person.kin, person.name.split(" ", 1)[0].rstrip(".").lower()):
        if word in FEMALE or word in MALE:
            return "she" if word in FEMALE else "he"
    return ""


@dataclass(slots=True)
class Speech:
    """Who speaks, and who was spoken of: what "I" and "she" mean. `last`: in the clause before, of one sentence."""

    speaker: str
    last: Person | None = None
    near: list[Person] = field(default_factory=list)

    def meant(self, pronoun: str) -> Person | None:
        """Whom "she", "he", "her" or "his" means; None if nobody, or more than one, can be meant."""
        wanted = "she" if pronoun.lower() in ("she", "her") else "he"
        if self.last is not None and sex(self.last) in ("", wanted):
            return self.last
        fitting = [person for person in self.near if sex(person) in ("", wanted)]
        return fitting[0] if len(fitting) == 1 else None

    def note(self, person: Person) -> None:
        """Somebody was spoken of; named before as more than now, he keeps it."""
        if person.name.casefold() == self.speaker.casefold():
            return
        for place, other in enumerate(self.near):
            if _one(person, other):
                kept = max(other, person, key=lambda each: (len(each.name), bool(each.kin)))
                self.near[place] = kept if kept.kin or kept.context else replace(
                    kept, kin=other.kin or person.kin, of=other.of or person.of
                )  # fmt: skip
                return
        self.near.append(person)


def _one(person: Person, other: Person) -> bool:
    if not person.name or not other.name:
        return person.name == other.name and person.kin == other.kin
    one, two = person.name.casefold(), other.name.casefold()
    return (one == two or one.startswith(f"{two} ") or two.startswith(f"{one} ")) and (
        person.context == other.context or not (person.context and other.context)
    )


def opens(clause: str) -> bool:
    """False where no subject or owner can stand at the start, by its first word; saves trying every pattern."""
    word = clause.split(" ", 1)[0]
    return word == "I" or word.lower() in _OPENERS or (word[:1].isupper() and word not in NO_NAMES)


def subject_of(match: re.Match[str], speech: Speech) -> Person | None:
    """The person that the groups of SUBJECT name; None if that is unclear."""
    said = match.group("subject")
    if said in ("I", "me"):
        return Person(speech.speaker)
    if said.lower() in ("she", "he"):
        return speech.meant(said)
    if match.group("kin"):
        return Person(match.group("kinname") or "", kin=match.group("kin").lower(), of=speech.speaker)
    return _named(match.group("name"), match.group("context"))


def owner_of(match: re.Match[str], speech: Speech) -> Person | None:
    """The same for the groups of OWNER."""
    said = match.group("owner").lower()
    if said == "my":
        return Person(speech.speaker)
    if said in ("his", "her"):
        return speech.meant(said)
    if match.group("okin"):
        return Person(match.group("okinname") or "", kin=match.group("okin").lower(), of=speech.speaker)
    return _named(match.group("oname"), match.group("ocontext"))


def _named(name: str, context: str) -> Person | None:
    words = name.split()
    if words[0] in NO_NAMES or any(word in NO_NAMES for word in words[1:]):
        return None
    return Person(name, context.strip())


MENTION = re.compile(
    rf"\b[Mm]y {ADJECTIVE}(?P<kin>{KIN}) (?P<kinname>{NAME})(?!\w)|"
    rf"(?<![.!?] )(?<!^)\b(?P<name>{NAME})(?P<context>{CONTEXT})(?!\w)|\b[Mm]y {ADJECTIVE}(?P<bare>{KIN})\b"
)


PLACED = re.compile(r"\b(?:in|at|near)\s(?:the )?$")
VERBAL = re.compile(
    r"(?:[,:]| (?:is|was|has|had|and|will|can|does|did|went|came|got|said|told|left|met|never|just|also|from|of|"
    r"\w{2,}(?:s|ed))\b|'s\b)"
)


def mentioned(clause: str, speaker: str) -> list[Person]:
    """The people a clause names; a capital at its start counts where a verb follows, and none after "in" or "at"."""
    found: list[Person] = []
    for match in MENTION.finditer(f"of {clause}"):
        if match.group("kin"):
            found.append(Person(match.group("kinname"), kin=match.group("kin").lower(), of=speaker))
        elif match.group("bare"):
            found.append(Person("", kin=match.group("bare").lower(), of=speaker))
        elif (person := _named(match.group("name"), match.group("context") or "")) is not None:
            before, after = match.string[: match.start()], match.string[match.end() :]
            placed = PLACED.search(before) or (not person.context and person.name.casefold() in english()["place"])
            if not placed and (match.start() > 3 or VERBAL.match(after)):
                found.append(person)
    return found


INTRODUCED = re.compile(rf"\b[Mm]y {ADJECTIVE}(?P<kin>{KIN}),? (?P<kinname>{NAME})(?!\w)")


def introduced(text: str, speaker: str) -> tuple[Person, ...]:
    """People whose kinship is said anywhere in a turn, questions included: "You remember my friend Liisa?"."""
    return tuple(
        Person(match.group("kinname"), kin=match.group("kin").lower(), of=speaker)
        for match in INTRODUCED.finditer(hidden(text))
        if match.group("kinname").split()[0] not in NO_NAMES
    )
