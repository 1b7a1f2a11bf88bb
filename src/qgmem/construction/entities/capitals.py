"""Which capital letters mean a name, and which only open a sentence, shout, or decorate a heading."""

from __future__ import annotations

from collections.abc import Sequence

from .lexicon import Lexicon
from .scan import Token

_CLOSED = frozenset(("det", "prep", "pron", "aux", "be", "conj", "adv", "stop", "time"))


def names(
    tokens: Sequence[Token], typography: Sequence[tuple[int, int]], speaker: str, lexicon: Lexicon
) -> list[bool]:
    """One flag a token. `typography`: spans of the text whose capitals say nothing.

    A sentence's first word is a name if it is one elsewhere in the text, is the speaker's, is a common first
    name or place that is no other word, or stands before another name.
    """
    speakers = frozenset(speaker.lower().split())
    plain = [_has_capital(token) for token in tokens]
    shouted = sum(t.text.isupper() and len(t.text) > 1 for t in tokens if t.kind == "word")
    shouting = shouted > 3 and 2 * shouted > sum(t.kind == "word" for t in tokens)
    decorated = _inside(tokens, typography)
    flags = [False] * len(tokens)
    for i, token in enumerate(tokens):
        if plain[i] and not token.opens and not decorated[i] and not shouting:
            flags[i] = _mid_sentence(tokens, plain, i, lexicon)
    confirmed = {tokens[i].low for i, flag in enumerate(flags) if flag}
    for i in range(len(tokens) - 1, -1, -1):
        token = tokens[i]
        if not plain[i] or flags[i]:
            continue
        listed = token.low in lexicon["first_name"] or token.low in lexicon["place"]
        known = token.low in lexicon.tags or token.low in lexicon["person_noun"]
        flags[i] = (
            token.low in confirmed
            or token.low in speakers
            or (listed and (not known or _person_acts(tokens, i, lexicon)) and not shouting)
            or (
                token.opens
                and not decorated[i]
                and not shouting
                and (_camel(token.text) or _acronym(token, lexicon) or _before_name(tokens, flags, i, lexicon))
            )
        )
    return flags


def _has_capital(token: Token) -> bool:
    return token.kind == "word" and token.text != token.low and len(token.low) > 1 and token.text[0].isascii()


def _mid_sentence(tokens: Sequence[Token], plain: Sequence[bool], i: int, lexicon: Lexicon) -> bool:
    token = tokens[i]
    if token.low in lexicon["shouting"] or token.low in lexicon["person_noun"]:
        return False
    if token.text.isupper() and len(token.text) > 1:
        return lexicon.tags.get(token.low) not in _CLOSED
    known = lexicon.tags.get(token.low)
    if known is None or token.low in lexicon["nationality"]:
        return True
    if known in _CLOSED:
        return False
    if token.low in lexicon["first_name"]:
        return True
    beside = (i and plain[i - 1] and not tokens[i - 1].opens) or (i + 1 < len(tokens) and plain[i + 1])
    return bool(beside) or tokens[i - 1].kind == "word"


def _before_name(tokens: Sequence[Token], flags: Sequence[bool], i: int, lexicon: Lexicon) -> bool:
    follows = i + 1 < len(tokens) and flags[i + 1] and tokens[i + 1].spaced
    if not follows or tokens[i].low in lexicon["person_noun"]:
        return False
    known = lexicon.tags.get(tokens[i].low)
    return known is None or (tokens[i].low in lexicon["first_name"] and known not in _CLOSED)


def _person_acts(tokens: Sequence[Token], i: int, lexicon: Lexicon) -> bool:
    """ "Rose said", "Mark's": an ordinary word that here can only be a person."""
    if i + 1 >= len(tokens):
        return False
    following = tokens[i + 1]
    closed = lexicon.tags.get(tokens[i].low) in _CLOSED
    return not closed and (following.low in lexicon["person_verb"] or following.low == "'s")


def _camel(text: str) -> bool:
    return any(letter.isupper() for letter in text[1:]) and not text.isupper()


def _acronym(token: Token, lexicon: Lexicon) -> bool:
    return (
        token.text.isupper()
        and 2 <= len(token.text) <= 6
        and token.low not in lexicon["shouting"]
        and token.low not in lexicon.tags
    )


def _inside(tokens: Sequence[Token], spans: Sequence[tuple[int, int]]) -> list[bool]:
    inside, at = [False] * len(tokens), 0
    for i, token in enumerate(tokens):
        while at < len(spans) and spans[at][1] <= token.start:
            at += 1
        inside[i] = at < len(spans) and spans[at][0] <= token.start
    return inside
