"""The tables of a run: what was measured, against its target and against the plain programs of the same run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .asking import STAGES
from .run import Growth

Size = Any  # a record of `size.measure_size`
MIB = 1 << 20
CPU_TARGETS = {10_000: 3.0, 100_000: 12.0, 1_000_000: 90.0}  # ms a query
OPEN_TARGETS = {100_000: 0.3, 1_000_000: 2.0}  # s
ADD_TARGETS = {100_000: 30.0}  # ms
MEMORY_TARGETS = {1_000_000: 1.2e9}  # bytes resident
RECALL_TARGET = 0.999


def markdown(growth: Growth) -> str:
    """All tables, one after the other."""
    sizes: list[Size] = list(growth.sizes)
    parts = [
        _table("", sizes, [
            ("vectors", lambda s: str(s["vectors"])),
            ("attributes", lambda s: str(s["attributes"])),
            ("phrases", lambda s: f"{s['phrases']:,}"),
        ]),
        "CPU milliseconds a query, p50 / p95",
        _table("stage", sizes, [
            *((stage, _stage(stage)) for stage in STAGES),
            ("**sum, held to the target**", _stage("total")),
            ("target", lambda s: _target(s, CPU_TARGETS, s["query_cpu_ms"]["total"]["p50"], "≤ {:g}")),
            ("the sum with 200 turns outside the base", lambda s: _pair(s["query_cpu_ms_with_delta"]["total"])),
            ("the sum / a numpy float32 scan", _scans),
            ("beside it: learned reranker, 1,000 candidates", _stage("rerank")),
        ]),
        "Against plain programs of the same run: the hundred best of one channel, CPU milliseconds, p50",
        _table("", sizes, [
            ("semantic channel / numpy float32 scan", lambda s: _ratio(s, "semantic", "dense")),
            ("lexical channel / bm25s", lambda s: _ratio(s, "lexical", "words")),
            ("recall of the semantic channel (mean, least)", lambda s: _recall(s["dense"])),
            ("recall of the lexical channel (mean, least)", lambda s: _recall(s["words"])),
        ]),
        "Ten turns, milliseconds beyond embedding until durable and seen, p50 / p95",
        _table("", sizes, [
            ("added, by the clock", lambda s: _pair(s["add"]["wall"])),
            ("added, CPU", lambda s: _pair(s["add"]["cpu"])),
            ("target", lambda s: _target(s, ADD_TARGETS, s["add"]["wall"]["p50"], "≤ {:g}")),
            ("deleted, by the clock", lambda s: _pair(s["delete"]["wall"])),
            ("deleted, CPU", lambda s: _pair(s["delete"]["cpu"])),
        ]),
        "Opening, disk and memory",
        _table("", sizes, [
            ("cold open, fresh process, s", lambda s: f"{s['open']['s']:.3f} (CPU {s['open']['cpu_s']:.3f})"),
            ("the same, files not in memory, s", lambda s: f"{s['open']['from_disk_s']:.3f}"),
            ("target", lambda s: _target(s, OPEN_TARGETS, s["open"]["s"], "≤ {:g}")),
            ("store, bytes a unit", lambda s: f"{s['disk_bytes']['store'] / s['units']:,.0f}"),
            ("index, bytes a unit", lambda s: f"{s['disk_bytes']['index'] / s['units']:,.0f}"),
            ("resident after opening, MiB", lambda s: _memory(s, "opened")),
            ("resident after 50 questions, MiB", lambda s: _memory(s, "asked")),
            ("target, MiB", lambda s: _target(s, MEMORY_TARGETS, s["resident_bytes"]["asked"].get("total", 0),
                                              "≤ {:,.0f}", MIB)),
            ("resident a unit, bytes", _memory_a_unit),
            ("ingest, CPU µs a unit without embedding", _ingest),
        ]),
    ]  # fmt: skip
    if growth.namespaces:
        parts += ["Many small namespaces", _small(growth.namespaces)]
    return "\n\n".join(parts) + "\n"


def _table(corner: str, sizes: Sequence[Size], rows: Sequence[tuple[str, Callable[[Size], str]]]) -> str:
    lines = [f"| {corner} | " + " | ".join(f"{size['units']:,}" for size in sizes) + " |"]
    lines.append("|---" * (len(sizes) + 1) + "|")
    for name, cell in rows:
        lines.append(f"| {name} | " + " | ".join(cell(size) for size in sizes) + " |")
    return "\n".join(lines)


def _stage(stage: str) -> Callable[[Size], str]:
    return lambda size: _pair(size["query_cpu_ms"][stage])


def _pair(spread: Any) -> str:
    return f"{_short(spread['p50'])} / {_short(spread['p95'])}"


def _short(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:,.1f}" if value < 1000 else f"{value:,.0f}"


def _target(size: Size, targets: dict[int, float], value: float, form: str, unit: float = 1) -> str:
    target = targets.get(size["units"])
    if target is None:
        return "–"
    return f"{form.format(target / unit)} {'met' if value <= target else '**missed**'}"


def _ratio(size: Size, stage: str, plain: str) -> str:
    ours, theirs = size["query_cpu_ms"][stage]["p50"], size[plain]["plain"]["p50"]
    return f"{_short(ours)} / {_short(theirs)} = {ours / max(theirs, 1e-6):.2f}"


def _scans(size: Size) -> str:
    """How many exact scans of the same vectors a whole query costs: comparable between machines."""
    return f"{size['query_cpu_ms']['total']['p50'] / max(size['dense']['plain']['p50'], 1e-6):.2f}"


def _recall(compared: Any) -> str:
    verdict = "" if compared["recall"] >= RECALL_TARGET else " **below .999**"
    return f"{compared['recall']:.4f}, {compared['least']:.2f}{verdict}"


def _memory(size: Size, moment: str) -> str:
    found = size["resident_bytes"][moment]
    if not found:
        return "not known here"
    return f"{found['total'] / MIB:,.0f} (own {found['private'] / MIB:,.0f}, mapped {found['file'] / MIB:,.0f})"


def _memory_a_unit(size: Size) -> str:
    found = size["resident_bytes"]
    if not found["asked"]:
        return "not known here"
    return f"{(found['asked']['total'] - found['before']['total']) / size['units']:,.0f}"


def _ingest(size: Size) -> str:
    spent = size["ingest"]
    if not spent["turns"]:
        return "–"
    return f"{(spent['cpu_s'] - spent['embedding_cpu_s']) / spent['turns'] * 1e6:,.0f}"


def _small(small: Any) -> str:
    count = small["namespaces"]
    rows = [
        ("namespaces × turns, vectors", f"{count:,} × {small['turns']}, {small['vectors']}"),
        ("bytes a namespace", f"{small['disk_bytes'] / count:,.0f}"),
        ("first search, not open before, ms p50 / p95", _pair(small["first_search_ms"]["wall"])),
        ("the same, CPU", _pair(small["first_search_ms"]["cpu"])),
        ("next search, CPU ms", _pair(small["next_search_ms"]["cpu"])),
        (f"while searching {small['searched']:,} of them in turn", _held(small["held_searching"])),
    ]
    rows.append(("adding 100 turns to a new one, ms by the clock", _pair(small["add_ms"]["wall"])))
    rows.append(("the same, CPU beyond embedding", _pair(small["add_ms"]["cpu"])))
    rows.append(("while adding, one namespace after the other", _held(small["held_adding"])))
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def _held(held: Any) -> str:
    if not held:
        return "not known here"
    memory = f"{held['settled'] / MIB:,.0f} MiB resident after a tenth, {held['most'] / MIB:,.0f} at most"
    return f"{memory}; {held['handles']} file handles at most"
