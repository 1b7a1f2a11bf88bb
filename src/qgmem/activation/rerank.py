"""Query-aware reranking of the fused pool ([Q] III-B2), behind one protocol, time-boxed and fail-open.

A reranker that is slow or breaks leaves the fused order as it is, and the activation says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..errors import ModelMisbehaved, QgmemError
from ..protocols import Reranker
from ..stores.index import Index, Mask, Rows
from .channel import ChannelList, Float32
from .fusion import Fused
from .piece_match import PieceMatch
from .rank_features import Asking, standardised
from .time_box import TimeBox, boxed

Documents = Callable[[Rows], Sequence[str]]  # rows -> one text each, in order
_EXCERPT = 200  # characters of an error that a hit shows


@dataclass(frozen=True, slots=True)
class RerankTask:
    """Everything a reranker may look at.

    `documents` (structured, [Q] III-B2) and `texts` (speaker and words alone) are made when they are asked for.
    `pieces`: of the question, to be looked for in units; None from an embedder that shows none.
    """

    index: Index
    asking: Asking
    fused: Fused
    lists: Sequence[ChannelList]
    lexical: Float32
    attributes: Float32
    allowed: Mask | None
    documents: Documents
    texts: Documents | None = None
    pieces: PieceMatch | None = None


class PoolReranker(Protocol):
    """Orders a pool of candidates anew.

    One that always ends soon may say `inline = True`: it then runs in the searching thread, and no time is kept.
    """

    @property
    def id(self) -> str: ...

    def rerank(self, task: RerankTask) -> tuple[Rows, Float32]:
        """Rows and their scores, in any order, higher is better; rows left out follow in the fusion's order.

        What it raises leaves the fused order, ModelError or not.
        """


class DocumentReranker:
    """A model that scores texts against the question, over the best `depth` of the pool.

    Order by (1 − share) · fused + share · model, both standardised over the `depth`; the rest follows in fused order.
    share = 1 is the model's own score, as it is. `plain`: the model reads speaker and words, not the document.
    """

    def __init__(self, model: Reranker, depth: int, share: float = 1.0, *, plain: bool = False) -> None:
        self._model, self._depth, self._share, self._plain = model, depth, np.float32(share), plain
        self.id = model.id

    def rerank(self, task: RerankTask) -> tuple[Rows, Float32]:
        """The first `depth` with their scores. Raises ModelError."""
        rows = task.fused.rows[: self._depth]
        read = task.texts if self._plain and task.texts is not None else task.documents
        scores = np.asarray(self._model.score(task.asking.text, read(rows)), np.float32)
        if scores.shape != rows.shape or not np.isfinite(scores).all():
            raise ModelMisbehaved(f"expected {len(rows)} finite scores, got {scores.shape}")
        if self._share == 1:
            return rows, scores
        fused = standardised(task.fused.scores[: self._depth])
        return rows, (1 - self._share) * fused + self._share * standardised(scores)


def pooled(reranker: PoolReranker | Reranker, depth: int, share: float | None) -> PoolReranker:
    """A caller's reranker as one of the pool: a model that scores documents reads the best `depth`."""
    if isinstance(reranker, Reranker):
        return DocumentReranker(reranker, depth, 1.0 if share is None else share)
    return reranker


@dataclass(frozen=True, slots=True)
class Reranked:
    """The new order, and why it is the old one, if it is."""

    fused: Fused
    failure: str | None = None


def rerank(task: RerankTask, reranker: PoolReranker | TimeBox, pool: int, seconds: float) -> Reranked:
    """The pool in the reranker's order, or as it was, with the reason, after `seconds` or an error of any kind.

    Whatever the reranker answers, only what `task.allowed` lets through is in it. Hand in the same `TimeBox` each
    time, so that calls which overran are known.
    """
    if not len(task.fused.rows):
        return Reranked(task.fused)
    box = boxed(reranker)
    try:
        answer = box.rerank(task, seconds) if isinstance(box, TimeBox) else box.rerank(task)
        rows, scores = _checked(answer, task.index.rows)
    except Exception as error:  # noqa: BLE001 - the one border: a search never fails for its order's sake
        return Reranked(_first(task.fused, pool), f"reranker {box.id}: {_told(error)}")
    if task.allowed is not None:
        kept = task.allowed[rows]
        rows, scores = rows[kept], scores[kept]
    best, values = task.index.top(rows, scores, pool)
    rest = task.fused.rows[~np.isin(task.fused.rows, rows)][: pool - len(best)]
    below = values.min(initial=0) - np.arange(1, len(rest) + 1, dtype=np.float32)
    best = np.concatenate([best, rest])
    scores = np.concatenate([values, below]).astype(np.float32)
    return Reranked(Fused(best, scores, _explained(task.fused, best, scores)))


def _checked(answer: tuple[Rows, Float32], size: int) -> tuple[Rows, Float32]:
    """The answer as arrays. Raises ModelMisbehaved unless it is distinct rows of the index with finite scores."""
    rows, scores = np.asarray(answer[0]), np.asarray(answer[1], np.float32)
    if rows.ndim != 1 or rows.shape != scores.shape or not len(rows) or rows.dtype.kind not in "iu":
        raise ModelMisbehaved(f"expected rows and as many scores, got {rows.shape} {rows.dtype} and {scores.shape}")
    if rows.min() < 0 or rows.max() >= size or len(np.unique(rows)) < len(rows):
        raise ModelMisbehaved(f"expected distinct rows below {size}, got {rows.min()} to {rows.max()}")
    if not np.isfinite(scores).all():
        raise ModelMisbehaved("a score is no number")
    return rows.astype(np.intp), scores


def _told(error: Exception) -> str:
    """What happened, short: our own errors by their words, others with their type."""
    text = " ".join(str(error).split())
    text = text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"
    return text if isinstance(error, QgmemError) else f"{type(error).__name__}: {text}".removesuffix(": ")


def _first(fused: Fused, pool: int) -> Fused:
    return Fused(fused.rows[:pool], fused.scores[:pool], {name: part[:pool] for name, part in fused.parts.items()})


def _explained(fused: Fused, rows: Rows, scores: Float32) -> dict[str, Float32]:
    """What each part of the fusion gave, and what the reranker made of it: they add up to the score."""
    order = np.argsort(fused.rows, kind="stable")
    known = fused.rows[order]
    place = np.minimum(np.searchsorted(known, rows), max(len(known) - 1, 0))
    hit = known[place] == rows if len(known) else np.zeros(len(rows), np.bool_)
    parts = {name: np.where(hit, values[order][place], 0).astype(np.float32) for name, values in fused.parts.items()}
    parts["reranker"] = scores - sum(parts.values(), np.zeros(len(rows), np.float32))
    return parts
