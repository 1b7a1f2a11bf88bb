"""Models' latest answers, in memory only."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock


class AnswerCache:
    """At most `size` answers, none of them on disk, so that a deletion has nothing to look for there."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._kept: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = Lock()
        self._cleared = 0  # times

    def view(self) -> AnswerView:
        """The cache for one question: what that brings is not kept once the cache has been cleared."""
        return AnswerView(self, self._cleared)

    def cached(self, owner: str, key: str) -> str | None:
        """The answer to this request with this graph."""
        with self._lock:
            if (owner, key) in self._kept:
                self._kept.move_to_end((owner, key))
            return self._kept.get((owner, key))

    def cache(self, owner: str, key: str, answer: str, cleared: int) -> None:
        """Keep an answer to what was asked when the cache had been `cleared` so often, if that is still so.

        The one longest unused goes when there are too many.
        """
        with self._lock:
            if cleared != self._cleared:
                return
            self._kept[owner, key] = answer
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._kept.clear()
            self._cleared += 1


@dataclass(frozen=True, slots=True)
class AnswerView:
    """A `client.ResponseCache` over the answers that one question may use and leave."""

    _answers: AnswerCache
    _cleared: int

    def cached(self, owner: str, key: str) -> str | None:
        """The answer kept for this owner under this key."""
        return self._answers.cached(owner, key)

    def cache(self, owner: str, key: str, answer: str) -> None:
        """Keep an answer, unless something was forgotten since the question was asked."""
        self._answers.cache(owner, key, answer, self._cleared)
