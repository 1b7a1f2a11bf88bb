"""What a stage costs ([E] §5.6): calls, items, seconds, CPU seconds, bytes kept."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from qgmem.types import JsonValue


@dataclass(frozen=True, slots=True)
class Cost:
    """`calls` of the model or extractor with `items` texts in all; wall and CPU seconds; bytes of what is kept."""

    calls: int = 0
    items: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    bytes: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.calls + other.calls,
            self.items + other.items,
            self.seconds + other.seconds,
            self.cpu_seconds + other.cpu_seconds,
            self.bytes + other.bytes,
        )

    def as_array(self) -> NDArray[np.float64]:
        """(5,) float64 in field order."""
        return np.asarray(astuple(self), np.float64)

    @classmethod
    def from_array(cls, values: NDArray[np.float64]) -> Cost:
        """Back from `as_array`."""
        calls, items, seconds, cpu, size = values.tolist()
        return cls(int(calls), int(items), seconds, cpu, int(size))

    def to_json(self) -> dict[str, JsonValue]:
        """Fields by name, seconds to the millisecond."""
        return {
            "calls": self.calls,
            "items": self.items,
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "bytes": self.bytes,
        }
