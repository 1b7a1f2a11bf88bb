"""Watches a reranker that may hang: one thread for each, and no second one before the first has ended."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from ..errors import ModelUnavailable
from ..stores.index import Rows
from .channel import Float32

if TYPE_CHECKING:
    from .rerank import PoolReranker, RerankTask


class TimeBox:
    """A reranker whose caller never waits longer than it said. Safe to share between threads.

    Searches take turns. Once one was given up on, the others do not wait for a turn until that call has returned,
    so a reranker that hangs costs one search its time and the rest nothing. The thread does not keep the process
    from ending.
    """

    def __init__(self, inner: PoolReranker) -> None:
        self.inner, self.id = inner, inner.id
        self._turn = threading.Lock()
        self._overdue = False

    def rerank(self, task: RerankTask, seconds: float) -> tuple[Rows, Float32]:
        """The reranker's answer, or its exception. Raises ModelUnavailable without one after `seconds`."""
        end = monotonic() + seconds
        if not self._turn.acquire(timeout=0 if self._overdue else seconds):
            raise ModelUnavailable("is still busy with an earlier question")
        found: Future[tuple[Rows, Float32]] = Future()
        thread = threading.Thread(target=self._work, args=(task, found), name="qgmem-rerank", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            self._turn.release()
            raise ModelUnavailable(f"no thread to run in: {error}") from error
        try:
            return found.result(timeout=max(end - monotonic(), 0))
        except FutureTimeout as error:
            if found.done():  # just in time, or the reranker's own TimeoutError
                return found.result()
            self._overdue = True
            raise ModelUnavailable(f"no answer within {seconds:g} s") from error

    def _work(self, task: RerankTask, found: Future[tuple[Rows, Float32]]) -> None:
        tell: Callable[[], None]
        try:
            tell = partial(found.set_result, self.inner.rerank(task))
        except BaseException as error:  # noqa: BLE001 - handed to the searching thread, which raises it
            tell = partial(found.set_exception, error)
        self._overdue = False
        self._turn.release()
        tell()


def boxed(reranker: PoolReranker | TimeBox) -> PoolReranker | TimeBox:
    """The reranker behind a time box; itself if it says by `inline = True` that it always ends soon."""
    if isinstance(reranker, TimeBox) or getattr(reranker, "inline", False):
        return reranker
    return TimeBox(reranker)
