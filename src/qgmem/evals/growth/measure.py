"""Time, memory and bytes as the operating system counts them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from qgmem.protocols import Embedder, Vectors

PAGE_KIB = 1024  # bytes of the unit that /proc speaks in


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds by the clock and seconds of all the process's threads on a processor."""

    wall: float
    cpu: float


class Stopwatch:
    """Starts when it is made. On a busy machine `cpu` is what the work costs, `wall` what it had to wait as well."""

    def __init__(self) -> None:
        self._wall, self._cpu = perf_counter(), process_time()

    def read(self) -> Spent:
        """Seconds since the start."""
        return Spent(perf_counter() - self._wall, process_time() - self._cpu)

    def lap(self) -> Spent:
        """Seconds since the start or the last lap."""
        found = self.read()
        self._wall, self._cpu = self._wall + found.wall, self._cpu + found.cpu
        return found


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 95th percentile, in milliseconds."""

    p50: float
    p95: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        """Of durations in seconds; at least one."""
        p50, p95 = np.percentile(np.asarray(seconds, np.float64) * 1000, (50, 95)).tolist()
        return cls(round(p50, 3), round(p95, 3))


class TimedEmbedder:
    """An embedder that keeps account of the time spent in it, and remembers what it was asked before, if told to."""

    def __init__(self, inner: Embedder, *, remember: bool = False) -> None:
        self._inner = inner
        self._known: dict[str, Vectors] | None = {} if remember else None
        self.id, self.dimension = inner.id, inner.dimension
        self.sem_match_threshold = float(getattr(inner, "sem_match_threshold", 0.60))
        self.wall = self.cpu = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, as the embedder inside gives them."""
        watch = Stopwatch()
        vectors = self._inner.embed(texts) if self._known is None else self._remembered(texts, self._known)
        spent = watch.read()
        self.wall, self.cpu = self.wall + spent.wall, self.cpu + spent.cpu
        return vectors

    def spent(self) -> Spent:
        """All that it has taken so far."""
        return Spent(self.wall, self.cpu)

    def _remembered(self, texts: Sequence[str], known: dict[str, Vectors]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, self._inner.embed(new), strict=True))
        return np.stack([known[text] for text in texts])


def folder_bytes(folder: Path, name: str = "*") -> int:
    """Size of the files of that name in the folder."""
    return sum(path.stat().st_size for path in folder.glob(name) if path.is_file())


def resident_bytes() -> dict[str, int]:
    """Resident memory of this process: `total`, and its parts `private` (of its own) and `file` (mapped files).

    Empty where the system has no /proc.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return {}
    names = {"VmRSS": "total", "RssAnon": "private", "RssFile": "file"}
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    return {name: int(fields[key].split()[0]) * PAGE_KIB for key, name in names.items() if key in fields}


def open_handles() -> int | None:
    """Files and sockets that this process holds open; None where the system has no /proc."""
    try:
        return len(os.listdir("/proc/self/fd")) - 1  # the listing itself takes one
    except OSError:
        return None
