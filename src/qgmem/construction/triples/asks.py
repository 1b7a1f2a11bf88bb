"""Short answers: "Where do you live?" — "Lisbon, since March." The question gives subject and predicate."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from ..timex import find_times
from .readings import Person, Reading
from .shapes import objects, tidy_object
from .subject import ADJECTIVE, KIN, NAME, NO_NAMES, Speech

WHO = rf"(?P<who>you|your {ADJECTIVE}(?P<kin>{KIN})(?: (?P<kinname>{NAME}))?|she|he|(?P<name>{NAME}))"
WHOSE = rf"(?P<who>your|your {ADJECTIVE}(?P<kin>{KIN})(?: (?P<kinname>{NAME}))?'s|her|his|(?P<name>{NAME})'s)"
DO, BE = r"(?:do|does)", r"(?:are|is)"
# What is asked, predicate, shape of the answer, words before the answer that may stand.
ROWS = (
    (rf"where {DO} WHO live", "lives in", "proper", "in|over in|near"),
    (rf"where {BE} WHO (?:living|based)", "lives in", "proper", "in|over in|near"),
    (
        "(?:which|what) (?:city|town) (?:are|is|do|does) WHO (?:in|live in|living in)",
        "lives in",
        "proper",
        "in|over in",
    ),
    (rf"where {DO} WHO work(?! out)", "works at", "proper", "at|for"),
    (rf"who {DO} WHO work for", "works at", "proper", "at|for"),
    (rf"(?:which|what) company {BE} WHO (?:with|at)", "works at", "proper", "at|for|with"),
    (rf"what {DO} WHO do (?:for work|for a living|all day)", "works as", "job", "as"),
    ("what is WHOSE (?:job|job title|profession|occupation)", "works as", "job", "as"),
    ("what is WHOSE favou?rite (?:food|dish)", "favourite food is", "any", ""),
    (rf"(?:what|which) car {DO} WHO (?:drive|have)", "drives", "any", ""),
    (rf"(?:what|which) (?:phone|mobile) {DO} WHO (?:have|use)", "uses phone", "any", ""),
    (rf"(?:what|which) (?:book )?{BE} WHO reading", "is reading", "proper", "still"),
    (rf"where {DO} WHO (?:work out|train)", "trains at", "proper", "at"),
    (rf"which gym {DO} WHO (?:go to|use)", "trains at", "proper", "at"),
    ("who is WHOSE doctor", "is a patient of", "proper", "to"),
    (rf"which doctor {DO} WHO (?:go to|see)", "is a patient of", "proper", "to"),
    (rf"how {DO} WHO (?:get to work|commute)", "commutes by", "any", "by|with"),
    (rf"what {BE} WHO working on", "is working on", "any", "still|on"),
    (rf"which project {BE} WHO on", "is working on", "any", "still|on"),
    (rf"{BE} WHO (?:seeing|dating) (?:anyone|anybody|somebody|someone)", "is together with", "proper", "yes,?"),
    ("what is WHOSE (?:partner|wife|husband|girlfriend|boyfriend)'s name", "is together with", "proper", "yes,?"),
    (rf"(?:which|what) languages? {DO} WHO speak", "speaks", "list", "some|yes,?"),
    (rf"{BE} WHO allergic to (?:anything|something)", "is allergic to", "list", "yes,?|only|to"),
    (rf"{DO} WHO have (?:any |a )?pets?", "has pet", "animal", "yes,?"),
    (rf"{DO} WHO follow any diet", "is on diet", "any", "strictly"),
    (rf"what diet {BE} WHO on", "is on diet", "any", "strictly"),
)
NO_ANSWER = re.compile(
    r"^(?:no|nope|none|nothing|not|never|why|how|what|good|great|fine|well|thanks|thank|sure|yes|yeah|i|it|"
    r"that|the "
    r"same|same|he|she|we|they|you|there|this|ask|don't|do not|can|some(?:where|thing)|any)\b",
    re.I,
)


@cache
def _forms() -> tuple[tuple[re.Pattern[str], str, str, str], ...]:
    """The rows, compiled on first use."""
    return tuple(
        (re.compile(rf"(?:^|[\s,]){text.replace('WHOSE', WHOSE).replace('WHO', WHO)}\b"), predicate, shape, lead)
        for text, predicate, shape, lead in ROWS
    )


@dataclass(frozen=True, slots=True)
class Ask:
    """An open question. `subject` None: "you", whoever answers."""

    speaker: str
    subject: Person | None
    predicate: str
    shape: str
    lead: str


def asked(question: str, speech: Speech) -> Ask | None:
    """The question as one that a short answer completes; None if it is not such a one."""
    for form, predicate, shape, lead in _forms():
        match = form.search(question[:1].lower() + question[1:])
        if match is None:
            continue
        who = match.group("who").lower()
        if who in ("you", "your"):
            return Ask(speech.speaker, None, predicate, shape, lead)
        if who in ("she", "he", "her", "his"):
            person = speech.meant(who)
            return Ask(speech.speaker, person, predicate, shape, lead) if person else None
        if match.group("kin"):
            person = Person(match.group("kinname") or "", kin=match.group("kin").lower(), of="")
            return Ask(speech.speaker, person, predicate, shape, lead)
        name = match.group("name")
        return None if name.split()[0] in NO_NAMES else Ask(speech.speaker, Person(name), predicate, shape, lead)
    return None


def answer_of(ask: Ask, text: str, quote: str, speaker: str, time: datetime | None) -> list[Reading]:
    """The answer in the first sentence of the next turn: a noun phrase with a time at most; else nothing."""
    text = re.sub(r"^(?:\w+): ", "", text)
    text = re.sub(rf"^(?:{ask.lead})\s+", "", text, flags=re.I) if ask.lead else text
    mentions = find_times(text, time)
    said = text[: mentions[0].start] if mentions else text
    said = re.sub(r"[\s,]+(?:since|as of|from)?\s*$", "", said)
    if (
        NO_ANSWER.match(said)
        or len(said.split()) > 6
        or re.search(r"\b(?:is|am|are|was|were|have|has|do|did)\b", said)
    ):
        return []
    subject = Person(speaker) if ask.subject is None else ask.subject
    if ask.subject is not None and ask.subject.kin and not ask.subject.of:
        subject = Person(ask.subject.name, ask.subject.context, ask.subject.kin, speaker)
    shape = ask.shape
    fact_time = mentions[0].interval if len(mentions) == 1 else None
    if shape == "job" and said[:1].isupper():  # "Electrician, since 2017": only the start of the sentence is capital
        said = said[0].lower() + said[1:]
    return [
        Reading(subject, ask.predicate, tidy_object(found, shape, ask.predicate), "state", fact_time, quote)
        for found in objects(said, shape, ask.predicate)
    ]
