"""Does a text support a claim? Judged by words: stems, names and numbers; no model takes part.

The thresholds are chosen by what they mean, not by search: half of what a claim says must be in what was said around
it, and a quarter in the very turns it cites.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ..stores.analyser import terms

SUPPORT = 0.5  # share of a claim's content words found in the window
OWN = 0.25  # share found in the cited turns
_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_CONTRACTION = re.compile(r"['’](?:s|re|ve|m|ll|d)$", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?。！？]+|\n|$)[\"'”’)]*")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_FUNCTION = frozenset(
    "a an the and or but if so as at by for from in into of off on onto out over to up with without about after "
    "before during since until till than then that this these those there here it its he him his she her hers they "
    "them their theirs we us our ours i me my mine you your yours who whom whose which what when where why how is "
    "are was were be been being am do does did done has have had having will would shall should can could may might "
    "must not no nor "
    "also just very too more most some any each every all both one own same such only again once ever never said say "
    "says user assistant speaker currently".split()
)
_NUMBER_WORDS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
}
_CALENDAR = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur "
    "thurs fri sat sun am pm".split()
)


_SHORT = {
    short: full
    for line in (
        "education edu", "university uni", "information info", "mother mom mum mommy mummy mama", "father dad daddy",
        "grandmother grandma granny nana", "grandfather grandpa granddad", "sister sis", "brother bro", "family fam",
        "children kids kiddos", "child kid", "birthday bday", "vacation vacay", "picture pic", "pictures pics",
        "doctor doc", "appointment appt", "refrigerator fridge", "television tv telly", "bicycle bike",
        "photo photograph", "favorite favourite fave", "congratulations congrats", "examination exam",
        "gymnasium gym", "laboratory lab", "advertisement ad advert", "apartment flat", "people ppl",
        "minutes mins", "hours hrs", "years yrs",
    )
    for full, *shorts in [line.split()]
    for short in shorts
}  # fmt: skip
"""Clippings and household words that a claim writes out: what is said as "edu" supports "education"."""


def content(text: str, language: str = "english") -> set[str]:
    """Stems of the words that carry meaning; numbers as figures."""
    words = (_SHORT.get(word, _NUMBER_WORDS.get(word, word)) for word in _folded_words(text))
    return set(terms(" ".join(word for word in words if word not in _FUNCTION), language))


def share(claim: set[str], source: set[str]) -> float:
    """How much of the claim's content the source has, [0, 1]; 1 for a claim without content."""
    return len(claim & source) / len(claim) if claim else 1.0


def foreign_numbers(claim: str, source: str) -> list[str]:
    """Numbers of the claim that the source does not have, in figures or words."""
    known = set(_numbers(source))
    if "one" in _folded_words(source):
        known.add("1")
    return [number for number in _numbers(claim) if number not in known]


def foreign_names(claim: str, source: str, language: str = "english", subject: str = "") -> list[str]:
    """Capitalised words of the claim that the source does not have in any form.

    The first word of a sentence is capital for its place; it counts only if `subject` begins with it. Words of the
    calendar are left to the check of dates.
    """
    known = content(source, language) | set(_folded_words(source))
    found = []
    starts = _sentence_starts(claim)
    lead = _WORD.match(subject.strip())
    for word in _WORD.finditer(claim):
        text = _CONTRACTION.sub("", word[0])
        if not text[0].isupper() or text.casefold() in _FUNCTION | _CALENDAR:
            continue
        if word.start() in starts and not (lead and lead[0] == text):
            continue
        if not any(form in known for form in (text.casefold(), *terms(text, language))):
            found.append(text)
    return found


def locate(quote: str, text: str) -> tuple[int, int] | None:
    """Where the words of `quote` stand in `text`, whatever the case, spaces and marks between them; None if nowhere.

    >>> locate("moved to porto", "We MOVED to  Porto!")
    (3, 18)
    """
    wanted = [word.casefold() for word in re.findall(r"\w+", quote)]
    if not wanted:
        return None
    words = [(found.start(), found.end()) for found in re.finditer(r"\w+", text)]
    folded = [text[start:end].casefold() for start, end in words]
    for place in range(len(words) - len(wanted) + 1):
        if folded[place] == wanted[0] and folded[place : place + len(wanted)] == wanted:
            return words[place][0], words[place + len(wanted) - 1][1]
    plain = quote.strip(" .,;:!?\"'“”。，！？、「」")
    if not plain.isascii() and (start := text.find(plain)) >= 0:  # scripts without spaces between words
        return start, start + len(plain)
    return None


def sentences(text: str) -> list[tuple[int, int]]:
    """[start, end) of the sentences of a text, by their closing marks and line breaks."""
    found = []
    for match in _SENTENCE.finditer(text):
        start, end = match.span()
        while start < end and text[start].isspace():
            start += 1
        while end > start and text[end - 1].isspace():
            end -= 1
        if end > start:
            found.append((start, end))
    return found


def _folded_words(text: str) -> Iterable[str]:
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        yield _CONTRACTION.sub("", word)


def _numbers(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    figures = [number.replace(",", "").rstrip(".:") for number in _NUMBER.findall(folded)]
    words = (word for word in _WORD.findall(folded) if word in _NUMBER_WORDS and word != "one")
    return figures + [_NUMBER_WORDS[word] for word in words]


def _sentence_starts(text: str) -> set[int]:
    starts = set()
    for start, _ in sentences(text):
        word = _WORD.search(text, start)
        if word:
            starts.add(word.start())
    return starts
