"""Query-aware reranking of the fused pool ([Q] III-B2), behind one protocol, time-boxed and fail-open.

A reranker that is slow or breaks leaves the fused order as it is, and the activation says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..errors import ModelError
from ..protocols import Reranker
from ..stores.index import Index, Mask, Rows
from .channel import ChannelList, Float32
from .fusion import Fused
from .rank_features import Asking

Documents = Callable[[Rows], Sequence[str]]  # rows -> structured documents, in order


@dataclass(frozen=True, slots=True)
class RerankTask:
    """Everything a reranker may look at. `documents` are made when they are asked for."""

    index: Index
    asking: Asking
    fused: Fused
    lists: Sequence[ChannelList]
    lexical: Float32
    attributes: Float32
    allowed: Mask | None
    documents: Documents


class PoolReranker(Protocol):
    """Orders a pool of candidates anew."""

    @property
    def id(self) -> str: ...

    def rerank(self, task: RerankTask) -> tuple[Rows, Float32]:
        """Rows and their scores, in any order, higher is better. Raises ModelError."""


class DocumentReranker:
    """A model that reads question and structured document, over the best `depth` of the pool."""

    def __init__(self, model: Reranker, depth: int) -> None:
        self._model, self._depth = model, depth
        self.id = model.id

    def rerank(self, task: RerankTask) -> tuple[Rows, Float32]:
        """The first `depth` by the model's score; what lies below them keeps its order beneath."""
        rows = task.fused.rows[: self._depth]
        scores = np.asarray(self._model.score(task.asking.text, task.documents(rows)), np.float32)
        if scores.shape != rows.shape or not np.isfinite(scores).all():
            raise ModelError(f"reranker {self.id}: expected {len(rows)} finite scores, got {scores.shape}")
        rest = task.fused.rows[self._depth :]
        below = float(scores.min(initial=0)) - 1 - np.arange(len(rest), dtype=np.float32)
        return np.concatenate([rows, rest]), np.concatenate([scores, below])


@dataclass(frozen=True, slots=True)
class Reranked:
    """The new order, and why it is the old one, if it is."""

    fused: Fused
    failure: str | None = None


def rerank(task: RerankTask, reranker: PoolReranker, pool: int, seconds: float) -> Reranked:
    """The pool in the reranker's order, or as it was, with the reason, after `seconds` or an error of the model."""
    if not len(task.fused.rows):
        return Reranked(task.fused)
    executor = ThreadPoolExecutor(1, thread_name_prefix="qgmem-rerank")
    try:
        rows, scores = executor.submit(reranker.rerank, task).result(timeout=seconds)
    except FutureTimeout:
        return Reranked(task.fused, f"reranker {reranker.id}: no answer within {seconds:g} s")
    except ModelError as error:
        return Reranked(task.fused, str(error))
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
    if task.allowed is not None:
        kept = task.allowed[rows]
        rows, scores = rows[kept], scores[kept]
    best, values = task.index.top(rows, scores, pool)
    return Reranked(Fused(best, values, _former(task.fused, best)))


def _former(fused: Fused, rows: Rows) -> dict[str, Float32]:
    """The fusion's score of each row, for the explanation; 0 for a row that it did not list."""
    order = np.argsort(fused.rows, kind="stable")
    known = fused.rows[order]
    place = np.minimum(np.searchsorted(known, rows), max(len(known) - 1, 0))
    hit = known[place] == rows if len(known) else np.zeros(len(rows), np.bool_)
    return {"fused": np.where(hit, fused.scores[order][place], 0).astype(np.float32)}
