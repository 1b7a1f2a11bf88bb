"""The figure of the sweeps: what windows show, what they cost, and F1 over τ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from qgmem.errors import MissingExtra

from .tau import Point
from .windows import Cut

_COLOURS = ("#1f5fbf", "#d1642a", "#3b8a5a", "#8a4fa3", "#c0a062", "#6b7280")
_MUTED, _GRID = "#6b7280", "#e5e7eb"


def draw(cuts: Sequence[Cut], curves: Mapping[str, Sequence[Point]], file: Path) -> None:
    """Write the figure as SVG. `curves`: way and seed → points. Raises MissingExtra without matplotlib."""
    try:
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise MissingExtra("the plot of the sweeps (matplotlib)", "eval") from error
    style = {
        "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": _GRID,
        "axes.edgecolor": _GRID, "axes.titlelocation": "left", "axes.titlesize": 10, "svg.hashsalt": "sweeps",
        "svg.fonttype": "none", "xtick.color": _MUTED, "ytick.color": _MUTED,
    }  # fmt: skip
    backend = pyplot.get_backend()
    pyplot.switch_backend("agg")
    try:
        with pyplot.rc_context(style):
            figure, (shown, cost, tau) = pyplot.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
            _lines(shown, cuts, "several", "claims that need several turns: share readable", "window, turns")
            _lines(cost, cuts, "tokens_in", "tokens in, a turn", "window, turns")
            for way, points in curves.items():
                tau.plot([p.tau for p in points], [p.f1 for p in points], label=way, lw=1.4)
            tau.axvline(0.30, color=_MUTED, lw=0.8, ls=":")
            tau.set(title="pairwise F1 by τ, MiniLM", xlabel="τ", ylim=(0, 1))
            tau.legend(frameon=False)
            figure.savefig(file, metadata={"Date": None, "Creator": None})
            pyplot.close(figure)
    finally:
        pyplot.switch_backend(backend)


def _lines(axes: Any, cuts: Sequence[Cut], name: str, title: str, below: str) -> None:
    for overlap, colour in zip(sorted({cut.overlap for cut in cuts}), _COLOURS, strict=False):
        mine = [cut for cut in cuts if cut.overlap == overlap]
        label = f"overlap {overlap}"
        axes.plot(
            [c.width for c in mine], [getattr(c, name) for c in mine], marker="o", ms=3, color=colour, label=label
        )
    axes.set(title=title, xlabel=below)
    axes.legend(frameon=False)
