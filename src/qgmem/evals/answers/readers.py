"""Systems that bring evidence to the one reader: the memory's own `ask`, or a control's turns in the same context."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Protocol, Self

from qgmem.activation.question_terms import question_terms
from qgmem.asking import RETRY
from qgmem.errors import AnswerFailed, InvalidInput, ModelError
from qgmem.generation.answer import Answer
from qgmem.generation.answer_form import form_of
from qgmem.generation.answering import draft_answer, request_for
from qgmem.generation.local_graph import LocalGraph
from qgmem.generation.read_answer import NOT_MENTIONED
from qgmem.generation.serialise import lay_out
from qgmem.generation.text_answerer import WithoutGraph
from qgmem.memory import Memory
from qgmem.models.client import ModelClient, Scope
from qgmem.protocols import Answerer
from qgmem.types import Hit, MemoryUnit

from ..baselines import Baselines
from ..datasets.dialogue import Conversation
from ..protocol import EvidenceSystem
from ..systems import MemorySystem

NAMES = ("default", "bm25", "dense", "rrf", "entity_memory")
ENTITY_MEMORY = {"fusion": "entity_memory", "rerank": "none"}  # settings of [E]'s ranking


class Reader(Protocol):
    """Answers questions to one conversation."""

    def ask(self, question: str, k: int, budget_tokens: int) -> Answer:
        """Raises AnswerFailed, and ModelUnavailable as its cause when nobody could be asked."""


class DefaultReader:
    """`Memory.ask`, as a user calls it: units, trajectories and the local graph as facts."""

    def __init__(self, memory: Memory, namespace: str, answerer: Answerer) -> None:
        self._memory, self._namespace, self._answerer = memory, namespace, answerer

    def ask(self, question: str, k: int, budget_tokens: int) -> Answer:
        """The answer with its evidence."""
        return self._memory.ask(
            question, user_id=self._namespace, limit=k, budget_tokens=budget_tokens, chat=self._answerer
        )


class ControlReader:
    """A plain ranking of turns, in the same lines, prompt and budget; it has neither trajectories nor facts."""

    def __init__(
        self, search: EvidenceSystem, memory: Memory, conversation: Conversation, answerer: Answerer
    ) -> None:
        self._search = search
        self._units = {unit.id: unit for unit in memory.get_all(user_id=conversation.id)}
        self._answerer, self._namespace, self._language = answerer, conversation.id, memory.settings.language

    def ask(self, question: str, k: int, budget_tokens: int) -> Answer:
        """The answer with its evidence."""
        start = time.perf_counter()
        turns = [turn for hit in self._search.search(question, k) for turn in hit.turn_ids][:k]
        hits = [_hit(self._units[turn], rank) for rank, turn in enumerate(turns, 1)]
        words = question_terms(question, self._language)
        form = form_of(self._answerer)
        context = lay_out(
            hits, LocalGraph(), [], budget_tokens, words, self._answerer.count_tokens, with_facts=form.facts
        )
        found = Answer(
            question, None, False, "", (), tuple(hits), LocalGraph(), context, self._answerer.id,
            tokens={"context": context.tokens},
        )  # fmt: skip
        if not context.labels:
            return replace(found, answer=NOT_MENTIONED, abstained=True, seconds=_seconds(start, 0.0))
        client = ModelClient(WithoutGraph(self._answerer), retry=RETRY)
        scope = Scope(self._namespace, "answer", "")
        asked = time.perf_counter()
        try:
            drafted = draft_answer(
                request_for(context, question, form=form),
                context,
                hits,
                lambda request, again: client.ask(request, scope, again=again),
                lambda _: None,
            )
        except ModelError as error:
            evidence = replace(found, seconds=_seconds(start, time.perf_counter() - asked))
            raise AnswerFailed(f"{self._answerer.id}: {error}", evidence) from error
        draft = drafted.draft
        return replace(
            found,
            answer=draft.answer,
            abstained=draft.abstained,
            reasoning_path=draft.reasoning_path,
            tokens={**found.tokens, "prompt": drafted.tokens_in, "completion": drafted.tokens_out},
            seconds=_seconds(start, time.perf_counter() - asked),
            notes=draft.notes,
        )


def _hit(unit: MemoryUnit, rank: int) -> Hit:
    return Hit(unit, rank, 1.0 / rank, {})


def _seconds(start: float, answer: float) -> dict[str, float]:
    return {"answer": answer, "total": time.perf_counter() - start}


class Readers:
    """Opens readers over the conversations of one memory; `entity_memory` needs a second view of it.

    Use as a context manager.
    """

    def __init__(self, memory: Memory, answerer: Answerer) -> None:
        self._memory, self._answerer, self._stack = memory, answerer, ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @cached_property
    def _entity_memory(self) -> Memory:
        settings = self._memory.settings.model_copy(update=ENTITY_MEMORY)
        return self._stack.enter_context(
            Memory.open(self._memory.path, embedder=self._memory.embedder, settings=settings)
        )

    def open(self, name: str, conversation: Conversation) -> Reader:
        """The reader of that name over a conversation that the memory holds."""
        if name == "default":
            return DefaultReader(self._memory, conversation.id, self._answerer)
        search: EvidenceSystem
        if name == "entity_memory":
            search = MemorySystem(self._entity_memory, conversation.id)
        else:
            search = Baselines(name, None if name == "bm25" else self._memory.embedder)(conversation.id)
            search.build(conversation)
        return ControlReader(search, self._memory, conversation, self._answerer)


def built(memory: Memory, conversations: Sequence[Conversation], path: Path) -> None:
    """Adds the conversations that `memory` does not hold whole. Raises InvalidInput if messages were refused."""
    known = set(memory.namespaces())
    for conversation in conversations:
        if conversation.id in known and memory.stats(user_id=conversation.id).turns == len(conversation.turn_ids):
            continue
        report = MemorySystem(memory, conversation.id).build(conversation)
        if report.failed:
            raise InvalidInput("data", f"{path.name}: {conversation.id}: {report.failed[0]}")
