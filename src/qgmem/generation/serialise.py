"""Working memory as prompt-ready text: labelled units with both times, within a token budget ([Q] III-C3, F).

`serialise` writes units alone; `lay_out` writes what an answerer reads: clusters with their trajectories, other
units, and the local graph as labelled facts. Both write a unit in the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from ..types import Hit, Interval, MemoryUnit
from .local_graph import LocalGraph
from .passage import passage
from .tokens import Count, estimate_tokens

NOTE = 8  # tokens kept for the last line
LEAST = 24  # tokens below which a piece of a unit says nothing
ROOM = 60  # tokens that any unit may have, if they are left
MISSING = "({} more did not fit)"
CLUSTERS, OTHERS, MEMORIES, FACTS = "Clusters:", "Other memories:", "Memories:", "Facts:"


@dataclass(frozen=True, slots=True)
class Step:
    """One state of a trajectory; the days as in `TraceState`, `unit_ids` those that say so."""

    value: str
    valid_from: date | None
    valid_to: date | None
    status: str
    unit_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trail:
    """The trajectory of one subject–relation, oldest step first. `written`: its text, where a model wrote one."""

    subject: str
    relation: str
    steps: tuple[Step, ...]
    written: str | None = None

    @property
    def unit_ids(self) -> frozenset[str]:
        """All units of the trace."""
        return frozenset(unit_id for step in self.steps for unit_id in step.unit_ids)


@dataclass(frozen=True, slots=True)
class Context:
    """What an answerer reads. `labels`: unit ids by MU and F label, of what stands in `text` and nothing else.

    `tokens` are those of `text`; `left_out` names units that did not fit. `beside`: by unit id, the lines of `text`
    that speak of a unit besides its own: its trajectory and its fact. `own`: what of these lines the unit itself
    says, so without the states of a trajectory that other units tell of.
    """

    text: str
    tokens: int
    labels: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[str, str] = field(default_factory=dict)


def serialise(hits: Sequence[Hit], budget_tokens: int, words: Collection[str] = ()) -> str:
    """Units in rank order as `[MU1] <said> <speaker>: <text> (happened <when>)`, as many as the budget holds.

    A unit longer than half of what is left gives its passage with the most of `words` (the question's), marked with
    ellipses, so that one long answer neither fills the context nor empties it. Where units did not fit at all, the
    last line says how many.
    """
    lines = _fitted(hits, budget_tokens - NOTE, words, estimate_tokens)
    missing = len(hits) - len(lines)
    return "\n".join([*lines.values(), *([MISSING.format(missing)] if missing else [])])


def lay_out(
    hits: Sequence[Hit],
    graph: LocalGraph,
    trails: Sequence[Trail],
    budget_tokens: int,
    words: Collection[str] = (),
    count: Count = estimate_tokens,
    *,
    with_facts: bool = True,
    fact_tokens: int = 0,
) -> Context:
    """Clusters, other memories and facts, within the budget as `count` counts.

    Without facts, for a model that reads the local graph as vectors, the rest is word for word the same.
    `fact_tokens`: what facts may take beyond the budget, where all of them have to be seen.

    A cluster is the units of one trace under its trajectory; clusters and units stand in rank order, and labels are
    ranks, so MU1 is the best unit wherever it stands. Trajectories may take a third of the budget, units the rest,
    and facts what units leave over, since a fact says again what its unit says. A trajectory names the units it rests
    on by label where they are here. Edges of kind `mention` are no facts and are not written: the unit's own line
    names its speaker and what is spoken of.
    """
    label = {hit.id: f"MU{hit.rank}" for hit in hits}
    told = _trajectories(hits, trails, label, budget_tokens // 3, count)
    frame = [CLUSTERS, OTHERS, FACTS] if told else [MEMORIES, FACTS]
    frame.append(MISSING.format(len(hits)))
    left = budget_tokens - sum(count(line) + 1 for line in [*told.values(), *frame])
    lines = _fitted(hits, left, words, count)
    left -= sum(count(line) + 1 for line in lines.values())
    there = {hit.id: label[hit.id] for hit in hits if hit.id in lines}
    told = {trail: _trajectory(trail, there) for trail in told}  # without the labels of units that did not fit
    facts = _facts(graph, there, left + fact_tokens, count) if with_facts else {}
    rows: list[str] = [CLUSTERS] if told else []
    placed: set[str] = set()
    for trail, line in told.items():
        members = [hit.id for hit in hits if hit.id in lines and hit.id in trail.unit_ids and hit.id not in placed]
        placed.update(members)
        rows += [line, *(lines[unit_id] for unit_id in members)]
    rest = [line for unit_id, line in lines.items() if unit_id not in placed]
    rows += [OTHERS if told else MEMORIES, *rest] if rest else []
    rows += [FACTS, *(line for line, _ in facts.values())] if facts else []
    missing = tuple(hit.id for hit in hits if hit.id not in lines)
    rows += [MISSING.format(len(missing))] if missing else []
    text = "\n".join(rows)
    labels = {label[unit_id]: unit_id for unit_id in lines} | {name: unit_id for name, (_, unit_id) in facts.items()}
    beside: dict[str, str] = {}
    own: dict[str, str] = {}
    for unit_id in lines:
        mine = [line for line, about in facts.values() if about == unit_id]
        trajectories = [line for trail, line in told.items() if unit_id in trail.unit_ids]
        says = [_step(step, there) for trail in told for step in trail.steps if unit_id in step.unit_ids]
        beside |= {unit_id: "\n".join([*trajectories, *mine])} if trajectories or mine else {}
        own |= {unit_id: "\n".join([*says, *mine])} if says or mine else {}
    return Context(text, count(text) if text else 0, labels, missing, beside, own)


def _fitted(hits: Sequence[Hit], left: int, words: Collection[str], count: Count) -> dict[str, str]:
    """The lines of the units that fit, by unit id."""
    lines: dict[str, str] = {}
    for hit in hits:
        line = unit_line(hit.unit, hit.rank)
        share = max(left // 2, min(left, ROOM))
        if count(line) + 1 > share:
            line = unit_line(hit.unit, hit.rank, share, words)
        cost = count(line) + 1
        if cost > left or (line.endswith("…") and left < LEAST):
            continue
        lines[hit.id] = line
        left -= cost
    return lines


def _trajectories(
    hits: Sequence[Hit], trails: Sequence[Trail], label: Mapping[str, str], budget: int, count: Count
) -> dict[Trail, str]:
    """A line each for the trails that say more than their one unit does, the best unit's first, while they fit."""
    rank = {hit.id: hit.rank for hit in hits}
    near = [trail for trail in trails if len(trail.steps) > 1 and trail.unit_ids & rank.keys()]
    lines: dict[Trail, str] = {}
    for trail in sorted(near, key=lambda each: min(rank[one] for one in each.unit_ids & rank.keys())):
        line = _trajectory(trail, label)
        if (cost := count(line) + 1) <= budget:
            lines[trail] = line
            budget -= cost
    return lines


def _trajectory(trail: Trail, label: Mapping[str, str]) -> str:
    told = (
        "; ".join(_step(step, label) for step in trail.steps) if trail.written is None else _one_line(trail.written)
    )
    return f"{_one_line(trail.subject)} · {_one_line(trail.relation)} – trajectory: {told}"


def _step(step: Step, label: Mapping[str, str]) -> str:
    """As `Porto since 2024-03-01 (latest) [MU2]`."""
    value = _one_line(step.value)
    marks = "".join(f" [{label[unit_id]}]" for unit_id in step.unit_ids if unit_id in label)
    if step.status == "retracted":
        return f"{value} (taken back){marks}"
    start = step.valid_from.isoformat() if step.valid_from else "an unknown time"
    span = f"{start} to {step.valid_to.isoformat()}" if step.valid_to else f"since {start}"
    latest = " (latest)" if step.status in ("current", "coexisting") else ""
    return f"{value} {span}{latest}{marks}"


def _facts(graph: LocalGraph, label: Mapping[str, str], left: int, count: Count) -> dict[str, tuple[str, str]]:
    """`[F1] Ana – lives in – Porto [MU2]` and the unit, by label, for edges of units that are in the text."""
    found: dict[str, tuple[str, str]] = {}
    for edge in graph.facts:
        if edge.unit_id not in label:
            continue
        name = f"F{len(found) + 1}"
        ends = graph.nodes[edge.source].text, edge.predicate, graph.nodes[edge.target].text
        line = f"[{name}] {' – '.join(map(_one_line, ends))} [{label[edge.unit_id]}]"
        if (cost := count(line) + 1) > left:
            break
        left -= cost
        found[name] = line, edge.unit_id
    return found


def unit_line(unit: MemoryUnit, label: int, tokens: int | None = None, words: Collection[str] = ()) -> str:
    """One unit on one line: label, time said, speaker, words, time it happened; within `tokens` if they are given."""
    said = unit.utterance_time.strftime("%Y-%m-%d %H:%M") if unit.utterance_time else f"serial-{unit.sequence}"
    happened = ", ".join(map(shown, unit.fact_times))
    when = f" (happened {happened})" if happened else ""
    head = f"[MU{label}] {said} {_one_line(unit.speaker)}: "
    text = _one_line(unit.text)
    if tokens is not None:
        text = passage(text, tokens - estimate_tokens(head + when) - 2, words)
    return head + text + when


def _one_line(text: str) -> str:
    """Without line breaks and other control characters: what is said must not pass for a line of its own."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def unit_document(unit: MemoryUnit, trajectory: str | None = None) -> str:
    """The structured document that a reranker reads ([Q] III-B2); empty fields are left out."""
    fields = {
        "fact": " ".join(unit.text.split()),
        "source": f"{unit.speaker}: {' '.join(unit.span.quote.split())}",
        "entities": "; ".join(dict.fromkeys(entity.text for entity in unit.entities)),
        "locations": "; ".join(unit.locations),
        "fact time": ", ".join(map(shown, unit.fact_times)),
        "utterance time": unit.utterance_time.isoformat(sep=" ") if unit.utterance_time else "",
        "trajectory": trajectory or "",
    }
    return "\n".join(f"{name}: {value}" for name, value in fields.items() if value)


def shown(interval: Interval) -> str:
    """An interval as a person writes it: one day, or first to last."""
    if interval.start == interval.end:
        return interval.start.isoformat()
    return f"{interval.start.isoformat()} to {interval.end.isoformat()}"
