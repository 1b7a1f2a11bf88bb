"""Training examples of the learned ranker: a question, its candidates' features, and which of them are evidence.

Questions come from outside of every reported set: `corpora.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..activation.channel import Float32
from ..activation.rank_features import features
from ..activation.rerank import RerankTask
from ..memory import Memory
from ..stores.index import Rows
from .corpora import Asked


@dataclass(frozen=True, slots=True)
class Example:
    """`inputs`: (n, f) features; `gold`, `ignored`: (n,); `ids`: n unit ids; `asked`: the question."""

    asked: Asked
    names: tuple[str, ...]
    inputs: Float32
    gold: NDArray[np.bool_]
    ignored: NDArray[np.bool_]
    ids: tuple[str, ...]
    fused: Float32  # (n,) the fusion's own score


class Witness:
    """A reranker that changes nothing and keeps what it was shown."""

    id = "witness"
    task: RerankTask | None = None

    def rerank(self, task: RerankTask) -> tuple[Rows, Float32]:
        self.task = task
        return task.fused.rows, task.fused.scores


def examples(memory: Memory, witness: Witness, questions: Iterable[Asked]) -> Iterator[Example]:
    """One example a question; `memory` was opened with `witness` as its reranker."""
    for asked in questions:
        memory.search(asked.text, user_id=asked.user_id, question_time=asked.time, limit=100)
        task, witness.task = witness.task, None
        if task is None:
            continue
        rows = np.sort(task.fused.rows)
        columns = features(
            task.index, task.asking, rows, task.lists, task.lexical, task.attributes, task.pieces, task.fused.rows
        )
        ids = task.index.ids(rows)
        fused = np.empty(len(rows), np.float32)
        fused[np.searchsorted(rows, task.fused.rows)] = task.fused.scores
        yield Example(
            asked,
            tuple(columns),
            np.stack(list(columns.values()), axis=1),
            np.array([unit_id in asked.evidence for unit_id in ids]),
            np.array([unit_id in asked.ignored for unit_id in ids]),
            tuple(ids),
            fused,
        )
