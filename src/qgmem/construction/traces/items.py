"""What is clustered: the units of one memory with their three vectors, in arrays that grow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput
from .fixed_point import Fixed, Products, paired


@dataclass(frozen=True, slots=True)
class Item:
    """One unit as clustering sees it.

    Items of one `key` (subject id, normalised predicate) always share a trace. `subject` and `predicate` are the
    texts that are compared by cosine. `marks`: (subject, relation) where they are known for certain, else None:
    items with two different marks are apart whatever the cosines say, as two people of one name are.
    """

    id: str
    key: tuple[str, str]
    subject: str
    predicate: str
    marks: tuple[str | None, str | None] = (None, None)


class Table:
    """Vectors of distinct texts; each is kept once."""

    def __init__(self, dimension: int) -> None:
        self._rows: dict[str, int] = {}
        self._vectors = np.empty((64, dimension), dtype=np.int16)
        self._known: dict[tuple[int, int], float] = {}

    def place(self, text: str, vector: Fixed) -> int:
        """The row of a text, new or known."""
        row = self._rows.setdefault(text, len(self._rows))
        if row == len(self._vectors):
            self._vectors = np.concatenate([self._vectors, np.empty_like(self._vectors)])
        self._vectors[row] = vector
        return row

    def pairs(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> Products:
        """(n,) products of row pairs; each distinct pair is computed once."""
        low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right).astype(np.int64)
        codes, inverse = np.unique(low * (1 << 31) + high, return_inverse=True)
        found = np.empty(len(codes), dtype=np.float32)
        for start in range(0, len(codes), 8192):
            part = codes[start : start + 8192]
            found[start : start + 8192] = paired(self._vectors[part >> 31], self._vectors[part & ((1 << 31) - 1)])
        return found[inverse]

    def least(self, left: Iterable[int], right: Iterable[int]) -> float:
        """The least product between two sets of rows."""
        worst = np.inf
        for a in left:
            for b in right:
                pair = (a, b) if a < b else (b, a)
                if pair not in self._known:
                    self._known[pair] = float(paired(self._vectors[a][None], self._vectors[b][None])[0])
                worst = min(worst, self._known[pair])
        return float(worst)


class Items:
    """All items by row number. Rows are never reused; removed ones are dead."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self.items: list[Item] = []
        self.row_of: dict[str, int] = {}
        self._facts = np.empty((256, dimension), dtype=np.int16)
        self._alive = np.zeros(256, dtype=np.bool_)
        self._subject = np.zeros(256, dtype=np.int32)
        self._predicate = np.zeros(256, dtype=np.int32)
        self._marks = np.zeros((256, 2), dtype=np.int32)  # 0: not known for certain
        self._mark_codes: dict[str, int] = {}
        self._subjects, self._predicates = Table(dimension), Table(dimension)

    def __len__(self) -> int:
        return len(self.items)

    @property
    def facts(self) -> Fixed:
        """(rows, d) int16."""
        return self._facts[: len(self.items)]

    @property
    def alive(self) -> NDArray[np.bool_]:
        """(rows,)."""
        return self._alive[: len(self.items)]

    def add(self, items: Sequence[Item], facts: Fixed, subjects: Fixed, predicates: Fixed) -> range:
        """Append; the new rows. Raises InvalidInput for an id that is there, or arrays of another shape."""
        for name, given in (("facts", facts), ("subjects", subjects), ("predicates", predicates)):
            if given.shape != (len(items), self.dimension):
                raise InvalidInput(name, f"expected ({len(items)}, {self.dimension}), got {given.shape}")
        ids = [item.id for item in items]
        if len(set(ids)) < len(ids) or any(unit_id in self.row_of for unit_id in ids):
            raise InvalidInput("items", "an id is given twice or is there already", "remove it first")
        first = len(self.items)
        while first + len(items) > len(self._alive):
            self._facts = np.concatenate([self._facts, np.empty_like(self._facts)])
            self._alive = np.concatenate([self._alive, np.zeros_like(self._alive)])
            self._subject = np.concatenate([self._subject, np.zeros_like(self._subject)])
            self._predicate = np.concatenate([self._predicate, np.zeros_like(self._predicate)])
            self._marks = np.concatenate([self._marks, np.zeros_like(self._marks)])
        rows = range(first, first + len(items))
        for row, item, subject, predicate in zip(rows, items, subjects, predicates, strict=True):
            self.row_of[item.id] = row
            self._subject[row] = self._subjects.place(item.subject, subject)
            self._predicate[row] = self._predicates.place(item.predicate, predicate)
            for place, mark in enumerate(item.marks):
                code = 0 if mark is None else self._mark_codes.setdefault(mark, len(self._mark_codes) + 1)
                self._marks[row, place] = code
        self._facts[first : first + len(items)] = facts
        self._alive[first : first + len(items)] = True
        self.items += items
        return rows

    def kill(self, rows: Sequence[int]) -> None:
        """Take items out; their rows stay empty."""
        for row in rows:
            del self.row_of[self.items[row].id]
            self._alive[row] = False

    def least(self, left: NDArray[np.int32], right: NDArray[np.int32], facts: Products) -> Products:
        """(n,) similarity of row pairs: the least of their three products; `facts` is the first of them."""
        subject = self._subjects.pairs(self._subject[left], self._subject[right])
        predicate = self._predicates.pairs(self._predicate[left], self._predicate[right])
        return np.minimum(np.minimum(facts, subject), predicate)

    def apart(self, left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.bool_]:
        """(n,) True where two rows are known to be of two subjects, or of two relations."""
        ones, twos = self._marks[left], self._marks[right]
        verdict: NDArray[np.bool_] = ((ones != twos) & (ones != 0) & (twos != 0)).any(axis=1)
        return verdict

    def texts_alike(self, left: Sequence[int], right: Sequence[int], least: float) -> bool:
        """Do subjects and predicates of all cross pairs reach `least`?"""
        for table, column in ((self._subjects, self._subject), (self._predicates, self._predicate)):
            a, b = set(column[list(left)].tolist()), set(column[list(right)].tolist())
            if table.least(a, b) < least:
                return False
        return True
