"""When two statements are versions of one claim: they say the same but for one value, and the value is what is asked.

>>> question = Question.of("Who chairs the club?", str.split)
>>> question.versions(words("Ana chairs the club"), words("Ben chairs the club"))
True
>>> question.versions(words("Ana chairs the club"), words("Ana chairs the band"))
False

Words are compared as they stand, in order: what opens both statements and what closes both is their frame, and one
run of words in each is left, the value. The frame has to hold every word of the question that either statement holds,
or else they differ in what the question is about. Only a word for the kind of answer ("which university", "what
language") may stand in a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

Terms = Callable[[str], Sequence[str]]
# Share of the shorter statement's words that both open or close with. At 0.5 three of 471 questions about synthetic
# lives are answered worse, by statements that agree in who is spoken of alone; from 0.6 on none.
FRAME = 0.6
_KIND = re.compile(r"\b(?:which|what|whose)\s+(\w+)", re.IGNORECASE)
_EDGES = ".,;:!?…\"'“”‘’()[]"


def words(text: str) -> list[str]:
    """The words of a text in order, folded, without the marks around them; characters where nothing parts words."""
    parts = text.casefold().split()
    if len(parts) == 1 and not text.isascii():
        parts = list(parts[0])
    return [word for part in parts if (word := part.strip(_EDGES))]


@dataclass(frozen=True, slots=True)
class Question:
    """The words of a question that say what it is about: as terms of the analyser, and as they stand in it."""

    about: frozenset[str]  # terms
    kind: frozenset[str]  # terms that say of what kind the answer is
    exact: frozenset[str]  # words
    asked: Callable[[str], frozenset[str]]  # a word -> which of `about` it is

    @classmethod
    def of(cls, text: str, terms: Terms, about: Sequence[str] | None = None) -> Question:
        """`about`: the question's terms without function words; all of them if left out."""
        kind = frozenset(term for word in _KIND.findall(text) for term in terms(word))
        exact = frozenset(words(text))
        found = frozenset(term for word in exact for term in terms(word)) if about is None else frozenset(about)
        return cls(found, kind, exact, cache(lambda word: found.intersection(terms(word))))

    def versions(self, one: Sequence[str], other: Sequence[str]) -> bool:
        """True when the two statements, given as their words, are versions of a claim that is asked about."""
        if not one or not other or (one[0] != other[0] and one[-1] != other[-1]):
            return False  # most pairs
        shorter = min(len(one), len(other))
        opening = _opening(one, other)
        closing = min(_closing(one, other), shorter - opening)
        if opening + closing < FRAME * shorter or opening + closing == shorter:
            return False
        frame = frozenset([*one[:opening], *one[len(one) - closing :]])
        held = frozenset[str]().union(*map(self.asked, frame))
        if not held:
            return False
        values = [*one[opening : len(one) - closing], *other[opening : len(other) - closing]]
        return not any(self._names(word, frame, held) for word in values)

    def _names(self, word: str, frame: frozenset[str], held: frozenset[str]) -> bool:
        """True if the word of a value is one that the question is about, and the frame does not hold."""
        asked = self.asked(word) - self.kind
        return bool(asked) and (not asked <= held or (word in self.exact and word not in frame))


def _opening(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words are the same in both, from the first on."""
    for place, (mine, yours) in enumerate(zip(one, other, strict=False)):
        if mine != yours:
            return place
    return min(len(one), len(other))


def _closing(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words are the same in both, from the last back."""
    for place, (mine, yours) in enumerate(zip(reversed(one), reversed(other), strict=False)):
        if mine != yours:
            return place
    return min(len(one), len(other))
