"""Text into words, signs and the special strings that need no grammar: links, handles, codes, sums."""

from __future__ import annotations

import re
from typing import NamedTuple


class Token(NamedTuple):
    """A piece of text with its offsets. `kind` names the pattern that found it."""

    text: str
    low: str
    start: int
    end: int
    kind: str
    opens: bool  # first word of a sentence, a line or a quotation
    spaced: bool  # nothing but blanks between it and the token before


# Every repetition is bounded or cannot overlap with what follows it, so that a scan is linear.
_TOKEN = re.compile(
    r"""
    (?P<fence>```)
  | (?P<code>`[^`\n]{1,80}`)
  | (?P<url>(?:https?://|www\.)[^\s<>"')\]]+)
  | (?P<email>(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,24}){1,4})
  | (?P<handle>(?<![\w@])[@\#][A-Za-z_]\w{1,39})
  | (?P<money>[$€£¥₹]\s?\d[\d,]{0,15}(?:\.\d{1,4})?(?:\s?(?:k|K|m|M|million|billion|thousand)\b)?)
  | (?P<product>\b(?=[A-Za-z\d-]{2,24}\b)
      (?:[A-Z]{1,6}\d[A-Za-z\d]{0,11} | \d{1,4}[A-Z]{1,3} | [A-Z][A-Za-z\d]{0,9}-\d[A-Za-z\d]{0,9}
       | (?=[\d-]*[A-Z])[A-Z\d]{2,10}-[A-Z\d]{2,10})
      (?:-[A-Za-z\d]{1,10}){0,3}\b)
  | (?P<identifier>\b[A-Za-z][A-Za-z\d]{0,40}(?:[_.][A-Za-z][A-Za-z\d]{0,40}){1,6}
      (?<=[a-z\d])\b(?![_.][A-Za-z])(?:\(\))?)
  | (?P<compound>\d{1,6}(?:-[a-z]{1,20}){1,3}\b)
  | (?P<number>\d[\d,]*(?:\.\d+)?%?)
  | (?P<word>[^\W\d_]+(?:[-'’&][^\W\d_]+|\.(?=[A-Z]\.)[A-Z])*(?:(?<=\.[A-Z])\.)?)
  | (?P<line>\n[\s]{0,200}(?:(?:\#{1,6}|[-*•>]|\d{1,3}[.)])\s+)?)
  | (?P<stop>[.!?…]+)
  | (?P<quote>["“”])
  | (?P<sign>\S)
    """,
    re.VERBOSE,
)
_BOLD = re.compile(r"\*\*([^*\n]{1,120})\*\*")
_SHORT = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "jr", "sr", "mt"))


def scan(text: str) -> list[Token]:
    """Tokens in order of offset; text between triple backquotes is left out.

    A contraction is cut before its apostrophe when the rest is a clitic ("Mel's" → "Mel", "'s").
    """
    tokens: list[Token] = []
    opens, fenced, last = True, False, 0
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or ""
        start, end = found.span()
        if kind == "fence":
            fenced, opens = not fenced, True
            continue
        if fenced:
            continue
        piece = found[0]
        spaced = not text[last:start].strip() if start > last else True
        last = end
        if kind == "word":
            cut = _clitic(piece)
            if cut:
                stem = piece[:cut]
                tokens.append(Token(stem, stem.lower(), start, start + cut, kind, opens, spaced))
                rest = "'" + piece[cut + 1 :].lower()
                tokens.append(Token(piece[cut:], rest, start + cut, end, "clitic", False, True))
            else:
                tokens.append(Token(piece, piece.lower(), start, end, kind, opens, spaced))
            opens = False
        else:
            if kind == "stop" and piece == "." and tokens and tokens[-1].low in _SHORT:
                continue
            tokens.append(Token(piece, piece.lower(), start, end, kind, opens, spaced))
            opens = kind in ("stop", "line", "quote") or piece in ":([*#>-" or (opens and kind == "sign")
    return tokens


def bold_spans(text: str) -> list[tuple[int, int]]:
    """Offsets of Markdown bold and heading lines, where capital letters are typography."""
    if "**" not in text and "#" not in text:
        return []
    spans = [found.span(1) for found in _BOLD.finditer(text)]
    start = 0
    for line in text.split("\n"):
        if line.lstrip()[:1] == "#" and " " in line[:8]:
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return sorted(spans)


def _clitic(word: str) -> int:
    """Where to cut off 's, 're, 'm, 've, 'll, 'd, or 0; n't stays with its verb."""
    for mark in ("'", "’"):
        cut = word.rfind(mark)
        if cut > 0 and word[cut + 1 :].lower() in ("s", "re", "m", "ve", "ll", "d"):
            return cut
    return 0
