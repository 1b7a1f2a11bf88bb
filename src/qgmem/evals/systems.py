"""Systems under test by exact name: the memory itself, and the baselines that run beside it."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from qgmem.errors import InvalidInput
from qgmem.protocols import Embedder
from qgmem.settings import Settings
from qgmem.types import JsonValue

from .baselines import Baselines
from .datasets.dialogue import Conversation
from .manifest import model_identity
from .metrics.turn_ids import HasTurnIds, turn_ids_at
from .protocol import EvidenceSystem, Ingested, SystemFactory

if TYPE_CHECKING:
    from qgmem.memory import Memory

NAMES = ("qgmem", "bm25", "dense", "rrf")


class MemorySystem:
    """The public facade on one namespace: what a user gets, measured as a user calls it."""

    def __init__(self, memory: Memory, namespace: str) -> None:
        self._memory, self._namespace = memory, namespace

    def build(self, conversation: Conversation) -> Ingested:
        """Adds the sessions in order, each under its date as written."""
        stored = deduplicated = 0
        failed: list[str] = []
        for session in conversation.sessions:
            report = self._memory.add(
                [dict(message) for message in session.messages],
                user_id=self._namespace,
                session_id=session.id,
                timestamp=session.timestamp,
            )
            stored += report.count("stored")
            deduplicated += report.count("deduplicated")
            failed += [f"{item.turn_id}: {item.reason}" for item in report.items if item.status == "failed"]
            if report.pending is not None:  # stored, but not searchable by meaning: no fair measurement
                failed.append(f"{session.id}: vectors are missing: {report.pending}")
        return Ingested(stored, deduplicated, tuple(failed))

    def search(self, question: str, k: int) -> Sequence[HasTurnIds]:
        """Asks for more units while they share turns, until k distinct turns are named."""
        limit = k
        while True:
            hits = self._memory.search(question, user_id=self._namespace, limit=limit)
            if len(hits) < limit or len(turn_ids_at(hits, k)) == k:
                return hits
            limit *= 2

    def close(self) -> None:
        """The namespace goes with the folder that holds it."""


class MemorySystems:
    """One memory folder, one namespace a conversation."""

    def __init__(self, memory: Memory, embedder: Embedder, settings: Settings) -> None:
        self._memory, self._embedder, self._settings = memory, embedder, settings
        self._passes: Counter[str] = Counter()

    def __call__(self, namespace: str) -> EvidenceSystem:
        """The memory of one conversation, still empty; a second pass gets a namespace of its own."""
        self._passes[namespace] += 1
        again = self._passes[namespace]
        return MemorySystem(self._memory, namespace if again == 1 else f"{namespace} (pass {again})")

    def describe(self) -> Mapping[str, JsonValue]:
        """Settings and embedder."""
        return {
            "name": "qgmem",
            "settings": self._settings.model_dump(mode="json"),
            "models": {"embedder": model_identity(self._embedder)},
        }


@contextmanager
def open_system(
    name: str = "qgmem",
    *,
    embedder: Embedder | None = None,
    settings: Settings | None = None,
    folder: Path | None = None,
) -> Iterator[SystemFactory]:
    """A factory of `name` for the length of a run.

    Without `embedder` the default one is used; `folder` keeps the memory, which otherwise lives in a
    temporary folder. Raises InvalidInput on an unknown name, or if `folder` is not empty: what it holds
    would be measured too.
    """
    if name not in NAMES:
        raise InvalidInput("system", f"{name!r}", f"one of {', '.join(NAMES)}")
    if folder is not None and folder.is_dir() and any(folder.iterdir()):
        raise InvalidInput("folder", f"{folder.name!r} is not empty", "give a new one for the run's memory")
    settings = settings or Settings.load()
    if name == "bm25":
        yield Baselines(name, None)
        return
    if embedder is None:
        from qgmem.models.onnx import MiniLM

        embedder = MiniLM(threads=settings.threads)
    if name != "qgmem":
        yield Baselines(name, embedder)
        return
    from qgmem.memory import Memory

    with (
        tempfile.TemporaryDirectory(prefix="qgmem-bench-") as temporary,
        Memory.open(folder or Path(temporary), embedder=embedder, settings=settings) as memory,
    ):
        yield MemorySystems(memory, embedder, settings)
