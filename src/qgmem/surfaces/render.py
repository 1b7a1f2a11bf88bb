"""Hits and units for a person: readable at 80 columns and without colour."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import astuple
from datetime import datetime
from typing import TYPE_CHECKING

from ..types import Hit, Interval, MemoryUnit

if TYPE_CHECKING:
    from rich.text import Text

CARD = 15  # column of a unit card's values
INDENT = "   "  # in front of every line of a hit but its first
TEXT_LIMIT = 400  # characters of one unit shown in a list of hits; `show` has the rest


def hits(found: Iterable[Hit], *, explain: bool = False) -> list[Text]:
    """One block a hit: head, words, source, why it was found."""
    from rich.text import Text

    blocks: list[Text] = []
    for hit in found:
        head = Text(f"{hit.rank}. ").append(plain(hit.speaker), "bold").append(f"  {times(hit.unit)}")
        if hit.flags:
            head.append(f"  [{', '.join(hit.flags)}]", "yellow")
        lines = [Text(shortened(hit.text), "cyan"), Text(source(hit.unit) + f"  score {hit.score:.3f}", "dim")]
        lines.append(Text(f"found by {why(hit)}", "dim"))
        if explain:
            lines.append(Text(f"score is {parts(hit)}", "dim"))
        blocks += [head, *(Text(INDENT).append_text(line) for line in lines)]
    return blocks


def unit_card(unit: MemoryUnit, original: str | None) -> list[Text]:
    """Everything about one unit; `original`: the turn's own words, if the unit's were changed."""
    from rich.text import Text

    rows = [
        ("text", plain(unit.text)),
        ("quote", plain(unit.span.quote) if unit.kind == "extracted" else ""),
        ("first said as", plain(original) if original is not None else ""),
        ("speaker", f"{plain(unit.speaker)} ({unit.role})"),
        ("said", said(unit.utterance_time, unit.sequence)),
        ("happened", happened(unit.fact_times)),
        ("claim", " | ".join(map(plain, astuple(unit.triple))) if unit.triple else ""),
        ("source", source(unit)),
        ("entities", ", ".join(f"{plain(each.text)} ({each.type})" for each in unit.entities)),
        ("locations", plain(", ".join(unit.locations))),
        ("metadata", plain(str(dict(unit.metadata))) if unit.metadata else ""),
        ("agent, run", ", ".join(plain(each) for each in (unit.agent_id, unit.run_id) if each)),
    ]
    return [Text(name.ljust(CARD), "bold").append(value, "") for name, value in rows if value]


def times(unit: MemoryUnit) -> str:
    """Both times of a unit."""
    when = happened(unit.fact_times)
    return f"said {said(unit.utterance_time, unit.sequence)}" + (f", happened {when}" if when else "")


def said(moment: datetime | None, sequence: int) -> str:
    """When something was said, to the minute and with the offset it was given with; else its place in the order.

    >>> said(None, 7)
    'at an unknown time (serial-7)'
    """
    if moment is None:
        return f"at an unknown time (serial-{sequence})"
    shown = moment.strftime("%Y-%m-%d %H:%M")
    offset = moment.strftime("%z")
    return f"{shown} {offset[:3]}:{offset[3:5]}" if offset else shown


def happened(intervals: Iterable[Interval]) -> str:
    """Fact times, each as precise as it was told."""
    return "; ".join(_interval(each) for each in intervals)


def _interval(value: Interval) -> str:
    if value.start == value.end:
        return value.start.isoformat()
    whole_year = (value.start.month, value.start.day, value.end.month, value.end.day) == (1, 1, 12, 31)
    if whole_year and value.start.year == value.end.year:
        return str(value.start.year)
    return f"{value.start.isoformat()} to {value.end.isoformat()}"


def source(unit: MemoryUnit) -> str:
    """The turns a unit comes from, and their session."""
    first, last = unit.span.first_turn, unit.span.last_turn
    turns = f"turn {plain(first)}" if first == last else f"turns {plain(first)} to {plain(last)}"
    return f"{turns}, session {plain(unit.session_id)}"


def why(hit: Hit) -> str:
    """Rank and score in each channel that listed the unit."""
    if not hit.channels:
        return "its neighbours: no channel lists it"
    return ", ".join(f"{name} #{found.rank} ({found.score:.3f})" for name, found in hit.channels.items())


def parts(hit: Hit) -> str:
    """What each part of the fusion added to the score."""
    return " + ".join(f"{name} {value:.3f}" for name, value in hit.contributions.items() if value)


def shortened(text: str) -> str:
    """One paragraph of at most `TEXT_LIMIT` characters."""
    line = " ".join(plain(text).split())
    return line if len(line) <= TEXT_LIMIT else line[: TEXT_LIMIT - 2].rstrip() + " …"


def plain(text: str) -> str:
    """The text without what could steer a terminal: controls but line ends and tabs, and direction overrides.

    >>> plain("a" + chr(27) + "[2Jb")
    'a�[2Jb'
    """
    return "".join("\N{REPLACEMENT CHARACTER}" if _steers(character) else character for character in text)


def _steers(character: str) -> bool:
    if character in "\n\t":
        return False
    return (
        unicodedata.category(character) == "Cc"
        or "\u202a" <= character <= "\u202e"
        or "\u2066" <= character <= "\u2069"
    )
