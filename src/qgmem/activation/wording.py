"""How closely a statement follows a question's wording, to order statements that hold the same words of it.

Words in a bag do not tell "the bank of the river" from "the river of the bank", nor works from worked. So two things
are looked at that the channels do not see: pairs of words that stand side by side in the question and in the
statement (the ordered pairs of Metzler and Croft's sequential dependence model, 2005), and whether a question asked
in the present tense meets a verb in the simple past, which tells of what was.

>>> stem = lambda text: [word.removesuffix("ed").removesuffix("s") for word in text.lower().split()]
>>> asked = Wording.of("Where does ana work", stem)
>>> asked.marks(["ana worked in oslo".split(), "ana works in rome".split()])
[-1.0, 0.0]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .versions import words

Terms = Callable[[str], Sequence[str]]
_PRESENT = re.compile(r"\b(?:do|does)\b", re.IGNORECASE)
# What stands before a participle: the perfect reaches into the present, the passive has no time of its own.
_AUXILIARIES = frozenset(
    "have has had having am is are was were be been being get gets got i've you've we've they've he's she's it's "
    "who's that's not never just always also ever".split()
)


@dataclass(frozen=True, slots=True)
class Wording:
    """A question's pairs of neighbouring words, and its terms if it asks in the present tense."""

    pairs: frozenset[tuple[str, str]]
    present: frozenset[str]
    terms: Terms

    @classmethod
    def of(cls, question: str, terms: Terms) -> Wording:
        """`terms`: the analyser."""
        asked = words(question)
        present = frozenset(terms(question)) if _PRESENT.search(question) else frozenset()
        return cls(frozenset(pairwise(asked)), present, terms)

    def marks(self, statements: Sequence[Sequence[str]]) -> list[float]:
        """One number a statement, given as its words: pairs in common, over the most of any; less 1 for a past."""
        common = [len(self.pairs.intersection(pairwise(statement))) for statement in statements]
        most = max(common, default=0) or 1
        return [held / most - self._past(words) for held, words in zip(common, statements, strict=True)]

    def _past(self, statement: Sequence[str]) -> bool:
        """True if a verb of a question in the present tense stands in the simple past."""
        if not self.present:
            return False
        before = ("", *statement)
        return any(
            word.endswith("ed")
            and before[place] not in _AUXILIARIES
            and not self.present.isdisjoint(self.terms(word))
            for place, word in enumerate(statement)
        )
