"""Entities and locations of a text by rules alone: the embedded default extractor ([E] §3.2, SPEC §2.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from qgmem.types import Attributes, Entity

from .capitals import names
from .chunks import chunks
from .kinds import kind_of
from .language import looks_english
from .lexicon import Lexicon, english
from .scan import Token, bold_spans, scan
from .tagging import tag

_QUOTED = re.compile(r'["“]([^"“”\n]{2,80})["”]')
_BLOCK = 50_000


class RuleExtractor:
    """An `AttributeExtractor` for English; other languages give what needs no grammar, and otherwise nothing.

    Types are Who, What, Where and How much; times come from `construction.timex`, and Why and How are left
    to extractors that read meaning. One entity per normal form and text, at its first mention. Stateless
    and safe to share between threads.
    """

    id = "rules-en-1"

    def extract(self, text: str, speaker: str) -> Attributes:
        """Entities in order of offset, `text[start:end] == entity.text`, and the places among them."""
        lexicon = english()
        entities: dict[str, Entity] = {}
        locations: dict[str, str] = {}
        for offset, block in _blocks(text):
            for entity, located in _read(block, speaker, lexicon):
                key = entity.text.lower()
                if located:
                    locations.setdefault(key, entity.text)
                if key not in entities:
                    entities[key] = Entity(
                        entity.text, entity.type, (entity.start or 0) + offset, (entity.end or 0) + offset
                    )
        ordered = sorted(entities.values(), key=lambda entity: (entity.start or 0, -(entity.end or 0)))
        return Attributes(tuple(ordered), tuple(locations.values()))


def _read(text: str, speaker: str, lexicon: Lexicon) -> Iterator[tuple[Entity, bool]]:
    tokens = scan(text)
    yield from _special(tokens)
    if not looks_english(tokens, lexicon):
        return
    quoted = []
    for found in _QUOTED.finditer(text):
        title = found[1].rstrip(".,!?;:")
        if _is_title(title, cut=title != found[1]):
            span = (found.start(1), found.start(1) + len(title))
            quoted.append(span)
            yield Entity(title, "What", *span), False
    tags = tag(tokens, names(tokens, bold_spans(text), speaker, lexicon), lexicon)
    yield from _quantities(tokens, lexicon, text)
    at = 0
    for chunk in chunks(tokens, tags, lexicon):
        start, end = tokens[chunk.first].start, tokens[chunk.last].end
        while at < len(quoted) and quoted[at][1] <= start:
            at += 1
        if at < len(quoted) and quoted[at][0] <= start:
            continue
        if chunk.first and tokens[chunk.first - 1].kind == "number" and tokens[chunk.last].low in lexicon["unit"]:
            continue
        kind = kind_of(chunk, tokens, tags, speaker, lexicon)
        yield Entity(text[start:end], kind.type, start, end), kind.location


def _special(tokens: Sequence[Token]) -> Iterator[tuple[Entity, bool]]:
    """Links, addresses, handles, hashtags, codes, inline code and sums of money, in any language."""
    for token in tokens:
        if token.kind in ("url", "email", "handle", "product", "money", "code", "identifier"):
            cut = token.text.rstrip(".,;:!?") if token.kind == "url" else token.text.strip("`")
            start = token.start + (token.kind == "code")
            if (token.kind == "code" and " " in cut) or (token.kind == "product" and len(cut) < 4):
                continue
            kind = "How much" if token.kind == "money" else "What"
            yield Entity(cut, kind, start, start + len(cut)), False  # type: ignore[arg-type]


def _quantities(tokens: Sequence[Token], lexicon: Lexicon, text: str) -> Iterator[tuple[Entity, bool]]:
    for i, token in enumerate(tokens):
        if token.kind != "number":
            continue
        if token.text.endswith("%"):
            yield Entity(token.text, "How much", token.start, token.end), False
        elif i + 1 < len(tokens) and tokens[i + 1].low in lexicon["unit"] and tokens[i + 1].spaced:
            end = tokens[i + 1].end
            yield Entity(text[token.start : end], "How much", token.start, end), False


def _is_title(quoted: str, *, cut: bool) -> bool:
    """A title or a term, not quoted speech: mostly capitalised, or short. `cut`: it ended a sentence."""
    words = quoted.split()
    if not words or len(words) > 8 or quoted != quoted.strip() or not any(c.isalpha() for c in quoted):
        return False
    capitals = sum(word[0].isupper() for word in words)
    return (2 * capitals >= len(words) and not (cut and len(words) < 2)) or (len(words) <= 3 and not cut)


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Pieces of at most 50,000 characters, cut at white space where there is any, to bound memory."""
    at = 0
    while len(text) - at > _BLOCK:
        cut = text.rfind(" ", at + _BLOCK // 2, at + _BLOCK)
        cut = cut if cut > 0 else at + _BLOCK
        yield at, text[at:cut]
        at = cut
    yield at, text[at:] if at else text
