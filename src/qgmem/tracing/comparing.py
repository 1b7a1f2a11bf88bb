"""Which atoms share a trace by cosine, kept up to date beside the store (SPEC §2.5).

The clusters live in memory; what lies in the store is enough to have them again without a search. Whatever changed,
in this process or another, is found by comparing what is stored with what is held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..construction.traces.clusters import ClusterChange, Clusters
from ..construction.traces.items import Item
from ..construction.traces.neighbours import COUNT
from ..construction.traces.relations import relation_of
from ..stores import trace_words
from ..stores.trace_records import Compared
from ..stores.trace_tables import TraceTables
from ..stores.trace_words import Vectors
from .settling import Groups

Near = dict[str, list[tuple[str, float]]]  # claim → its neighbours, nearest first


class Comparison:
    """The clusters of one namespace. `tau`: cosine of the embedder `embedder_id` from which claims are alike."""

    def __init__(self, embedder_id: str, dimension: int, tau: float) -> None:
        self._embedder_id, self._dimension, self._tau = embedder_id, dimension, tau
        self.wanted: tuple[str, ...] = ()  # texts that need a vector before anything can be compared
        self.forget()

    def forget(self) -> None:
        """Hold nothing: the next call reads what is stored. For when a transaction came to nothing."""
        self._clusters = Clusters(self._dimension, self._tau)
        self._held: dict[str, Item] = {}

    def __call__(self, tables: TraceTables) -> Groups | None:
        """Groups of atoms that are stored otherwise than they are now; None while texts have no vector (`wanted`)."""
        self.wanted = ()
        if trace_words.embedder_id(tables) not in (self._embedder_id, None):
            return {}
        name = f"{self._embedder_id}|{self._tau}"
        if tables.kept("traced_words") != name:
            trace_words.forget_words(tables)
            tables.keep("traced_words", name)
            self.forget()
        rows = {row.id: row for row in trace_words.compared(tables)}
        items = {key: _item(row) for key, row in rows.items()}
        fresh = [key for key, item in items.items() if self._held.get(key) != item]
        texts = dict.fromkeys(text for key in fresh for text in (items[key].subject, items[key].predicate))
        vectors = trace_words.words(tables, texts)
        self.wanted = tuple(text for text in texts if text not in vectors)
        if self.wanted:
            return None
        try:
            lists = self._renewed(tables, rows, items, fresh, vectors)
        except BaseException:
            self.forget()  # half done is worth nothing
            raise
        trace_words.put_nearest(tables, lists)
        if not trace_words.incomparable(tables):
            tables.keep("uncompared", None)
        return self._groups(tables, rows)

    def _renewed(
        self,
        tables: TraceTables,
        rows: Mapping[str, Compared],
        items: dict[str, Item],
        fresh: Sequence[str],
        vectors: Mapping[str, Vectors],
    ) -> dict[int, list[tuple[int, float]]]:
        """Bring the clusters up to date; the lists that are to be stored."""
        by_unit = trace_words.unit_vectors(tables, [rows[key].unit for key in fresh])
        facts = {key: by_unit[rows[key].unit] for key in fresh}

        def of(keys: Sequence[str]) -> tuple[list[Item], Vectors, Vectors, Vectors]:
            chosen = [items[key] for key in keys]
            subjects, predicates = [vectors[i.subject] for i in chosen], [vectors[i.predicate] for i in chosen]
            return chosen, np.stack([facts[key] for key in keys]), np.stack(subjects), np.stack(predicates)

        changes: list[ClusterChange] = []
        left = [key for key in fresh if all(map(np.any, (facts[key], *_words(items[key], vectors))))]
        if self._held:
            gone = [key for key, item in self._held.items() if item != items.get(key)]
            changes.append(self._clusters.remove([key for key in gone if key in self._clusters]))
        else:
            near = _stored(tables, rows, left)
            if near:
                self._clusters.restore(*of(list(near)), list(near.values()))
                full = min(COUNT, len(near) - 1)
                changes.append(self._clusters.relist([key for key, listed in near.items() if len(listed) < full]))
                left = [key for key in left if key not in near]
        if left:
            changes.append(self._clusters.add(*of(left)))
        self._held = items
        lists = {key for change in changes for key in change.lists if key in self._clusters}
        return {
            rows[key].triple: [(rows[other].triple, value) for other, value in self._clusters.neighbours(key)]
            for key in lists
        }

    def _groups(self, tables: TraceTables, rows: Mapping[str, Compared]) -> Groups:
        """For each atom that is stored in another group than it is in now: the latter."""
        group_of: dict[int, tuple[int, ...]] = {}
        for cluster in self._clusters.clusters():
            atoms = tuple(sorted({rows[key].atom for key in cluster}))
            group_of |= dict.fromkeys(atoms, atoms)
        trace_of = trace_words.together(tables)
        stored: dict[int | None, list[int]] = {}
        for atom, trace in sorted(trace_of.items()):
            stored.setdefault(trace, []).append(atom)
        now = {atom: group_of.get(atom, (atom,)) for atom in trace_of}
        return {
            atom: now[atom] for atom, trace in trace_of.items() if trace is None or tuple(stored[trace]) != now[atom]
        }


def _stored(tables: TraceTables, rows: Mapping[str, Compared], keys: Sequence[str]) -> Near:
    """Lists as they were stored, without claims that are gone."""
    lists = trace_words.nearest(tables)
    name = {rows[key].triple: key for key in keys if rows[key].triple in lists}
    return {key: [(name[t], value) for t, value in lists[triple] if t in name] for triple, key in name.items()}


def _item(row: Compared) -> Item:
    """A claim as clustering sees it. A relation of the table is certain, another is what its words say."""
    known = relation_of(row.predicate, "").one is not None
    marks = (row.subject if row.sure else None, row.relation if known else None)
    return Item(row.id, (row.subject, row.relation), row.name, row.predicate, marks)


def _words(item: Item, vectors: Mapping[str, Vectors]) -> tuple[Vectors, Vectors]:
    return vectors[item.subject], vectors[item.predicate]
