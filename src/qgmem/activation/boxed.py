"""Calls that may hang, watched: one thread for each place, and no second one before the first has ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from time import monotonic
from typing import TypeVar

from ..errors import ModelUnavailable

T = TypeVar("T")


class Box:
    """A place for calls whose caller never waits longer than it said. Safe to share between threads.

    Callers take turns. Once one was given up on, the others do not wait for a turn until that call has returned: one
    that hangs costs one caller its time and the rest nothing. The thread does not keep the process from ending.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._turn = threading.Lock()
        self._overdue = False

    def run(self, call: Callable[[], T], seconds: float) -> T:
        """What the call returns or raises. Raises ModelUnavailable without either after `seconds`."""
        end = monotonic() + seconds
        if not self._turn.acquire(timeout=0 if self._overdue else seconds):
            raise ModelUnavailable("is still busy with an earlier question")
        found: Future[T] = Future()
        thread = threading.Thread(target=self._work, args=(call, found), name=self._name, daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            self._turn.release()
            raise ModelUnavailable(f"no thread to run in: {error}") from error
        try:
            return found.result(timeout=max(end - monotonic(), 0))
        except FutureTimeout as error:
            if found.done():  # just in time, or the call's own TimeoutError
                return found.result()
            self._overdue = True
            raise ModelUnavailable(f"no answer within {seconds:g} s") from error

    def _work(self, call: Callable[[], T], found: Future[T]) -> None:
        tell: Callable[[], None]
        try:
            tell = partial(found.set_result, call())
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread, which raises it
            tell = partial(found.set_exception, error)
        self._overdue = False
        self._turn.release()
        tell()
