"""Deterministic models for users' own tests: no weights, no network, same input, same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from ..errors import InvalidInput
from ..protocols import Vectors


class HashEmbedder:
    """An embedder that knows words but not their meaning: texts that share words are near each other.

    A text's vector is the sum of one random unit vector a word, scaled to length 1; a word's vector is drawn from
    a generator seeded with the word's sha256. About 20,000 short texts a second. Safe to share between threads.

        >>> vectors = HashEmbedder(64).embed(["a red kite", "a kite", "the tax form"])
        >>> vectors.shape, bool(vectors[0] @ vectors[1] > vectors[0] @ vectors[2])
        ((3, 64), True)
    """

    def __init__(self, dimension: int = 64) -> None:
        if dimension < 1:
            raise InvalidInput("dimension", f"is {dimension}", "give at least 1")
        self.id, self.dimension = f"hash-{dimension}", dimension
        self._words: dict[str, Vectors] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows of length 1, also for a text without a word."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            total = np.sum([self._word(word) for word in text.casefold().split() or [""]], axis=0)
            length = float(np.linalg.norm(total))
            vectors[row] = total / length if length > 1e-6 else self._word("")
        return vectors

    def _word(self, word: str) -> Vectors:
        found = self._words.get(word)
        if found is None:
            seed = int.from_bytes(sha256(word.encode("utf-8", "surrogatepass")).digest(), "big")
            drawn = np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
            found = self._words[word] = drawn / max(float(np.linalg.norm(drawn)), 1e-12)
        return found
