"""What a sentence says of whom: subject, verb, and whether it is said as a fact. Rules over English words.

A segment is what stands between the marks and conjunctions that begin another clause. In it, a predication is a
subject ("I", "my sister Ida", "she"), the words that carry no deed of their own ("might", "have never", "want to"),
and a verb. What the rules cannot read gives no predication; nobody may conclude anything from that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..stores.analyser import terms
from .triples.subject import ADJECTIVE, CAPITAL, KIN, NO_NAMES

Whose = Literal["self", "other", "joint"]

_SPLIT = re.compile(
    r"[.!?;:…]+(?=\s|$)|\n|\s[–—-]+\s"
    r"|,?\s+(?=(?:but|because|although|though|while|whereas|since|before|after|when|where|which|who|if|unless|so|as)\b)"
    r"|,\s+(?=(?:I|we|he|she|they|it|you|my|our|the|his|her|their)\b)"
    r"|,?\s+(?=and\s+(?:I|we|he|she|they|it|you|my|our|the|his|her|their|[A-Z]\w+)\b)"
)
_EXPANDED = (
    (re.compile(r"\bcan['’]?t\b|\bcannot\b", re.I), "can not"),
    (re.compile(r"\bwon['’]t\b", re.I), "will not"),
    (re.compile(r"n['’]t\b", re.I), " not"),
    (re.compile(r"(?<=\b[Ii])['’]m\b"), " am"),
    (re.compile(r"(?<=\w)['’]re\b"), " are"),
    (re.compile(r"(?<=\w)['’]ve\b"), " have"),
    (re.compile(r"(?<=\w)['’]ll\b"), " will"),
    (re.compile(r"(?<=\w)['’]d\b"), " 'd"),
)
_DENIAL = r"not|never|no longer|hardly|neither"
_UNREAL = (
    r"might|may|could|should|maybe|perhaps|possibly|wanna|(?:would|'d)(?: really)? (?:like|love|prefer) to|"
    r"(?:want|wants|wanted|wish|wishes|hope|hopes|hoped|hoping|plan|plans|planned|planning|intend|intends|intending|"
    r"dream|dreams|dreaming|aim|aiming|tempted) (?:to|of|about)|"
    r"(?:think|thinking|dreaming) (?:of|about)|considering"
)
_FUTURE = r"will|shall|gonna|going to|about to"
_LIGHT = (
    r"am|is|are|was|were|be|been|being|have|has|had|do|does|did|would|can|must|'d|used to|to|just|also|finally|"
    r"recently|actually|really|still|already|always|often|now|then|even|only|ever|once|currently|both|all|\w+ly"
)
_CHAIN = rf"(?P<chain>(?:(?:{_UNREAL}|{_FUTURE}|{_DENIAL}|{_LIGHT})\s+)*)"
_NO_VERB = (
    r"a|an|the|my|our|your|his|her|their|this|that|these|those|in|on|at|to|from|of|for|with|by|about|into|over|and|or|"
    r"but|not|never|no|so|very|too|as|i|me|we|us|you|he|she|they|it"
)
_NAMES = rf"{CAPITAL}(?: {CAPITAL}){{0,2}}"
_PREDICATION = re.compile(
    rf"(?<![\w’'])(?P<joint>(?:and|or|&)\s+)?(?:(?P<self>I|[Ww]e)|(?P<kin>(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Tt]heir) "
    rf"{ADJECTIVE}(?:{KIN}|parents|kids|children|in-laws)(?:,? {_NAMES}\b,?)?)|(?P<pronoun>[Hh]e|[Ss]he|[Tt]hey)|"
    rf"(?P<name>{_NAMES}\b))\s+{_CHAIN}(?P<verb>(?!(?:{_NO_VERB})\b)[a-z]+)(?![\w])"
)
_OPENS_UNREAL = re.compile(
    r"\W*(?:(?:and|but|so|well|or)\s+)*(?:if|unless|whether|suppose|supposing|maybe|perhaps|in case|what if|"
    r"(?:should|could|shall|can|might) (?:I|we))\b",
    re.IGNORECASE,
)
_PERCEIVES = frozenset("see hear feel smell taste tell rememb afford understand final".split())
_BASES = {
    past: verb
    for line in (
        "be am is are was were been being", "have has had having", "do does did done", "go goes went gone",
        "get got gotten", "buy bought", "sell sold", "leave left", "meet met", "make made", "take took taken",
        "give gave given", "write wrote written", "find found", "build built", "teach taught", "tell told",
        "begin began begun", "choose chose chosen", "keep kept", "send sent", "spend spent", "win won", "lose lost",
        "draw drew drawn", "drive drove driven", "eat ate eaten", "drink drank drunk", "run ran", "swim swam swum",
        "fly flew flown", "see saw seen", "hear heard", "feel felt", "know knew known", "think thought",
        "bring brought", "catch caught", "fall fell fallen", "grow grew grown", "hold held", "pay paid", "quit",
        "read", "ride rode ridden", "say said", "sing sang sung", "sleep slept", "speak spoke spoken",
        "steal stole stolen", "wear wore worn", "break broke broken", "become became", "come came", "lend lent",
        "lead led", "forget forgot forgotten", "stand stood", "throw threw thrown", "wake woke woken",
    )
    for verb, *pasts in [line.split()]
    for past in (verb, *pasts)
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Predication:
    """One verb with its subject. `whose`: the speaker's, another's, or of several. `at`: where the verb begins."""

    whose: Whose
    subject: str
    verb: str
    at: int
    unreal: bool
    future: bool
    denied: bool


def segments(text: str) -> list[str]:
    """Clauses, as far as marks and conjunctions tell, contractions written out."""
    for pattern, full in _EXPANDED:
        text = pattern.sub(full, text)
    return [part.strip() for part in _SPLIT.split(text) if part and part.strip()]


def predications(segment: str) -> Iterator[Predication]:
    """All that the rules read in a segment, in order."""
    opens = _OPENS_UNREAL.match(segment) is not None
    place = 0
    while (found := _PREDICATION.search(segment, place)) is not None:
        place = found.start("verb")
        name = found["name"]
        if name and name.split()[0] in NO_NAMES:
            place = found.start("name") + len(name.split()[0])
            continue
        chain, verb = found["chain"], found["verb"]
        after = segment[found.end() :]
        unreal = re.search(rf"(?<!\w)(?:{_UNREAL})(?!\w)", chain) is not None
        unreal = unreal and not ("could" in chain and base(verb) in _PERCEIVES)
        yield Predication(
            "joint" if found["joint"] else "self" if found["self"] else "other",
            found["self"] or found["kin"] or found["pronoun"] or name or "",
            base(verb),
            place,
            opens or unreal,
            re.search(rf"\b(?:{_FUTURE})\s", chain) is not None,
            re.search(rf"\b(?:{_DENIAL})\s", chain) is not None
            or re.match(r"\s+(?:not|never|no)\b", after) is not None,
        )


@lru_cache(maxsize=4096)
def base(word: str) -> str:
    """A verb in any form, as its stem: "sold" and "selling" are one."""
    folded = word.casefold()
    return next(iter(terms(_BASES.get(folded, folded), "english")), folded)


def is_past(word: str) -> bool:
    """Is it a past form, as far as it shows?"""
    folded = word.casefold()
    return folded.endswith("ed") or (_BASES.get(folded, folded) != folded and not folded.endswith(("s", "ing")))
