"""Vectors of the phrases that came up last: names come up again and again, and their vectors stay the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np

from ..protocols import Vectors

MOST = 4096  # phrases; 6 MB of vectors at 384 dimensions


class Remembered:
    """An embedder's answers by text, the latest `most` of them. Safe to share between threads and namespaces.

    A vector is a function of the text alone, so what one namespace asked for changes no answer of another.
    """

    def __init__(self, embed: Callable[[Sequence[str]], Vectors], most: int = MOST) -> None:
        self._embed, self._most = embed, most
        self._known: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, as the embedder gives them. Raises what it raises, and remembers nothing then."""
        with self._lock:
            found = {text: self._known[text] for text in texts if text in self._known}
            for text in found:
                self._known.move_to_end(text)
        new = list(dict.fromkeys(text for text in texts if text not in found))
        if new or not texts:
            vectors = self._embed(new)
            if len(new) == len(texts):
                self._keep(new, vectors)
                return vectors
            found.update(zip(new, vectors, strict=True))
            self._keep(new, vectors)
        return np.stack([found[text] for text in texts])

    def _keep(self, texts: Sequence[str], vectors: Vectors) -> None:
        with self._lock:
            for text, vector in zip(texts, vectors, strict=True):
                self._known[text] = vector.copy()  # not a view that would hold all the others
            while len(self._known) > self._most:
                self._known.popitem(last=False)

    def forget(self) -> None:
        """Drop all of them, texts too."""
        with self._lock:
            self._known.clear()
