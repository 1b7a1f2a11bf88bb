"""Noun phrases from tags: runs of names, nouns and their modifiers, without what says little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .lexicon import Lexicon
from .scan import Token

MAX_NOUN_PHRASE = 5
MAX_NAME = 8
_MODIFIERS = frozenset(("adj", "weak", "past", "num"))
_HEADS = frozenset(("noun", "name"))
_PHRASE = _MODIFIERS | _HEADS | {"ing"}
_COMPOUND_LEFT = frozenset(("det", "poss", "adj", "weak", "noun"))
_ACTIVITY_VERBS = frozenset(
    (
        "love",
        "loves",
        "loved",
        "enjoy",
        "enjoys",
        "enjoyed",
        "like",
        "likes",
        "liked",
        "hate",
        "hates",
        "go",
        "goes",
        "went",
        "going",
        "gone",
        "start",
        "started",
        "try",
        "tried",
        "miss",
        "missed",
        "stop",
        "stopped",
        "practice",
        "practise",
        "prefer",
        "do",
        "did",
        "quit",
        "loving",
        "enjoying",
        "starting",
        "trying",
    )
)
_LIGHT_ACTIVITIES = frozenset(
    (
        "being",
        "having",
        "doing",
        "getting",
        "making",
        "going",
        "taking",
        "giving",
        "seeing",
        "looking",
        "feeling",
        "trying",
        "using",
        "keeping",
        "letting",
        "coming",
        "thinking",
        "talking",
        "putting",
        "asking",
        "saying",
        "telling",
        "knowing",
        "finding",
        "working",
        "starting",
        "helping",
        "sharing",
        "bringing",
        "wondering",
        "considering",
        "something",
        "nothing",
        "anything",
        "everything",
        "following",
        "including",
        "according",
        "regarding",
        "hearing",
        "listening",
        "showing",
        "spending",
        "turning",
        "setting",
        "leaving",
        "amazing",
        "living",
        "waiting",
        "wanting",
        "needing",
        "hoping",
        "letting",
        "checking",
        "facing",
        "adding",
        "joining",
        "supporting",
        "understanding",
        "struggling",
        "ensuring",
        "creating",
        "becoming",
        "staying",
    )
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tokens [first, last] that stand for one thing. `named`: they are one proper name throughout."""

    first: int
    last: int
    named: bool


def chunks(tokens: Sequence[Token], tags: Sequence[str], lexicon: Lexicon) -> Iterator[Chunk]:
    """Phrases in order of text; a name inside a longer phrase follows that phrase."""
    i, n = 0, len(tokens)
    while i < n:
        if tags[i] not in _PHRASE:
            i += 1
            continue
        end = i + 1
        while end < n and _continues(tokens, tags, end):
            end += 1
        yield from _parts(tokens, tags, i, end, lexicon)
        i = end


def _continues(tokens: Sequence[Token], tags: Sequence[str], i: int) -> bool:
    """Whether token i goes on with the run that ends before it."""
    if not tokens[i].spaced and tokens[i].kind != "word":
        return False
    here, left = tags[i], tags[i - 1]
    if here == "name":
        return True
    if left == "name" and _connects(tokens, tags, i):
        return True
    if here not in _PHRASE:
        return here == "det" and left == "of" and _connects(tokens, tags, i - 1)
    if left in ("of", "det"):
        return False
    if here in ("past", "weak"):
        return left in _MODIFIERS
    if here == "num":
        return left == "name"
    if here == "ing":
        many = left == "noun" and tokens[i - 1].low.endswith("s")  # "kids playing", but "bird watching"
        return left in ("adj", "weak", "noun", "name") and not many and tokens[i].low not in _LIGHT_ACTIVITIES
    return True


def _connects(tokens: Sequence[Token], tags: Sequence[str], i: int) -> bool:
    """Name, "of" (and "the"), name; or a particle or "&" between names."""
    n = len(tokens)
    if tags[i] == "of":
        after = i + 2 if i + 1 < n and tokens[i + 1].low == "the" else i + 1
    elif tokens[i].low in ("&", "de", "da", "del", "van", "von", "der", "la", "le", "bin", "al"):
        after = i + 1
    else:
        return False
    return after < n and tags[after] == "name" and not tokens[after].opens


def _parts(tokens: Sequence[Token], tags: Sequence[str], start: int, end: int, lexicon: Lexicon) -> Iterator[Chunk]:
    """Splits a run where a name follows a common noun, then trims each part."""
    at = start
    for i in range(start + 1, end):
        if tags[i] == "name" and tags[i - 1] in ("noun", "ing"):
            yield from _trim(tokens, tags, at, i, lexicon)
            at = i
    yield from _trim(tokens, tags, at, end, lexicon)


def _trim(tokens: Sequence[Token], tags: Sequence[str], start: int, end: int, lexicon: Lexicon) -> Iterator[Chunk]:
    while end > start and tags[end - 1] not in ("noun", "name", "ing", "num"):
        end -= 1
    if end > start and tags[end - 1] == "num" and not (end - 2 >= start and tags[end - 2] == "name"):
        return
    left = tags[start - 1] if start else "sign"
    while start < end and tags[start] in ("weak", "past", "num", "ing"):
        if tags[start] == "ing" and (start == end - 1 or left in _COMPOUND_LEFT):
            break
        left = tags[start]
        start += 1
    if start >= end:
        return
    if start == end - 1 and tags[start] == "ing":
        if _is_activity(tokens, tags, start):
            yield Chunk(start, start, False)
        return
    last_name = start
    while last_name < end and (tags[last_name] == "name" or _inside_name(tokens, tags, last_name, end)):
        last_name += 1
    if last_name == end:
        yield Chunk(start, min(end, start + MAX_NAME) - 1, True)
        return
    if last_name > start and tags[start] == "name":
        yield from _noun_phrase(tokens, tags, start, end, lexicon)
        name = " ".join(tokens[i].low for i in range(start, last_name))
        if last_name - start > 1 or name in lexicon["first_name"] or name in lexicon["place"]:
            yield Chunk(start, last_name - 1, True)
        return
    yield from _noun_phrase(tokens, tags, start, end, lexicon)


def _inside_name(tokens: Sequence[Token], tags: Sequence[str], i: int, end: int) -> bool:
    if tags[i] == "num":
        return tags[i - 1] == "name"
    return (
        (tags[i] == "of" and i + 1 < end)
        or (tags[i] == "det" and tags[i - 1] == "of")
        or (tags[i] != "noun" and _connects(tokens, tags, i))
    )


def _noun_phrase(
    tokens: Sequence[Token], tags: Sequence[str], start: int, end: int, lexicon: Lexicon
) -> Iterator[Chunk]:
    start = max(start, end - MAX_NOUN_PHRASE)
    head = tokens[end - 1].low
    modified = end - start > 1 and tags[end - 2] in _HEADS
    measured = head in lexicon["measure_noun"] and end < len(tags) and tags[end] == "of"
    if (measured or head in lexicon["generic_noun"]) and not modified:
        return
    if modified and head in lexicon["generic_noun"] and tokens[end - 2].low in lexicon["generic_noun"]:
        return
    if len(head) < 3 and end - start == 1:
        return
    yield Chunk(start, end - 1, False)


def _is_activity(tokens: Sequence[Token], tags: Sequence[str], i: int) -> bool:
    """A lone -ing word that names an activity ("go camping", "into pottery making"), not a verb form."""
    if tokens[i].low in _LIGHT_ACTIVITIES:
        return False
    following = tags[i + 1] if i + 1 < len(tags) else "sign"
    if following in ("det", "pron", "name", "noun", "adj", "weak", "to", "num", "conj_that"):
        return False
    left = tags[i - 1] if i else "sign"
    before = tokens[i - 1].low if i else ""
    return left in ("prep", "det", "of", "poss") or before in _ACTIVITY_VERBS
