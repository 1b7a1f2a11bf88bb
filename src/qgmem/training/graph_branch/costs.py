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

from ...evals.datasets.dialogue import Conversation, Message, Session
from ...evals.datasets.dialogue import Question as Asked
from ...generation.answer_form import SHORT
from ...generation.graph_arrays import graph_arrays
from ...generation.graph_token import GraphToken
from ...generation.read_answer import ended
from ...memory import Memory
from ...models.hf_chat import HfChat
from ...synthetic import Question, simulate
from ..graph_token.asking import asked
from ..graph_token.examples import Example, Layout, example_of, fill
from ..graph_token.run import unanswered

WAYS = ("none", "text", "token")


@dataclass(frozen=True, slots=True)
class Cost:
    """One history. Seconds: `build`, with triples and trajectories, once; the others a question.

    `encode`: trajectories, local graph and encoding, with its texts embedded before; `embed`: embedding them.
    `answer` and `tokens` by way of showing the graph: `none`, `text`, `token`; tokens are those that the model reads.
    """

    years: float
    turns: int
    questions: int
    build: float
    search: float
    embed: float
    encode: float
    answer: Mapping[str, float]
    tokens: Mapping[str, float]


def cost_at(
    years: float, llm: HfChat, model: GraphToken, folder: Path, layout: Layout, *, questions: int, seed: int,
    embedder: str,
) -> Cost:  # fmt: skip
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
    with unanswered(folder / "memories-cost", embedder) as memory:
        memory.delete_all(user_id=user)
        with _timed(spent, "build"):
            fill(memory, Conversation(user, sessions))
        memory.search("the first search loads what others use", user_id=user)
        asked_of = life.questions[:questions]
        for question in asked_of:
            example, vectors = _activated(memory, user, question, model, layout, spent)
            for way in WAYS:
                begun = time.perf_counter()
                prompt = asked(llm, example, facts=way == "text")
                (told,) = llm.generate(
                    [prompt], vectors if way == "token" else None, max_tokens=SHORT.max_tokens,
                    ended=lambda text: ended(SHORT.opening + text),
                )  # fmt: skip
                answers[way] += (time.perf_counter() - begun) / len(asked_of)
                tokens[way] += told.tokens_in / len(asked_of)
    turns = sum(len(one.messages) for one in sessions)
    each = {name: spent[name] / len(asked_of) for name in ("search", "embed", "encode")}
    return Cost(years, turns, len(asked_of), spent["build"], **each, answer=answers, tokens=tokens)


def _activated(
    memory: Memory, user: str, question: Question, model: GraphToken, layout: Layout, spent: defaultdict[str, float]
) -> tuple[Example, Any]:
    """The question's working memory and its token, with the time of each step."""
    asked_of = Asked(question.id, user, question.text, question.answer, (), question.type,
                     asked_at=question.question_time.isoformat())  # fmt: skip
    found = memory.ask(question.text, user_id=user, limit=layout.k, question_time=question.question_time)
    spent["search"] += found.seconds["search"]
    spent["encode"] += found.seconds["graph"]
    example = example_of(memory, asked_of, layout)
    with _timed(spent, "embed"):
        texts = list(dict.fromkeys([*example.nodes, *(predicate for _, predicate, _ in example.edges)]))
        known = dict(zip(texts, memory.embedder.embed(texts), strict=True)) if texts else {}
    with _timed(spent, "encode"):
        width = memory.embedder.dimension
        arrays = graph_arrays(
            example.nodes, example.edges, lambda wanted: np.stack([known[one] for one in wanted]), width
        )
        vectors = model.tokens(arrays)[None]
    return example, vectors


@contextmanager
def _timed(spent: defaultdict[str, float], name: str) -> Iterator[None]:
    begun = time.perf_counter()
    yield
    spent[name] += time.perf_counter() - begun
