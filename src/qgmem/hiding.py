"""Secrets kept from what is shown (CASES 21): what was read off a turn hides every part of its secrets.

A name, a place or a claim is cut out of words that announce a secret and announces nothing itself, so it is looked at
beside the turns that it was read off, captions included.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .construction.redaction import Redactor
from .stores.protocol import Store
from .types import MemoryUnit, Turn

BATCH = 500  # units whose turns are read at once
Texts = tuple[str | None, ...]


def sources(store: Store, units: Sequence[MemoryUnit]) -> dict[str, Texts]:
    """By unit id the texts of its turns: words, caption, and what was searched for the caption."""
    found: dict[str, Texts] = {}
    for start in range(0, len(units), BATCH):
        some = units[start : start + BATCH]
        turns = store.known([turn_id for unit in some for turn_id in unit.span.turn_ids])
        for unit in some:
            found[unit.id] = tuple(text for id in unit.span.turn_ids if id in turns for text in texts_of(turns[id]))
    return found


def texts_of(turn: Turn) -> Texts:
    """Every text that something is read off."""
    return turn.text, turn.caption, turn.caption_query


def shown_units(store: Store, units: Sequence[MemoryUnit], redactor: Redactor | None) -> list[MemoryUnit]:
    """The units without secrets, in order."""
    if redactor is None:
        return list(units)
    beside = sources(store, units)
    return [redactor.fresh().unit(unit, *beside[unit.id]) for unit in units]


def beside_units(store: Store, unit_ids: Iterable[str], redactor: Redactor) -> Redactor:
    """One that knows the secrets of these units and of their turns."""
    units = store.units(sorted(set(unit_ids)))
    texts = [text for each in sources(store, units).values() for text in each]
    return redactor.fresh().beside(*texts, *(unit.text for unit in units))
