"""One open namespace: its store, the index derived from it, and the names that searches need."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .activation.entity_graph import GraphBuilder
from .activation.entity_memory import GraphView
from .construction.verbatim import lexical_text
from .settings import Settings
from .stores.analyser import terms
from .stores.derived import DerivedIndex
from .stores.index import Index
from .stores.protocol import Store
from .stores.sqlite import SqliteStore
from .types import MemoryUnit, Turn

ROLES = frozenset(("user", "assistant", "system", "tool"))  # what speakers without a name are called
INDEX_FORMAT = 3  # a new number when the meaning of the index's arrays changes


class Namespace:
    """Store and index of one user. Safe to share between threads."""

    def __init__(self, folder: Path, user_id: str, settings: Settings, embedder_id: str, dimension: int) -> None:
        self._graph: tuple[int, GraphView] | None = None
        self._names: tuple[int, dict[str, set[int]]] | None = None
        self._graph_lock = threading.Lock()
        self.store: Store = SqliteStore(folder, user_id)
        self._settings = settings
        recipe = f"{INDEX_FORMAT}|{settings.language}|{settings.index_caption_query}|{embedder_id}|{dimension}"
        self.index = DerivedIndex(
            self.store,
            folder,
            self._analyse,
            recipe,
            embedder_id,
            dimension,
            settings.bm25_k1,
            settings.bm25_b,
        )

    def _analyse(self, unit: MemoryUnit, turn: Turn) -> Sequence[str]:
        text = lexical_text(unit, turn, caption_query=self._settings.index_caption_query)
        return terms(text, self._settings.language)

    def named(self, index: Index, words: Sequence[str]) -> frozenset[int]:
        """Codes of the speakers whose names hold one of these terms; roles are no names."""
        names = self._names
        if names is None or names[0] != index.change:
            names = self._names = (index.change, self._speakers_by_term())
        return frozenset(code for word in set(words) for code in names[1].get(word, ()))

    def _speakers_by_term(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = {}
        for code, name in self.store.speakers().items():
            if name not in ROLES:
                for term in terms(name, self._settings.language):
                    found.setdefault(term, set()).add(code)
        return found

    def entity_graph(self, index: Index) -> GraphView:
        """The entity graph of what `index` holds; made on first use, and again after a write."""
        with self._graph_lock:
            if self._graph is None or self._graph[0] != index.change:
                self._graph = (index.change, self._entity_graph(index))
            return self._graph[1]

    def _entity_graph(self, index: Index) -> GraphView:
        builder = GraphBuilder(lambda name: terms(name, self._settings.language))
        row_of = {unit_id: row for row, unit_id in enumerate(index.ids(range(index.rows)))}
        for unit in self.store.scan():
            if unit.id in row_of:
                builder.add(unit.id, unit.entities, speaker=unit.speaker, position=unit.sequence)
        graph = builder.graph()
        return GraphView(graph, np.array([row_of[unit_id] for unit_id in graph.memory_ids], np.intp))

    def close(self, *, fold: bool = True) -> None:
        """Fold what is worth folding, and let go of the files. A call in progress elsewhere ends as it should."""
        if fold:
            self.index.settle()
        self.index.forget()
        self.store.close()
