"""The facade: composes the stages, decides nothing.

>>> from qgmem import Memory
>>> with Memory.open("memories") as memory:                                         # doctest: +SKIP
...     memory.add("I moved to Lisbon in March.", user_id="ana", timestamp="2024-05-02")
...     memory.search("Where does she live?", user_id="ana")[0].text
'I moved to Lisbon in March.'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from pathlib import Path
from typing import Any

from . import transfer
from .activation.question_terms import question_terms
from .activation.rerank import PoolReranker
from .asking import Asking, Question, checked_budget
from .building import Building, OnWindow
from .chronicle import Chronicle
from .construction.build import BuildReport
from .construction.forecast import Forecast
from .construction.messages import Timestamp, read_time
from .construction.redaction import Redactor
from .errors import InvalidInput, NotFound
from .generation.answer import Answer, AnswerEvent
from .generation.serialise import serialise
from .generation.streaming import OnEvent, streamed
from .hiding import beside_units, shown_units
from .ingest import Ingest, Messages, Shared
from .loading import Loading
from .models.chat import ChatModel
from .models.checked import CheckedEmbedder
from .moments import Moment, asked_at
from .owner import DEFAULT_USER, named_user
from .protocols import Answerer, AttributeExtractor, Embedder, Reranker
from .recall import Recall, given, how_many, readable, scoped
from .registry import checked_embedder, checked_settings, make_chat, make_extractor, make_query_model, make_reranker
from .settings import Settings
from .spaces import Spaces
from .stores.filters import parse_filters
from .stores.folder import read_path
from .stores.records import HistoryEvent, Receipt, StoreStats, WindowRecord
from .trajectory import Trajectory
from .types import AddReport, Hit, JsonValue, LedgerRow, MemoryUnit, Turn


class Memory:
    """A folder of memories, one namespace a user. One object may be shared between threads.

    Every method raises InvalidInput for a value it cannot use and StoreError for trouble with the files.
    """

    def __init__(
        self,
        path: Path,
        embedder: Embedder,
        extractor: AttributeExtractor,
        settings: Settings,
        clock: Callable[[], datetime],
        reranker: PoolReranker | None = None,
        redactor: Redactor | None = None,
    ) -> None:
        self.path, self.settings = path, settings
        self.embedder = CheckedEmbedder(embedder)
        self._clock = clock
        chosen = redactor or Redactor.of(*settings.redaction_patterns)
        self._writes = chosen if settings.redaction == "write" else None
        self._shows = chosen if settings.redaction == "recall" else None
        self._chronicle = Chronicle(self.embedder, self._shows, clock)
        self._ingest = Ingest(self.embedder, extractor, settings, self._writes, self._chronicle.keep_up)
        asking = make_query_model(settings, self._writes or self._shows)
        self._recall = Recall(self.embedder, extractor, reranker, settings, self._shows, asking, self._chronicle)
        self._building = Building(extractor, settings, self._writes or self._shows)
        self._asking = Asking(self._recall, self._chronicle, settings, self._shown, self.embedder)
        self._spaces = Spaces(path, settings, self.embedder)
        self._space, self._existing = self._spaces.space, self._spaces.existing
        self._loading = Loading(self._spaces, self._ingest, self._writes)

    @classmethod
    def open(
        cls,
        path: str | Path = "memories",
        *,
        embedder: str | Embedder = "minilm",
        settings: Settings | None = None,
        clock: Callable[[], datetime] | None = None,
        reranker: PoolReranker | Reranker | None = None,
        redactor: Redactor | None = None,
    ) -> Memory:
        """A memory in this folder, made when it is first written to. No model is loaded before it is needed.

        `embedder`: a name of `registry.py`, or an object with the `Embedder` protocol. `clock`: gives the moment
        that `history` records; the default is the system's, in UTC. `reranker`: used in place of the one that the
        settings name; it scores documents (`protocols.Reranker`) or orders the pool (`PoolReranker`).
        `redactor`: patterns of one's own in place of those that the settings name, used when `redaction` is on.
        """
        settings = checked_settings(settings)
        if clock is not None and not callable(clock):
            raise InvalidInput("clock", f"expected a function, got {type(clock).__name__}")
        folder = read_path(path)
        model = checked_embedder(embedder, settings)
        chosen = make_reranker(settings, model, reranker)
        now = clock or partial(datetime.now, UTC)
        return cls(folder, model, make_extractor(settings), settings, now, chosen, redactor)

    # ---- writing

    def add(
        self,
        messages: Messages,
        *,
        user_id: str = DEFAULT_USER,
        session_id: str | None = None,
        timestamp: Timestamp = None,
        time_zone: str | tzinfo | None = None,
        metadata: Mapping[str, JsonValue] | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> AddReport:
        """Store messages as turns, in order, in one transaction; durable when this returns.

        `messages`: a string, a mapping {role, content, name?, timestamp?, id?, caption?, caption_query?}, or a list
        of those. `timestamp` stands for messages without their own; none at all means that the time is unknown, and
        so does a text that cannot be read, which the report notes. A message that cannot be used is reported as
        failed, and the rest is stored.
        """
        read_time(timestamp, time_zone)  # a wrong type or zone stops the call before anything is written
        shared = Shared(session_id, timestamp, time_zone, metadata, agent_id, run_id)
        return self._ingest.add(self._space(user_id), messages, shared)

    def update(self, id: str, text: str, *, user_id: str = DEFAULT_USER) -> MemoryUnit:
        """Give a unit new words. The former ones stay in its `history`, the turn stays as it was said."""
        unit = self._unit(id, user_id)
        self._ingest.update(self._space(user_id), unit, text, self._clock().isoformat())
        self._asking.forget()
        return self.get(id, user_id=user_id)

    def delete(
        self,
        id: str | Sequence[str] | None = None,
        *,
        user_id: str = DEFAULT_USER,
        session_id: str | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
    ) -> Receipt:
        """Remove units by id, or all of a session, agent or run, not both; no byte of them stays in any file.

        Raises NotFound, before anything is removed, for an id that is not here.
        """
        space = self._existing(user_id)
        scope = given(session_id=session_id, agent_id=agent_id, run_id=run_id)
        if id is None and not scope:
            raise InvalidInput("id", "nothing is named to delete", "use delete_all to remove a user's memory")
        if id is not None and scope:  # the wider one would take what nobody named
            raise InvalidInput("id", f"does not go together with {', '.join(scope)}", "delete by one, then the other")
        ids = (
            [id] if isinstance(id, str) else [unit.id for unit in space.store.scan(scope)] if id is None else list(id)
        )
        receipt = self._chronicle.delete(space, list(dict.fromkeys(ids)))
        space.index.unbase()
        self._asking.forget()
        self.embedder.phrases.forget()
        return receipt

    def delete_all(self, *, user_id: str = DEFAULT_USER) -> Receipt:
        """Remove everything of a user, files included; the receipt says in ids and counts what went."""
        self._asking.forget()
        self.embedder.phrases.forget()
        return self._spaces.remove(user_id)

    def embed_pending(self, *, user_id: str = DEFAULT_USER) -> int:
        """Make the vectors that are missing after an embedder failed; how many units. Raises ModelError."""
        space = self._space(user_id, create=False)
        return 0 if space is None else self._ingest.embed_pending(space)

    def reembed(self, *, user_id: str = DEFAULT_USER) -> int:
        """Make all vectors anew with this memory's embedder; goes on where an interrupted run stopped.

        Until it is done, the former embedder answers whoever opens the memory with it.
        """
        space = self._spaces.apart(user_id)
        try:
            return self._ingest.reembed(space)
        finally:
            space.close(fold=False)

    # ---- construction by a language model

    def build(
        self,
        *,
        user_id: str = DEFAULT_USER,
        chat: ChatModel | str | None = None,
        resume: bool = False,
        on_window: OnWindow | None = None,
    ) -> BuildReport:
        """Have a chat model read what it has not read yet; its units are found beside the verbatim ones.

        `chat`: a model, or its name at the server that the settings name. At most two calls a window; every answer
        is kept when it arrives, so a run that was stopped goes on where it was. `resume`: also windows that failed
        or lack something. `on_window` hears of every window once it is recorded. Then it words the trajectories whose
        states have changed, in one call each. What went wrong is in the report.
        """
        space, model = self._existing(user_id, bind=True), make_chat(chat, self.settings)
        untold = partial(self._chronicle.untold, space, again=resume)
        waited = untold()
        report = self._building.build(space, model, on_window, resume=resume)
        report = replace(report, pending=self._ingest.embed_new(space))
        return self._building.word(space, model, untold, report, waited)

    def plan_build(self, *, user_id: str = DEFAULT_USER, resume: bool = False) -> Forecast:
        """What `build` would do: windows, calls at most, tokens and cost as estimates. Calls nobody."""
        space = self._existing(user_id)
        return self._building.forecast(space, self._chronicle.untold(space, again=resume), resume=resume)

    def windows(self, *, user_id: str = DEFAULT_USER) -> list[WindowRecord]:
        """The windows of construction and how each ended."""
        return self._existing(user_id).store.log.windows()

    def ledger(self, *, user_id: str = DEFAULT_USER) -> list[LedgerRow]:
        """Calls, tokens, seconds and cost of this user's construction, by stage and model."""
        return self._existing(user_id).store.log.ledger()

    # ---- reading

    def search(
        self,
        query: str,
        *,
        user_id: str = DEFAULT_USER,
        limit: int | None = None,
        top_k: int | None = None,
        filters: Mapping[str, Any] | None = None,
        as_of: Moment = None,
        known_at: Moment = None,
        question_time: Moment = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        explain: bool = False,
    ) -> list[Hit]:
        """The units that answer, best first; `limit` (or `top_k`) of them, by default the settings' k.

        `as_of`: only what was true by that day, or time of day. `known_at`: only what had been said by then, or
        `serial-N`. `question_time`: what "now" and "yesterday" mean, never a constraint; else `known_at`, or today.
        `explain`: what each part added to the score. `filters`: conditions on fields and metadata, as {"speaker":
        {"in": ["Ana", "Cy"]}}; docs/filters.md has every field and operator. No namespace, no hits.
        """
        user_id, scope = scoped(filters, user_id, as_of, known_at, agent_id=agent_id, run_id=run_id)
        wanted = how_many(limit, top_k, self.settings.k)
        asked_at(question_time)
        query = readable(query)
        space = self._space(user_id, create=False)
        if space is None:
            return []
        return self._recall.search(space, query, wanted, scope, question_time, explain=explain)

    def context(self, query: str, *, user_id: str = DEFAULT_USER, budget_tokens: int = 700, **search: Any) -> str:
        """The evidence as prompt-ready text with labels and dates; no language model takes part."""
        checked_budget(budget_tokens)
        hits = self.search(query, user_id=user_id, **search)
        return serialise(hits, budget_tokens, question_terms(query, self.settings.language))

    def ask(
        self,
        question: str,
        *,
        user_id: str = DEFAULT_USER,
        question_time: Moment = None,
        as_of: Moment = None,
        known_at: Moment = None,
        limit: int | None = None,
        top_k: int | None = None,
        filters: Mapping[str, Any] | None = None,
        agent_id: str | None = None,
        run_id: str | None = None,
        chat: Answerer | ChatModel | str | None = None,
        budget_tokens: int | None = None,
        on_event: OnEvent | None = None,
    ) -> Answer:
        """An answer with the evidence for it: cited memories, their turns, the local graph, tokens and seconds.

        `chat`: who answers, a model or its name; by default the settings' `chat_model`. Without one the evidence
        comes back unanswered and says so. `budget_tokens`: of the evidence that the model reads; by default the
        settings' `context_tokens`. `on_event` hears of the evidence and of the answer as it is written. The rest
        is `search`'s. Raises AnswerFailed, which holds the evidence, when the model gives nothing that can be used.
        """
        user_id, scope = scoped(filters, user_id, as_of, known_at, agent_id=agent_id, run_id=run_id)
        wanted = how_many(limit, top_k, self.settings.k)
        budget = self.settings.context_tokens if budget_tokens is None else budget_tokens
        asked = Question(readable(question), wanted, scope, question_time, budget)
        return self._asking.ask(self._space(user_id, create=False), asked, chat, on_event)

    def ask_stream(self, question: str, **ask: Any) -> Iterator[AnswerEvent]:
        """As `ask`, one event at a time: the evidence, pieces of the answer as it is written, the checked answer.

        Closing the iterator stops the model where it can be stopped. Raises as `ask`, while it is read.
        """
        return streamed(lambda on_event: self.ask(question, **ask, on_event=on_event))

    def get(self, id: str, *, user_id: str = DEFAULT_USER) -> MemoryUnit:
        """One unit. Raises NotFound."""
        found = self._unit(id, user_id)
        return shown_units(self._existing(user_id).store, [found], self._shows)[0]

    def _unit(self, id: str, user_id: str) -> MemoryUnit:
        found = self._existing(user_id).store.units([id])
        if not found:
            raise NotFound(f"id: no unit {id!r} of {user_id!r}")
        return found[0]

    def get_all(
        self, *, user_id: str = DEFAULT_USER, filters: Mapping[str, Any] | None = None, limit: int | None = None
    ) -> list[MemoryUnit]:
        """Units in the order they came in. `filters`: as for `search`."""
        user_id, chosen = named_user(filters, user_id)
        parse_filters(chosen)
        space = self._space(user_id, create=False, bind=False)
        found = [] if space is None else list(space.store.scan(chosen, limit))
        return found if space is None else shown_units(space.store, found, self._shows)

    def turn(self, id: str, *, user_id: str = DEFAULT_USER) -> Turn:
        """A turn as it was said. Raises NotFound."""
        return self._shown(self._existing(user_id).store.turn(id))

    def _shown(self, turn: Turn) -> Turn:
        return turn if self._shows is None else self._shows.fresh().turn(turn)

    def history(self, id: str, *, user_id: str = DEFAULT_USER) -> list[HistoryEvent]:
        """What a unit said before, oldest first; then (`event` "state") the states that it says, with quotes.

        Raises NotFound.
        """
        self._unit(id, user_id)
        space = self._existing(user_id)
        events = space.store.history(id)
        if self._shows is not None:
            known = beside_units(space.store, [id], self._shows).beside(*(event.text for event in events))
            events = [replace(event, text=known.text(event.text)) for event in events]
        return events + self._chronicle.events(space, id)

    def trajectory(
        self,
        subject: str,
        relation: str | None = None,
        *,
        user_id: str = DEFAULT_USER,
        as_of: Moment = None,
        known_at: Moment = None,
    ) -> tuple[Trajectory, ...]:
        """What was true of somebody and when, one trajectory a relation, namesakes apart; empty where none is known.

        `relation`: "home", or as one says it, "lives in". `as_of`: what held on that day, or time of day.
        `known_at`: as it stood by then, or `serial-N`; what begins later is `upcoming`. NotFound names the nearest.
        """
        return self._chronicle.trajectory(self._existing(user_id), subject, relation, as_of, known_at)

    def stats(self, *, user_id: str = DEFAULT_USER) -> StoreStats:
        """Counts, bytes, embedder, and what waits for vectors."""
        return self._existing(user_id).store.stats()

    def namespaces(self) -> list[str]:
        """User ids with a memory here, sorted."""
        return transfer.namespaces(self.path)

    # ---- moving

    def export(self, path: str | Path, *, user_id: str = DEFAULT_USER) -> int:
        """Write a user's memory as JSON Lines; how many records. The file is whole or not there, and yours alone.

        Raises InvalidInput for a path that cannot be written to.
        """
        target = read_path(path)
        return transfer.write(self._existing(user_id).store, target)

    def import_(
        self, path: str | Path, *, format: str | None = None, user_id: str | None = None
    ) -> Iterator[AddReport]:
        """Add a file of dialogues, streaming: one report a batch. Formats: see `interchange`.

        The file's user ids are used unless one is given here. Running it again adds nothing.
        """
        return self._loading.load(read_path(path), format, user_id)

    # ---- closing

    def close(self) -> None:
        """Fold indexes that have grown, close the files. The object can be used again afterwards."""
        self._spaces.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
