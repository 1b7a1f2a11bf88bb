"""Turns to readings: what the people of a session said, as triples (SPEC §2.2, §2.5; the path without a model).

Only plain statements are read. A question, a condition, a wish, a "maybe" gives nothing; what an assistant says gives
nothing, for its proposals are not what anybody did; what somebody is quoted with is marked with who is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple
from datetime import date, datetime

from ...types import Interval, JsonValue, Role
from ..timex import find_times
from .asks import Ask, answer_of, asked
from .clean import plain, sentences
from .hearsay import quoted
from .patterns import Pattern, Tense, patterns, possessed, turned
from .readings import Person, Reading, ReadingKind
from .shapes import objects, tidy_object
from .subject import Speech, opens, owner_of, spoken_of, subject_of

UNSURE = re.compile(
    r"^(?:if|unless|whether|suppose|imagine|maybe|perhaps|what if|let's|let us|i wish|i hope|hopefully|ideally|"
    r"in theory|in my dream|i dreamed|i dreamt|pretend)\b|"
    r"\b(?:just kidding|not really|or something|i made that up)\b",
    re.I,
)
TOPIC = re.compile(
    r"^(?:about|as for|regarding|speaking of|concerning)\s+(?P<who>[^:,]+)[:,]\s*(?P<rest>.+)$", re.I | re.S
)
CLAUSE = re.compile(r"(?:;\s+|:\s+|,? but (?=(?:I|she|he|my)\b)|, and (?=(?:I|she|he|my)\b)| and (?=(?:I|she|he)\b))")
NOT_NOW = re.compile(r"\bno longer |\b(?:do|does) not (?=.*\bany ?more\b)", re.I)
NEVER = re.compile(r"\b(was|am|is|had|has been|have been) never\b")
READ_CHARACTERS = 20_000  # of a turn, as for attributes
MEMORY_OF_PERSON = 4  # turns after which "she" is nobody


class SessionReader:
    """Reads the turns of one session in order; it remembers who was spoken of and what was asked."""

    def __init__(self) -> None:
        self._last: Person | None = None
        self._age = 0
        self._ask: Ask | None = None

    def state(self) -> JsonValue:
        """What it remembers, for JSON: `restored` goes on from there."""
        last = None if self._last is None else list(astuple(self._last))
        return None if last is None and self._ask is None else [last, self._age, _written(self._ask)]

    @classmethod
    def restored(cls, state: JsonValue) -> SessionReader:
        """A reader that remembers what another one did."""
        reader = cls()
        if isinstance(state, list):
            last, age, ask = state
            reader._last = _person(last)
            reader._age = int(str(age))
            if isinstance(ask, list):
                speaker, subject, *rest = ask
                reader._ask = Ask(str(speaker), _person(subject), *map(str, rest))
        return reader

    def read(self, text: str, speaker: str, role: Role, time: datetime | None) -> tuple[Reading, ...]:
        """The readings of one turn. `time` resolves "yesterday"; it is never copied in as fact time."""
        ask, self._ask = self._ask, None
        speech = Speech(speaker, self._last)
        found: list[Reading] = []
        parts = sentences(text[:READ_CHARACTERS])
        named: Person | None = None
        for number, sentence in enumerate(parts):
            if sentence.endswith("?"):
                self._ask = asked(plain(sentence), speech)
                named = named or spoken_of(plain(sentence), speech) or (self._ask.subject if self._ask else None)
                continue
            if role != "user":
                continue
            readings = _sentence(sentence, speech, time)
            if not readings and number == 0 and ask is not None and ask.speaker != speaker:
                readings = answer_of(ask, plain(sentence), sentence, speaker, time)
            found += readings
            about = readings[0].subject if readings else spoken_of(plain(sentence), speech)
            if about is not None and about.name != speaker:
                named = speech.last = about
        self._age = 0 if named is not None else self._age + 1
        self._last = named if named is not None else (self._last if self._age <= MEMORY_OF_PERSON else None)
        return tuple(
            Reading(r.subject, r.predicate, r.object, r.kind, r.fact_time, r.quote, r.source, place)
            for place, r in enumerate(found)
        )


def _person(state: JsonValue) -> Person | None:
    return Person(*map(str, state)) if isinstance(state, list) else None


def _written(ask: Ask | None) -> JsonValue:
    if ask is None:
        return None
    subject: JsonValue = None if ask.subject is None else list(astuple(ask.subject))
    return [ask.speaker, subject, ask.predicate, ask.shape, ask.lead]


def read_session(
    turns: Sequence[tuple[str, str, Role, datetime | None]],
) -> list[tuple[Reading, ...]]:
    """The readings of each turn of one session; a turn is (text, speaker, role, time)."""
    reader = SessionReader()
    return [reader.read(*turn) for turn in turns]


def _sentence(sentence: str, speech: Speech, time: datetime | None) -> list[Reading]:
    text = plain(sentence)
    if not text or UNSURE.search(text):
        return []
    source, text = quoted(text, speech)
    if source == "":  # somebody, nobody knows who
        return []
    if (topic := TOPIC.match(text)) is not None:
        about = spoken_of(f"of {topic.group('who')}", speech)
        if about is not None:
            speech.last, text = about, plain(topic.group("rest"))
    found = _turned(text, sentence, speech, time, source)
    if found:
        return found
    for clause in CLAUSE.split(text):
        readings = _clause(plain(clause), sentence, speech, time, source)
        found += readings
        about = readings[0].subject if readings else spoken_of(f"of {plain(clause)}", speech)
        if about is not None and about.name != speech.speaker:
            speech.last = about
    return found


def _clause(text: str, quote: str, speech: Speech, time: datetime | None, source: str | None) -> list[Reading]:
    over = NOT_NOW.search(text) is not None
    text = NOT_NOW.sub("", text)
    text = NEVER.sub(r"never \1", text)
    text = _leading_time(text, time)
    if not opens(text):
        return []
    for pattern in patterns():
        match = _match(pattern, text, over)
        if match is not None:
            made = _made(pattern, match, subject_of(match, speech), quote, time, source, over)
            if made:
                return made
    for pattern in possessed():
        match = pattern.first.match(text)
        if match is not None:
            made = _made(pattern, match, owner_of(match, speech), quote, time, source, over)
            if made:
                return made
    return []


def _turned(text: str, quote: str, speech: Speech, time: datetime | None, source: str | None) -> list[Reading]:
    """Object first: "Tom and I are a couple"; tried before the clauses are parted at "and"."""
    for pattern in turned():
        match = pattern.first.match(text)
        if match is not None:
            owned = "owner" in match.re.groupindex
            subject = owner_of(match, speech) if owned else subject_of(match, speech)
            made = _made(pattern, match, subject, quote, time, source, over=False)
            if made:
                return made
    return []


def _leading_time(text: str, time: datetime | None) -> str:
    """ "In 2021 I lived in Oslo" → "I lived in Oslo in 2021"."""
    mentions = find_times(text, time)
    if not mentions or mentions[0].start > 8:
        return text
    first = mentions[0]
    if not re.fullmatch(r"(?:back )?(?:in|on|since|from|at|around|during)?\s*(?:the )?", text[: first.start], re.I):
        return text
    rest = text[first.end :].lstrip(" ,")
    return (
        f"{rest} {text[: first.end].strip().lower()}"
        if re.match(r"(?:I|[Mm]y|[Ss]he|[Hh]e|[A-Z]\w+)\b", rest)
        else text
    )


def _match(pattern: Pattern, text: str, over: bool) -> re.Match[str] | None:
    if text.startswith("I "):
        return pattern.first.match(text) or _never(pattern.first, text, "am", "have")
    found = pattern.third.match(text) or _never(pattern.third, text, "is", "has")
    if found is None and over:  # "she does not live": the bare verb
        found = pattern.third.match(re.sub(r"^(\S+(?: [A-Z]\S+)*) (\w+)", r"\1 \2s", text))
    return found


def _never(pattern: re.Pattern[str], text: str, be: str, have: str) -> re.Match[str] | None:
    """ "never was allergic" is matched as "never am allergic", for what it denies is that it ever was so."""
    if "never " not in text:
        return None
    for past, now in (("was", be), ("had", have), ("owned", "own" if be == "am" else "owns")):
        if f"never {past} " in text:
            return pattern.match(text.replace(f"never {past} ", f"never {now} "))
    return None


def _made(
    pattern: Pattern, match: re.Match[str], subject: Person | None, quote: str, time: datetime | None,
    source: str | None, over: bool,
) -> list[Reading]:  # fmt: skip
    """Readings of a match, if its subject is clear, its object fits, and it says when it must."""
    if subject is None:
        return []
    rest = match.group("object") + (match.group("rest") if "rest" in match.re.groupindex else "")
    mentions = find_times(rest, time)
    said = rest[: mentions[0].start] if mentions else rest
    if "rest" in match.re.groupindex:
        said = match.group("object")
    denied = "no" in match.re.groupindex and match.group("no") is not None
    kind = _kind(pattern.tense, denied, over)
    if kind is None or (pattern.tense == "past" and not denied and len(mentions) != 1):
        return []
    fact_time = mentions[0].interval if len(mentions) == 1 and not denied else None
    predicate = pattern.predicate
    if "{0}" in predicate:
        predicate = predicate.replace("{0}", next(g for g in match.groups()[::-1][1:] if g))
    readings = [
        Reading(subject, predicate, tidy_object(found, pattern.shape, predicate), kind, fact_time, quote, source)
        for found in objects(said, pattern.shape, pattern.predicate)
    ]
    return readings + _closed(readings, fact_time, mentions[0].text if mentions else "", time)


def _kind(tense: Tense, denied: bool, over: bool) -> ReadingKind | None:
    if over:
        return "end" if tense == "now" and not denied else None
    if tense == "end":
        return None if denied else "end"
    return "retraction" if denied else "state"


def _closed(readings: list[Reading], when: Interval | None, words: str, time: datetime | None) -> list[Reading]:
    """ "From 2019 to 2021" also says when it ended: on the first day after."""
    if (
        when is None
        or not re.match(r"(?:from|between)\b", words, re.I)
        or when.end >= (time.date() if time else date.max)
    ):
        return []
    after = date.fromordinal(when.end.toordinal() + 1)
    end = Interval(after, after, when.granularity)
    return [Reading(r.subject, r.predicate, r.object, "end", end, r.quote, r.source) for r in readings]
