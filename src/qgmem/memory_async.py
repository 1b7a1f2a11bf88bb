"""The facade for asyncio: every method of `Memory` on a worker thread, under the same name and signature."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from datetime import datetime
from functools import partial, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from .generation.answer import AnswerEvent
from .memory import Memory
from .protocols import Embedder
from .settings import Settings
from .types import AddReport

P = ParamSpec("P")
R = TypeVar("R")


def _threaded(
    method: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """The method, run by `asyncio.to_thread`."""

    @wraps(method)
    async def call(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(method, self.memory, *args, **kwargs)

    return call


class AsyncMemory:
    """`Memory` without blocking the event loop; signatures, results and errors are `Memory`'s.

    A call that is cancelled goes on in its thread: what it was adding is stored whole or not at all, and the same
    call again adds nothing twice.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @classmethod
    def open(
        cls,
        path: str | Path = "memories",
        *,
        embedder: str | Embedder = "minilm",
        settings: Settings | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> AsyncMemory:
        """As `Memory.open`; it only prepares, so it does not need to be awaited."""
        return cls(Memory.open(path, embedder=embedder, settings=settings, clock=clock))

    add = _threaded(Memory.add)
    update = _threaded(Memory.update)
    delete = _threaded(Memory.delete)
    delete_all = _threaded(Memory.delete_all)
    embed_pending = _threaded(Memory.embed_pending)
    reembed = _threaded(Memory.reembed)
    build = _threaded(Memory.build)
    plan_build = _threaded(Memory.plan_build)
    windows = _threaded(Memory.windows)
    ledger = _threaded(Memory.ledger)
    search = _threaded(Memory.search)
    ask = _threaded(Memory.ask)
    get = _threaded(Memory.get)
    get_all = _threaded(Memory.get_all)
    turn = _threaded(Memory.turn)
    history = _threaded(Memory.history)
    trajectory = _threaded(Memory.trajectory)
    stats = _threaded(Memory.stats)
    namespaces = _threaded(Memory.namespaces)
    export = _threaded(Memory.export)
    close = _threaded(Memory.close)

    async def context(self, query: str, *, user_id: str = "default", budget_tokens: int = 700, **search: Any) -> str:
        """As `Memory.context`; `search` takes what `search` takes."""
        ask = partial(self.memory.context, query, user_id=user_id, budget_tokens=budget_tokens, **search)
        return await asyncio.to_thread(ask)

    async def ask_stream(self, question: str, **ask: Any) -> AsyncIterator[AnswerEvent]:
        """As `Memory.ask_stream`."""
        events = self.memory.ask_stream(question, **ask)
        while (event := await asyncio.to_thread(next, events, None)) is not None:
            yield event

    async def import_(
        self, path: str | Path, *, format: str | None = None, user_id: str | None = None
    ) -> AsyncIterator[AddReport]:
        """As `Memory.import_`: one report a batch, each batch read and stored on a worker thread."""
        reports = self.memory.import_(path, format=format, user_id=user_id)
        while (report := await asyncio.to_thread(next, reports, None)) is not None:
            yield report

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
