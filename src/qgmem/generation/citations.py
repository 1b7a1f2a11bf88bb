"""From the labels of an answer back to what was said: label → unit → turns with quotes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..types import Hit, MemoryUnit, Turn
from .answer import Citation, CitedTurn

LONGEST = 300  # characters of a quote that is no unit's own

Turns = Callable[[Sequence[str]], Mapping[str, Turn]]  # those of the ids that are here


def citations(
    cited: Sequence[str], labels: Mapping[str, str], hits: Sequence[Hit], turns: Turns
) -> tuple[Citation, ...]:
    """One a label, in that order. A turn that was deleted meanwhile is left out."""
    units = {hit.id: hit.unit for hit in hits}
    wanted = {turn_id for label in cited for turn_id in units[labels[label]].span.turn_ids}
    here = turns(sorted(wanted))
    return tuple(_citation(label, units[labels[label]], here) for label in cited)


def _citation(label: str, unit: MemoryUnit, here: Mapping[str, Turn]) -> Citation:
    turns = tuple(_turn(unit, here[turn_id]) for turn_id in unit.span.turn_ids if turn_id in here)
    return Citation(label, unit.id, unit.text, unit.fact_times, turns)


def _turn(unit: MemoryUnit, turn: Turn) -> CitedTurn:
    quote = unit.span.quote
    if not quote or quote not in turn.text:
        quote = turn.text if len(turn.text) <= LONGEST else f"{turn.text[: LONGEST - 1]}…"
    return CitedTurn(turn.id, turn.speaker, quote, turn.utterance_time)
