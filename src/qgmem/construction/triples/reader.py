"""Turns to readings: what the people of a session said, as triples (SPEC §2.2, §2.5; the path without a model).

Only plain statements are read. A question, a condition, a wish, a "maybe" gives nothing; what an assistant says gives
nothing, for its proposals are not what anybody did; what somebody is quoted with is marked with who is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import astuple, replace
from datetime import datetime

from ...types import JsonValue, Role
from .asks import Ask, answer_of, asked
from .borrowed import MADE_UP, hidden, own
from .clauses import corrected, split, time_last, worded
from .clean import plain, sentences
from .doubts import HEDGED, UNSURE
from .hearsay import quoted
from .making import made
from .patterns import Pattern, bare, patterns, possessed, turned
from .readings import Person, Reading
from .subject import Speech, mentioned, opens, owner_of, subject_of

TOPIC = re.compile(
    r"^(?:about|as for|regarding|speaking of|concerning)\s+(?P<who>[^:,]+)[:,]\s*(?P<rest>.+)$", re.I | re.S
)
AGED = re.compile(r"\b(?:I|[Hh]e|[Ss]he) was (?:only |just |about |barely |still )?(?:\d{1,2}|a kid|a "
    r"child|young|a student|a teenager|little)\b")  # fmt: skip
ABOUT_PEOPLE = frozenset(("is married to", "is together with", "is friends with"))
READ_CHARACTERS = 20_000  # of a turn, as for attributes
MEMORY_OF_PERSON = 4  # turns after which "she" is nobody
SHORT = 12  # words of a question that goes on about who was just spoken of
MOST_PEOPLE = 8  # that "she" may mean


class SessionReader:
    """Reads the turns of one session in order; it remembers who was spoken of and what was asked."""

    def __init__(self) -> None:
        self._near: list[tuple[Person, int]] = []
        self._ask: Ask | None = None
        self._speakers: set[str] = set()
        self._topic: Person | None = None  # the only one spoken of in the turn before, or whom that asks on about
        self._asked_by = ""  # who spoke, if the turn before was a question

    def state(self) -> JsonValue:
        """What it remembers, for JSON: `restored` goes on from there."""
        near: list[JsonValue] = [[list(astuple(person)), age] for person, age in self._near]
        speakers: list[JsonValue] = [*sorted(self._speakers)]
        topic: JsonValue = None if self._topic is None else list(astuple(self._topic))
        told = near or speakers or self._ask or self._asked_by
        return [near, speakers, _written(self._ask), topic, self._asked_by] if told else None

    @classmethod
    def restored(cls, state: JsonValue) -> SessionReader:
        """A reader that remembers what another one did."""
        reader = cls()
        if isinstance(state, list):
            near, speakers, ask, topic, asked_by = state
            reader._topic, reader._asked_by = _person(topic), str(asked_by)
            for each in near if isinstance(near, list) else []:
                if isinstance(each, list) and (person := _person(each[0])) is not None:
                    reader._near.append((person, int(str(each[1]))))
            reader._speakers = set(map(str, speakers)) if isinstance(speakers, list) else set()
            if isinstance(ask, list):
                speaker, subject, *rest = ask
                reader._ask = Ask(str(speaker), _person(subject), *map(str, rest))
        return reader

    def read(self, text: str, speaker: str, role: Role, time: datetime | None) -> tuple[Reading, ...]:
        """The readings of one turn. `time` resolves "yesterday"; it is never copied in as fact time."""
        ask, self._ask = self._ask, None
        speech = Speech(speaker, None, [person for person, _ in self._near])
        found: list[Reading] = []
        named: list[Person] = []
        asks = False
        if role == "user":
            self._speakers.add(speaker.casefold())
        shown = hidden(text[:READ_CHARACTERS])
        lower = not any(map(str.isupper, shown))
        for number, (start, end) in enumerate(sentences(shown)):
            said = corrected(plain(shown[start:end]))
            speech.last = None
            if role != "user" and shown[end - 1] != "?":
                continue
            whole = said  # "Easy: coconut tacos" may answer
            said, foreign = own(said, speaker)
            if foreign:
                break
            if shown[end - 1] == "?":
                self._ask = asked(said, speech)
                about = mentioned(said, speaker)
                asks = True
                if self._ask is not None and self._ask.subject is not None:
                    about.append(self._ask.subject)
            else:
                asks = False
                quote = text[start:end]
                if number == 0 and self._asked_by not in ("", speaker):
                    speech.last = self._topic
                readings, about = _sentence(said, quote, speech, time, lower)
                if not readings and number == 0 and ask is not None and ask.speaker != speaker:
                    readings = answer_of(ask, whole, quote, speaker, time)
                    about += [each.subject for each in readings]
                found += [each for each in readings if not self._better_known(each)]
            for person in about:
                speech.note(person)
            named += about
        self._remember(speech, named)
        self._turn_over(speaker, fresh=named, asks=asks, short=len(text.split()) <= SHORT)
        return tuple(replace(each, place=place) for place, each in enumerate(dict.fromkeys(found)))

    def _turn_over(self, speaker: str, fresh: list[Person], asks: bool, short: bool) -> None:
        """Keep the topic: "How is Lena?", or "Any news?" right after Lena was spoken of, are answered of Lena."""
        people = Speech(speaker)
        for person in fresh:
            people.note(person)
        if len(people.near) == 1:
            self._topic = people.near[0]
        elif people.near or not (asks and short):
            self._topic = None
        self._asked_by = speaker if asks else ""

    def _better_known(self, reading: Reading) -> bool:
        """Somebody is quoted about one who speaks here himself: his own word stands."""
        name = reading.subject.name.casefold()
        return reading.source is not None and any(
            name == each or each.startswith(f"{name} ") or name.startswith(f"{each} ") for each in self._speakers
        )

    def _remember(self, speech: Speech, named: list[Person]) -> None:
        """Who was named in this turn is fresh, the others are a turn older; the longest unnamed go first."""
        fresh = Speech(speech.speaker)
        for person in named:
            fresh.note(person)
        ages = dict(self._near)
        aged: list[tuple[Person, int]] = []
        for person in speech.near:
            seen = Speech(speech.speaker, None, list(fresh.near))
            seen.note(person)
            now = len(seen.near) == len(fresh.near)
            aged.append((person, 0 if now else ages.get(person, 0) + 1))
        self._near = [(p, age) for p, age in aged if age <= MEMORY_OF_PERSON][-MOST_PEOPLE:]


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


def _sentence(
    text: str, quote: str, speech: Speech, time: datetime | None, lower: bool
) -> tuple[list[Reading], list[Person]]:
    """(what the sentence claims, the people it speaks of)."""
    if not text or UNSURE.search(text) or MADE_UP.search(text):
        return [], mentioned(text, speech.speaker)
    source, text = quoted(text, speech)
    if source == "" or HEDGED.search(text):  # somebody, nobody knows who; or nobody is sure
        return [], mentioned(text, speech.speaker)
    about: list[Person] = []
    if (topic := TOPIC.match(text)) is not None:
        topics = mentioned(f"of {topic.group('who')}", speech.speaker)
        if len(topics) == 1:
            about, speech.last, text = topics, topics[0], plain(topic.group("rest"))
    found = _turned(text, quote, speech, time, source)
    if found:
        return found, about + _spoken_of(found, speech)
    clauses = split(text)
    if len(clauses) > 1 and AGED.search(clauses[0]):
        return [], about
    for number, clause in enumerate(clauses):
        following = ", ".join(clauses[number + 1 :])
        readings = _clause(plain(clause), quote, speech, time, source, following, lower)
        found += readings
        people = _spoken_of(readings, speech) if readings else mentioned(clause, speech.speaker)
        about += people
        if len(people) == 1:
            speech.last = people[0]
        for person in people:
            speech.note(person)
    return found, about


def _spoken_of(readings: Sequence[Reading], speech: Speech) -> list[Person]:
    """Subjects, and whom they live with; not who speaks."""
    found = [each.subject for each in readings]
    found += [Person(each.object) for each in readings if each.predicate in ABOUT_PEOPLE and each.object]
    return [each for each in dict.fromkeys(found) if each.name.casefold() != speech.speaker.casefold()]


def _clause(
    text: str, quote: str, speech: Speech, time: datetime | None, source: str | None, following: str, lower: bool
) -> list[Reading]:
    text = time_last(text, time)
    if not opens(text):
        return []
    text, over = worded(text)
    for pattern in patterns():
        match = _match(pattern, text, over)
        if match is not None:
            subject = subject_of(match, speech)
            readings = made(pattern, match, subject, quote, time, source, over, following, lower)
            if readings:
                return readings
    for kind, of in ((possessed, owner_of), (bare, subject_of)):
        for pattern in kind():
            match = (pattern.first if text.startswith("I ") or of is owner_of else pattern.third).match(text)
            if match is not None:
                readings = made(pattern, match, of(match, speech), quote, time, source, over, following, lower)
                if readings:
                    return readings
    return []


def _turned(text: str, quote: str, speech: Speech, time: datetime | None, source: str | None) -> list[Reading]:
    """Object first: "Tom and I are a couple"; tried before the clauses are parted at "and"."""
    for pattern in turned():
        match = pattern.first.match(text)
        if match is not None:
            owned = "owner" in match.re.groupindex
            subject = owner_of(match, speech) if owned else subject_of(match, speech)
            readings = made(pattern, match, subject, quote, time, source, over=False)
            if readings:
                return readings
    return []


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
