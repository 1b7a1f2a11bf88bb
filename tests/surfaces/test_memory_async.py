"""AsyncMemory: all of Memory's methods, without blocking the event loop."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from qgmem import AsyncMemory, Memory, NotFound
from qgmem.models.scripted import HashEmbedder
from qgmem.models.scripted_chat import ScriptedChat
from qgmem.protocols import Vectors


class Slow:
    """An embedder that waits until the event loop has done something else."""

    id = "slow"
    dimension = 4

    def __init__(self) -> None:
        self.released = threading.Event()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, once released."""
        assert self.released.wait(10), "the event loop was blocked"
        vectors = np.zeros((len(texts), 4), np.float32)
        vectors[:, 0] = 1
        return vectors


def test_every_method_of_memory_is_there_under_its_signature() -> None:
    public = {name for name, _ in inspect.getmembers(Memory, inspect.isfunction) if not name.startswith("_")}
    for name in public:
        assert inspect.signature(getattr(AsyncMemory, name)) == inspect.signature(getattr(Memory, name)) or name in (
            "import_",  # an asynchronous iterator
            "ask_stream",  # as well
        ), name
    assert {"add", "search", "context", "delete", "delete_all", "export", "close"} <= public


def test_the_event_loop_goes_on_while_a_batch_is_added(tmp_path: Path) -> None:
    slow = Slow()

    async def main() -> int:
        async with AsyncMemory.open(tmp_path, embedder=slow) as memory:
            adding = asyncio.create_task(memory.add("Hello.", user_id="ana"))
            await asyncio.sleep(0.05)
            assert not adding.done()
            slow.released.set()
            return (await adding).count("stored")

    assert asyncio.run(main()) == 1


def test_searches_may_run_at_once_and_errors_come_through(tmp_path: Path) -> None:
    slow = Slow()
    slow.released.set()

    async def main() -> None:
        async with AsyncMemory.open(tmp_path / "m", embedder=slow) as memory:
            await memory.add(["Ana sails.", "Ben paints."], user_id="ana")
            found = await asyncio.gather(*(memory.search("sails", user_id="ana", limit=1) for _ in range(8)))
            assert {hits[0].text for hits in found} == {"Ana sails."}
            assert (await memory.context("sails", user_id="ana", limit=1)).startswith("[MU1]")
            with pytest.raises(NotFound):
                await memory.get("nothing", user_id="ana")

    asyncio.run(main())


def test_import_streams_batches(tmp_path: Path) -> None:
    slow = Slow()
    slow.released.set()
    file = tmp_path / "chat.jsonl"
    lines = (json.dumps({"role": "user", "content": f"line {n}"}) for n in range(600))
    file.write_text("\n".join(lines))

    async def main() -> list[int]:
        async with AsyncMemory.open(tmp_path / "m", embedder=slow) as memory:
            return [report.count("stored") async for report in memory.import_(file, user_id="ana")]

    stored = asyncio.run(main())
    assert sum(stored) == 600
    assert len(stored) > 1


def test_an_answer_is_streamed_without_blocking(tmp_path: Path) -> None:
    """The scripted model says all at once: the evidence, a piece of either field, and that it is done."""
    answer = json.dumps({"reasoning_path": "[MU1]", "answer": "a greyhound"})

    async def main() -> list[str]:
        async with AsyncMemory.open(tmp_path, embedder=HashEmbedder(16)) as memory:
            await memory.add("Biscuit is a greyhound.", user_id="ana")
            chat = ScriptedChat([answer])
            asked = await memory.ask("What is Biscuit?", user_id="ana", chat=chat)
            assert asked.answer == "a greyhound"
            stream = memory.ask_stream("Who is Biscuit?", user_id="ana", chat=chat)
            return [event.kind async for event in stream]

    assert asyncio.run(main()) == ["evidence", "reasoning_path", "answer", "done"]
