"""The way of a question to an answer: search → what is known around the hits → local graph → context → answerer."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from hashlib import sha256

from .activation.question_terms import question_terms
from .chronicle import BEFORE_ASKING, Chronicle
from .construction.timex import find_times
from .errors import AnswerFailed, InvalidInput, ModelError, StoreUnavailable
from .generation.answer import NO_ANSWERER, Answer, AnswerEvent
from .generation.answer_form import AnswerForm, form_of
from .generation.answering import draft_answer, readable_answer, request_for
from .generation.citations import citations
from .generation.held import unsupported
from .generation.local_graph import LocalGraph, local_graph
from .generation.read_answer import NOT_MENTIONED, Draft
from .generation.serialise import lay_out
from .generation.streaming import FieldReader, OnEvent
from .generation.tokens import estimate_tokens
from .models.answer_cache import AnswerCache, AnswerView
from .models.chat import ChatAnswer, ChatModel, ChatRequest
from .models.client import ModelClient
from .models.client import Scope as CallScope
from .models.ledger import MemoryLedger
from .models.retry import RetryPolicy
from .moments import Moment, asked_at, last_day
from .namespace import Namespace
from .protocols import Answerer, Embedder
from .recall import Recall, Scope
from .registry import chat_price, make_answerer
from .settings import Settings
from .stores.analyser import terms
from .trails import Told
from .types import Hit, Interval, MemoryUnit, Triple, Turn

ELSEWHERE = "a trajectory says it, not the memories that are cited; `trails` names those that do"
STAGE = "answer"  # in the ledger
RETRY = RetryPolicy(attempts=3)  # somebody waits


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and what may be seen for it. Raises InvalidInput for a time or budget of no use."""

    text: str
    limit: int
    scope: Scope
    question_time: Moment
    budget_tokens: int

    def __post_init__(self) -> None:
        asked_at(self.question_time)
        checked_budget(self.budget_tokens)

    @property
    def as_of(self) -> date | None:
        """The day as of which it is asked."""
        return None if self.scope.as_of is None else last_day(self.scope.as_of)


class Asking:
    """Answers questions to one namespace at a time. Keeps models' latest answers in memory, and nothing else."""

    def __init__(
        self,
        recall: Recall,
        chronicle: Chronicle,
        settings: Settings,
        shown: Callable[[Turn], Turn],
        embedder: Embedder,
    ) -> None:
        self._recall, self._chronicle, self._settings, self._shown = recall, chronicle, settings, shown
        self._embedder = embedder  # a graph token reads by it
        self._cache = AnswerCache()
        self._named: dict[str | None, Answerer | None] = {}  # made once; None is the one that the settings name

    def ask(
        self,
        space: Namespace | None,
        question: Question,
        chat: Answerer | ChatModel | str | None,
        on_event: OnEvent | None,
    ) -> Answer:
        """The answer with its evidence. `space` None: nobody has said anything. Raises AnswerFailed."""
        answerer = self._answerer(chat)
        watch, cache = Stopwatch(), self._cache.view()  # before anything is read that may be deleted meanwhile
        count = estimate_tokens if answerer is None else answerer.count_tokens
        found = self._evidence(space, question, form_of(answerer), count, watch)
        if on_event is not None:
            on_event(AnswerEvent("evidence", answer=found))
        if answerer is None:
            done = replace(found, notes=(*found.notes, NO_ANSWERER))
        elif found.working_memory and not found.context.labels:
            raise InvalidInput("budget_tokens", f"{question.budget_tokens} hold no memory", "give more")
        elif space is None or not found.context.labels:
            note = "nothing was found, so no model was asked"
            done = replace(found, answer=NOT_MENTIONED, abstained=True, notes=(*found.notes, note))
        else:
            done = self._answered(space, question, found, answerer, on_event, watch, cache)
        done = replace(done, seconds=watch.read())
        if on_event is not None:
            on_event(AnswerEvent("done", answer=done))
        return done

    def forget(self) -> None:
        """Let go of what models said: something it rests on was changed or deleted."""
        self._cache.clear()

    def _answerer(self, chat: Answerer | ChatModel | str | None) -> Answerer | None:
        if chat is not None and not isinstance(chat, str):
            return make_answerer(chat, self._settings, self._embedder)
        if chat not in self._named:
            self._named[chat] = make_answerer(chat, self._settings, self._embedder)
        return self._named[chat]

    def _evidence(
        self,
        space: Namespace | None,
        question: Question,
        form: AnswerForm,
        count: Callable[[str], int],
        watch: Stopwatch,
    ) -> Answer:
        hits: list[Hit] = []
        told, notes = Told(), list[str]()
        words = question_terms(question.text, self._settings.language)
        with watch.stage("search"):
            if space is not None:
                hits = self._recall.search(
                    space, question.text, question.limit, question.scope, question.question_time, explain=False
                )
        with watch.stage("graph"):
            units = [hit.unit for hit in hits]
            if space is not None and hits:
                told, notes = self._told(space, units, question)
            graph = local_graph(units, self._primary(told.triples, words))
        with watch.stage("serialise"):
            trails = told.trails(question.as_of)
            context = lay_out(hits, graph, trails, question.budget_tokens, words, count, with_facts=form.facts)
        return Answer(
            question.text, None, False, "", (), tuple(hits), graph, context,
            tokens={"context": context.tokens}, seconds=watch.read(), notes=tuple(notes), trails=tuple(trails),
        )  # fmt: skip

    def _told(self, space: Namespace, units: Sequence[MemoryUnit], question: Question) -> tuple[Told, list[str]]:
        behind = not self._chronicle.keep_up(space, BEFORE_ASKING)
        passes = self._recall.passes(space, question.scope)
        told = self._chronicle.around(space, units, question.scope.known_at, question.question_time, passes)
        return told, ["traces are behind the latest writes"] if behind else []

    def _primary(self, triples: Mapping[str, Sequence[Triple]], words: Sequence[str]) -> dict[str, Triple]:
        """One triple a unit: the one with most of the question's words, the first of equals."""
        asked, language = set(words), self._settings.language

        def shared(triple: Triple) -> int:
            return len(asked & set(terms(f"{triple.subject} {triple.predicate} {triple.object}", language)))

        return {unit_id: max(each, key=shared) for unit_id, each in triples.items() if each}

    def _answered(
        self,
        space: Namespace,
        question: Question,
        found: Answer,
        answerer: Answerer,
        on_event: OnEvent | None,
        watch: Stopwatch,
        cache: AnswerView,
    ) -> Answer:
        context, hits, ledger = found.context, found.working_memory, MemoryLedger()
        form = form_of(answerer)
        request = request_for(context, question.text, asked_at(question.question_time), question.as_of, form)
        model = _Bound(answerer, found.local_graph, on_event)
        price = chat_price(self._settings)
        prices = {answerer.id: price} if price else None
        client = ModelClient(model, ledger=ledger, cache=cache, retry=RETRY, prices=prices)
        scope = CallScope(space.store.user_id, STAGE, model.graph_key)

        def ask(asked: ChatRequest, again: bool) -> ChatAnswer:
            return client.ask(asked, scope, usable=lambda said: readable_answer(said, context.labels), again=again)

        def on_again(problem: str) -> None:
            if on_event is not None:
                on_event(AnswerEvent("again", f"the answer could not be used: it {problem}"))

        notes: tuple[str, ...] = ()
        try:
            with watch.stage("answer"):
                drafted = draft_answer(request, context, hits, ask, on_again)
        except ModelError as error:
            evidence = replace(found, answerer=answerer.id, seconds=watch.read())
            raise AnswerFailed(f"{answerer.id}: {error}", evidence) from error
        finally:
            with watch.stage("ledger"):
                notes = _charged(space, ledger)
        draft = drafted.draft
        spent = {"prompt": drafted.tokens_in, "completion": drafted.tokens_out}
        spent |= {"graph": form.graph_tokens} if form.graph_tokens else {}
        notes += self._held(space, question.text, draft, found)
        return replace(
            found,
            answer=draft.answer,
            abstained=draft.abstained,
            reasoning_path=draft.reasoning_path,
            citations=citations(draft.cited, context.labels, hits, lambda ids: self._turns(space, ids)),
            answerer=answerer.id,
            tokens={**found.tokens, **spent},
            notes=(*found.notes, *draft.notes, *notes),
        )

    def _held(self, space: Namespace, question: str, draft: Draft, found: Answer) -> tuple[str, ...]:
        """A note where nothing of an answer is in what it cites."""
        if draft.abstained or not draft.cited:
            return ()
        cited = {found.context.labels[label] for label in draft.cited}
        units = [hit.unit for hit in found.working_memory if hit.id in cited]
        turns = self._turns(space, sorted({turn_id for unit in units for turn_id in unit.span.turn_ids}))

        def note(beside: Mapping[str, str]) -> str | None:
            return unsupported(draft.answer, question, units, turns, beside, self._dates, self._settings.language)

        if (lacking := note(found.context.own)) is None:
            return ()
        return (lacking if note(found.context.beside) else ELSEWHERE,)

    def _dates(self, text: str) -> list[tuple[int, int, Interval]]:
        found = find_times(text, None, day_first=self._settings.day_first)
        return [(mention.start, mention.end, mention.interval) for mention in found]

    def _turns(self, space: Namespace, ids: Sequence[str]) -> dict[str, Turn]:
        return {turn_id: self._shown(turn) for turn_id, turn in space.store.known(ids).items()}


def checked_budget(tokens: int) -> int:
    """A number of tokens that something can be written in. Raises InvalidInput."""
    if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 1:
        raise InvalidInput("budget_tokens", f"is {tokens!r}", "give a whole number of at least 1")
    return tokens


def _charged(space: Namespace, ledger: MemoryLedger) -> tuple[str, ...]:
    """Put what was spent into the namespace's ledger; a note where that cannot be written."""
    try:
        for row in ledger.ledger():
            space.store.log.charge(row)
    except StoreUnavailable as error:
        return (f"not in the ledger: {error}",)
    return ()


class _Bound:
    """An answerer with one graph, as the chat model that a client can ask; tells what it writes as it comes."""

    def __init__(self, answerer: Answerer, graph: LocalGraph, on_event: OnEvent | None) -> None:
        self._answerer, self._graph, self._on_event = answerer, graph, on_event
        self.id = answerer.id

    @property
    def graph_key(self) -> str:
        """What tells graphs apart in the cache: the same text may come with another graph."""
        graph = self._graph
        parts = [
            [node.text for node in graph.nodes],
            [(e.source, e.target, e.predicate, e.kind) for e in graph.edges],
        ]
        return sha256(json.dumps(parts).encode()).hexdigest()

    def complete(self, request: ChatRequest) -> ChatAnswer:
        """The answer, told in pieces where somebody listens."""
        if self._on_event is None:
            return self._answerer.complete(request, self._graph)
        reader, begun = FieldReader(), False
        try:
            for piece in self._answerer.stream(request, self._graph):
                if isinstance(piece, ChatAnswer):
                    return piece
                begun = True
                for name, text in reader.feed(piece):
                    self._on_event(AnswerEvent("answer" if name == "answer" else "reasoning_path", text))
        except ModelError as error:
            if begun:  # it may be tried again from the start
                self._on_event(AnswerEvent("again", str(error)))
            raise
        raise AssertionError(f"{self.id}: a stream ended without its answer")


@dataclass(slots=True)
class Stopwatch:
    """Seconds by stage since it was made."""

    begun: float = field(default_factory=time.perf_counter)
    stages: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Charge what happens inside to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.stages[name] = self.stages.get(name, 0.0) + time.perf_counter() - start

    def read(self) -> dict[str, float]:
        """The stages so far, and the total."""
        return {**self.stages, "total": time.perf_counter() - self.begun}
