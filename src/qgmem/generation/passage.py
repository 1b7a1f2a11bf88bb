"""The stretch of a long text that has most to do with a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from .tokens import estimate_tokens

MARKS = ".,;:!?\"'()[]…"


def passage(text: str, tokens: int, words: Collection[str]) -> str:
    """The stretch of a text within `tokens` that holds the most different `words`, with more behind them than before.

    `words` may be stems: a word of the text counts for the first one that it begins with.
    """
    pieces = text.split(" ")
    wanted = sorted(word.casefold() for word in words)
    costs = [estimate_tokens(f"{piece} ") + 1 for piece in pieces]
    found = [_begun(piece.casefold().strip(MARKS), wanted) for piece in pieces]
    first, last = _densest(costs, found, tokens)
    spent = sum(costs[first:last])
    while last - first < len(pieces):
        ahead = last < len(pieces) and (first == 0 or (last - first) % 3 != 0)
        cost = costs[last] if ahead else costs[first - 1] if first else tokens
        if spent + cost > tokens:
            break
        spent += cost
        first, last = (first, last + 1) if ahead else (first - 1, last)
    return f"{'… ' if first else ''}{' '.join(pieces[first:last])}{' …' if last < len(pieces) else ''}"


def _densest(costs: Sequence[int], found: Sequence[str], tokens: int) -> tuple[int, int]:
    """The shortest first stretch, from a found word to a found word, with the most different ones within `tokens`."""
    inside: Counter[str] = Counter()
    best, most, start, spent = (0, 0), 0, 0, 0
    for end, (cost, word) in enumerate(zip(costs, found, strict=True)):
        spent += cost
        inside[word] += 1
        while start <= end and (spent > tokens or not found[start] or inside[found[start]] > 1):
            spent -= costs[start]
            inside[found[start]] -= 1
            start += 1
        different = sum(count > 0 for name, count in inside.items() if name)
        if different > most:
            best, most = (start, end + 1), different
    return best


def _begun(piece: str, words: Sequence[str]) -> str:
    return next((word for word in words if piece.startswith(word)), "")
