"""Verbatim construction ([E] §3.2): every turn is a unit, found by its words, speaker, caption, attributes.

No language model takes part, so nothing can go missing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from ..protocols import AttributeExtractor
from ..types import Attributes, MemoryUnit, Turn
from .timex import fact_times

READ_CHARACTERS = 20_000  # attributes are read off the first so many characters of a turn
CHUNK_COST = 220  # about so many word pieces fit beside the speaker into 256
MOST_CHUNKS = 256  # pieces of one text that are embedded, some 250,000 characters; the words behind are still indexed


def attributes(
    text: str,
    caption: str | None,
    speaker: str,
    time: datetime | None,
    extractor: AttributeExtractor,
    *,
    day_first: bool = False,
) -> Attributes:
    """Typed entities, locations and fact times of one turn; the utterance time resolves, and is never copied."""
    read = text[:READ_CHARACTERS]
    found = extractor.extract(read, speaker)
    seen = extractor.extract(caption, speaker) if caption else Attributes()
    return Attributes(
        entities=found.entities + tuple(entity for entity in seen.entities if entity.text != speaker),
        locations=tuple(dict.fromkeys(found.locations + seen.locations)),
        fact_times=fact_times(read, time, day_first=day_first),
    )


def embedding_texts(speaker: str, text: str, caption: str | None) -> list[str]:
    """What is embedded for a turn: the speaker before the words, the caption behind; long turns in pieces."""
    pieces = chunks(text)
    if caption:
        pieces[-1] = f"{pieces[-1]} [{caption}]" if len(pieces) == 1 else pieces[-1]
        if len(pieces) > 1:
            pieces.append(f"[{caption}]")
    return [f"{speaker}: {piece}" for piece in pieces]


def chunks(text: str, cost: int = CHUNK_COST) -> list[str]:
    """The text in pieces that the embedder reads whole, the first MOST_CHUNKS of them; a short text is one piece."""
    if len(text) <= cost:
        return [text]
    pieces: list[str] = []
    current: list[str] = []
    spent = 0
    for word in _words(text, cost):
        price = len(word) if not word.isascii() else 1 + len(word) // 6
        if current and spent + price > cost:
            pieces.append(" ".join(current))
            if len(pieces) == MOST_CHUNKS:
                return pieces
            current, spent = [], 0
        current.append(word)
        spent += price
    if current:
        pieces.append(" ".join(current))
    return pieces or [text]


def _words(text: str, longest: int) -> Iterator[str]:
    """Words of the text; one longer than a piece, as in scripts without spaces, is cut."""
    for word in re.finditer(r"\S+", text):
        for start in range(word.start(), word.end(), longest):
            yield text[start : min(start + longest, word.end())]


def lexical_text(unit: MemoryUnit, turn: Turn, *, caption_query: bool) -> str:
    """What the lexical channel matches: speaker, fact text, and the source with what its image shows.

    A unit whose words were updated answers to the new ones only.
    """
    if unit.kind == "verbatim" and unit.text != turn.text:
        return f"{turn.speaker} {unit.text}"
    parts = [turn.speaker, unit.text, turn.caption or ""]
    if unit.kind != "verbatim":
        parts.insert(2, unit.span.quote)
    if caption_query:
        parts.append(turn.caption_query or "")
    return " ".join(parts)
