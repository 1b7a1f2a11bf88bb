"""The patterns of `patterns.txt`: what follows a subject, and which predicate it is. Precision before recall."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, cast

from .shapes import ANIMALS
from .subject import NAME, OWNER, SUBJECT

Tense = Literal["now", "event", "past", "end"]
HELPED_ADVERBS = (  # that may stand before the verb, or between "have" and the verb
    r"(?:now|just|also|still|finally|actually|currently|recently|really|already|only|at last|once|both|always|"
    r"officially|mostly|mainly|happily|first|then|even|absolutely|truly|simply|today|newly|since|literally)"
)
ADVERBS = rf"(?:{HELPED_ADVERBS} )*"
FLAT = r"(?:an? |the )?(?:\w+ ){0,2}?(?:flat|apartment|house|place|room|studio|home|condo|little house)"
BARE_END = (
    r"(?=\s*(?:$|[,;:(]|\s[-–—]\s)|\s(?:and|but|so|because|last|yesterday|today|in|on|this|after|since|at|"
    r"now|ago|when|"
    r"again|back|without|to|for|due|thanks|a|an|two|three|four|five|six|\d+|last|recently|finally|and|as)\b)"
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One row, to match a plain sentence from its start: said of oneself, and of somebody else.

    Compiled when it is first tried, since compiling all of them takes longer than reading a hundred turns.
    """

    predicate: str
    tense: Tense
    shape: str
    mine: str
    theirs: str

    @property
    def first(self) -> re.Pattern[str]:
        return _compiled(self.mine)

    @property
    def third(self) -> re.Pattern[str]:
        return _compiled(self.theirs)


_compiled = cache(re.compile)  # re keeps 512 itself and then forgets


@cache
def patterns() -> tuple[Pattern, ...]:
    """All verb patterns."""
    found = []
    for predicate, tense, first, third, shape in _rows("verb"):
        third = first if third == "~" else third
        head, tail = rf"(?P<no>never )?{ADVERBS}(?:", r")\s+(?P<object>\S.*)$"
        mine = f"^(?P<subject>I) {head}{first}{tail}".replace("FLAT", FLAT)
        theirs = f"^{SUBJECT} {head}{third}{tail}".replace("FLAT", FLAT)
        found.append(Pattern(predicate, cast(Tense, tense), shape, mine, theirs))
    return tuple(found)


@cache
def bare() -> tuple[Pattern, ...]:
    """All patterns without an object: "I quit my job" ends whatever held."""
    found = []
    for predicates, tense, first, third in _rows("bare"):
        tail = rf"(?P<object>){BARE_END}(?P<rest>.*)$"
        head = rf"{ADVERBS}(?:"
        mine = f"(?s)^(?P<subject>I) {head}{first}){tail}"
        theirs = f"(?s)^{SUBJECT} {head}{first if third == '~' else third}){tail}"
        found.append(Pattern(predicates, cast(Tense, tense), "none", mine, theirs))
    return tuple(found)


@cache
def possessed() -> tuple[Pattern, ...]:
    """All patterns that begin with an owner: "my doctor is …"."""
    found = []
    for predicate, tense, text, shape in _rows("owned"):
        text = text.replace("ANIMAL", f"(?:{ANIMALS})")
        gap = "" if shape == "pet" else r"\s+"
        match = rf"^{OWNER} {text}{gap}(?P<object>\S.*)$"
        found.append(Pattern(predicate, cast(Tense, tense), shape, match, match))
    return tuple(found)


@cache
def turned() -> tuple[Pattern, ...]:
    """All patterns whose object comes first: "Tom and I are a couple"."""
    found = []
    slots = {
        "{object}": rf"(?P<object>{NAME.replace('?P<', '?:<')})", "{subject}": SUBJECT, "{owner}": OWNER,
        "{me}": r"(?P<subject>me)",
    }  # fmt: skip
    for predicate, tense, text, shape in _rows("turned"):
        for slot, written in slots.items():
            text = text.replace(slot, written)
        match = f"(?s)^{text}(?P<rest>.*)$"
        found.append(Pattern(predicate, cast(Tense, tense), shape, match, match))
    return tuple(found)


@cache
def _table() -> dict[str, list[list[str]]]:
    """Section → rows of cells."""
    found: dict[str, list[list[str]]] = {}
    section: list[list[str]] = []
    for line in files(__package__).joinpath("patterns.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), [])
        elif line.strip() and not line.startswith("#"):
            section.append([cell.strip() for cell in re.split(r"\s+\|\s+", line)])
    return found


def _rows(section: str) -> list[list[str]]:
    return _table()[section]
