"""Ranked turns of every condition in one cell (embedder, graph, text form), and the control that must hold."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qgmem.activation.entity_graph import EntityMemoryOptions, rank
from qgmem.errors import QgmemError
from qgmem.evals.datasets.dialogue import Dataset
from qgmem.evals.metrics.recall_acc import recall_acc
from qgmem.evals.progress import Bar
from qgmem.protocols import Vectors

from .conditions import CUTOFFS, DENSE, DENSE_GRAPH, DEPTH, PLAIN
from .graphs import StudyGraph
from .vectors import TextVectors

Floats = NDArray[np.float64]


class ControlFailed(QgmemError):
    """Dense retrieval over the graph's store gave other turns than dense retrieval: nothing can be compared."""


@dataclass(frozen=True)
class Ranked:
    """Condition → question id → at most 50 turn ids; seconds of ranking by condition."""

    lists: Mapping[str, Mapping[str, tuple[str, ...]]]
    seconds: Mapping[str, float]


def rank_cell(
    data: Dataset,
    texts: Mapping[str, Mapping[str, str]],
    vectors: TextVectors,
    graph: StudyGraph,
    conditions: Mapping[str, EntityMemoryOptions],
    bar: Bar | None = None,
) -> Ranked:
    """A, B_embed and `conditions` for every question. Raises ControlFailed unless B_embed gives A's ordered ids.

    `texts`: conversation → turn id → what stands for it. A ranks these; everything else ranks the rows that
    the graph holds, looked up anew by the graph's own memory ids.
    """
    names = [DENSE, DENSE_GRAPH, *conditions]
    lists: dict[str, dict[str, tuple[str, ...]]] = {name: {} for name in names}
    seconds = dict.fromkeys(names, 0.0)
    for conversation in data.conversations:
        questions = data.questions_of(conversation.id)
        if not questions:
            continue
        asked = vectors.of([question.text for question in questions])
        turns, entity_graph = texts[conversation.id], graph.graphs[conversation.id]
        ids = list(turns)
        dense = cosines(vectors.of(list(turns.values())), asked)  # (q, n)
        over_graph = cosines(vectors.of([turns[i] for i in entity_graph.memory_ids]), asked)
        by_id = np.argsort(np.argsort(np.asarray(ids)))  # place of each id as a string
        for row, question in enumerate(questions):
            started = time.perf_counter()
            order = np.lexsort((by_id, -dense[row]))[:DEPTH]
            lists[DENSE][question.id] = tuple(ids[place] for place in order)
            seconds[DENSE] += time.perf_counter() - started
            for name in names[1:]:
                started = time.perf_counter()
                keys, options = ((), PLAIN) if name == DENSE_GRAPH else (graph.keys[question.id], conditions[name])
                found = rank(entity_graph, keys, over_graph[row], DEPTH, options)
                seconds[name] += time.perf_counter() - started
                lists[name][question.id] = tuple(turn for turn, _ in found)
        if bar is not None:
            bar.advance(len(questions))
    _check_control(lists[DENSE], lists[DENSE_GRAPH], graph.name)
    return Ranked(lists, seconds)


def cosines(memories: Vectors, questions: Vectors) -> Floats:
    """(q, n) float64 of unit rows `memories` (n, d) and `questions` (q, d).

    Sums each pair in one fixed order. A matrix product may round a row by where it stands in the matrix, and
    two stores of the same vectors would then break ties differently.
    """
    found: Floats = np.einsum("nd,qd->qn", memories.astype(np.float64), questions.astype(np.float64), optimize=False)
    return found


def recalls(data: Dataset, lists: Mapping[str, tuple[str, ...]]) -> dict[int, Floats]:
    """Cutoff → (questions,) recall_acc in per cent, in dataset order."""
    return {
        k: np.asarray([100 * recall_acc(question.evidence, lists[question.id], k) for question in data.questions])
        for k in CUTOFFS
    }


def _check_control(
    dense: Mapping[str, tuple[str, ...]], over_graph: Mapping[str, tuple[str, ...]], graph: str
) -> None:
    differ = [question for question, found in dense.items() if over_graph[question] != found]
    if differ:
        raise ControlFailed(
            f"B_embed on the {graph} graph: {len(differ)} of {len(dense)} questions rank other turns than A, "
            f"first {differ[0]}; the graph does not hold the same memories, so B and A are not comparable"
        )
