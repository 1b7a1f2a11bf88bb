"""What one question costs, stage by stage: the search that users get, with its own stage clock counting CPU time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from qgmem.activation import activate as activation_module
from qgmem.activation.rerank import PoolReranker
from qgmem.models.checked import CheckedEmbedder
from qgmem.namespace import Namespace
from qgmem.protocols import AttributeExtractor, Embedder
from qgmem.recall import Recall, Scope
from qgmem.settings import Settings
from qgmem.synthetic.life import life

from .load import SEED
from .measure import Spent, Stopwatch, TimedEmbedder

PARSE, HYDRATE = "parse, catch up, order", "hydrate"
CHANNELS = ("lexical", "semantic", "event attributes", "fusion")
STAGES = (PARSE, *CHANNELS, HYDRATE)
RERANK = "rerank"  # not part of the sum that is held to a target, and neither is embedding the question
REPEATS = 3  # of each question; the median counts
TURNS_A_LIFE = 1000  # of the load, about


@dataclass(frozen=True, slots=True)
class Answer:
    """Ids of the hits, best first; CPU seconds by stage; `wall`: of all but embedding and reranking."""

    ids: tuple[str, ...]
    cpu: dict[str, float]
    wall: float

    @property
    def total(self) -> float:
        """Seconds of CPU without embedding the question and without reranking."""
        return sum(self.cpu[stage] for stage in STAGES)


class Asker:
    """Asks one namespace as `Memory.search` does with the settings' defaults, with `reranker` if there is one."""

    def __init__(
        self, space: Namespace, embedder: Embedder, extractor: AttributeExtractor, reranker: PoolReranker | None
    ) -> None:
        self._space, self._settings = space, Settings()
        self._embedder = TimedEmbedder(embedder, remember=True)
        self._recall = Recall(CheckedEmbedder(self._embedder), extractor, reranker, self._settings)

    def ask(self, question: str) -> Answer:
        """One question from its words to its units, several times; every stage's median."""
        with _cpu_clock():
            rounds = [self._once(question) for _ in range(REPEATS)]
        cpu = {stage: float(np.median([one.cpu[stage] for one in rounds])) for stage in rounds[0].cpu}
        return Answer(rounds[0].ids, cpu, float(np.median([one.wall for one in rounds])))

    def _once(self, question: str) -> Answer:
        k, scope, before = self._settings.k, Scope(), self._embedder.spent()
        watch = Stopwatch()
        hits = self._recall.search(self._space, question, k, scope, None, explain=False)
        whole = watch.lap()
        embedding = _less(self._embedder.spent(), before)
        _, found = self._recall.activation(self._space, question, k, scope, None)
        activation = watch.lap()
        twice = _less(self._embedder.spent(), before)
        seconds = {name.replace("_", " "): value for name, value in found.seconds.items()}
        cpu = {stage: seconds.get(stage, 0.0) for stage in (*CHANNELS, RERANK)}
        # Phrases of the question are embedded inside its attribute channel.
        in_channel = max(0.0, twice.cpu - embedding.cpu - seconds.get("embed", 0.0))
        cpu["event attributes"] = max(0.0, cpu["event attributes"] - in_channel)
        inside = sum(seconds.values())
        cpu[PARSE] = activation.cpu - inside
        cpu[HYDRATE] = max(0.0, whole.cpu - activation.cpu)
        wall = whole.wall - embedding.wall - cpu[RERANK]
        return Answer(tuple(hit.id for hit in hits), cpu, wall)


@contextmanager
def _cpu_clock() -> Iterator[None]:
    """The stage clock of `activate` reads the clock on the wall, which on a busy machine says little."""
    module: Any = activation_module
    former = module.perf_counter
    module.perf_counter = process_time
    try:
        yield
    finally:
        module.perf_counter = former


def _less(later: Spent, earlier: Spent) -> Spent:
    return Spent(later.wall - earlier.wall, later.cpu - earlier.cpu)


def questions(n: int, count: int) -> list[str]:
    """At most `count` questions about lives spread evenly over a load of `n` turns; the same ones every time."""
    lives = max(1, n // TURNS_A_LIFE)
    step = max(1, lives // 20)
    found: list[str] = []
    for number in range(0, lives, step):
        found += [question.text for question in life(number, 3.0, SEED, questions=3).questions]
    distinct = list(dict.fromkeys(found))
    places = np.linspace(0, len(distinct) - 1, min(count, len(distinct))).astype(int)
    return [distinct[place] for place in places]


def by_stage(answers: Sequence[Answer]) -> dict[str, list[float]]:
    """CPU seconds of every answer by stage, and `total`, the sum that is held to the target."""
    found = {stage: [answer.cpu[stage] for answer in answers] for stage in (*STAGES, RERANK)}
    found["total"] = [answer.total for answer in answers]
    return found
