"""A local graph as a picture: who on the left, what on the right, an arrow for each unit's claim.

Nodes that something starts from stand in the left column, the others in the right one. An arrow carries its predicate
and the label of its memory; the dashed, grey ones are units that only speak of something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ..svg import FAINT, INK, cut, picture, safe, words
from .local_graph import Edge, LocalGraph

WIDTH, BOX, GAP, TOP, FOOT, EDGE = 960, 230, 22, 60, 48, 16
LEAST, PORT = 34, 19  # height of a box, and what each arrow that ends in it adds
FACT, MENTION = "#2f6fb2", "#9aa5b1"
TITLE, NAME, PREDICATE = 96, 28, 30  # characters that fit
HALO = 'stroke="#ffffff" stroke-width="4" stroke-linejoin="round" paint-order="stroke"'


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a node stands, in pixels."""

    text: str
    left: bool
    y: float
    height: float

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


def graph_svg(graph: LocalGraph, title: str, labels: Mapping[str, str] | None = None) -> str:
    """The picture as text. `labels`: of units, by unit id. Hovering over an arrow tells the whole claim."""
    boxes, bottom = _boxes(graph)
    out = [
        words(cut(title, TITLE), EDGE, 30, 17, more='font-weight="600"'),
        *(_marker(name, colour) for name, colour in (("fact", FACT), ("mention", MENTION))),
    ]
    if not graph.edges:
        out.append(words("no memory here makes a claim that can be drawn", EDGE, TOP + 20, 13, fill=FAINT))
    into = Counter(edge.target for edge in graph.edges)
    ended: Counter[int] = Counter()
    lines: list[str] = []
    texts: list[str] = []
    for edge in graph.edges:
        target = boxes[edge.target]
        port = target.middle + (ended[edge.target] - (into[edge.target] - 1) / 2) * PORT
        line, text = _arrow(graph, edge, boxes[edge.source], target, port, (labels or {}).get(edge.unit_id, ""))
        lines.append(line)
        texts.append(text)
        ended[edge.target] += 1
    out += [*lines, *texts, *(line for box in boxes for line in _drawn(box)), *_legend(bottom + FOOT)]
    return picture(WIDTH, bottom + FOOT, f"Local graph: {title}", out)


def _boxes(graph: LocalGraph) -> tuple[list[_Box], int]:
    """A box a node, each column spread over the height of the taller one; and where they end."""
    starts = {edge.source for edge in graph.edges}
    into = Counter(edge.target for edge in graph.edges)
    heights = [max(LEAST, PORT * into[place] + 8) for place in range(len(graph.nodes))]
    columns = [[place for place in range(len(graph.nodes)) if (place in starts) == left] for left in (True, False)]
    needed = [sum(heights[place] + GAP for place in column) for column in columns]
    whole = max(*needed, LEAST + GAP)
    boxes: dict[int, _Box] = {}
    for column, need in zip(columns, needed, strict=True):
        spare, y = (whole - need) / max(len(column), 1), float(TOP)
        for place in column:
            boxes[place] = _Box(graph.nodes[place].text, place in starts, y + spare / 2, heights[place])
            y += heights[place] + GAP + spare
    return [boxes[place] for place in range(len(graph.nodes))], TOP + whole


def _drawn(box: _Box) -> list[str]:
    x = EDGE if box.left else WIDTH - EDGE - BOX
    return [
        f"<g><title>{safe(box.text)}</title>",
        f'<rect x="{x}" y="{box.y:g}" width="{BOX}" height="{box.height:g}" rx="8" fill="#f5f7fa" stroke="{INK}"/>',
        words(cut(box.text, NAME), x + BOX / 2, box.middle + 5, 13, more='text-anchor="middle"'),
        "</g>",
    ]


def _arrow(graph: LocalGraph, edge: Edge, source: _Box, target: _Box, port: float, label: str) -> tuple[str, str]:
    """A line to its place at the target, which may be a bow within the left column; and the words on it."""
    colour, dash = (FACT, "") if edge.kind == "fact" else (MENTION, ' stroke-dasharray="5 4"')
    ends = graph.nodes[edge.source].text, edge.predicate, graph.nodes[edge.target].text
    title = safe(f"{' – '.join(ends)} ({label or edge.unit_id})")
    x1, y1, x2 = EDGE + BOX, source.middle, EDGE + BOX if target.left else WIDTH - EDGE - BOX
    bends = f"{x1 + 120} {y1:g} {x2 + 120} {port:g}" if target.left else f"{x1 + 150} {y1:g} {x2 - 260} {port:g}"
    line = (
        f'<path d="M{x1} {y1:g} C{bends} {x2} {port:g}" fill="none" stroke="{colour}" '
        f'stroke-width="1.6"{dash} marker-end="url(#{edge.kind})"><title>{title}</title></path>'
    )
    said = cut(edge.predicate, PREDICATE) + (f" [{label}]" if label else "")
    x, anchor = (x2 + 16, "start") if target.left else (x2 - 16, "end")
    fill = INK if edge.kind == "fact" else FAINT
    return line, words(said, x, port + 4, 12, fill=fill, more=f'text-anchor="{anchor}" {HALO}')


def _marker(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path d="M0 0 L8 4 L0 8 z" fill="{colour}"/></marker>'
    )


def _legend(height: int) -> list[str]:
    y = height - 18
    return [
        f'<line x1="16" y1="{y - 4}" x2="50" y2="{y - 4}" stroke="{FACT}" stroke-width="1.6"/>',
        words("claim of a memory", 58, y, 12, fill=FAINT),
        f'<line x1="200" y1="{y - 4}" x2="234" y2="{y - 4}" stroke="{MENTION}" stroke-width="1.6" '
        'stroke-dasharray="5 4"/>',
        words("spoken of", 242, y, 12, fill=FAINT),
    ]
