"""Local graph of the activated units, made for one question and thrown away after ([Q] III-C1).

Each unit gives at most one edge, so k units make at most k edges and 2k nodes, in O(k) time and space whatever the
size of the memory. No graph library takes part; `graph_borders.py` hands the graph to one.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..types import MemoryUnit, Triple

SPOKE_OF = "spoke of"  # the predicate of a unit whose claim nobody has read
ARTICLES = ("a ", "an ", "the ")
EDGES = " \t.,;:!?\"'()[]{}…“”‘’"

EdgeKind = Literal["fact", "mention"]


@dataclass(frozen=True, slots=True)
class Node:
    """A subject or object. `key` tells nodes apart, `text` is the spelling that was seen first."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Edge:
    """Directed from subject to object; `source` and `target` are places in `LocalGraph.nodes`.

    `kind`: `fact` for the unit's triple, `mention` where it has none (see `local_graph`).
    """

    source: int
    target: int
    predicate: str
    unit_id: str
    kind: EdgeKind = "fact"


@dataclass(frozen=True, slots=True)
class LocalGraph:
    """Nodes in order of appearance, edges in the order of their units; `left_out` names units without an edge."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def edge_index(self) -> NDArray[np.int64]:
        """(2, edges) int64: sources over targets, as graph libraries want them."""
        pairs = [(edge.source, edge.target) for edge in self.edges]
        return np.asarray(pairs, np.int64).reshape(len(pairs), 2).T.copy()

    @property
    def facts(self) -> tuple[Edge, ...]:
        """The edges that are triples."""
        return tuple(edge for edge in self.edges if edge.kind == "fact")


def local_graph(units: Sequence[MemoryUnit], triples: Mapping[str, Triple] | None = None) -> LocalGraph:
    """The graph of these units, best first. `triples`: by unit id, for units that carry none themselves.

    A unit's own triple comes first, then the one given for it. A unit with neither is a turn in which nobody has read
    a claim: it gives the edge speaker –spoke of→ entity, which is true of it and joins it to units about the same
    thing; among its entities one that another unit has too is taken, else the first. A unit without any of that, or
    whose triple has an end that is empty or both ends alike, gives no edge and is named in `left_out`. A unit that
    is there twice counts once.

        >>> from qgmem.types import SourceSpan
        >>> span = SourceSpan("c1", "c1", "")
        >>> unit = MemoryUnit("c1", "verbatim", "I moved to Porto.", span, "s", 1, "Ana", "user")
        >>> graph = local_graph([unit], {"c1": Triple("Ana", "lives in", "Porto")})
        >>> [node.text for node in graph.nodes], graph.edges[0].predicate, graph.edge_index.tolist()
        (['Ana', 'Porto'], 'lives in', [[0], [1]])
    """
    given = {} if triples is None else triples
    once = list({unit.id: unit for unit in units}.values())
    shared = Counter(key for unit in once for key in {node_key(entity.text) for entity in unit.entities})
    places: dict[str, int] = {}
    nodes: list[Node] = []
    edges: list[Edge] = []
    left_out: list[str] = []

    def place(text: str) -> int:
        key = node_key(text)
        if key not in places:
            places[key] = len(nodes)
            nodes.append(Node(key, " ".join(text.split())))
        return places[key]

    for unit in once:
        triple, kind = _fact(unit, given, shared)
        if triple is None:
            left_out.append(unit.id)
            continue
        source = place(triple.subject)
        edges.append(Edge(source, place(triple.object), " ".join(triple.predicate.split()), unit.id, kind))
    return LocalGraph(tuple(nodes), tuple(edges), tuple(left_out))


def _fact(unit: MemoryUnit, given: Mapping[str, Triple], shared: Mapping[str, int]) -> tuple[Triple | None, EdgeKind]:
    for triple in (unit.triple, given.get(unit.id)):
        if triple is not None and _two_ends(triple):
            return triple, "fact"
    told = [Triple(unit.speaker, SPOKE_OF, entity.text) for entity in unit.entities]
    told = [triple for triple in told if _two_ends(triple)]
    return max(told, key=lambda triple: shared[node_key(triple.object)] > 1, default=None), "mention"


def _two_ends(triple: Triple) -> bool:
    subject, object = node_key(triple.subject), node_key(triple.object)
    return bool(subject and object and triple.predicate.strip()) and subject != object


def node_key(text: str) -> str:
    """What makes two ends one node: case, spaces, marks around it, a leading article and a trailing 's do not count.

    >>> node_key(" The  Observatory's "), node_key("observatory")
    ('observatory', 'observatory')
    """
    key = " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split()).strip(EDGES)
    article = next((each for each in ARTICLES if key.startswith(each)), "")
    return key.removeprefix(article).removesuffix("'s").strip(EDGES) or key
