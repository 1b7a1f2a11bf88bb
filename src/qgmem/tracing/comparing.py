"""Which atoms share a trace by cosine, kept up to date beside the store (SPEC §2.5).

The clusters live in memory; what lies in the store is enough to have them again without a search. Whatever changed,
in this process or another, is found by comparing what is stored with what is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..construction.traces.clusters import Cluster, ClusterChange, Clusters
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
        self._held: dict[str, Compared] = {}  # claims as they were last seen
        self._gone: list[str] = []
        self._waiting: dict[str, int] = {}  # claims without a vector, or set apart
        self._seen = 0  # change up to which claims were read

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
        came = self._came(tables)
        fresh = [key for key, row in came.items() if row.ready and self._held.get(key) != row]
        texts = dict.fromkeys(text for key in fresh for text in (came[key].name, came[key].predicate))
        vectors = trace_words.words(tables, texts)
        self.wanted = tuple(text for text in texts if text not in vectors)
        if self.wanted:
            return None
        try:
            groups = self._renewed(tables, came, fresh, vectors)
        except BaseException:
            self.forget()  # half done is worth nothing
            raise
        self._seen = tables.change
        if not self._waiting:
            tables.keep("uncompared", None)
        return groups

    def _came(self, tables: TraceTables) -> dict[str, Compared]:
        """Claims that came or moved since the last call; all of them if some are gone."""
        rows = {row.id: row for row in trace_words.compared(tables, self._seen, list(self._waiting.values()))}
        if len(self._held.keys() | self._waiting.keys() | rows.keys()) != trace_words.how_many(tables):
            rows = {row.id: row for row in trace_words.compared(tables, 0)}
            self._gone = [key for key in self._held if key not in rows]
            self._waiting = {key: triple for key, triple in self._waiting.items() if key in rows}
        else:
            self._gone = []
        return rows

    def _renewed(
        self, tables: TraceTables, came: Mapping[str, Compared], fresh: Sequence[str], vectors: Mapping[str, Vectors]
    ) -> Groups:
        """Bring the clusters up to date, store lists that changed; groups that differ from what is stored."""
        cold = not self._held
        before = self._held
        facts = trace_words.unit_vectors(tables, [came[key].unit for key in fresh])
        left = [
            key
            for key in fresh
            if all(map(np.any, (facts[came[key].unit], vectors[came[key].name], vectors[came[key].predicate])))
        ]

        def of(keys: Sequence[str]) -> tuple[list[Item], Vectors, Vectors, Vectors]:
            rows = [came[key] for key in keys]
            subjects, predicates = [vectors[row.name] for row in rows], [vectors[row.predicate] for row in rows]
            return (
                list(map(_item, rows)),
                np.stack([facts[r.unit] for r in rows]),
                np.stack(subjects),
                np.stack(predicates),
            )

        changes: list[ClusterChange] = []
        if cold:
            near = _stored(tables, came, left)
            if near:
                self._clusters.restore(*of(list(near)), list(near.values()))
                full = min(COUNT, len(near) - 1)
                changes.append(self._clusters.relist([key for key, listed in near.items() if len(listed) < full]))
                left = [key for key in left if key not in near]
        else:
            moved = [key for key, row in came.items() if key in before and before[key] != row]
            changes.append(self._clusters.remove([key for key in (*self._gone, *moved) if key in self._clusters]))
        if left:
            changes.append(self._clusters.add(*of(left)))
        self._held = dict(before)
        for key in self._gone:
            del self._held[key]
        for key, row in came.items():
            self._held.pop(key, None)
            self._waiting.pop(key, None)
            if row.ready:
                self._held[key] = row
            else:
                self._waiting[key] = row.triple
        self._store_lists(tables, {key for change in changes for key in change.lists})
        if cold:
            clusters, atoms = self._clusters.clusters(), {row.atom for row in self._held.values()}
        else:
            clusters = frozenset()
            for change in changes:
                clusters = (clusters - change.gone) | change.made
            seen = {key for change in changes for cluster in (*change.gone, *change.made) for key in cluster}
            atoms = {rows[key].atom for rows in (before, self._held) for key in seen | set(fresh) if key in rows}
        atoms |= {row.atom for row in came.values() if not row.ready}
        return self._groups(tables, clusters, atoms)

    def _store_lists(self, tables: TraceTables, keys: Iterable[str]) -> None:
        rows = self._held
        lists = {
            rows[key].triple: [(rows[other].triple, value) for other, value in self._clusters.neighbours(key)]
            for key in keys
            if key in self._clusters
        }
        trace_words.put_nearest(tables, lists)

    def _groups(self, tables: TraceTables, clusters: Iterable[Cluster], atoms: Iterable[int]) -> Groups:
        """For each of these atoms that is stored in another group than it is in now: the latter."""
        group_of: dict[int, tuple[int, ...]] = {}
        for cluster in clusters:
            group = tuple(sorted({self._held[key].atom for key in cluster}))
            group_of |= dict.fromkeys(group, group)
        stored = trace_words.together(tables, atoms)
        found: dict[int, tuple[int, ...]] = {}
        for atom in {*stored, *group_of}:
            now = group_of.get(atom, (atom,))
            if stored.get(atom) != now:
                found[atom] = now
        return found


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
