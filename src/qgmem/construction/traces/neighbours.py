"""The 20 nearest of every unit by fact, kept up to date (SPEC §2.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from .fixed_point import Dots, Products
from .items import Items

COUNT = 20
SLAB = 256  # queries at a time: (256, n) float32
NONE = -1
Listed = tuple[tuple[str, float], ...]  # (id, product), nearest first


class Neighbours:
    """Lists of the nearest rows, best first; ties by id. The lists are those of the full set, always."""

    def __init__(self, items: Items, dots: Dots, count: int = COUNT) -> None:
        self._items, self._dots, self.count = items, dots, count
        self.rows = np.full((256, count), NONE, dtype=np.int32)
        self.products = np.full((256, count), -np.inf, dtype=np.float32)

    def add(self, new: range) -> set[int]:
        """Lists of new rows, and of old ones that one of them enters; the old rows that changed."""
        self._grow(len(self._items))
        changed: set[int] = set()
        for start in range(new.start, new.stop, SLAB):
            slab = np.arange(start, min(start + SLAB, new.stop))
            found = self._products(slab)
            for place, row in enumerate(slab.tolist()):
                self._set(row, self._best(found[place]))
            old = found[:, : new.start]
            if old.size:
                entering = np.argwhere(old >= np.maximum(self.products[: new.start, -1], -1e30)[None, :])
                changed |= self._enter(slab, entering, old)
        return changed

    def remove(self, gone: Sequence[int]) -> set[int]:
        """Fill the lists that the rows, dead by now, were in; the rows whose lists changed."""
        size = len(self._items)
        hit = np.isin(self.rows[:size], np.asarray(gone, dtype=np.int32)).any(axis=1) & self._items.alive
        rows = np.flatnonzero(hit).tolist()
        self.relist(rows)
        for row in gone:
            self._set(row, [])
        return set(rows)

    def relist(self, rows: Sequence[int]) -> None:
        """Search the lists of these rows again."""
        for start in range(0, len(rows), SLAB):
            slab = np.asarray(rows[start : start + SLAB], np.intp)
            found = self._products(slab)
            for place, row in enumerate(slab.tolist()):
                self._set(row, self._best(found[place]))

    def listed(self, row: int) -> Listed:
        """A list as it is stored."""
        pairs = zip(self.rows[row].tolist(), self.products[row].tolist(), strict=True)
        return tuple((self._items.items[other].id, value) for other, value in pairs if other != NONE)

    def restore(self, row: int, listed: Iterable[tuple[str, float]]) -> None:
        """A list as it was stored."""
        self._grow(len(self._items))
        self._set(row, [(-value, unit_id, self._items.row_of[unit_id]) for unit_id, value in listed])

    def _products(self, slab: NDArray[np.intp]) -> Products:
        """(slab, rows): dead rows and each row itself are infinitely far."""
        found = self._dots(self._items.facts[slab], self._items.facts)
        found[:, ~self._items.alive] = -np.inf
        found[np.arange(len(slab)), slab] = -np.inf
        return found

    def _best(self, row: Products) -> list[tuple[float, str, int]]:
        """The nearest as (-product, id, row)."""
        least = np.partition(row, len(row) - self.count)[len(row) - self.count] if len(row) > self.count else -np.inf
        near = np.flatnonzero(row >= max(least, -1e30))
        items = self._items.items
        return sorted((-float(row[i]), items[i].id, int(i)) for i in near)[: self.count]

    def _enter(self, slab: NDArray[np.intp], entering: NDArray[np.intp], old: Products) -> set[int]:
        """Put new rows into the lists of old ones: `entering` holds (place in slab, old row)."""
        items = self._items.items
        grouped: dict[int, list[tuple[float, str, int]]] = {}
        for place, row in entering.tolist():
            if self._items.alive[row]:
                new = int(slab[place])
                grouped.setdefault(row, []).append((-float(old[place, row]), items[new].id, new))
        changed = set()
        for row, arrivals in grouped.items():
            pairs = zip(self.products[row].tolist(), self.rows[row].tolist(), strict=True)
            before = [(-value, items[other].id, other) for value, other in pairs if other != NONE]
            after = sorted(before + arrivals)[: self.count]
            if after != before:
                self._set(row, after)
                changed.add(row)
        return changed

    def _set(self, row: int, best: Sequence[tuple[float, str, int]]) -> None:
        self.rows[row], self.products[row] = NONE, -np.inf
        for place, (value, _, other) in enumerate(best):
            self.rows[row, place], self.products[row, place] = other, -value

    def _grow(self, size: int) -> None:
        while size > len(self.rows):
            self.rows = np.concatenate([self.rows, np.full_like(self.rows, NONE)])
            self.products = np.concatenate([self.products, np.full_like(self.products, -np.inf)])
