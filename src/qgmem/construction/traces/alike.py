"""Do all cross pairs of two atoms reach τ? Remembered, since atoms mostly grow by a unit or two."""

from __future__ import annotations

import numpy as np

from .fixed_point import products
from .items import Items

BLOCK = 512  # rows of the first atom at a time


class Alike:
    """`alike(a, b)`: every unit of atom a is similar enough to every unit of atom b."""

    def __init__(self, items: Items, rows: list[list[int]], least: float) -> None:
        self._items, self._rows, self._least = items, rows, least
        self._known: dict[tuple[int, int], tuple[int, int, bool]] = {}  # units compared of each, and the verdict
        self._partners: dict[int, set[int]] = {}

    def __call__(self, a: int, b: int) -> bool:
        a, b = (a, b) if a < b else (b, a)
        left, right = self._rows[a], self._rows[b]
        done_left, done_right, verdict = self._known.get((a, b), (0, 0, True))
        if verdict and (done_left < len(left) or done_right < len(right)):  # a refusal outlives growth
            verdict = self._check(left[done_left:], right) and self._check(left[:done_left], right[done_right:])
            self._known[a, b] = len(left), len(right), verdict
            self._partners.setdefault(a, set()).add(b)
            self._partners.setdefault(b, set()).add(a)
        return verdict

    def forget(self, atom: int) -> None:
        """The atom lost units: compare anew when asked."""
        for other in self._partners.pop(atom, set()):
            self._known.pop((atom, other) if atom < other else (other, atom), None)
            self._partners[other].discard(atom)

    def _check(self, left: list[int], right: list[int]) -> bool:
        if not left or not right:
            return True
        if self._items.apart(np.asarray(left[:1], np.int32), np.asarray(right[:1], np.int32))[0]:
            return False  # marks are of the key, so any unit of an atom shows them
        if not self._items.texts_alike(left, right, self._least):
            return False
        facts = self._items.facts
        others = facts[np.asarray(right)]
        for start in range(0, len(left), BLOCK):
            block = facts[np.asarray(left[start : start + BLOCK])]
            if float(products(block, others).min()) < self._least:
                return False
        return True
