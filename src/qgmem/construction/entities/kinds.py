"""What a phrase is: Who, Where, How much or What; and whether it names a place ([E] §3.2's types)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from qgmem.types import EntityType

from .chunks import Chunk
from .lexicon import Lexicon
from .scan import Token


class Kind(NamedTuple):
    """The type, and True if the phrase is a location here."""

    type: EntityType
    location: bool


def kind_of(chunk: Chunk, tokens: Sequence[Token], tags: Sequence[str], speaker: str, lexicon: Lexicon) -> Kind:
    """From the head word, the words around the phrase, and the lists of names and places."""
    words = [tokens[i].low for i in range(chunk.first, chunk.last + 1)]
    before, lead = _before(tokens, tags, chunk.first)
    if not chunk.named:
        return _common(words, before, lexicon)
    name, following = " ".join(words), _word(tokens, chunk.last + 1)
    person = words[0] in lexicon["first_name"] or name == speaker.lower()
    placed = before in lexicon["place_preposition"]
    if name in lexicon["place"] or (words[-1].rstrip(".") in lexicon["place"] and len(words) == 1):
        if not person or placed:
            return Kind("Where", True)
        return Kind("Who", False)
    if len(words) > 1 and words[-1] in lexicon["place_suffix"]:
        return Kind("Where", True)
    if person or lead in lexicon["title"] or before in lexicon["kin"] or following in lexicon["person_verb"]:
        return Kind("Who", False)
    if words[0] in lexicon["nationality"]:
        return Kind("What", False)
    if placed and before in ("in", "to", "from", "near") and _travels(tokens, chunk.first, lexicon):
        return Kind("Where", True)
    if _called(tokens, chunk) or _owns(tokens, chunk) or (lead == "'m" and len(words) < 3):
        return Kind("Who", False)
    return Kind("What", False)


def _common(words: Sequence[str], before: str, lexicon: Lexicon) -> Kind:
    head = words[-1]
    if head in lexicon["person_noun"]:
        return Kind("Who", False)
    if head in lexicon["place_noun"] and (before in lexicon["place_preposition"] or before in lexicon["visit_verb"]):
        return Kind("Where", True)
    return Kind("What", False)


def _before(tokens: Sequence[Token], tags: Sequence[str], first: int) -> tuple[str, str]:
    """(the word before the phrase and its dropped modifiers, the word right before it)."""
    lead = _word(tokens, first - 1)
    i = first - 1
    while i >= 0 and tags[i] in ("det", "weak", "past", "num", "poss"):
        i -= 1
    return _word(tokens, i), lead


def _word(tokens: Sequence[Token], i: int) -> str:
    return tokens[i].low if 0 <= i < len(tokens) else ""


def _travels(tokens: Sequence[Token], first: int, lexicon: Lexicon) -> bool:
    return any(tokens[i].low in lexicon["travel_cue"] for i in range(max(0, first - 6), first))


def _called(tokens: Sequence[Token], chunk: Chunk) -> bool:
    """A single name spoken to: between a greeting or comma and the end of the clause."""
    if chunk.first != chunk.last or tokens[chunk.first].text.isupper():
        return False
    before, after = _word(tokens, chunk.first - 1), _word(tokens, chunk.last + 1)
    greeted = before in ("hey", "hi", "hello", "thanks", "dear", "bye", "congrats", "thank")
    return greeted and (after in (",", "!", ".", "?", "") or not after.isalpha())


def _owns(tokens: Sequence[Token], chunk: Chunk) -> bool:
    """A single capitalised word with 's before a common noun ("Shelly's suggestion")."""
    alone = chunk.first == chunk.last and not tokens[chunk.first].text.isupper()
    thing = _word(tokens, chunk.last + 2)
    return (
        alone and _word(tokens, chunk.last + 1) == "'s" and thing.isalpha() and (tokens[chunk.last + 2].text == thing)
    )
