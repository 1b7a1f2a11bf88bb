"""Parts of speech from closed word classes, endings and the word before: enough to find noun phrases."""

from __future__ import annotations

from collections.abc import Sequence

from .lexicon import Lexicon
from .scan import Token

# Tags: name (capitalised for a reason), noun, adj, weak (an adjective that says little), ing, past, verb,
# either (noun or verb, undecided), num, det, prep, to, pron, aux, be, adv, conj, time, stop, poss ('s), sign.

_NOMINAL_LEFT = frozenset(("det", "adj", "weak", "prep", "poss", "noun", "name", "num", "of"))
_ADJECTIVE_ENDINGS = ("ous", "ful", "less", "able", "ible", "ical")
_OBJECTS = frozenset(("me", "him", "us", "them", "myself", "himself", "herself", "themselves", "yourself"))
_MODALS = frozenset(
    ("will", "would", "can", "could", "should", "may", "might", "must", "shall", "gonna", "wanna", "cannot", "let's")
)
_NOT_ADJECTIVES = frozenset(("vegetable", "table", "cable", "timetable", "musical", "handful", "mouthful"))
_AFTER_PREDICATE = frozenset(("sign", "prep", "conj", "to", "adv", "time", "pron", "stop"))
_VERB_ENDINGS = ("ize", "izes", "ized", "ify", "ifies", "ified")


def tag(tokens: Sequence[Token], names: Sequence[bool], lexicon: Lexicon) -> list[str]:
    """One tag a token. `names[i]` says that token i is capitalised because it is a name."""
    tags: list[str] = []
    previous = "sign"
    for i, (token, is_name) in enumerate(zip(tokens, names, strict=True)):
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        left = tokens[i - 1].low if i else ""
        previous = _one(token, is_name, previous, tags, left, following, lexicon)
        tags.append(previous)
    return tags


def _one(
    token: Token,
    is_name: bool,
    previous: str,
    before: Sequence[str],
    left: str,
    following: Token | None,
    lexicon: Lexicon,
) -> str:
    kind = token.kind
    if is_name or kind in ("product", "handle"):
        return "name"
    if kind == "clitic":
        if token.low in ("'ll", "'d"):
            return "modal"
        if token.low in ("'m", "'re"):
            return "be"
        if token.low != "'s":
            return "aux"
        return "be" if previous in ("pron", "adv", "conj", "stop", "det") else "poss"
    if kind == "number":
        return "num"
    if kind == "compound":
        return "weak"
    if kind != "word":
        return "sign"
    low = token.low
    if low == "to":
        return "to"
    if low == "of":
        return "of"
    if low == "like":
        return "verb" if previous in ("pron", "modal", "to", "adv") else "prep"
    if low in lexicon["be"]:
        return "be"
    if low in _MODALS or low.endswith(("n't", "n’t")):
        return "modal"
    known = lexicon.tags.get(low)
    if known is None:
        return _unknown(low, previous, before, left, following, lexicon)
    if known == "either":
        return _either(low, previous, before, following, lexicon)
    if known == "verb" and previous in ("det", "adj", "weak", "poss") and low not in lexicon["irregular"]:
        return "noun" if previous in ("det", "poss") and not low.endswith("s") else "verb"
    if low in ("her", "that", "this"):
        return "pron" if low == "that" and previous in ("noun", "name") else "det"
    return known


def _either(low: str, previous: str, before: Sequence[str], following: Token | None, lexicon: Lexicon) -> str:
    """Noun or verb: a noun after a determiner, preposition or modifier; after a noun it depends on what comes."""
    if previous in ("noun", "name"):
        if len(before) > 1 and before[-2] in ("aux", "modal"):
            return "verb"  # "did Caroline paint"
        after = lexicon.tags.get(following.low) if following and following.kind == "word" else "sign"
        if low.endswith("s"):
            return "verb" if after in ("det", "adv", "pron", "time", "adj", "weak") else "noun"
        if previous == "noun":
            return "noun" if after not in ("det", "pron") else "verb"
        return "noun" if after in (None, "either") else "verb"
    if previous in _NOMINAL_LEFT:
        return "noun"
    if previous == "aux" and low.endswith("s"):
        return "noun"
    inside = previous == "ing" and len(before) > 1 and before[-2] in ("det", "prep")
    return "noun" if inside else "verb"


def _unknown(
    low: str, previous: str, before: Sequence[str], left: str, following: Token | None, lexicon: Lexicon
) -> str:
    if len(low) == 1:
        return "stop"
    after = lexicon.tags.get(following.low, "noun") if following and following.kind == "word" else "sign"
    subject = previous == "pron" and left not in _OBJECTS
    if previous == "modal" or subject or (previous == "to" and after in ("det", "pron")):
        return "verb"
    if previous == "aux" and len(before) > 1 and before[-2] in ("pron", "name"):
        return "noun" if after == "sign" else "verb"
    if low.endswith("ly") and low not in ("family", "butterfly", "jelly", "assembly", "belly", "lily"):
        return "adv"
    if low.endswith(_VERB_ENDINGS):
        return "verb"
    if low.endswith("ing") and len(low) > 4:
        return "ing"
    if low.endswith("ed") and len(low) > 4:
        return "past"
    if low.endswith(_ADJECTIVE_ENDINGS) and low not in _NOT_ADJECTIVES:
        return "adj"
    if previous in ("be", "adv") and after in _AFTER_PREDICATE and not low.endswith("s"):
        return "adj"
    return "noun"
