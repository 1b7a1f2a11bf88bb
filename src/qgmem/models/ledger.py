"""Who asked which model for what, how often, and at what cost. Holds counts only, never a word of anybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Protocol

from ..types import LedgerRow


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    tokens_in: float
    tokens_out: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """US dollars of one call.

        >>> Price(0.15, 0.60).cost(2_000_000, 1_000_000)
        0.9
        """
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1_000_000


Prices = Mapping[str, Price]  # by model id


class Ledger(Protocol):
    """Where charges go; may be called from any thread."""

    def charge(self, row: LedgerRow) -> None:
        """Add to the sums of the row's key."""

    def ledger(self) -> list[LedgerRow]:
        """All sums, by key."""


class MemoryLedger:
    """A ledger that lasts as long as the process."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str, str], LedgerRow] = {}
        self._lock = Lock()

    def charge(self, row: LedgerRow) -> None:
        """Add to the sums of the row's key."""
        with self._lock:
            before = self._rows.get(row.key)
            self._rows[row.key] = row if before is None else before.plus(row)

    def ledger(self) -> list[LedgerRow]:
        """All sums, by key."""
        with self._lock:
            return [self._rows[key] for key in sorted(self._rows)]
