"""The study's three figures, SVG and PNG: recall by cutoff, differences with both intervals, categories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from qgmem.errors import MissingExtra

from .conditions import COMPLETE, CUTOFFS, DENSE, MAIN_CUTOFF
from .families import Cell, Finding
from .published import CATEGORIES_B, LEVELS
from .report import Study
from .texts import MAIN_FORM

INK, MUTED, GRID = "#22262b", "#6b7280", "#e5e7eb"
DENSE_COLOUR, COMPLETE_COLOUR = "#9aa3af", "#1f5fbf"
EMBEDDER_COLOURS = ("#1f5fbf", "#d1642a", "#3b8a5a", "#8a4fa3")
LINES = {
    DENSE: ("dense (A)", "#6b7280", 2.2),
    COMPLETE: ("complete (B)", COMPLETE_COLOUR, 2.6),
    "B without sequence": ("no sequence", "#7fb0e8", 1.3),
    "B without entity score": ("no entity score", "#c0a062", 1.3),
    "B without speaker links": ("no speaker links", "#8fbf9f", 1.3),
    "B entity-only": ("entities only", "#c9787c", 1.3),
}
DPI = 90
GRAPH_TITLES = {"stored": "stored gpt-3.5 graph", "rules": "rules' graph"}


def write_plots(study: Study, out: Path) -> list[str]:
    """Writes each figure twice and returns the names of the SVG files. Raises MissingExtra without matplotlib."""
    figures: dict[str, Callable[[Any, Study], Any]] = {
        "recall-by-cutoff": _recall_by_cutoff,
        "differences": _differences,
        "categories": _categories,
    }
    written: list[str] = []
    with _matplotlib() as pyplot:
        for name, draw in figures.items():
            figure = draw(pyplot, study)
            # Neither clock nor random ids in the files: same study, same bytes.
            figure.savefig(out / f"{name}.svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
            figure.savefig(out / f"{name}.png", dpi=DPI, metadata={"Software": None}, bbox_inches="tight")
            pyplot.close(figure)
            written.append(f"{name}.svg")
    return written


@contextmanager
def _matplotlib() -> Iterator[Any]:
    try:
        import matplotlib
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise MissingExtra("the study's plots (matplotlib)", "eval") from error
    backend = matplotlib.get_backend()
    pyplot.switch_backend("agg")
    style = {
        "font.family": "DejaVu Sans", "font.size": 9, "text.color": INK, "axes.labelcolor": INK,
        "axes.edgecolor": GRID, "xtick.color": MUTED, "ytick.color": INK, "axes.spines.top": False,
        "axes.spines.right": False, "axes.grid": True, "grid.color": GRID, "axes.axisbelow": True,
        "svg.hashsalt": "study", "svg.fonttype": "none", "axes.titlesize": 10, "axes.titleweight": "bold",
        "axes.titlelocation": "left",
    }  # fmt: skip
    try:
        with pyplot.rc_context(style):
            yield pyplot
    finally:
        pyplot.switch_backend(backend)


def _recall_by_cutoff(pyplot: Any, study: Study) -> Any:
    """One panel an embedder (down) and graph (across); [E]'s own curves as rings beside the stored graph's."""
    embedders, graphs = list(study.embedders), [graph.name for graph in study.graphs]
    figure, axes = pyplot.subplots(
        len(embedders), len(graphs), figsize=(4.3 * len(graphs) + 0.6, 3.6 * len(embedders)), squeeze=False,
        sharey=True, layout="constrained",
    )  # fmt: skip
    places = list(range(len(CUTOFFS)))
    for row, embedder in enumerate(embedders):
        for column, graph in enumerate(graphs):
            axis, cell = axes[row][column], Cell(embedder, graph, MAIN_FORM)
            ends: list[tuple[float, str, str]] = []
            for condition, (label, colour, width) in LINES.items():
                values = [study.mean(cell, condition, k) for k in CUTOFFS]
                main = condition in (DENSE, COMPLETE)
                axis.plot(places, values, color=colour, linewidth=width, marker="o", zorder=3 if main else 2,
                          markersize=4.5 if main else 2.5)  # fmt: skip
                ends.append((values[-1], label, colour))
            if graph == "stored":
                for condition, colour in ((DENSE, "#6b7280"), (COMPLETE, COMPLETE_COLOUR)):
                    axis.plot(places, [LEVELS[condition][k] for k in CUTOFFS], linestyle="none", marker="o",
                              markersize=7, markerfacecolor="none", markeredgecolor=colour, alpha=0.7)  # fmt: skip
            for y, (value, label, colour) in zip(_spread([e[0] for e in ends], 3.6), ends, strict=True):
                axis.annotate(f"{label} {value:.1f}", (places[-1], y), xytext=(7, 0), textcoords="offset points",
                              va="center", fontsize=7.5, color=colour)  # fmt: skip
            axis.set_title(f"{embedder}, {GRAPH_TITLES[graph]}")
            axis.set_xticks(places, [f"@{k}" for k in CUTOFFS])
            axis.set_xlim(-0.15, places[-1] + 1.35)
            axis.grid(visible=False, axis="x")
            if column == 0:
                axis.set_ylabel("evidence found, %")
    note = "; rings: published, with its own embedder" if "stored" in graphs else ""
    figure.suptitle(f"Evidence recall by number of turns shown{note}", x=0.01, ha="left", fontsize=11)
    return figure


def _differences(pyplot: Any, study: Study) -> Any:
    """Forest plot, one panel a graph: thick = by question, thin = by conversation, filled = supported by both."""
    embedders, graphs = list(study.embedders), [graph.name for graph in study.graphs]
    rows = list(dict.fromkeys(
        (f.family.name, f.contrast.name) for f in study.findings if f.family.embedder and f.family.graph
    ))  # fmt: skip
    y: dict[tuple[str, str], float] = {}
    at, last = 0.0, ""
    for family, name in rows:
        at += 1.0 if family == last else 1.7
        y[family, name], last = at, family
    figure, axes = pyplot.subplots(
        1, len(graphs), figsize=(3.2 + 4.0 * len(graphs), 0.36 * at + 1.4), squeeze=False, sharey=True,
        sharex=True, layout="constrained",
    )  # fmt: skip
    for axis, graph in zip(axes[0], graphs, strict=True):
        for place, embedder in enumerate(embedders):
            offset = (place - (len(embedders) - 1) / 2) * 0.3
            colour = EMBEDDER_COLOURS[place % len(EMBEDDER_COLOURS)]
            for family, name in rows:
                found = study.finding(family, name, embedder, graph)
                if found is not None:
                    _interval(axis, found, y[family, name] + offset, colour)
        published = {(f.family.name, f.contrast.name): f.contrast.published for f in study.findings}
        for key, height in y.items():
            value = published.get(key)
            if value is not None and graph == "stored":
                axis.plot(value, height, marker="x", color=INK, markersize=5, linestyle="none", zorder=5)
        axis.axvline(0, color=INK, linewidth=0.9)
        axis.set_title(GRAPH_TITLES[graph])
        axis.set_xlabel("percentage points of evidence recall, B minus the other")
        axis.grid(visible=False, axis="y")
        axis.set_yticks(list(y.values()), [name.replace("B - B ", "B - ") for _, name in y])
        axis.tick_params(axis="y", length=0)
    axes[0][0].set_ylim(at + 0.8, 0.2)
    for family in dict.fromkeys(name for name, _ in rows):
        top = min(height for (name, _), height in y.items() if name == family)
        axes[0][0].annotate(family, (0, top - 0.72), xycoords=("axes fraction", "data"), fontsize=7.5,
                            color=MUTED, style="italic", xytext=(3, 0), textcoords="offset points")  # fmt: skip
    handles = [
        pyplot.Line2D([], [], color=EMBEDDER_COLOURS[i % len(EMBEDDER_COLOURS)], marker="o", linewidth=3, label=name)
        for i, name in enumerate(embedders)
    ]
    handles.append(pyplot.Line2D([], [], color=INK, marker="x", linestyle="none", label="published"))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
    figure.suptitle(
        "What each part is worth at 25 turns (95 %: thick by question, thin by conversation; filled = supported)",
        x=0.01, ha="left", fontsize=10,
    )  # fmt: skip
    return figure


def _interval(axis: Any, found: Finding, height: float, colour: str) -> None:
    question, cluster = found.comparison.by_question, found.comparison.by_conversation
    axis.plot([cluster.low, cluster.high], [height, height], color=colour, linewidth=1.0, marker="|",
              markersize=5, zorder=2)  # fmt: skip
    axis.plot([question.low, question.high], [height, height], color=colour, linewidth=3.4, alpha=0.55,
              solid_capstyle="round", zorder=3)  # fmt: skip
    axis.plot(question.difference, height, marker="o", markersize=5, color=colour, zorder=4,
              markerfacecolor=colour if found.comparison.supported else "white")  # fmt: skip


def _categories(pyplot: Any, study: Study) -> Any:
    """Bars of A and B at 25 turns by category; rings are [E]'s B."""
    embedders, graphs = list(study.embedders), [graph.name for graph in study.graphs]
    figure, axes = pyplot.subplots(
        len(embedders), len(graphs), figsize=(4.6 * len(graphs), 2.9 * len(embedders)), squeeze=False, sharey=True,
        sharex=True, layout="constrained",
    )  # fmt: skip
    categories = study.categories
    places = list(range(len(categories)))
    for row, embedder in enumerate(embedders):
        for column, graph in enumerate(graphs):
            axis, cell = axes[row][column], Cell(embedder, graph, MAIN_FORM)
            for shift, condition, colour in ((-0.2, DENSE, DENSE_COLOUR), (0.2, COMPLETE, COMPLETE_COLOUR)):
                values = [study.mean(cell, condition, MAIN_CUTOFF, name) for name in categories]
                bars = axis.bar([p + shift for p in places], values, width=0.38, color=colour)
                axis.bar_label(bars, fmt="%.0f", fontsize=7.5, color="white", padding=-11)
            if graph == "stored":
                rings = [(p + 0.2, CATEGORIES_B[name]) for p, name in enumerate(categories) if name in CATEGORIES_B]
                axis.plot(*zip(*rings, strict=True), linestyle="none", marker="o", markerfacecolor="none",
                          markeredgecolor=INK, markersize=6)  # fmt: skip
            axis.set_title(f"{embedder}, {GRAPH_TITLES[graph]}")
            axis.set_xticks(places, [f"{name}\nn = {study.count(name)}" for name in categories], fontsize=7.5)
            axis.set_ylim(0, 108)
            axis.grid(visible=False, axis="x")
            if column == 0:
                axis.set_ylabel("evidence found, %")
    note = "; rings: published B" if "stored" in graphs else ""
    figure.suptitle(f"Evidence recall at 25 turns: dense (grey) and complete (blue){note}", x=0.01, ha="left",
                    fontsize=11)  # fmt: skip
    return figure


def _spread(values: Sequence[float], gap: float) -> list[float]:
    """Label heights at least `gap` apart, in the order of `values`: pushed down, then moved back by the mean."""
    placed: dict[int, float] = {}
    last = float("inf")
    for index in sorted(range(len(values)), key=lambda i: -values[i]):
        last = placed[index] = min(values[index], last - gap)
    back = sum(value - placed[index] for index, value in enumerate(values)) / len(values)
    return [placed[index] + back for index in range(len(values))]
