"""F1 against the tokens that a system's context takes: one line a system, one point a k (extra `eval`)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from qgmem.errors import MissingExtra

COLOURS = {"default": "#1b7f5c", "bm25": "#2f6fb2", "dense": "#b8860b", "rrf": "#7d3c98", "entity_memory": "#a93226"}
MARKS = {"default": "o", "bm25": "s", "dense": "^", "rrf": "D", "entity_memory": "v"}


def drawing() -> Any:
    """matplotlib's pyplot, for files alone and the same bytes for the same input. Raises MissingExtra."""
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        raise MissingExtra("the plot", "eval") from error
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "qgmem"
    from matplotlib import pyplot

    return pyplot


def plot(cells: Mapping[tuple[str, int], Mapping[str, float]], file: Path) -> None:
    """Draws the cells of a report. Raises MissingExtra."""
    pyplot = drawing()
    figure, axis = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")
    for system in dict.fromkeys(name for name, _ in cells):
        points = sorted(
            (k, found["context tokens"], found["F1"]) for (name, k), found in cells.items() if name == system
        )
        axis.plot(
            [tokens for _, tokens, _ in points],
            [f1 for _, _, f1 in points],
            marker=MARKS.get(system, "o"),
            color=COLOURS.get(system),
            label=system,
        )
        for k, tokens, f1 in points:
            axis.annotate(f"k={k}", (tokens, f1), textcoords="offset points", xytext=(5, 5), fontsize=8)
    sizes = sorted({int(found["n"]) for found in cells.values()})
    axis.set_xlabel("context tokens a question, mean")
    axis.set_ylabel("official F1, %")
    axis.set_title(f"n = {' to '.join(map(str, sizes[:: max(1, len(sizes) - 1)]))} questions a point", fontsize=10)
    axis.set_xlim(left=0)
    axis.set_ylim(bottom=0)
    axis.grid(alpha=0.3)
    axis.legend()
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    pyplot.close(figure)
