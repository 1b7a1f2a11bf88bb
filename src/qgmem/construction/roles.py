"""Who did what: a question is no deed, and what the assistant proposed is not what the user did (SPEC §2, CASES 11).

Rules over words, in English; where they see nothing wrong they say nothing. They apply where an assistant takes part.
Between two people each may tell about the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ..stores.analyser import terms
from ..types import Triple, Turn
from .support import OWN, content, sentences, share

# Words that frame a claim as talk or wish, so that it does not say that the thing was done.
_FRAMED = re.compile(
    r"\b(?:ask(?:s|ed|ing)?|request(?:s|ed|ing)?|want(?:s|ed)?|wonder(?:s|ed|ing)?|need(?:s|ed)?|inquir\w+|enquir\w+|"
    r"question(?:s|ed)?|interested|curious|seek(?:s|ing)?|sought|look(?:s|ing|ed)? for|like to|hop(?:e|es|ing|ed)|"
    r"plan(?:s|ning)?|intend\w*|consider\w*|think\w* (?:about|of)|how to|whether|learn\w*|help|advice|try(?:ing)?|"
    r"does not|doesn't|has not|hasn't|is going to|will|would)\b",
    re.IGNORECASE,
)
_ASSENT = re.compile(
    r"^\W*(?:yes|yeah|yep|yup|sure|exactly|right|correct|indeed|of course|absolutely|definitely|i did|i do|i am|"
    r"i have|that's (?:right|it|true)|true|ok(?:ay)?,? (?:did|done))\b",
    re.IGNORECASE,
)
_ASKING = re.compile(
    r"\b(?:how|what|where|when|why|which|who|can|could|should|would|will|do|does|did|is|are|may|might|shall)\b"
    r"[^.!?]*?\b(?:i|we|you|one|to)\b\s+(?:\w+ly\s+)?(\w+)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^\W*(?:please\s+|(?:hey|hi|hello|ok|okay|now|and|then|so)\W+)*(write|explain|give|show|tell|help|make|create|list|"
    r"suggest|recommend|summari[sz]e|translate|generate|describe|find|implement|solve|fix|code|draft|compare|provide|"
    r"rewrite|convert|calculate|compute|build|design|debug|refactor|outline|propose|teach|walk|let|add|sort|search)\b",
    re.IGNORECASE,
)
_HOW = re.compile(r"\W*how (?:do|can|to|would|should)\b", re.IGNORECASE)
_IRREGULAR = {
    "wrote": "write", "written": "write", "gave": "give", "given": "give", "showed": "show", "shown": "show",
    "told": "tell", "made": "make", "found": "find", "built": "build", "taught": "teach", "did": "do", "done": "do",
    "got": "get", "gotten": "get", "went": "go", "gone": "go", "bought": "buy", "took": "take", "taken": "take",
    "ran": "run", "began": "begin", "chose": "choose", "chosen": "choose", "kept": "keep", "left": "leave",
    "read": "read", "set": "set", "sent": "send", "spent": "spend", "won": "win", "drew": "draw", "learnt": "learn",
}  # fmt: skip
_USER = frozenset(("user", "the user", "i", "me", "we"))


def misattributed(
    text: str, triple: Triple | None, turns: Sequence[Turn], cited: Sequence[Turn], language: str
) -> str | None:
    """Why a claim must not be held against the user: `question-is-no-deed`, `assistant-is-not-user`, or None.

    `turns` are the window's, `cited` those that the claim rests on.
    """
    if not any(turn.role == "assistant" for turn in turns):
        return None
    if not _about_user(text, triple, turns):
        return None
    users = [turn for turn in cited if turn.role == "user"]
    if not _assented(cited):
        claim = content(text, language) - _speaker_words(turns, language)
        own = content(" ".join(f"{turn.text} {turn.caption or ''}" for turn in users), language)
        theirs = content(" ".join(turn.text for turn in cited if turn.role == "assistant"), language)
        mine = share(claim, own)
        if not users or mine < OWN or (mine < share(claim, theirs) and not _FRAMED.search(text)):
            return "assistant-is-not-user"
    if not _FRAMED.search(text) and _asked_for(text, users, language):
        return "question-is-no-deed"
    return None


def _about_user(text: str, triple: Triple | None, turns: Sequence[Turn]) -> bool:
    """Is a user of this window the one of whom something is claimed?"""
    names = {turn.speaker.casefold() for turn in turns if turn.role == "user"} | _USER
    subject = (triple.subject if triple else "").casefold().strip()
    if subject in names:
        return True
    start = text.casefold()
    return any(re.match(rf"{re.escape(name)}\b", start) for name in names if len(name) > 1)


def _assented(cited: Sequence[Turn]) -> bool:
    """Did the user confirm what the assistant had just said?"""
    return any(
        before.role == "assistant" and after.role == "user" and _ASSENT.match(after.text) is not None
        for before, after in pairwise(cited)
    )


def _asked_for(text: str, users: Sequence[Turn], language: str) -> bool:
    """Does the claim's deed stand in the user's words only as something asked for?"""
    deeds = {_base(word) for word in re.findall(r"[A-Za-z]+", text)}
    asked: set[str] = set()
    told: set[str] = set()
    for turn in users:
        for start, end in sentences(turn.text):
            sentence = turn.text[start:end]
            verbs = _asked_verbs(sentence)
            if verbs:
                asked |= verbs
            else:
                told |= {_base(word) for word in re.findall(r"[A-Za-z]+", sentence)}
    stems = {stem for word in asked for stem in terms(word, language)}
    claimed = {stem for word in deeds for stem in terms(word, language)}
    stated = {stem for word in told for stem in terms(word, language)}
    return bool((claimed & stems) - stated)


def _asked_verbs(sentence: str) -> set[str]:
    """The verbs of what a question or a request asks for; empty for a statement."""
    if found := _REQUEST.match(sentence):
        return {_base(found[1])}
    if not sentence.rstrip("\"'”’)").endswith("?") and not _HOW.match(sentence):
        return set()
    return {_base(found[1]) for found in _ASKING.finditer(sentence)} - {"be", "have", "the", "a"}


def _base(word: str) -> str:
    folded = word.casefold()
    return _IRREGULAR.get(folded, folded)


def _speaker_words(turns: Sequence[Turn], language: str) -> set[str]:
    return {stem for turn in turns for stem in content(turn.speaker, language)}
