"""What one question costs, stage by stage: the steps of `recall` and `activate`, with a clock that counts CPU time.

`tests/unit/test_growth.py` holds the steps to what a search gives, so that the two cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from qgmem.activation import event_attributes, fusion, lexical, semantic
from qgmem.activation.activate import RERANK_POOL
from qgmem.activation.query import parse_query
from qgmem.activation.question_terms import question_terms
from qgmem.activation.rank_features import Asking
from qgmem.activation.rerank import PoolReranker, RerankTask, rerank
from qgmem.construction.timex import find_times
from qgmem.namespace import Namespace
from qgmem.protocols import AttributeExtractor, Embedder
from qgmem.settings import Settings
from qgmem.stores.analyser import terms
from qgmem.synthetic.life import life

from .load import SEED
from .measure import Spent, Stopwatch

STAGES = ("parse", "catch up", "lexical", "semantic", "event attributes", "fusion", "hydrate")
APART = ("embed", "rerank")  # not part of the sum that is held to a target
TURNS_A_LIFE = 1000  # of the load, about


@dataclass(frozen=True, slots=True)
class Answer:
    """Ids of the hits, best first, and what each stage took."""

    ids: tuple[str, ...]
    spent: dict[str, Spent]

    @property
    def cpu(self) -> float:
        """Seconds of CPU without embedding the question and without reranking."""
        return sum(self.spent[stage].cpu for stage in STAGES)


class Asker:
    """Asks one namespace, as a search with the settings' defaults would, reranked by `reranker` if there is one."""

    def __init__(
        self, space: Namespace, embedder: Embedder, extractor: AttributeExtractor, reranker: PoolReranker | None
    ) -> None:
        self._space, self._embedder, self._extractor, self._reranker = space, embedder, extractor, reranker
        self._settings = Settings()
        self._threshold = float(getattr(embedder, "sem_match_threshold", 0.60))

    def ask(self, question: str) -> Answer:
        """One question, from its words to its units."""
        spent: dict[str, Spent] = {}
        settings, watch = self._settings, Stopwatch()
        query = parse_query(question, None, self._extractor, find_times)
        words = question_terms(question, settings.language)
        named = self._named(words)
        spent["parse"] = watch.lap()
        index = self._space.index.current()
        allowed = index.alive
        spent["catch up"] = watch.lap()
        vector = self._embedder.embed([question])[0]
        phrases = [*query.constraints.entities, *query.constraints.locations]
        phrase_vectors = dict(zip(phrases, self._embedder.embed(phrases), strict=True)) if phrases else {}
        spent["embed"] = watch.lap()
        lexical_scores = lexical.scores(index, words)
        lists = [lexical.channel(index, lexical_scores, settings.n, allowed)]
        spent["lexical"] = watch.lap()
        lists.append(semantic.channel(index, vector, settings.n, allowed))
        spent["semantic"] = watch.lap()
        attributes = np.zeros(0, np.float32)
        if not query.constraints.empty:
            attributes = event_attributes.scores(
                index, query.constraints, lambda texts: np.stack([phrase_vectors[t] for t in texts]), self._threshold
            )
            lists.append(event_attributes.channel(index, attributes, settings.n, allowed))
        spent["event attributes"] = watch.lap()
        pool = settings.pool if self._reranker is None else max(settings.pool, RERANK_POOL)
        evidence = fusion.Evidence(lexical_scores, attributes, vector, named)
        fused = fusion.support(index, lists, evidence, settings.support, pool, allowed)
        spent["fusion"] = watch.lap()
        if self._reranker is not None:
            asking = Asking(question, words, vector, named)
            task = RerankTask(index, asking, fused, lists, lexical_scores, attributes, allowed, lambda _: [])
            fused = rerank(task, self._reranker, settings.pool, settings.rerank_seconds).fused
        spent["rerank"] = watch.lap()
        units = self._space.store.units(index.ids(fused.rows[: settings.k]))
        spent["hydrate"] = watch.lap()
        return Answer(tuple(unit.id for unit in units), spent)

    def _named(self, words: Sequence[str]) -> frozenset[int]:
        """Codes of the speakers that the question names."""
        said, language = set(words), self._settings.language
        return frozenset(
            code
            for code, name in self._space.store.speakers().items()
            if name not in ("user", "assistant", "system", "tool") and said & set(terms(name, language))
        )


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
