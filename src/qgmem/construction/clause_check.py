"""Does the clause with the claim's verb and object say it as a fact, and of the one that the claim is about?

Every place in the speaker's turns of the window that has the claim's verb beside its object is looked at. If all of
them were read and all say otherwise, the claim is turned away; one that was not read, or agrees, and it is kept.
Rules over English words; what is worded otherwise than its source ("settled" for "moved" aside) is not judged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..stores.analyser import terms
from ..types import Triple, Turn
from .predications import Predication, base, is_past, predications, segments
from .support import SUPPORT, content, locate, sentences, share
from .traces.relations import relation_of, value_key
from .triples import SessionReader

_FAMILIES = tuple(
    frozenset(map(base, line.split()))
    for line in ("live move reside relocate settle stay", "work join start employ", "buy own get have", "marry wed")
)
"""Verbs of which one is told where another was said: "lives in" of "moved to"."""
_MUTUAL = frozenset(
    map(base, "meet marry wed date divorce talk chat speak argue reunite collaborate partner".split())
)
_FRAMED = re.compile(
    r"\b(?:might|may|could|can|would|should|will|shall|if|unless|whether|maybe|perhaps|possib\w+|potential\w*|likely|"
    r"want\w*|wish\w*|hop(?:e|es|ed|ing)|plan\w*|intend\w*|intention\w*|consider\w*|think\w*|thought|dream\w*|aim\w*|"
    r"goal\w*|aspir\w+|tempted|like to|love to|prefer\w*|interested|interest|curious|wonder\w*|going to|future|"
    r"upcoming|expect\w*|look\w* forward|excited|eager|idea|option|suggest\w*|asks?|asked|asking|ready|about to|"
    r"prepar\w+|try\w*|tries|tried|seek\w*|explor\w*|open to|need\w*|next|soon|tomorrow)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|never|no|none|nothing|nobody|neither|nor|cannot|without|hardly|unable|stopped|quit|gave up|refus\w+|"
    r"avoid\w*|lacks?|hates?|dislikes?|instead|rather)\b|n['’]t\b",
    re.IGNORECASE,
)
_LIGHT = frozenset(
    "is are was were am be been being has have had does do did will currently now recently also just still already "
    "always often really actually no longer not never".split()
)
_MAIN = frozenset(map(base, ("be", "have", "do")))
_PLACED = frozenset("a an the to in on at of for with by as from into".split())
_ANAPHOR = re.compile(
    r"\b(?:it|them|that|this|those|these|one|ones|there|here|him|her|some|both|all|everything|something)\b", re.I
)
_UNTIL = re.compile(r"\b(?:until|till|yet|only|before|since|just|merely|simply)\b", re.IGNORECASE)
_DISBELIEF = re.compile(
    r"\b(?:not|never)\b[^,]{0,20}\b(?:think|thought|believe|expect|imagine|know|wait|forget|stop)", re.I
)


@dataclass(frozen=True, slots=True)
class _Told:
    """A claim taken apart. `verb`: the stem, `past`: its form; `wording`: what shows whether it is flat."""

    subject: str
    verb: str
    past: bool
    object: frozenset[str]
    wording: str


def contradicted_by_clause(
    text: str, triple: Triple | None, quote: str, turn: Turn, turns: Sequence[Turn], language: str
) -> str | None:
    """Why the claim says otherwise than its clause: a reason, or None.

    `hedge-lost`, `negation-lost`: said as what may be, or is not. `other-subject`: said of another person.
    `roles-swapped`: who did it and to whom changed places. `parts-apart`: verb and object belong to two clauses.
    """
    if language != "english":
        return None
    told = _told(text, triple, turn.speaker, language)
    if told is None:
        return None
    said = [part for one in turns if one.speaker == turn.speaker for part in segments(one.text)]
    verbs = next((family for family in _FAMILIES if told.verb in family), frozenset((told.verb,)))
    places = [(part, verb) for part in said for verb in _verbs(part, verbs)]
    mine = _is(told.subject, turn.speaker)
    if reason := _swapped(told, places, turn.speaker, mine, language):
        return reason
    beside = [(part, at) for part, at in places if share(set(told.object), content(part, language)) > SUPPORT]
    if not beside:
        another = _of_another(told, triple, turn) if mine else None
        return another or _apart(told, quote, turn, language)
    found = [_read(part, at) for part, at in beside]
    reasons = [_otherwise(told, one, part, mine) for one, (part, _) in zip(found, beside, strict=True)]
    return reasons[0] if all(reasons) else None


def flat_triple(triple: Triple) -> str:
    """The triple as the words of a claim."""
    return f"{triple.subject} {triple.predicate.replace('_', ' ')} {triple.object}"


def _told(text: str, triple: Triple | None, speaker: str, language: str) -> _Told | None:
    if triple is not None:
        subject, predicate, thing = triple.subject, triple.predicate.replace("_", " "), triple.object
    else:
        lead = re.match(rf"{re.escape(speaker)}\s+", text)
        if lead is None:
            return None
        subject, predicate, thing = speaker, text[lead.end() :], text[lead.end() :]
    words = re.findall(r"[a-z]+", predicate.casefold())
    heavy = next((word for word in words if word not in _LIGHT), "")
    light = next((word for word in reversed(words) if word in _LIGHT and base(word) in _MAIN), "")
    verb = light if (not heavy or heavy in _PLACED) and light else heavy
    stems = content(thing, language) - (content(verb, language) if triple is None else set())
    if not verb or not stems:
        return None
    return _Told(subject, base(verb), is_past(verb), frozenset(stems), text)


def _verbs(part: str, wanted: frozenset[str]) -> list[int]:
    return [found.start() for found in re.finditer(r"[A-Za-z]+", part) if base(found[0]) in wanted]


def _read(part: str, at: int) -> Predication | None:
    return next((one for one in predications(part) if one.at == at), None)


def _otherwise(told: _Told, one: Predication | None, part: str, mine: bool) -> str | None:
    """Why this clause does not bear the claim out; None where it does, or cannot be judged."""
    if one is None or one.whose == "joint":
        return None
    flat = _FRAMED.search(told.wording) is None
    if mine and one.whose == "other" and one.subject.split()[-1] not in told.wording:
        return "other-subject"
    if one.unreal and flat:
        return "hedge-lost"
    if one.future and flat and told.past:
        return "hedge-lost"
    if one.denied and not _NEGATED.search(told.wording) and not _UNTIL.search(part) and not _DISBELIEF.search(part):
        return "negation-lost"
    return None


def _swapped(told: _Told, places: Sequence[tuple[str, int]], speaker: str, mine: bool, language: str) -> str | None:
    """Did "I" do to somebody what the claim says was done by them, or they to "me" what "I" am said to have done?"""
    passive = re.search(rf"\bby (?:the )?{re.escape(speaker)}\b|\b(?:each other|one another)\b", told.wording, re.I)
    if told.verb in _MUTUAL or passive:
        return None
    reversed_ = 0
    for part, at in places:
        one = _read(part, at)
        if one is None or one.whose == "joint" or one.verb != told.verb:
            return None
        after = part[one.at :]
        if not mine and one.whose == "self" and _names(told.object, speaker, language):
            reversed_ += _mentions(told.subject, after)
        elif mine and one.whose == "other" and re.search(r"\b(?:me|us)\b", after):
            reversed_ += bool(told.object & content(one.subject, language))
    return "roles-swapped" if places and reversed_ == len(places) else None


def _of_another(told: _Told, triple: Triple | None, turn: Turn) -> str | None:
    """Do the rules that need no model read the same relation and value, in other words, of others alone?"""
    if triple is None:
        return None
    relation, value = relation_of(triple.predicate.replace("_", " "), triple.object).name, value_key(triple.object)
    own = turn.speaker.split()[0]
    subjects = [
        reading.subject
        for reading in SessionReader().read(turn.text, turn.speaker, turn.role, turn.utterance_time)
        if value_key(reading.object) == value and relation_of(reading.predicate, reading.object).name == relation
    ]
    apart = [one for one in subjects if one.name.split()[:1] != [own] and one.shown.split()[-1] not in told.wording]
    return "other-subject" if subjects and len(apart) == len(subjects) else None


def _apart(told: _Told, quote: str, turn: Turn, language: str) -> str | None:
    """Is the verb said of something else, in another clause than the object? A pronoun could mean the object."""
    place = locate(quote, turn.text)
    if place is None:
        return None
    around = " ".join(turn.text[a:b] for a, b in sentences(turn.text) if a < place[1] and place[0] < b)
    parts = segments(around)
    with_verb = [(part, at) for part in parts for at in _verbs(part, frozenset((told.verb,)))]
    if not with_verb or not any(share(set(told.object), content(part, language)) > SUPPORT for part in parts):
        return None
    claimed = content(told.wording, language)
    for part, at in with_verb:
        one = _read(part, at)
        after = re.sub(r"^\W*\w+", "", part[at:])
        own = content(after, language)
        if one is None or not own or own & claimed or _ANAPHOR.search(after):
            return None
    return "parts-apart"


def _is(subject: str, speaker: str) -> bool:
    folded = subject.casefold().strip()
    return folded in (speaker.casefold(), "i", "user", "the user") or folded == speaker.casefold().split()[0]


def _names(stems: frozenset[str], speaker: str, language: str) -> bool:
    return bool(stems) and stems <= set(terms(speaker, language))


def _mentions(name: str, text: str) -> bool:
    return any(re.search(rf"\b{re.escape(word)}\b", text) for word in name.split() if word[:1].isupper())
