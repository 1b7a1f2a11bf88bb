"""The subject at the start of a clause: "I", a name, "my sister Lena", "she"; nothing else is read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .readings import Person

KIN = (
    "mother|mom|mum|father|dad|sister|brother|son|daughter|wife|husband|partner|girlfriend|boyfriend|fiancé|fiancée|"
    "aunt|uncle|cousin|niece|nephew|grandmother|grandfather|grandma|grandpa|friend|best friend|colleague|coworker|"
    "co-worker|boss|manager|neighbour|neighbor|roommate|flatmate|housemate|teacher|landlord|landlady|ex|twin|"
    "classmate|mentor|stepmother|stepfather|stepsister|stepbrother|half-sister|half-brother|godmother|godfather|"
    "mother-in-law|father-in-law|sister-in-law|brother-in-law|old friend|school friend|study friend"
)
CAPITAL = r"[A-ZÀ-ÖØ-ÞĀ-Ž][\w’'-]*?"
PARTICLES = r"(?: (?:de|van|von|da|del|la|le|bin|al|der|ten|O')(?= ))*"
NAME = rf"(?:Dr\.? |Mr\.? |Mrs\.? |Ms\.? )?{CAPITAL}{PARTICLES}(?: {CAPITAL}){{0,2}}"
CONTEXT = rf"(?: (?:from|at|of) (?:the )?{CAPITAL}(?:(?: (?:&|and|de|of))? {CAPITAL})*)?"
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


@dataclass(slots=True)
class Speech:
    """Who speaks, and who was spoken of last: what "I" and "she" mean."""

    speaker: str
    last: Person | None = None


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
        return speech.last
    if match.group("kin"):
        return Person(match.group("kinname") or "", kin=match.group("kin").lower(), of=speech.speaker)
    return _named(match.group("name"), match.group("context"))


def owner_of(match: re.Match[str], speech: Speech) -> Person | None:
    """The same for the groups of OWNER."""
    said = match.group("owner").lower()
    if said == "my":
        return Person(speech.speaker)
    if said in ("his", "her"):
        return speech.last
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


def spoken_of(sentence: str, speech: Speech) -> Person | None:
    """Whom "she" will mean after this sentence: the one person it names inside, if it names one only."""
    found: list[Person] = []
    for match in MENTION.finditer(sentence):
        if match.group("kin"):
            found.append(Person(match.group("kinname"), kin=match.group("kin").lower(), of=speech.speaker))
        elif match.group("bare"):
            found.append(Person("", kin=match.group("bare").lower(), of=speech.speaker))
        elif (person := _named(match.group("name"), match.group("context") or "")) is not None:
            found.append(person)
    return found[0] if len(found) == 1 else None


INTRODUCED = re.compile(rf"\b[Mm]y {ADJECTIVE}(?P<kin>{KIN}),? (?P<kinname>{NAME})(?!\w)")


def introduced(text: str, speaker: str) -> tuple[Person, ...]:
    """People whose kinship is said anywhere in a turn, questions included: "You remember my friend Liisa?"."""
    return tuple(
        Person(match.group("kinname"), kin=match.group("kin").lower(), of=speaker)
        for match in INTRODUCED.finditer(text)
        if match.group("kinname").split()[0] not in NO_NAMES
    )
