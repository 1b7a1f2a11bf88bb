"""What counts as a graph that can be encoded."""

from __future__ import annotations

import numpy as np
import pytest

from qgmem.errors import InvalidInput
from qgmem.generation.graph_arrays import GraphArrays
from qgmem.generation.graph_token import GraphTokenShape

NODES, EDGES, PREDICATES = np.zeros((2, 3), np.float32), np.array([[0], [1]]), np.zeros((1, 3), np.float32)


@pytest.mark.parametrize(
    ("nodes", "edges", "predicates", "said"),
    [
        (NODES[0], EDGES, PREDICATES, r"nodes: expected \(n, d\) float32, got \(3,\)"),
        (NODES, EDGES.T, PREDICATES, r"edges: expected \(2, e\) int64, got \(1, 2\)"),
        (NODES, EDGES, PREDICATES[:, :2], r"predicates: expected \(1, 3\) float32, got \(1, 2\)"),
        (NODES, EDGES + 1, PREDICATES, "edges: name nodes 1 to 2 of 2"),
        (NODES, EDGES * 0, PREDICATES, "edges: lead from a node to itself"),
    ],
)
def test_what_does_not_fit_is_refused(
    nodes: np.ndarray, edges: np.ndarray, predicates: np.ndarray, said: str
) -> None:
    with pytest.raises(InvalidInput, match=said):
        GraphArrays(nodes, edges, predicates)


def test_sizes_are_checked_before_anything_is_made() -> None:
    with pytest.raises(InvalidInput, match="4 heads do not divide the embedder's width 10"):
        GraphTokenShape(10, 8)
    with pytest.raises(InvalidInput, match=r"graph_token\.tokens: expected a whole number of at least 1, got 0"):
        GraphTokenShape(8, 8, 0)
