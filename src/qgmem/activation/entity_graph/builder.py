"""Grows the Entity–Memory graph from a stream of memories; reading a graph merges only what is new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from qgmem.errors import InvalidInput
from qgmem.types import Entity, EntityType

from .graph import EntityGraph, GraphEntity
from .keys import normalise_key
from .names import NAMELESS, NameIndex, Tokenizer, first_release_tokens

Pairs = tuple[list[int], list[int], list[int]]  # row, column, value


class GraphBuilder:
    """Adds and removes memories, and hands out frozen graphs. Not thread-safe; a graph it gave is.

    Adding costs O(mentions); the next `graph()` then splices the new mentions into the arrays of the last
    one, O(n) copying and no sorting. Removing compacts on the next `graph()`, so that a removed name leaves
    neither text nor statistics behind.
    """

    def __init__(self, tokenize: Tokenizer = first_release_tokens) -> None:
        self._tokenize = tokenize
        self._entities: list[GraphEntity] = []
        self._key_ids: dict[str, int] = {}
        self._token_ids: dict[str, int] = {}
        self._lengths: list[int] = []
        self._memory_ids: list[str] = []
        self._slots: dict[str, int] = {}
        self._times: list[float] = []
        self._removed: set[int] = set()
        self._new_mentions: Pairs = ([], [], [])
        self._new_tokens: Pairs = ([], [], [])
        self._graph: EntityGraph | None = None
        self._stale = True

    def add(
        self, memory_id: str, entities: Iterable[Entity], *, speaker: str = "", position: float | None = None
    ) -> None:
        """One memory with its entities; `speaker` is linked as a Who unless empty.

        Entities whose keys are equal share a node, which keeps the first value and type, but becomes Who
        once a speaker has that name. `position` orders memories chronologically (any number that grows with
        time; equal ones keep their order of arrival); left out, the memory follows all others so far.
        Raises InvalidInput for an id that the graph holds.
        """
        if memory_id in self._slots:
            raise InvalidInput("memory_id", f"{memory_id!r} is in the graph already", "remove it first")
        slot = self._slots[memory_id] = len(self._memory_ids)
        self._memory_ids.append(memory_id)
        last = self._times[-1] if self._times else 0.0
        self._times.append(last if position is None else position)
        links: dict[int, bool] = {}
        for entity in entities:
            if key := normalise_key(entity.text):
                links[self._entity(key, entity.text, entity.type)] = False
        if key := normalise_key(speaker):
            who = self._entity(key, speaker, "Who")
            if self._entities[who].type != "Who":
                self._entities[who] = replace(self._entities[who], type="Who")
            links.setdefault(who, True)
        for index, by_link in links.items():
            _append(self._new_mentions, index, slot, int(by_link))
        self._stale = True

    def remove(self, memory_id: str) -> None:
        """Takes a memory out, with every entity that nothing else mentions. Unknown ids are left alone."""
        slot = self._slots.pop(memory_id, None)
        if slot is not None:
            self._removed.add(slot)
            self._stale = True

    def graph(self) -> EntityGraph:
        """The graph as of now; the same object until something changes."""
        if self._removed:
            self._compact()
        if self._graph is None or self._stale:
            old = self._graph
            offsets, memories, links = _splice(
                (old.offsets, old.memories, old.by_link.astype(np.int32)) if old else None,
                self._new_mentions,
                len(self._entities),
            )
            names = old.names if old else None
            token_offsets, holders, counts = _splice(
                (names.offsets, names.entities, names.counts) if names else None,
                self._new_tokens,
                len(self._token_ids),
            )
            self._graph = EntityGraph(
                entities=tuple(self._entities),
                memory_ids=tuple(self._memory_ids),
                order=np.argsort(np.asarray(self._times), kind="stable").astype(np.int32),
                offsets=offsets,
                memories=memories,
                by_link=links.astype(np.bool_),
                names=NameIndex(
                    self._token_ids, token_offsets, holders, counts, np.asarray(self._lengths, np.float64)
                ),
                tokenize=self._tokenize,
                key_ids=self._key_ids,
            )
            self._new_mentions, self._new_tokens = ([], [], []), ([], [], [])
            self._stale = False
        return self._graph

    def _entity(self, key: str, value: str, kind: EntityType) -> int:
        index = self._key_ids.get(key)
        if index is None:
            index = self._key_ids[key] = len(self._entities)
            self._entities.append(GraphEntity(key, value, kind))
            tokens = Counter(self._tokenize(value)) or Counter([NAMELESS])
            self._lengths.append(tokens.total())
            for token, count in tokens.items():
                row = self._token_ids.setdefault(token, len(self._token_ids))
                _append(self._new_tokens, row, index, count)
        return index

    def _compact(self) -> None:
        """Builds anew from the memories that stay."""
        dead, self._removed = self._removed, set()
        graph = self.graph()
        columns = graph.memories
        rows = np.repeat(np.arange(len(graph.entities)), np.diff(graph.offsets))
        fresh = GraphBuilder(self._tokenize)
        by_memory: dict[int, list[tuple[GraphEntity, bool]]] = {}
        for row, slot, link in zip(rows.tolist(), columns.tolist(), graph.by_link.tolist(), strict=True):
            by_memory.setdefault(slot, []).append((graph.entities[row], link))
        for slot, memory_id in enumerate(self._memory_ids):
            if slot not in dead:
                fresh._restore(memory_id, by_memory.get(slot, []), self._times[slot])
        self.__dict__.update(fresh.__dict__)

    def _restore(self, memory_id: str, links: list[tuple[GraphEntity, bool]], position: float) -> None:
        slot = self._slots[memory_id] = len(self._memory_ids)
        self._memory_ids.append(memory_id)
        self._times.append(position)
        for entity, by_link in links:
            _append(self._new_mentions, self._entity(entity.key, entity.value, entity.type), slot, int(by_link))


def _append(pairs: Pairs, row: int, column: int, value: int) -> None:
    for target, item in zip(pairs, (row, column, value), strict=True):
        target.append(item)


Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]


def _splice(base: Rows | None, new: Pairs, rows: int) -> Rows:
    """Appends new (column, value) pairs to the end of their rows: (rows + 1,) offsets, columns, values."""
    old_offsets, old_columns, old_values = base or (
        np.zeros(1, np.int64),
        np.empty(0, np.int32),
        np.empty(0, np.int32),
    )
    offsets = np.concatenate([old_offsets, np.full(rows + 1 - len(old_offsets), old_offsets[-1])])
    row, column, value = (np.asarray(part, np.int64) for part in new)
    by_row = np.argsort(row, kind="stable")
    row, column, value = row[by_row], column[by_row], value[by_row]
    at = offsets[row + 1]
    grown = offsets + np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))])
    return (
        grown,
        np.insert(old_columns, at, column.astype(np.int32)),
        np.insert(old_values, at, value.astype(np.int32)),
    )
