"""The local graph as arrays: what the graph encoder reads ([Q] III-C2). Needs no torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput

Float32 = NDArray[np.float32]
Int64 = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GraphArrays:
    """One directed graph. `nodes`: (n, d) float32; `edges`: (2, e) int64, row 0 from, row 1 to; `predicates`: (e, d).

    n and e may be 0. Edges between the same nodes stay apart, one a claim; an edge from a node to itself is refused.
    Raises InvalidInput naming the array, what was expected and what came.
    """

    nodes: Float32
    edges: Int64
    predicates: Float32

    def __post_init__(self) -> None:
        if self.nodes.ndim != 2 or self.nodes.dtype != np.float32:
            raise InvalidInput("graph.nodes", f"expected (n, d) float32, got {self.nodes.shape} {self.nodes.dtype}")
        n, d = self.nodes.shape
        if self.edges.ndim != 2 or self.edges.shape[0] != 2 or self.edges.dtype != np.int64:
            raise InvalidInput("graph.edges", f"expected (2, e) int64, got {self.edges.shape} {self.edges.dtype}")
        e = self.edges.shape[1]
        if self.predicates.shape != (e, d) or self.predicates.dtype != np.float32:
            raise InvalidInput(
                "graph.predicates",
                f"expected ({e}, {d}) float32, got {self.predicates.shape} {self.predicates.dtype}",
            )
        if e and (self.edges.min() < 0 or self.edges.max() >= n):
            raise InvalidInput("graph.edges", f"name nodes {self.edges.min()} to {self.edges.max()} of {n}")
        if bool((self.edges[0] == self.edges[1]).any()):
            raise InvalidInput("graph.edges", "lead from a node to itself", "leave such claims out")

    @property
    def width(self) -> int:
        """d of the sentence encoder."""
        return int(self.nodes.shape[1])


def graph_arrays(
    nodes: Sequence[str], edges: Sequence[tuple[int, str, int]], embed: Callable[[Sequence[str]], Float32], width: int
) -> GraphArrays:
    """The arrays of a graph given as node texts and (from, predicate, to).

    `embed` is the sentence encoder of retrieval, asked once for nodes and predicates together; `width` is its d, for
    graphs without a node. Claims about a node and itself are left out: the root weight is the encoder's only loop.
    """
    kept = [edge for edge in edges if edge[0] != edge[2]]
    predicates = [predicate for _, predicate, _ in kept]
    texts = list(dict.fromkeys([*nodes, *predicates]))
    vectors = np.asarray(embed(texts), np.float32) if texts else np.zeros((0, width), np.float32)
    row = {text: at for at, text in enumerate(texts)}
    return GraphArrays(
        vectors[[row[text] for text in nodes]] if nodes else np.zeros((0, width), np.float32),
        np.array([[start for start, _, _ in kept], [end for _, _, end in kept]], np.int64).reshape(2, -1),
        vectors[[row[text] for text in predicates]] if predicates else np.zeros((0, width), np.float32),
    )
