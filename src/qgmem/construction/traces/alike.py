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
        if self.apart(a, b):
            return False
        left, right = self._rows[a], self._rows[b]
        done_left, done_right, verdict = self._known.get((a, b), (0, 0, True))
        if verdict and (done_left < len(left) or done_right < len(right)):  # a refusal outlives growth
            verdict = self._check(left[done_left:], right) and self._check(left[:done_left], right[done_right:])
            self._known[a, b] = len(left), len(right), verdict
            self._partners.setdefault(a, set()).add(b)
            self._partners.setdefault(b, set()).add(a)
        return verdict

    def apart(self, a: int, b: int) -> bool:
        """Are they known to be two subjects, or two relations?"""
        ones = self._marks(a)
        twos = self._marks(b)
        return any(one is not None and two is not None and one != two for one, two in zip(ones, twos, strict=True))

    def forget(self, atom: int) -> None:
        """The atom lost units: compare anew when asked."""
        for other in self._partners.pop(atom, set()):
            self._known.pop((atom, other) if atom < other else (other, atom), None)
            self._partners[other].discard(atom)

    def _marks(self, atom: int) -> tuple[str | None, str | None]:
        """Marks are of the key, so any living unit shows them."""
        rows = self._rows[atom]
        return self._items.items[rows[0]].marks if rows else (None, None)

    def _check(self, left: list[int], right: list[int]) -> bool:
        if not left or not right:
            return True
        if not self._items.texts_alike(left, right, self._least):
            return False
        facts = self._items.facts
        others = facts[np.asarray(right)]
        for start in range(0, len(left), BLOCK):
            block = facts[np.asarray(left[start : start + BLOCK])]
            if float(products(block, others).min()) < self._least:
                return False
        return True
