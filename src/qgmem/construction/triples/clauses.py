"""A plain sentence as clauses that the patterns can be tried on."""

from __future__ import annotations

import re
from datetime import datetime

from ..timex import find_times
from .patterns import HELPED_ADVERBS
from .subject import NO_NAMES

PARTED = re.compile(
    r"(?:;\s+|:\s+|,? but (?=(?:I|she|he|my)\b)|, (?:and |so )(?=(?:I|she|he|my)\b)| (?:and|so) (?=(?:I|she|he)\b))"
)
SPLICED = re.compile(r"^(?P<first>(?:I|[Ss]he|[Hh]e|[Mm]y)\b[^,]*), (?P<second>(?:I|she|he)\b.*)$", re.S)
CARRIED = re.compile(
    r"^(?P<subject>I|[Ss]he|[Hh]e)(?P<first> .*?),? and (?:have |has |am |is )?(?:(?:then|now|just|also|"
    r"recently) )*"
    r"(?P<second>(?:joined|moved to|relocated to|started (?:working )?(?:at|for)|work at|work for|works at|"
    r"works for|"
    r"live in|lives in|quit|left) [A-Z].*)$",
    re.S,
)
MISLED = re.compile(
    r"^(?:I|[Hh]e|[Ss]he|[Tt]hey|[Tt]hat|[Ii]t|[A-Z][\w'-]+(?: [A-Z][\w'-]+)?) (?:was|were|is) (?:just |"
    r"only |totally |all )?"
    r"(?:wrong|mistaken|joking|kidding|lying|confused|a lie|a joke|nonsense|teasing)(?: about (?:that|it|"
    r"this|me|her|him))?"
    r"(?:,|;|:| -| –| —)\s+(?P<rest>.+)$",
    re.S,
)
NOT_NOW = re.compile(r"\bno longer |\b(?:do|does) not (?=.*\bany ?more\b)|(?<=\bam )not (?=.*\bany "
    r"?more\b)|(?<=\bis )not (?=.*\bany ?more\b)", re.I)  # fmt: skip
NOT_AT = re.compile(r" (?:am|is) (?:no longer (?:at|with)|not (?:at|with)(?=.*\bany ?more\b)) (?=[A-Z])")
NEVER = re.compile(r"\b(was|am|is|had|has been|have been|have|has) never\b")
DID_NOT = re.compile(r"\b(?:did|have|has) not(?: actually| really| ever)? (?P<verb>move|moved|work|worked|"
    r"live|lived|join|joined|start|started|marry|married|buy|bought|adopt|adopted)\b")  # fmt: skip
PASTS = {"marry": "married", "buy": "bought", "bought": "bought"}
HELPED = re.compile(rf"\b(have|has|am|is|was) (?:{HELPED_ADVERBS}) ")


def split(text: str) -> list[str]:
    """The clauses, in order: at "and I", "but she", semicolons, and "I left Acme and joined Globex"."""
    found = []
    for part in PARTED.split(text):
        while (spliced := SPLICED.match(part)) is not None:
            found.append(spliced.group("first"))
            part = spliced.group("second")
        if (carried := CARRIED.match(part)) is not None:
            subject = carried.group("subject")
            found += [f"{subject}{carried.group('first')}", f"{subject} {carried.group('second')}"]
        else:
            found.append(part)
    return found


def corrected(text: str) -> str:
    """ "Carl was wrong, Ana never moved to Rome" → what is so; a joke owned up to says only what is not so."""
    match = MISLED.match(text)
    if match is None:
        return text
    rest = match.group("rest")
    return (
        rest if re.search(r"\bnever\b|\bnot\b|\bno longer\b|\bstill\b|n't\b", rest) or text.startswith("I ") else ""
    )


def worded(text: str) -> tuple[str, bool]:
    """(the clause as patterns are worded, whether it says that something holds no more)."""
    text = NOT_AT.sub(" quit ", text)
    over = NOT_NOW.search(text) is not None
    text = NOT_NOW.sub("", text) if over else text
    if " not " in text:
        text = DID_NOT.sub(_denied, text)
    text = NEVER.sub(r"never \1", text) if " never" in text else text
    return HELPED.sub(r"\1 ", text), over


def _denied(match: re.Match[str]) -> str:
    verb = match.group("verb")
    return "never " + PASTS.get(verb, verb if verb.endswith("ed") else verb.removesuffix("e") + "ed")


def time_last(text: str, time: datetime | None) -> str:
    """ "In 2021 I lived in Oslo" → "I lived in Oslo in 2021"."""
    if text.startswith("I "):
        return text
    mentions = find_times(text, time)
    if not mentions or mentions[0].start > 8:
        return text
    first = mentions[0]
    if not re.fullmatch(r"(?:back )?(?:in|on|since|from|at|around|during)?\s*(?:the )?", text[: first.start], re.I):
        return text
    rest = text[first.end :].lstrip(" ,")
    if not re.match(r"(?:I|[Mm]y|[Ss]he|[Hh]e|[A-Z]\w+)\b", rest) or rest.split(" ", 1)[0] in NO_NAMES - {
        "I",
        "My",
        "She",
        "He",
    }:
        return text
    return f"{rest} {text[: first.end].strip().lower()}"
