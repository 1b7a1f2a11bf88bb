"""Seeds from sha256, and a small random source whose draws never change between Python versions.

Only `random.Random.random` is promised to keep its sequence for ever, so every draw is built on it.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def derive(seed: int, *path: str | int) -> int:
    """A 64-bit seed for one named part of a simulation, e.g. `derive(7, "life", 12)`."""
    text = ":".join(str(part) for part in (seed, *path))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class Draw:
    """A seeded source of choices. Never iterates a set, so PYTHONHASHSEED cannot reach it."""

    __slots__ = ("random",)

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed).random  # floats in [0, 1)

    def pick(self, options: Sequence[T]) -> T:
        """One of `options`, each equally likely."""
        return options[int(self.random() * len(options))]

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random() < probability

    def between(self, low: int, high: int) -> int:
        """An integer in [low, high], both ends included."""
        return low + int(self.random() * (high - low + 1))

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """`count` different options in random order (all of them if there are fewer)."""
        pool = list(options)
        count = min(count, len(pool))
        for i in range(count):
            j = i + int(self.random() * (len(pool) - i))
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:count]
