"""Working memory as prompt-ready text: labelled units with both times, within a token budget ([Q] III-C3, F)."""

from __future__ import annotations

from collections.abc import Sequence

from ..types import Hit, Interval, MemoryUnit


def estimate_tokens(text: str) -> int:
    """Tokens of a text without any tokenizer: a quarter of its characters or four thirds of its words, the larger.

    Within about a tenth of common BPE tokenizers on English; scripts without spaces count a token a character.
    """
    wide = sum(not char.isascii() for char in text)
    return max((len(text) - wide) // 4 + wide, len(text.split()) * 4 // 3)


def serialise(hits: Sequence[Hit], budget_tokens: int) -> str:
    """Units in rank order as `[MU1] <said> <speaker>: <text> (happened <when>)`, as many as the budget holds.

    The first unit that does not fit is cut at its end with an ellipsis if half of it fits; what follows is left out.
    """
    lines: list[str] = []
    left = budget_tokens
    for hit in hits:
        line = unit_line(hit.unit, hit.rank)
        cost = estimate_tokens(line) + 1
        if cost > left:
            if left * 2 >= cost and left > 12:
                lines.append(line[: (left - 1) * 3].rstrip() + " …")
            break
        lines.append(line)
        left -= cost
    return "\n".join(lines)


def unit_line(unit: MemoryUnit, label: int) -> str:
    """One unit with its label, times, speaker and words."""
    said = unit.utterance_time.strftime("%Y-%m-%d %H:%M") if unit.utterance_time else f"serial-{unit.sequence}"
    happened = ", ".join(map(shown, unit.fact_times))
    when = f" (happened {happened})" if happened else ""
    return f"[MU{label}] {said} {unit.speaker}: {' '.join(unit.text.split())}{when}"


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
