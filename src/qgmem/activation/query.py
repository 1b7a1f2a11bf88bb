"""From a question to its constraints, by rules (SPEC §3, contract of [Q] appendix F's query intent)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from ..protocols import AttributeExtractor
from ..types import Constraints, Entity, Interval, Query
from .entity_graph.keys import normalise_key


class Mention(Protocol):
    """A time expression at [start, end) of the searched text, as `construction.timex` finds it."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def interval(self) -> Interval: ...


FindTimes = Callable[[str, datetime | None], Sequence[Mention]]

ANSWER_TYPES = frozenset(
    {
        "country",
        "countries",
        "state",
        "states",
        "city",
        "cities",
        "town",
        "towns",
        "place",
        "places",
        "location",
        "locations",
        "area",
        "areas",
        "region",
        "regions",
        "continent",
        "person",
        "people",
        "name",
        "names",
        "date",
        "dates",
        "year",
        "years",
        "month",
        "months",
        "day",
        "days",
        "time",
        "times",
        "number",
        "kind",
        "kinds",
        "type",
        "types",
        "thing",
        "things",
        "reason",
        "reasons",
        "way",
        "ways",
    }
)
"""What an answer may be, rather than what the evidence speaks of, when a question word stands before it."""

_ASKS = re.compile(
    r"\b(?:which|what|how many|how much|whose|what kinds? of|what types? of|what sorts? of)\s+"
    r"(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
_TALK = r"(?:chats?|conversations?|discussions?|dialogues?|talks?|sessions?|messages?|exchanges?)"
_SAY = (
    r"(?:say|says|said|saying|tell|tells|told|mention|mentions|mentioned|talk|talks|talked|talking|discuss|discusses|"
    r"discussed|chat|chatted|bring\s+up|brought\s+up|ask|asked|write|wrote|text|texted|message|messaged)"
)
_LISTENER = r"(?:\s+(?:to\s+|with\s+)?(?:me|you|us|him|her|them|each\s+other|one\s+another))?"
_JOIN = r"(?:\s*,?\s*(?:back\s+)?(?:on|in|during|at|from|of|around|dated|this|over|earlier))?(?:\s+the)?\s*$"
_SAID_AT = re.compile(
    rf"\b(?:{_TALK}(?:\s+(?:we|you|i)\s+had)?|{_SAY}{_LISTENER}(?:\s+about(?:\s+(?:it|this|that))?)?){_JOIN}",
    re.IGNORECASE,
)
_WE_SPOKE = re.compile(
    r"\bwe\s+(?:\w+\s+)?(?:talk|talked|discuss|discussed|chat|chatted|speak|spoke)\b", re.IGNORECASE
)
_THE_TALK = re.compile(_TALK)
_TALK_OF = re.compile(rf"^(?:['’]s)?\s+{_TALK}\b", re.IGNORECASE)
_THEN_SAID = re.compile(
    rf"^\s*,?\s*(?:(?:what|which|who|how|where|when|why)\s+(?:\w+\s+)?)?(?:(?:did|had|have|has|was)\s+)?"
    rf"(?:i|we|you|he|she|they|\w+)\s+{_SAY}\b",
    re.IGNORECASE,
)
_WINDOW = 120


def parse_query(
    text: str, question_time: datetime | None, extractor: AttributeExtractor, find_times: FindTimes
) -> Query:
    """The question with entity, location and time constraints, each kind possibly empty.

    Places go to locations and nowhere else. A time is an utterance time only where the question says that
    something was said then ("in our chat in June", "what did I tell you last Tuesday"); every other is a
    fact time. `question_time` resolves relative expressions and is never itself a constraint. Answer types
    ("which country", "where") are no constraints. Never raises on text.
    """
    mentions = find_times(text, question_time)
    said = [_is_utterance(mention, text) for mention in mentions]
    found = extractor.extract(text, "")
    places = {normalise_key(place) for place in found.locations}
    entities: dict[str, str] = {}
    locations: dict[str, str] = {}
    for entity in found.entities:
        key = normalise_key(entity.text)
        if any(said) and _THE_TALK.fullmatch(key):
            continue  # "our chat in June" constrains when, not what about
        if key and not _is_answer_type(entity, text) and not _inside_time(entity, mentions):
            (locations if key in places else entities).setdefault(key, entity.text)
    facts = [mention.interval for mention, spoken in zip(mentions, said, strict=True) if not spoken]
    spoken_at = [mention.interval for mention, spoken in zip(mentions, said, strict=True) if spoken]
    constraints = Constraints(
        entities=tuple(entities.values()),
        locations=tuple(locations.values()),
        fact_times=tuple(dict.fromkeys(facts)),
        utterance_times=tuple(dict.fromkeys(spoken_at)),
    )
    return Query(text, question_time, constraints)


def question_keys(query: Query) -> list[str]:
    """The Entity–Memory keys of a question: its entities, then its places, as normal forms without repeats."""
    named = (*query.constraints.entities, *query.constraints.locations)
    return list(dict.fromkeys(key for name in named if (key := normalise_key(name))))


def _is_answer_type(entity: Entity, text: str) -> bool:
    """True for a bare type of answer behind a question word: "which country", "how many times"."""
    head = normalise_key(entity.text).rsplit(" ", 1)[-1]
    if head not in ANSWER_TYPES or entity.start is None:
        return False
    return bool(_ASKS.search(text[max(0, entity.start - _WINDOW) : entity.start]))


def asks_for(phrase: str, text: str) -> bool:
    """True if the phrase stands in the text only as a type of answer."""
    places = [found.start() for found in re.finditer(re.escape(phrase), text, re.IGNORECASE)]
    return bool(places) and all(_is_answer_type(Entity(phrase, "What", place), text) for place in places)


def _inside_time(entity: Entity, mentions: Sequence[Mention]) -> bool:
    if entity.start is None or entity.end is None:
        return False
    return any(entity.start < mention.end and mention.start < entity.end for mention in mentions)


def _is_utterance(mention: Mention, text: str) -> bool:
    """Whether the question speaks of when something was said, not of when it happened."""
    before = text[max(0, mention.start - _WINDOW) : mention.start]
    after = text[mention.end : mention.end + _WINDOW]
    if _SAID_AT.search(before) or _TALK_OF.search(after) or _WE_SPOKE.search(before):
        return True
    opening = re.fullmatch(r"\W*(?:(?:back\s+)?(?:on|in|during|at)\s+)?(?:the\s+)?", before, re.IGNORECASE)
    return bool(opening and _THEN_SAID.search(after))
