"""The local graph in other people's types. Nothing inside the package needs this."""

from __future__ import annotations

from typing import Any

from ..errors import MissingExtra
from .local_graph import LocalGraph


def to_networkx(graph: LocalGraph) -> Any:
    """A `networkx.MultiDiGraph`: nodes by key with `text`; edges by unit id with `predicate` and `kind`.

    Raises MissingExtra.
    """
    try:
        import networkx
    except ImportError as error:
        raise MissingExtra("to_networkx", "graph") from error
    made = networkx.MultiDiGraph()
    for node in graph.nodes:
        made.add_node(node.key, text=node.text)
    for edge in graph.edges:
        ends = graph.nodes[edge.source].key, graph.nodes[edge.target].key
        made.add_edge(*ends, key=edge.unit_id, predicate=edge.predicate, kind=edge.kind)
    return made
