"""Of whom do the quoted words speak? "I" is the speaker, "you" is not (SPEC §2: speakers and roles are kept).

Small models give a sentence to the wrong one of two people: "Looking at schools, it has long been a dream", said by
Ana, becomes a dream of Ben's. Rules over words, in English; where they see nothing wrong they say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..stores.analyser import terms
from ..types import Turn
from .support import locate, sentences

# What somebody does by the very words of a turn.
_SPEAKS = re.compile(
    r"ask(?:s|ed)|says?|said|tells?|told|mention(?:s|ed)|shar(?:es|ed)|greet(?:s|ed)|thank(?:s|ed)|wish(?:es|ed)|"
    r"congratulat(?:es|ed)|prais(?:es|ed)|compliment(?:s|ed)|suggest(?:s|ed)|recommend(?:s|ed)|express(?:es|ed)|"
    r"wonder(?:s|ed)|repl(?:ies|ied)|respond(?:s|ed)|answer(?:s|ed)|agree(?:s|d)|encourag(?:es|ed)|appreciat(?:es|ed)",
    re.IGNORECASE,
)
# What somebody thinks or feels about another, who is then "you".
_JUDGES = re.compile(
    r"think\w*|thought|believ\w+|hop(?:es?|ed|ing)|find\w*|found|lov(?:es?|ed)|lik(?:es?|ed)|admir\w+|know\w*|knew|see\w*|saw|"
    r"want\w*|offer\w*|promis\w+|support\w*|feel\w*|felt|consider\w*|view\w*|describ\w+|call\w*|invit\w+|advis\w+|help\w*|"
    r"is|was|has|will|would",
    re.IGNORECASE,
)
_PRAISE = re.compile(
    r"(?:proud|happy|glad|impressed|excited|thankful|grateful|sorry|amazed|curious|jealous)\b", re.IGNORECASE
)
_SELF = re.compile(
    r"\b(?:i|i['’](?:m|ve|d|ll)|me|my|mine|myself|we|we['’](?:re|ve|d|ll)|us|our|ours)\b", re.IGNORECASE
)
_OTHER = re.compile(r"\b(?:you|your|yours|yourself|ya|u|ur|you['’](?:re|ve|d|ll)|we|us|our|both)\b", re.IGNORECASE)
_CALLED = (
    r"(?:(?:^|[,.!?—-]\s*)(?:(?:hey|hi|hello|thanks|thank you|wow|yeah|yes|yep|oh|bye|so|and|dear)\s+)?"
    r"{name}\s*(?=[,.!?—-]|$))"
)


def wrong_speaker(
    text: str, quote: str, turn: Turn, turns: Sequence[Turn], cited: Sequence[Turn], language: str
) -> bool:
    """Is the claim about another speaker of the window than the quoted words are about?

    `turn` says the quote, `cited` are all turns that the claim rests on.
    """
    speakers = {one.speaker for one in turns}
    subject, verb = _subject(text, speakers)
    if subject is None or len(speakers) < 2:
        return False
    if subject == turn.speaker:
        return _of_addressee(text, subject, verb, quote)
    if any(one.speaker == subject for one in cited):
        return False
    said = _around(quote, turn.text)
    if _SPEAKS.fullmatch(verb):
        return not set(terms(verb, language)) & set(terms(said, language))
    return not _OTHER.search(said) and not _named(subject, said)


def _of_addressee(text: str, subject: str, verb: str, quote: str) -> bool:
    """Do the quoted words speak of "you" alone, and the claim of the speaker all the same?"""
    if _SELF.search(quote) or not _OTHER.search(quote) or _SPEAKS.fullmatch(verb):
        return False
    rest = text[len(subject) :].split()
    judged = _JUDGES.fullmatch(verb) and verb.casefold() not in ("is", "was", "has", "will", "would")
    return not judged and not any(_PRAISE.match(word) for word in rest[:4])


def _subject(text: str, speakers: set[str]) -> tuple[str | None, str]:
    """The speaker with whom the claim begins, and the word after the name."""
    for name in sorted(speakers, key=len, reverse=True):
        found = re.match(rf"(?:the )?{re.escape(name)}\s+(?:\w+ly\s+)?(\w+)", text, re.IGNORECASE)
        if found:
            return name, found[1]
    return None, ""


def _around(quote: str, text: str) -> str:
    """The sentences that hold the quote."""
    place = locate(quote, text)
    if place is None:
        return text
    return " ".join(text[start:end] for start, end in sentences(text) if start < place[1] and place[0] < end)


def _named(name: str, said: str) -> bool:
    """Is somebody spoken of by this name or what it is cut to, not merely called by it?"""
    for word in {
        word for word in re.findall(r"\w+", said) if len(word) > 2 and name.casefold().startswith(word.casefold())
    }:
        left = re.sub(_CALLED.format(name=re.escape(word)), " ", said, flags=re.IGNORECASE)
        if re.search(rf"\b{re.escape(word)}\b", left):
            return True
    return False
