"""A question taken apart by a language model, beside the rules ([Q] III-B; SPEC §3).

The model may point at words of the question, no more. A phrase that the question does not have is dropped. Of a time
it says whether it tells when something was said or when it happened; the days are read by our own `timex` against the
question time: no date is taken from a model. Where it fails or is slow, the rules' reading stands and a note says so.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from ..errors import ModelError, ModelMisbehaved, StoreError
from ..models.chat import ChatModel, ChatRequest
from ..models.client import ModelClient, Scope
from ..models.json_answer import parse_json
from ..models.ledger import Ledger, Prices
from ..models.retry import RetryPolicy
from ..stores.analyser import terms
from ..types import JsonValue, Query
from .boxed import Box
from .entity_graph.keys import normalise_key
from .prompts import load
from .query import Mention, asks_for

VERSION = 1
TOKENS = 400  # longest answer
LONGEST = 2000  # characters of a question that a model is shown
KEPT = 256  # answers remembered in the process
MOST = 12  # phrases of a kind
_TEXT: dict[str, JsonValue] = {"type": "string"}
_TEXTS: dict[str, JsonValue] = {"type": "array", "items": _TEXT}
_TIME: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"words": _TEXT, "about": {"type": "string", "enum": ["said", "happened"]}},
    "required": ["words", "about"],
    "additionalProperties": False,
}
_SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"entities": _TEXTS, "locations": _TEXTS, "times": {"type": "array", "items": _TIME}},
    "required": ["entities", "locations", "times"],
    "additionalProperties": False,
}
# A question that speaks of no talk at all does not ask when something was said, whatever a model finds.
_TALK = re.compile(
    r"\b(?:chat|conversation|discussion|discuss|dialogue|talk|session|message|exchange|say|said|tell|told|mention|spoke|"
    r"speak|bring up|brought up|ask|write|wrote|text|email|e-mail|call|hear|heard|suggest|recommend|advise|promise|"
    r"explain|describe|complain|claim|report|share)(?:s|ed|d|ing|ting)?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The question; `notes` say why it was left to the rules, if a model was to take part: `query-by-rules: …`."""

    query: Query
    notes: tuple[str, ...] = ()


class QueryModel:
    """Asks one chat model about questions. Safe to share between threads; remembers answers within the process.

    `seconds`: longest wait for an answer, after which the rules' reading stands. `hide` is done to the question
    before a model sees it.
    """

    def __init__(
        self,
        chat: ChatModel,
        seconds: float,
        *,
        prices: Prices | None = None,
        hide: Callable[[str], str] | None = None,
    ) -> None:
        self._chat, self._seconds, self._prices, self._hide = chat, seconds, prices, hide
        self._box, self._cache = Box("qgmem-query"), _Kept()

    def parse(self, by_rules: Query, mentions: Sequence[Mention], ledger: Ledger, namespace: str) -> Parsed:
        """The question with the model's constraints where they hold up, else with those of `by_rules`.

        `mentions` are the times that `timex` finds in the question. Calls are charged to `ledger`, stage `query`.
        Never raises for what a model does or fails to do.
        """
        request = query_request(by_rules, self._hide)
        client = ModelClient(
            self._chat, ledger=ledger, cache=self._cache, retry=RetryPolicy(attempts=1), prices=self._prices
        )
        scope = Scope(namespace, "query", namespace)
        try:
            answer = self._box.run(
                lambda: client.ask(request, scope, usable=lambda one: not one.truncated and _readable(one.text)),
                self._seconds,
            )
            return Parsed(constrained(by_rules, mentions, _fields(answer.text)))
        except (ModelError, StoreError) as error:
            return Parsed(by_rules, (f"query-by-rules: {error}",))


def query_request(query: Query, hide: Callable[[str], str] | None = None) -> ChatRequest:
    """What the model is asked about a question."""
    text = " ".join(query.text[:LONGEST].split())
    time = query.question_time
    return load("query", VERSION).request(
        _SCHEMA,
        TOKENS,
        question=hide(text) if hide else text,
        time="unknown" if time is None else f"{time:%Y-%m-%d %H:%M} ({time:%A})",
    )


def constrained(by_rules: Query, mentions: Sequence[Mention], fields: dict[str, JsonValue]) -> Query:
    """The rules' query with what of the model's answer stands in the question.

    Phrases take the place of the rules' own, unless none holds up. A time that the rules find to be of the talk stays
    so; one that they take for a fact's becomes one of the talk if the model says so and the question speaks of talk.
    """
    text, rules = by_rules.text, by_rules.constraints
    locations = _phrases(fields.get("locations"), text, mentions) or list(rules.locations)
    places = {normalise_key(place) for place in locations}
    named = _phrases(fields.get("entities"), text, mentions) or list(rules.entities)
    entities = [phrase for phrase in named if normalise_key(phrase) not in places]
    said = [mention.interval for mention in _said(fields.get("times"), text, mentions)]
    moved = [time for time in said if time in rules.fact_times]
    made = replace(
        rules,
        entities=tuple(entities),
        locations=tuple(locations),
        fact_times=tuple(time for time in rules.fact_times if time not in moved),
        utterance_times=tuple(dict.fromkeys((*rules.utterance_times, *moved))),
    )
    return replace(by_rules, constraints=made)


def _phrases(value: JsonValue, text: str, mentions: Sequence[Mention]) -> list[str]:
    """Phrases that stand in the question, each once, without answer types and words of time."""
    asked = set(terms(text, "none"))
    timed = {term for mention in mentions for term in terms(text[mention.start : mention.end], "none")}
    found: dict[str, str] = {}
    for item in value if isinstance(value, list) else []:
        phrase = " ".join(item.split()) if isinstance(item, str) else ""
        own = set(terms(phrase, "none"))
        key = normalise_key(phrase)
        if own and own <= asked and not own <= timed and key and not asks_for(phrase, text):
            found.setdefault(key, phrase)
    return list(found.values())[:MOST]


def _said(value: JsonValue, text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Times of the question that the model takes for times of the talk."""
    if not _TALK.search(text):
        return []
    found: list[Mention] = []
    for item in value if isinstance(value, list) else []:
        words = item.get("words") if isinstance(item, dict) and item.get("about") == "said" else None
        start = text.casefold().find(words.casefold().strip()) if isinstance(words, str) and words.strip() else -1
        if isinstance(words, str) and start >= 0:
            end = start + len(words.strip())
            found += [one for one in mentions if one.start < end and start < one.end]
    return found


def _fields(answer: str) -> dict[str, JsonValue]:
    """Raises ModelMisbehaved for an answer that is no object, or has none of the three lists."""
    value = parse_json(answer).value
    if not isinstance(value, dict) or not {"entities", "locations", "times"} & set(value):
        raise ModelMisbehaved("answer: expected an object with entities, locations and times")
    return value


def _readable(answer: str) -> bool:
    try:
        _fields(answer)
    except ModelMisbehaved:
        return False
    return True


class _Kept:
    """The last answers, by namespace and content."""

    def __init__(self) -> None:
        self._answers: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = Lock()

    def cached(self, owner: str, key: str) -> str | None:
        """The answer kept under this key."""
        with self._lock:
            if (owner, key) in self._answers:
                self._answers.move_to_end((owner, key))
            return self._answers.get((owner, key))

    def cache(self, owner: str, key: str, answer: str) -> None:
        """Keep an answer; the one longest unused goes."""
        with self._lock:
            self._answers[owner, key] = answer
            while len(self._answers) > KEPT:
                self._answers.popitem(last=False)
