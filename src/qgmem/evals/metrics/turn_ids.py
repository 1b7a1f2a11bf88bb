"""What `k` counts: distinct source turns in rank order, repeats dropped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class HasTurnIds(Protocol):
    """A hit that knows the turns it rests on, first to last."""

    @property
    def turn_ids(self) -> tuple[str, ...]: ...


def turn_ids_at(hits: Iterable[HasTurnIds], k: int) -> list[str]:
    """The first `k` distinct turn ids of the hits in rank order.

    A unit may span turns and two units may share one, so k units are not k turns: spans [a b], [b], [c]
    at k = 3 give [a b c]. A span is cut where k is reached.
    """
    found: dict[str, None] = {}
    for hit in hits:
        for turn in hit.turn_ids:
            if len(found) >= k:
                return list(found)
            found.setdefault(turn)
    return list(found)
