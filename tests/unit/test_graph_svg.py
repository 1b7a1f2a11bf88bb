"""The local graph as a picture: every node and claim is in it, inside the frame, and it is well-formed."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

from qgmem.generation.graph_svg import WIDTH, graph_svg
from qgmem.generation.local_graph import LocalGraph, local_graph
from qgmem.types import Entity, MemoryUnit, SourceSpan, Triple

SVG = "{http://www.w3.org/2000/svg}"


def unit(id: str, triple: Triple | None = None, *names: str) -> MemoryUnit:
    entities = tuple(Entity(name, "What") for name in names)
    return MemoryUnit(id, "verbatim", "x", SourceSpan(id, id, "x"), "s", 1, "Ben", "user",
                      triple=triple, entities=entities)  # fmt: skip


GRAPH = local_graph(
    [
        unit("a", Triple("Kim", "moved to", "Porto")),
        unit("b", Triple("Kim", "knows", "Lena")),
        unit("c", Triple("Lena", "lives\x1bin", "Porto & <Gaia>")),
        unit("d", None, "Porto"),
    ]
)


def test_every_node_and_claim_is_drawn_and_told_on_hovering() -> None:
    """Four claims, of which one is a mention and drawn dashed; labels where a unit has one, else no brackets."""
    root = ET.fromstring(graph_svg(GRAPH, 'Where "is" <Kim>?', {"a": "MU1", "c": "MU2"}))
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert texts[0] == 'Where "is" <Kim>?'
    assert {"Kim", "Lena", "Ben", "Porto", "Porto & <Gaia>"} <= set(texts)
    assert {"moved to [MU1]", "knows", "lives in [MU2]", "spoke of"} <= set(texts)
    paths = [each for each in root.iter(f"{SVG}path") if each.get("marker-end")]
    assert [each.get("marker-end") for each in paths] == ["url(#fact)"] * 3 + ["url(#mention)"]
    assert [each.get("stroke-dasharray") is not None for each in paths] == [False, False, False, True]
    assert "Lena – lives in – Porto & <Gaia> (MU2)" in {each.text for each in root.iter(f"{SVG}title")}


def test_boxes_do_not_overlap_and_stay_inside() -> None:
    """Twenty claims about ten things: in either column each box begins below the one before."""
    many = local_graph([unit(f"u{n}", Triple(f"who {n % 3}", "has", f"thing {n % 10}")) for n in range(20)])
    root = ET.fromstring(graph_svg(many, "all"))
    height = float(root.get("height") or 0)
    boxes = [each for each in root.iter(f"{SVG}rect") if each.get("rx")]
    assert len(boxes) == len(many.nodes) == 13
    for column in {each.get("x") for each in boxes}:
        spans = sorted((float(b.get("y") or 0), float(b.get("height") or 0)) for b in boxes if b.get("x") == column)
        assert all(y + high <= below for (y, high), (below, _) in pairwise(spans))
        assert spans[-1][0] + spans[-1][1] < height
    assert all(0 <= float(each.get("x") or 0) <= WIDTH - float(each.get("width") or 0) for each in boxes)


def test_an_empty_graph_says_so() -> None:
    assert "no memory here makes a claim" in graph_svg(LocalGraph(), "Where?")


def test_the_same_graph_gives_the_same_bytes() -> None:
    assert graph_svg(GRAPH, "Where?") == graph_svg(GRAPH, "Where?")
