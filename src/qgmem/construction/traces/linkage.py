"""Complete linkage of the atoms of one component: no chaining, and the same result from any order (SPEC §2.5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

Edge = tuple[float, str, str]  # (-product, smaller id, larger id): sorts by descending similarity, ties by id


def link(
    atoms: Iterable[int], edges: Sequence[tuple[Edge, int, int]], alike: Callable[[int, int], bool]
) -> list[list[int]]:
    """Groups of atoms. `edges`: (key, atom, atom) in any order; `alike(a, b)`: all cross pairs of two atoms reach τ.

    Edges are taken in order of their keys. Two groups merge if every atom of one is alike every atom of the other.
    What was refused once stays refused, since groups only grow.
    """
    group = {atom: atom for atom in atoms}
    members = {atom: [atom] for atom in group}
    refused: dict[int, set[int]] = {atom: set() for atom in group}
    for _, left, right in sorted(edges):
        a, b = group[left], group[right]
        if a == b or b in refused[a]:
            continue
        if not all(alike(x, y) for x in members[a] for y in members[b]):
            refused[a].add(b)
            refused[b].add(a)
            continue
        if len(members[a]) < len(members[b]):
            a, b = b, a
        for atom in members[b]:
            group[atom] = a
        members[a] += members.pop(b)
        for other in refused.pop(b):
            refused[other].discard(b)
            refused[other].add(a)
            refused[a].add(other)
    return [sorted(atoms_of) for atoms_of in members.values()]
