"""A reranker that may hang, behind a time box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..stores.index import Rows
from .boxed import Box
from .channel import Float32

if TYPE_CHECKING:
    from .rerank import PoolReranker, RerankTask


class TimeBox:
    """A reranker whose caller never waits longer than it said (see `Box`). Safe to share between threads."""

    def __init__(self, inner: PoolReranker) -> None:
        self.inner, self.id = inner, inner.id
        self._box = Box("qgmem-rerank")

    def rerank(self, task: RerankTask, seconds: float) -> tuple[Rows, Float32]:
        """The reranker's answer, or its exception. Raises ModelUnavailable without one after `seconds`."""
        return self._box.run(lambda: self.inner.rerank(task), seconds)


def boxed(reranker: PoolReranker | TimeBox) -> PoolReranker | TimeBox:
    """The reranker behind a time box; itself if it says by `inline = True` that it always ends soon."""
    if isinstance(reranker, TimeBox) or getattr(reranker, "inline", False):
        return reranker
    return TimeBox(reranker)
