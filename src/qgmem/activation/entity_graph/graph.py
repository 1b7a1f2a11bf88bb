"""The Entity–Memory graph: shared entities, the memories that mention them, and their order ([E] §3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qgmem.types import EntityType

from .names import NameIndex, Tokenizer


@dataclass(frozen=True, slots=True)
class GraphEntity:
    """One shared node: its key (the id), a name as first written, its type."""

    key: str
    value: str
    type: EntityType


@dataclass(frozen=True, eq=False)
class EntityGraph:
    """One conversation's, or one namespace's, graph; made by `GraphBuilder`.

    `memory_ids[p]` is the memory at position p; `order` lists positions chronologically. Entity e is
    mentioned by `memories[offsets[e]:offsets[e + 1]]` (positions, int32, no repeats); `by_link` beside it
    marks mentions that exist only because the speaker was linked to what they said.
    """

    entities: tuple[GraphEntity, ...]
    memory_ids: tuple[str, ...]
    order: NDArray[np.int32]
    offsets: NDArray[np.int64]
    memories: NDArray[np.int32]
    by_link: NDArray[np.bool_]
    names: NameIndex
    tokenize: Tokenizer
    key_ids: Mapping[str, int]

    def entity(self, key: str) -> int | None:
        """Index of the entity with exactly this key."""
        index = self.key_ids.get(key)
        return index if index is not None and index < len(self.entities) else None

    def mentions(self, entity: int, *, speaker_links: bool = True) -> NDArray[np.int32]:
        """Positions of the memories that mention it."""
        span = slice(self.offsets[entity], self.offsets[entity + 1])
        found = self.memories[span]
        return found if speaker_links else found[~self.by_link[span]]

    @cached_property
    def keys(self) -> Sequence[str]:
        """Keys in entity order, for breaking ties."""
        return [entity.key for entity in self.entities]
