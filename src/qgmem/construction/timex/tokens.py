"""Cutting a text into tokens, and the cheap test that spares most texts from it."""

from __future__ import annotations

import re
from typing import NamedTuple

from .words import TRIGGERS

_WORDS = re.compile(r"[a-z]+")
_DIGITS = re.compile(r"[0-9]{4}|[0-9](?:st|nd|rd|th|ST|ND|RD|TH|/|0['’]?s)|[QH][1-4]|['’][0-9]{2}")
_TOKEN = re.compile(
    r"(?P<ordinal>[0-9]{1,2}(?:st|nd|rd|th)(?!\w))"
    r"|(?P<decade>[0-9]{1,3}0['’]?s(?!\w))"
    r"|[0-9]+"
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*"
    r"|\S",
    re.IGNORECASE,
)


class Token(NamedTuple):
    """One word, number or mark: `low` is lower case without `'s`; offsets are those of the text."""

    low: str
    start: int
    end: int  # before a possessive 's
    glued: bool  # no space between it and the token before
    capital: bool  # its first letter is upper case
    possessive: bool  # an 's was cut off


def might_hold_time(text: str) -> bool:
    """False if no rule can find anything in this text. One pass, no allocation worth naming."""
    return _DIGITS.search(text) is not None or not TRIGGERS.isdisjoint(_WORDS.findall(text.lower()))


def tokenise(text: str) -> list[Token]:
    """All tokens in order, in time linear in the text."""
    tokens: list[Token] = []
    before = -1
    for match in _TOKEN.finditer(text):
        word = match.group()
        start, end = match.span()
        low = word.lower().replace("’", "'")
        possessive = low.endswith("'s") and len(low) > 2 and not low[0].isdigit()
        tokens.append(
            Token(
                low[:-2] if possessive else low,
                start,
                end - 2 if possessive else end,
                start == before,
                word[0].isupper(),
                possessive,
            )
        )
        before = end
    return tokens
