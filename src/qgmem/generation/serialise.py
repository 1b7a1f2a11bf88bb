"""Working memory as prompt-ready text: labelled units with both times, within a token budget ([Q] III-C3, F)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from ..types import Hit, Interval, MemoryUnit

NOTE = 8  # tokens kept for the last line
LEAST = 24  # tokens below which a piece of a unit says nothing
ROOM = 60  # tokens that any unit may have, if they are left
MARKS = ".,;:!?\"'()[]…"


def estimate_tokens(text: str) -> int:
    """Tokens of a text without any tokenizer: a quarter of its characters or four thirds of its words, the larger.

    Within about a tenth of common BPE tokenizers on English; scripts without spaces count a token a character.
    """
    wide = sum(not char.isascii() for char in text)
    return max((len(text) - wide) // 4 + wide, len(text.split()) * 4 // 3)


def serialise(hits: Sequence[Hit], budget_tokens: int, words: Collection[str] = ()) -> str:
    """Units in rank order as `[MU1] <said> <speaker>: <text> (happened <when>)`, as many as the budget holds.

    A unit longer than half of what is left gives its passage with the most of `words` (the question's), marked with
    ellipses, so that one long answer neither fills the context nor empties it. Where units did not fit at all, the
    last line says how many.
    """
    lines: list[str] = []
    left = budget_tokens - NOTE
    missing = 0
    for hit in hits:
        line = unit_line(hit.unit, hit.rank)
        share = max(left // 2, min(left, ROOM))
        if estimate_tokens(line) + 1 > share:
            line = unit_line(hit.unit, hit.rank, share, words)
        cost = estimate_tokens(line) + 1
        if cost > left or (line.endswith("…") and left < LEAST):
            missing += 1
            continue
        lines.append(line)
        left -= cost
    if missing:
        lines.append(f"({missing} more did not fit)")
    return "\n".join(lines)


def unit_line(unit: MemoryUnit, label: int, tokens: int | None = None, words: Collection[str] = ()) -> str:
    """One unit on one line: label, time said, speaker, words, time it happened; within `tokens` if they are given."""
    said = unit.utterance_time.strftime("%Y-%m-%d %H:%M") if unit.utterance_time else f"serial-{unit.sequence}"
    happened = ", ".join(map(shown, unit.fact_times))
    when = f" (happened {happened})" if happened else ""
    head = f"[MU{label}] {said} {_one_line(unit.speaker)}: "
    text = _one_line(unit.text)
    if tokens is not None:
        text = passage(text, tokens - estimate_tokens(head + when) - 2, words)
    return head + text + when


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


def _one_line(text: str) -> str:
    """Without line breaks and other control characters: what is said must not pass for a line of its own."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def unit_document(unit: MemoryUnit, trajectory: str | None = None) -> str:
    """The structured document that a reranker reads ([Q] III-B2); empty fields are left out."""
    fields = {
        "fact": " ".join(unit.text.split()),
        "source": f"{unit.speaker}: {' '.join(unit.span.quote.split())}",
        "entities": "; ".join(dict.fromkeys(entity.text for entity in unit.entities)),
        "locations": "; ".join(unit.locations),
        "fact time": ", ".join(map(shown, unit.fact_times)),
        "utterance time": unit.utterance_time.isoformat(sep=" ") if unit.utterance_time else "",
        "trajectory": trajectory or "",
    }
    return "\n".join(f"{name}: {value}" for name, value in fields.items() if value)


def shown(interval: Interval) -> str:
    """An interval as a person writes it: one day, or first to last."""
    if interval.start == interval.end:
        return interval.start.isoformat()
    return f"{interval.start.isoformat()} to {interval.end.isoformat()}"
