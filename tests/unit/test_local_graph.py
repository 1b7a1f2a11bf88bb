"""The local graph: one edge a unit at most, nodes by normalised name, no graph library."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgmem.errors import MissingExtra
from qgmem.generation.graph_borders import to_networkx
from qgmem.generation.local_graph import SPOKE_OF, local_graph, node_key
from qgmem.types import Entity, MemoryUnit, SourceSpan, Triple


def unit(id: str, triple: Triple | None = None, speaker: str = "Ana", entities: tuple[str, ...] = ()) -> MemoryUnit:
    """A unit that rests on the turn of its own id."""
    found = tuple(Entity(text, "What") for text in entities)
    return MemoryUnit(id, "verbatim", f"text {id}", SourceSpan(id, id, f"text {id}"), "s", 1, speaker, "user",
                      triple=triple, entities=found)  # fmt: skip


def test_ends_that_differ_in_case_article_and_marks_are_one_node_in_the_first_spelling() -> None:
    """Two triples, four ends; "the Observatory" and "observatory's" are one, so three nodes."""
    graph = local_graph(
        [
            unit("u1", Triple("Ana", "works at", "the Observatory")),
            unit("u2", Triple("observatory's", "stands in", "Tromsø")),
        ]
    )
    assert [node.text for node in graph.nodes] == ["Ana", "the Observatory", "Tromsø"]
    assert [(edge.source, edge.target, edge.predicate, edge.unit_id) for edge in graph.edges] == [
        (0, 1, "works at", "u1"),
        (1, 2, "stands in", "u2"),
    ]
    assert graph.edge_index.tolist() == [[0, 1], [1, 2]]


def test_the_units_own_triple_goes_before_one_that_is_given() -> None:
    """A model read u1; the rules' reading of the same turn does not replace it, and serves u2, which has none."""
    given = {"u1": Triple("Ana", "likes", "rain"), "u2": Triple("Ana", "owns", "a boat")}
    graph = local_graph([unit("u1", Triple("Ana", "likes", "snow")), unit("u2")], given)
    assert [(graph.nodes[edge.target].text, edge.kind) for edge in graph.edges] == [
        ("snow", "fact"),
        ("a boat", "fact"),
    ]


def test_a_turn_without_a_claim_is_joined_to_others_by_what_it_speaks_of() -> None:
    """u1 names Biscuit and Porto, u2 Porto: the shared one is taken, so that both edges end in one node."""
    graph = local_graph([unit("u1", entities=("Biscuit", "Porto")), unit("u2", speaker="Ben", entities=("Porto",))])
    assert {(edge.predicate, edge.kind) for edge in graph.edges} == {(SPOKE_OF, "mention")}
    assert [(graph.nodes[edge.source].text, graph.nodes[edge.target].text) for edge in graph.edges] == [
        ("Ana", "Porto"),
        ("Ben", "Porto"),
    ]
    assert graph.facts == ()


def test_units_that_say_nothing_of_anything_are_named_and_give_no_edge() -> None:
    """No triple and no entity; an entity that is the speaker; an empty object; both ends alike: all are left out."""
    graph = local_graph(
        [
            unit("bare"),
            unit("self", entities=("ana",)),
            unit("empty", Triple("Ana", "likes", " ")),
            unit("loop", Triple("Ana", "is", "ana")),
        ]
    )
    assert (graph.nodes, graph.edges) == ((), ())
    assert graph.left_out == ("bare", "self", "empty", "loop")
    assert graph.edge_index.shape == (2, 0)


def test_two_units_with_one_claim_keep_an_edge_each() -> None:
    """The edge leads back to its unit, so both stay; the nodes are shared."""
    graph = local_graph([unit(name, Triple("Ana", "likes", "snow")) for name in ("u1", "u2", "u1")])
    assert len(graph.nodes) == 2
    assert [edge.unit_id for edge in graph.edges] == ["u1", "u2"]


words = st.text("aB é.'’", max_size=4)


@given(
    st.lists(
        st.tuples(st.one_of(st.none(), st.tuples(words, words, words)), st.lists(words, max_size=3)), max_size=12
    )
)
def test_k_units_give_at_most_k_edges_and_2k_nodes_and_every_unit_is_accounted_for(
    rows: list[tuple[tuple[str, str, str] | None, list[str]]],
) -> None:
    """Whatever the texts: each unit has one edge or is left out, no node is isolated, and keys are distinct."""
    units = [
        unit(f"u{place}", Triple(*triple) if triple else None, entities=tuple(names))
        for place, (triple, names) in enumerate(rows)
    ]
    graph = local_graph(units)
    assert len(graph.nodes) <= 2 * len(units)
    assert sorted([*graph.left_out, *(edge.unit_id for edge in graph.edges)]) == sorted(each.id for each in units)
    assert set(graph.edge_index.ravel().tolist()) == set(range(len(graph.nodes)))
    assert len({node.key for node in graph.nodes}) == len(graph.nodes)
    assert all(edge.source != edge.target for edge in graph.edges)
    assert local_graph(units) == graph


def test_a_key_is_its_own_key() -> None:
    """Normalising twice changes nothing, for names with marks inside and for a bare article too."""
    for text in ("The Beatles' song", "St. John’s", "the", "'s", "  A\tcat ", "ＡＢＣ"):
        assert node_key(node_key(text)) == node_key(text)
    assert node_key("the") == "the"


def test_networkx_gets_keys_predicates_and_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for the library records the calls, so that the test needs no extra."""

    class Recorder:
        def __init__(self) -> None:
            self.calls: list[tuple[object, ...]] = []

        def add_node(self, key: str, **more: str) -> None:
            self.calls.append((key, more["text"]))

        def add_edge(self, source: str, target: str, **more: str) -> None:
            self.calls.append((source, more["predicate"], target, more["key"], more["kind"]))

    library = ModuleType("networkx")
    library.MultiDiGraph = Recorder  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "networkx", library)
    made = to_networkx(local_graph([unit("u1", Triple("Ana", "likes", "Snow"))]))
    assert made.calls == [("ana", "Ana"), ("snow", "Snow"), ("ana", "likes", "snow", "u1", "fact")]


def test_networkx_that_is_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python treats None in sys.modules as a module that cannot be imported."""
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtra, match=r"qgmem\[graph\]"):
        to_networkx(local_graph([]))
