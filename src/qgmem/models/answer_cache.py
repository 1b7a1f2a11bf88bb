"""Models' latest answers, in memory only."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock


class AnswerCache:
    """A `client.ResponseCache` of at most `size` answers, so that a deletion has nothing to look for on disk."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._kept: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = Lock()

    def cached(self, owner: str, key: str) -> str | None:
        """The answer to this request with this graph."""
        with self._lock:
            if (owner, key) in self._kept:
                self._kept.move_to_end((owner, key))
            return self._kept.get((owner, key))

    def cache(self, owner: str, key: str, answer: str) -> None:
        """Keep an answer; the one longest unused goes when there are too many."""
        with self._lock:
            self._kept[owner, key] = answer
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._kept.clear()
