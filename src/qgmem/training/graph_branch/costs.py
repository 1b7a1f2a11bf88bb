"""What it costs from the first turn to the answer, at several lengths of history."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np

from ...activation.question_terms import question_terms
from ...evals.datasets.dialogue import Conversation, Message, Session
from ...generation.graph_arrays import graph_arrays
from ...generation.graph_token import GraphToken
from ...generation.local_graph import local_graph
from ...generation.serialise import serialise
from ...memory import Memory
from ...models.hf_chat import HfChat
from ...synthetic import Question, simulate
from ..graph_token.asking import ANSWER_TOKENS, asked
from ..graph_token.examples import BUDGET, Example, facts_of, fill
from ..graph_token.readings import CaseReading, read_case

WAYS = ("none", "text", "token")


@dataclass(frozen=True, slots=True)
class Cost:
    """One history. Seconds: `build` and `read` (triples and trajectories) once; the others a question.

    `encode`: graph build and encoding with its texts embedded before; `embed`: embedding them. `answer` and `tokens`
    by way of showing the graph: `none`, `text`, `token`; tokens are those that the model reads.
    """

    years: float
    turns: int
    questions: int
    build: float
    read: float
    search: float
    embed: float
    encode: float
    answer: Mapping[str, float]
    tokens: Mapping[str, float]


def cost_at(
    years: float, llm: HfChat, model: GraphToken, folder: Path, *, k: int, questions: int, seed: int, embedder: str
) -> Cost:
    """One life of that length, read and asked from nothing."""
    life = next(simulate(1, years, seed, questions=max(1, questions // 5)))
    sessions = tuple(
        Session(one.id, None, tuple(cast(Message, message.record()) for message in one.messages))
        for one in life.dialogue.sessions
    )
    user = f"cost-{years:g}"
    spent: defaultdict[str, float] = defaultdict(float)
    answers = dict.fromkeys(WAYS, 0.0)
    tokens = dict.fromkeys(WAYS, 0.0)
    with Memory.open(folder / "memories-cost", embedder=embedder) as memory:
        memory.delete_all(user_id=user)
        with _timed(spent, "build"):
            fill(memory, Conversation(user, sessions))
        with _timed(spent, "read"):
            reading = read_case(memory, user)
        memory.search("the first search loads what others use", user_id=user)
        asked_of = life.questions[:questions]
        for question in asked_of:
            example, vectors = _activated(memory, user, question, reading, model, k, spent)
            for way in WAYS:
                begun = time.perf_counter()
                prompt = asked(llm, example, facts=way == "text")
                told = llm.generate([prompt], vectors if way == "token" else None, max_tokens=ANSWER_TOKENS)[0]
                answers[way] += (time.perf_counter() - begun) / len(asked_of)
                tokens[way] += told.tokens_in / len(asked_of)
    turns = sum(len(one.messages) for one in sessions)
    each = {name: spent[name] / len(asked_of) for name in ("search", "embed", "encode")}
    return Cost(years, turns, len(asked_of), spent["build"], spent["read"], **each, answer=answers, tokens=tokens)


def _activated(
    memory: Memory,
    user: str,
    question: Question,
    reading: CaseReading,
    model: GraphToken,
    k: int,
    spent: defaultdict[str, float],
) -> tuple[Example, Any]:
    """The question's working memory and its token, with the time of each step."""
    with _timed(spent, "search"):
        hits = memory.search(question.text, user_id=user, limit=k, question_time=question.question_time)
    with _timed(spent, "encode"):
        graph = local_graph([hit.unit for hit in hits], reading.triples)
        nodes = tuple(node.text for node in graph.nodes)
        edges = tuple((edge.source, edge.predicate, edge.target) for edge in graph.edges)
    with _timed(spent, "embed"):
        texts = list(dict.fromkeys([*nodes, *(predicate for _, predicate, _ in edges)]))
        known = dict(zip(texts, memory.embedder.embed(texts), strict=True)) if texts else {}
    with _timed(spent, "encode"):
        width = memory.embedder.dimension
        arrays = graph_arrays(nodes, edges, lambda wanted: np.stack([known[one] for one in wanted]), width)
        vectors = model.tokens(arrays)[None]
    label = {hit.unit.id: f"MU{hit.rank}" for hit in hits}
    example = Example(
        question.id, user, question.type, question.text, question.question_time.isoformat(),
        serialise(hits, BUDGET, question_terms(question.text, memory.settings.language)),
        tuple(reading.trajectory(hits, label)), tuple(facts_of(graph, label)), nodes, edges, question.answer, (),
        supported=True,
    )  # fmt: skip
    return example, vectors


@contextmanager
def _timed(spent: defaultdict[str, float], name: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    spent[name] += time.perf_counter() - begun
