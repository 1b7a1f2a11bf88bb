"""Turns, attributes and vectors that the promises of stores are put to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from qgmem.models.scripted import HashEmbedder
from qgmem.stores.records import NewTurn
from qgmem.types import Attributes, Entity, Granularity, Interval, MemoryUnit, Turn

EMBEDDER = HashEmbedder(8)
DAY = Interval(date(2024, 5, 1), date(2024, 5, 1), Granularity.DAY)
MARCH = Interval(date(2024, 3, 1), date(2024, 3, 31), Granularity.MONTH)


def turn(id: str, text: str = "words", **fields: Any) -> NewTurn:
    """A turn with its vector."""
    values = {"session_id": "s1", "speaker": "Ana", "role": "user"} | fields
    return NewTurn(id=id, text=text, vectors=EMBEDDER.embed([text]), **values)


def about(*names: str, places: Sequence[str] = (), times: Sequence[Interval] = ()) -> Attributes:
    """Attributes with entities of these names."""
    return Attributes(tuple(Entity(name, "Who") for name in names), tuple(places), tuple(times))


def phrases(*texts: str) -> dict[str, Any]:
    """Vectors by phrase text."""
    return dict(zip(texts, EMBEDDER.embed(texts), strict=True))


def words(unit: MemoryUnit, _: Turn) -> list[str]:
    """An analyser."""
    return unit.text.split()


def ids(units: Any) -> list[str]:
    return [unit.id for unit in units]
