"""From a question to working memory ([Q] III-B): channels, fusion, reranking, in this order and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from ..errors import ModelError
from ..settings import Settings
from ..stores.index import Index, Mask, Rows
from ..types import ChannelScore, Query
from . import codes, entity_memory, event_attributes, fusion, lexical, newest, semantic
from .channel import ChannelList, Float32
from .entity_memory import GraphView
from .piece_match import PieceMatch
from .query import question_keys
from .rank_features import Asking
from .rerank import Documents, PoolReranker, RerankTask, rerank
from .time_box import TimeBox

RERANK_POOL = 1000  # candidates that a reranker may see, however few it reads
Embed = Callable[[Sequence[str]], Float32]


@dataclass(frozen=True, slots=True)
class Activation:
    """Candidates, best first, with what every channel and every part of the fusion said; seconds by stage.

    `notes` say what was to take part and could not: `query-by-rules: …`, `semantic-off: …`, `not-reranked: …`.
    """

    rows: Rows
    scores: Float32
    lists: tuple[ChannelList, ...]
    parts: Mapping[str, Float32]
    seconds: Mapping[str, float]
    notes: tuple[str, ...] = ()

    def channels(self, rows: Rows) -> list[dict[str, ChannelScore]]:
        """For each of these rows its rank and score in every channel that lists it."""
        found: list[dict[str, ChannelScore]] = [{} for _ in range(len(rows))]
        places = {row: place for place, row in enumerate(rows.tolist())}
        for channel in self.lists:
            for rank, row in enumerate(channel.rows.tolist()):
                if row in places:
                    found[places[row]][channel.name] = ChannelScore(rank + 1, float(channel.scores[rank]))
        return found


@dataclass(frozen=True, slots=True)
class Asked:
    """A parsed question with all that channels need of it. `terms`: analysed; `named`: speakers it names.

    `notes`: what parsing has to say of itself.
    """

    query: Query
    terms: Sequence[str]
    named: frozenset[int]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What activation needs of the namespace and the models besides the index.

    `embed`: of whole questions; `embed_phrases`: of what constrains them.
    `terms`: the analyser. `threshold`: cosine from which two phrases match. `graph`: the entity graph, made when it
    is asked for. `texts`: rows -> speaker and words, for rerankers that compare words. `words`: rows -> words of
    those units that are still there. `pieces`: of the question that `embed` saw last, to be looked for in units.
    """

    embed: Embed
    embed_phrases: Embed
    terms: Callable[[str], Sequence[str]]
    threshold: float
    graph: Callable[[Index], GraphView]
    documents: Documents
    reranker: PoolReranker | TimeBox | None
    texts: Documents | None = None
    words: Documents | None = None
    pieces: Callable[[], PieceMatch | None] = lambda: None


def activate(
    index: Index, asked: Asked, around: Surroundings, settings: Settings, allowed: Mask | None
) -> Activation:
    """The pool of candidates for one question. `allowed`: (rows,) units that pass the filters, None for all."""
    clock = _Clock()
    on = settings.channels
    lists: list[ChannelList] = []
    words = np.zeros(index.rows, np.float32)
    if "lexical" in on:
        words = lexical.scores(index, asked.terms)
        if index.unknown is not None:
            words = np.where(index.unknown, np.float32(0), words)  # no measure for what was known
        lists.append(lexical.channel(index, words, settings.n, allowed))
        clock.lap("lexical")
    vector = None
    embed = _Tolerant(around.embed)
    embed_phrases = _Tolerant(around.embed_phrases, embed.notes)
    if "semantic" in on and index.size:
        vector = next(iter(embed([asked.query.text])), None)
        clock.lap("embed")
    if vector is not None:
        lists.append(semantic.channel(index, vector, settings.n, allowed))
        clock.lap("semantic")
    attributes = np.zeros(0, np.float32)
    if "event_attributes" in on and not asked.query.constraints.empty:
        attributes = event_attributes.scores(index, asked.query.constraints, embed_phrases, around.threshold)
        lists.append(event_attributes.channel(index, attributes, settings.n, allowed))
        clock.lap("event_attributes")
    pool = settings.pool if around.reranker is None else max(settings.pool, RERANK_POOL)
    if settings.fusion == "rrf":
        fused = fusion.rrf(index, lists, settings.kappa, pool)
    elif settings.fusion == "entity_memory":
        keys = question_keys(asked.query)
        fused = entity_memory.fuse(index, around.graph(index), keys, vector, pool, allowed)
    else:
        evidence = fusion.Evidence(words, attributes, vector, asked.named)
        fused = fusion.support(index, lists, evidence, settings.support, pool, allowed)
    clock.lap("fusion")
    notes = [*asked.notes, *embed.notes]
    if around.reranker is not None:
        asking = Asking(asked.query.text, asked.terms, vector, asked.named)
        task = RerankTask(
            index, asking, fused, lists, words, attributes, allowed, around.documents, around.texts,
            around.pieces(),
        )  # fmt: skip
        outcome = rerank(task, around.reranker, settings.pool, settings.rerank_seconds)
        fused = outcome.fused
        notes += [f"not-reranked: {outcome.failure}"] if outcome.failure else []
        clock.lap("rerank")
    fused = codes.first(index, asked.query.text, around.terms, fused, settings.pool, allowed)
    if around.words is not None and not asked.query.constraints.fact_times:
        fused = newest.reorder(index, asked.query.text, asked.terms, fused, around.words, around.terms)
    return Activation(fused.rows, fused.scores, tuple(lists), fused.parts, clock.seconds, tuple(notes))


class _Tolerant:
    """The embedder, or, once there are notes of a failure, no vectors: a question is still answered by its words."""

    def __init__(self, embed: Embed, notes: list[str] | None = None) -> None:
        self._embed = embed
        self.notes: list[str] = [] if notes is None else notes

    def __call__(self, texts: Sequence[str]) -> Float32:
        """(n, d), or (0, 0) after a failure."""
        if not self.notes:
            try:
                return self._embed(texts)
            except ModelError as error:
                self.notes.append(f"semantic-off: {error}")
        return np.empty((0, 0), np.float32)


class _Clock:
    """Seconds by stage; read for reports only, never for a decision."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now
