"""Clusters do not depend on how the history was cut, and are those of a plain program over the full set."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from qgmem.construction.traces.clusters import Cluster, Clusters
from qgmem.construction.traces.fixed_point import fixed, product
from qgmem.construction.traces.items import Item

WIDTH, NEAR = 6, 3
Vectors = NDArray[np.float32]


def world(seed: int, size: int) -> tuple[list[Item], Vectors, Vectors, Vectors]:
    """Items around few centres, so that neighbours tie, chains form, keys and marks repeat."""
    draw = np.random.default_rng(seed)

    def some(count: int, spread: float) -> Vectors:
        centres = draw.normal(size=(4, WIDTH))
        rows = centres[draw.integers(0, 4, count)] + spread * draw.normal(size=(count, WIDTH))
        unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit

    facts = some(size, 0.4)
    facts[draw.random(size) < 0.2] = facts[0]  # equal facts: ties by id
    names, words = some(3, 0.5), some(3, 0.5)
    who, what = draw.integers(0, 3, size), draw.integers(0, 3, size)
    order = draw.permutation(size)
    items = [
        Item(
            f"u{order[i]:03d}",
            (f"s{who[i]}", f"p{what[i]}") if draw.random() < 0.6 else (f"own{i}", ""),
            f"name{who[i]}", f"word{what[i]}",
        )
        for i in range(size)
    ]  # fmt: skip
    marks = {
        key: (None if draw.random() < 0.8 else f"m{draw.integers(0, 2)}", None) for key in {i.key for i in items}
    }
    items = [Item(i.id, i.key, i.subject, i.predicate, marks[i.key]) for i in items]
    return items, facts, names[who], words[what]


def plain(items: list[Item], parts: tuple[Vectors, Vectors, Vectors], tau: float) -> frozenset[Cluster]:
    """SPEC §2.5 word for word: all pairs, one merge at a time, no components, nothing remembered."""
    least = product(tau)
    whole = [fixed(part).astype(np.int64) for part in parts]
    similar = np.minimum.reduce([part @ part.T for part in whole])
    fact = whole[0] @ whole[0].T
    ids = [item.id for item in items]

    def nearest(i: int) -> set[int]:
        return set(sorted((j for j in range(len(items)) if j != i), key=lambda j: (-fact[i, j], ids[j]))[:NEAR])

    lists = [nearest(i) for i in range(len(items))]
    groups: list[set[int]] = []
    for i, item in enumerate(items):
        home = next((g for g in groups if items[min(g)].key == item.key), None)
        if home is None:
            groups.append({i})
        else:
            home.add(i)

    def apart(a: int, b: int) -> bool:
        pairs = zip(items[a].marks, items[b].marks, strict=True)
        return any(x is not None and y is not None and x != y for x, y in pairs)

    pairs = [(i, j) for i, j in combinations(range(len(items)), 2) if j in lists[i] or i in lists[j]]
    for i, j in sorted(pairs, key=lambda p: (-similar[p], *sorted((ids[p[0]], ids[p[1]])))):
        a, b = (next(g for g in groups if k in g) for k in (i, j))
        if a is not b and all(similar[x, y] >= least and not apart(x, y) for x in a for y in b):
            groups.remove(b)
            a |= b
    return frozenset(tuple(sorted(ids[i] for i in g)) for g in groups if len(g) > 1)


def grown(items: list[Item], parts: tuple[Vectors, Vectors, Vectors], tau: float, cuts: list[int]) -> Clusters:
    """Added in pieces that end at `cuts`; the reported changes must add up to the clusters."""
    clusters = Clusters(WIDTH, tau, neighbours=NEAR)
    mirror: set[Cluster] = set()
    for start, stop in zip([0, *cuts], [*cuts, len(items)], strict=True):
        change = clusters.add(items[start:stop], *(part[start:stop] for part in parts))
        assert change.gone <= mirror
        mirror = (mirror - change.gone) | change.made
        assert mirror == clusters.clusters()
    return clusters


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(2, 26), tau=st.sampled_from((0.2, 0.5, 0.8)), data=st.data())
def test_any_cut_and_order_gives_the_clusters_of_the_full_set(
    seed: int, size: int, tau: float, data: st.DataObject
) -> None:
    """Also with the units shuffled, and after taking units out and bringing them back."""
    items, *parts = world(seed, size)
    facts, subjects, predicates = parts
    expected = plain(items, (facts, subjects, predicates), tau)
    order = data.draw(st.permutations(range(size)))
    cuts = sorted(data.draw(st.sets(st.integers(0, size), max_size=5)))
    mixed = [items[i] for i in order]
    moved = (facts[order], subjects[order], predicates[order])
    clusters = grown(mixed, moved, tau, cuts)
    assert clusters.clusters() == expected

    gone = data.draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=min(6, size - 1)))
    stay = [i for i in range(size) if i not in gone]
    before = clusters.clusters()
    change = clusters.remove([mixed[i].id for i in sorted(gone)])
    left = plain([mixed[i] for i in stay], (moved[0][stay], moved[1][stay], moved[2][stay]), tau)
    assert clusters.clusters() == left
    assert (before - change.gone) | change.made == left

    back = sorted(gone)
    clusters.add([mixed[i] for i in back], *(part[back] for part in moved))
    assert clusters.clusters() == expected


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(2, 26), cut=st.integers(1, 25))
def test_restored_from_its_lists_it_goes_on_as_before(seed: int, size: int, cut: int) -> None:
    """What is stored of a unit is its item, its vectors and its list; no search is made on restoring."""
    items, facts, subjects, predicates = world(seed, size)
    cut = min(cut, size)
    first = Clusters(WIDTH, 0.5, neighbours=NEAR)
    first.add(items[:cut], facts[:cut], subjects[:cut], predicates[:cut])

    def none(_queries: object, _base: object) -> NDArray[np.float32]:
        raise AssertionError("a restored memory searches nothing")

    quiet = Clusters(WIDTH, 0.5, neighbours=NEAR, dots=none)
    again = Clusters(WIDTH, 0.5, neighbours=NEAR)
    for each in (quiet, again):
        lists = [first.neighbours(item.id) for item in items[:cut]]
        each.restore(items[:cut], facts[:cut], subjects[:cut], predicates[:cut], lists)
        assert each.clusters() == first.clusters()
    for each in (first, again):
        each.add(items[cut:], facts[cut:], subjects[cut:], predicates[cut:])
    assert again.clusters() == first.clusters()
