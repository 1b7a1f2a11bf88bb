"""What every rule sees: the tokens of one text and the speaker's own day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from typing import NamedTuple

from ...types import Interval
from .tokens import Token
from .words import COUNTED, FUNCTION_WORDS


class Tense(Enum):
    """On which side of today a time without a year or week is looked for; a habit has no one time."""

    PAST = "past"
    FUTURE = "future"
    HABIT = "habit"


class Partial(NamedTuple):
    """A calendar date as it was said; what was left out is None."""

    year: int | None
    month: int
    day: int | None


class Found(NamedTuple):
    """A rule's result: the index after its last token, and the time.

    No interval means: understood, but it names no one time ("every Monday"), so its words are used up.
    `partial` lets a range share year and month between its ends; `duration` marks "for n years".
    """

    end: int
    interval: Interval | None = None
    partial: Partial | None = None
    duration: bool = False


_PAD = 24  # more than any rule looks ahead


@dataclass(frozen=True, slots=True)
class Scan:
    """Tokens with the reference. `lows[i]` is "" past either end, so rules may look around freely."""

    text: str
    tokens: list[Token]
    lows: list[str]
    today: date | None
    moment: datetime | None
    day_first: bool
    cues: dict[int, Tense | None]  # what `tense` has worked out so far, so that each token is judged once

    @classmethod
    def of(cls, text: str, tokens: list[Token], reference: datetime | date | None, day_first: bool) -> Scan:
        """Pad the words; take the reference's date in its own offset, never in the server's."""
        moment = reference if isinstance(reference, datetime) else None
        today = moment.date() if moment is not None else reference
        return cls(text, tokens, [t.low for t in tokens] + [""] * _PAD, today, moment, day_first, {})

    def number(self, i: int) -> int | None:
        """The value of a plain number of up to nine digits."""
        low = self.lows[i]
        return int(low) if low.isascii() and low.isdigit() and len(low) <= 9 else None

    def ordinal(self, i: int) -> int | None:
        """The value of `3rd`."""
        low = self.lows[i]
        return int(low[:-2]) if low[:1].isdigit() and low[-2:] in ("st", "nd", "rd", "th") else None

    def glued(self, i: int) -> bool:
        """True if token i follows without a space."""
        return 0 < i < len(self.tokens) and self.tokens[i].glued

    def capital(self, i: int) -> bool:
        """True if token i starts with a capital."""
        return 0 <= i < len(self.tokens) and self.tokens[i].capital

    def possessive(self, i: int) -> bool:
        """True if token i carried an 's."""
        return 0 <= i < len(self.tokens) and self.tokens[i].possessive

    def modifies(self, i: int) -> bool:
        """True if token i is a word that could be the noun of what stands before it."""
        low = self.lows[i]
        return low[:1].isalpha() and low not in FUNCTION_WORDS

    def counts(self, i: int) -> bool:
        """True if token i makes the number before it a count: `2019 units`, `5 km`, `20%`, `3:30`, `4.5`."""
        low = self.lows[i]
        if low in COUNTED or low in ("%", "°"):
            return True
        if low in (":", ".", ",", "/") and self.glued(i) and self.glued(i + 1):
            return self.lows[i + 1][:1].isdigit() or low == ":"
        if self.glued(i) and low[:1].isalpha():
            return True
        return (
            len(low) > 3
            and low[-1] == "s"
            and not self.capital(i)
            and low not in FUNCTION_WORDS
            and not low.endswith("ss")
        )

    def skip(self, i: int, *words: str) -> int:
        """i + 1 if token i is one of the words, else i."""
        return i + 1 if self.lows[i] in words else i
