"""One open namespace: its store, the index derived from it, and the names that searches need."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .construction.verbatim import lexical_text
from .settings import Settings
from .stores.analyser import terms
from .stores.derived import DerivedIndex
from .stores.protocol import Store
from .stores.sqlite import SqliteStore
from .types import MemoryUnit, Turn

INDEX_FORMAT = 2  # a new number when the meaning of the index's arrays changes


class Namespace:
    """Store and index of one user. Safe to share between threads."""

    def __init__(self, folder: Path, user_id: str, settings: Settings, embedder_id: str, dimension: int) -> None:
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

    def close(self, *, fold: bool = True) -> None:
        """Fold what is worth folding, and let go of the files. A call in progress elsewhere ends as it should."""
        if fold:
            self.index.settle()
        self.index.forget()
        self.store.close()
