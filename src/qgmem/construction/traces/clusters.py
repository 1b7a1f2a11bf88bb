"""Which units share a trace, kept up to date: the clusters of the full set after every change (SPEC §2.5).

Units of one (subject id, normalised predicate) form an *atom*, which is never split. Atoms are joined by edges: pairs
of units of which one is among the other's 20 nearest by fact and whose similarity, the least of three cosines, is τ
or more. Since two groups merge only if all their cross pairs reach τ, two atoms that fail this between themselves
can never come together, so only edges between atoms that are alike can matter. What these connect is a component;
components decide for themselves. A change recomputes those in which a list, an atom or an edge changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import NotFound
from .alike import Alike
from .fixed_point import Dots, fixed, product, products
from .items import Item, Items
from .linkage import Edge, link
from .neighbours import COUNT, NONE, Neighbours

Cluster = tuple[str, ...]  # unit ids, sorted


@dataclass(frozen=True, slots=True)
class ClusterChange:
    """What a change did. `lists`: units whose neighbour list is new. `gone` and `made`: clusters before and after."""

    lists: tuple[str, ...]
    gone: frozenset[Cluster]
    made: frozenset[Cluster]


class Clusters:
    """Incremental complete linkage over one memory. τ is a cosine in [-1, 1], of the embedder in use."""

    def __init__(self, dimension: int, tau: float, *, neighbours: int = COUNT, dots: Dots = products) -> None:
        self._items = Items(dimension)
        self._near = Neighbours(self._items, dots, neighbours)
        self._least = product(tau)
        self._atom_of: dict[tuple[str, str], int] = {}
        self._rows: list[list[int]] = []  # atom -> living rows, in order of arrival
        self._row_atom: list[int] = []
        self._out: list[dict[int, Edge]] = []  # atom -> atom in one of its lists -> the best edge
        self._into: list[set[int]] = []
        self._alike = Alike(self._items, self._rows, self._least)
        self._component: dict[int, frozenset[int]] = {}
        self._grouped: dict[int, list[list[int]]] = {}  # least atom of a component -> its groups

    def add(
        self,
        items: Sequence[Item],
        facts: NDArray[np.floating],
        subjects: NDArray[np.floating],
        predicates: NDArray[np.floating],
    ) -> ClusterChange:
        """Add units with their (n, d) vectors of fact, subject and predicate. Raises InvalidInput."""
        if not items:
            return ClusterChange((), frozenset(), frozenset())
        new = self._items.add(items, fixed(facts), fixed(subjects), fixed(predicates))
        touched = self._place(new)
        lists = self._near.add(new) | set(new)
        return self._update(lists, touched, first_new=new.start)

    def remove(self, ids: Sequence[str]) -> ClusterChange:
        """Take units out. Raises NotFound for an unknown id; nothing has changed then."""
        for unit_id in ids:
            if unit_id not in self._items.row_of:
                raise NotFound(f"unit {unit_id} is in no cluster")
        gone = [self._items.row_of[unit_id] for unit_id in dict.fromkeys(ids)]
        self._items.kill(gone)
        lists = self._near.remove(gone)
        touched = {self._row_atom[row] for row in gone}
        for atom in touched:
            self._rows[atom] = [row for row in self._rows[atom] if self._items.alive[row]]
            self._alike.forget(atom)
        return self._update(lists, touched, gone_rows=gone)

    def relist(self, ids: Sequence[str]) -> ClusterChange:
        """Search the neighbours of these units again: lists that were stored may name units that are gone."""
        rows = [self._items.row_of[unit_id] for unit_id in ids]
        self._near.relist(rows)
        return self._update(set(rows), set())

    def clusters(self) -> frozenset[Cluster]:
        """Every cluster of two or more units."""
        return self._named(set(self._grouped))

    def __contains__(self, unit_id: object) -> bool:
        return unit_id in self._items.row_of

    def neighbours(self, unit_id: str) -> tuple[tuple[str, float], ...]:
        """A unit's list, (id, product) nearest first: what to store so that a restart need not search."""
        return self._near.listed(self._items.row_of[unit_id])

    def restore(
        self,
        items: Sequence[Item],
        facts: NDArray[np.floating],
        subjects: NDArray[np.floating],
        predicates: NDArray[np.floating],
        lists: Sequence[Iterable[tuple[str, float]]],
    ) -> None:
        """Fill an empty object with what was stored: no search, the same clusters."""
        new = self._items.add(items, fixed(facts), fixed(subjects), fixed(predicates))
        touched = self._place(new)
        for row, listed in zip(new, lists, strict=True):
            self._near.restore(row, listed)
        self._update(set(new), touched)

    def _place(self, new: range) -> set[int]:
        """Put new rows into atoms; the atoms that grew."""
        touched = set()
        for row in new:
            atom = self._atom_of.setdefault(self._items.items[row].key, len(self._rows))
            if atom == len(self._rows):
                self._rows.append([])
                self._out.append({})
                self._into.append(set())
            self._rows[atom].append(row)
            self._row_atom.append(atom)
            touched.add(atom)
        return touched

    def _update(
        self, lists: set[int], touched: set[int], *, first_new: int | None = None, gone_rows: Sequence[int] = ()
    ) -> ClusterChange:
        """Renew edges of changed lists, then the components around them."""
        seeds = touched | {self._row_atom[row] for row in lists}
        for atom in touched:  # whom they are alike may have changed with their units
            seeds |= self._into[atom] | self._out[atom].keys()
        seeds |= self._renew(seeds)
        before: set[int] = set()
        for atom in seeds:
            before |= self._component.get(atom, frozenset({atom}))
        roots = {min(self._component[atom]) for atom in before if atom in self._component}
        gone = self._named(roots, first_new, gone_rows)
        for root in roots:
            del self._grouped[root]
        left = {atom for atom in before if self._rows[atom]}
        for atom in before - left:
            self._component.pop(atom, None)
        made: set[int] = set()
        while left:
            component = self._reach(left.pop())
            self._settle(component)
            made.add(min(component))
            left -= component
        after = self._named(made)
        ids = tuple(sorted(self._items.items[row].id for row in lists if self._items.alive[row]))
        return ClusterChange(ids, gone - after, after - gone)

    def _renew(self, atoms: Iterable[int]) -> set[int]:
        """Work out again which edges leave these atoms; the atoms at the other end of what changed."""
        others: set[int] = set()
        for atom, fresh in self._edges(atoms).items():
            old = self._out[atom]
            for other in old.keys() - fresh.keys():
                self._into[other].discard(atom)
            for other in fresh.keys() - old.keys():
                self._into[other].add(atom)
            others |= {other for other in old.keys() | fresh.keys() if old.get(other) != fresh.get(other)}
            self._out[atom] = fresh
        return others

    def _edges(self, atoms: Iterable[int]) -> dict[int, dict[int, Edge]]:
        """The best edge from each of these atoms to every atom that one of its lists names."""
        found: dict[int, dict[int, Edge]] = {atom: {} for atom in atoms}
        rows = np.fromiter((row for atom in found for row in self._rows[atom]), dtype=np.int32)
        near, values = self._near.rows[rows], self._near.products[rows]
        place, column = np.nonzero((near != NONE) & (values >= self._least))
        left, right, facts = rows[place], near[place, column], values[place, column]
        items, atom_of = self._items.items, self._row_atom
        homes = np.fromiter((atom_of[row] for row in left.tolist()), dtype=np.int32, count=len(left))
        theirs = np.fromiter((atom_of[row] for row in right.tolist()), dtype=np.int32, count=len(right))
        keep = np.flatnonzero((homes != theirs) & ~self._items.apart(left, right))
        similarity = self._items.least(left[keep], right[keep], facts[keep])
        keep, similarity = keep[similarity >= self._least], similarity[similarity >= self._least]
        pairs = zip(left[keep].tolist(), right[keep].tolist(), similarity.tolist(), strict=True)
        for a, b, value in pairs:
            one, two = items[a].id, items[b].id
            edge = (-value, one, two) if one < two else (-value, two, one)
            edges, there = found[atom_of[a]], atom_of[b]
            if there not in edges or edge < edges[there]:
                edges[there] = edge
        return found

    def _reach(self, start: int) -> frozenset[int]:
        """All atoms that edges between alike atoms connect with `start`."""
        seen, todo = {start}, [start]
        while todo:
            atom = todo.pop()
            for other in (*self._out[atom], *self._into[atom]):
                if other not in seen and self._alike(atom, other):
                    seen.add(other)
                    todo.append(other)
        return frozenset(seen)

    def _settle(self, component: frozenset[int]) -> None:
        """Link one component and remember it."""
        edges: list[tuple[Edge, int, int]] = []
        for atom in component:
            self._component[atom] = component
            edges += [(edge, atom, other) for other, edge in self._out[atom].items() if other in component]
        self._grouped[min(component)] = link(component, edges, self._alike)

    def _named(
        self, roots: Iterable[int], first_new: int | None = None, gone_rows: Sequence[int] = ()
    ) -> frozenset[Cluster]:
        """Clusters of two or more units of these components, without rows from `first_new`, with `gone_rows`."""
        extra: dict[int, list[int]] = {}
        for row in gone_rows:
            extra.setdefault(self._row_atom[row], []).append(row)
        limit = len(self._items) if first_new is None else first_new
        named = set()
        for root in roots:
            for group in self._grouped[root]:
                rows = [row for atom in group for row in (*self._rows[atom], *extra.get(atom, ())) if row < limit]
                if len(rows) > 1:
                    named.add(tuple(sorted(self._items.items[row].id for row in rows)))
        return frozenset(named)
