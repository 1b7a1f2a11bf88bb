"""A bound on a whole call, where the timeouts of sockets bound only the gaps between bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


class Overdue(Exception):
    """It took too long."""


class Deadline:
    """`seconds` from now. Safe to share between threads."""

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left, 0 when there are none."""
        return max(0.0, self._until - time.monotonic())

    def check(self) -> None:
        """Raises Overdue when no time is left."""
        if not self.left:
            raise Overdue

    def over(self, pieces: Iterable[T]) -> Iterator[T]:
        """The pieces as they come. Raises Overdue at the first that comes too late."""
        for piece in pieces:
            self.check()
            yield piece

    def run(self, call: Callable[[], T]) -> T:
        """The value of `call`, made on a thread of its own. Raises what it raises, and Overdue at the deadline.

        A call that is overdue is left behind on its thread and should look at the deadline itself where it can, so
        that it ends too. A server that drips its headers keeps such a thread until it stops, which no socket timeout
        can prevent; it holds one connection and does not keep the process from ending.
        """
        done: SimpleQueue[tuple[bool, T | BaseException]] = SimpleQueue()

        def work() -> None:
            try:
                done.put((True, call()))
            except BaseException as error:  # noqa: BLE001  raised again where it is waited for
                done.put((False, error))

        Thread(target=work, name="qgmem-call", daemon=True).start()
        try:
            good, value = done.get(timeout=self.left)
        except Empty:
            raise Overdue from None
        if good:
            return value  # type: ignore[return-value]
        raise value  # type: ignore[misc]
