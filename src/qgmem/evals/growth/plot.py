"""The log–log figure: what a query, a write and an opening cost as the namespace grows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from qgmem.errors import MissingExtra

from .asking import STAGES
from .report import ADD_TARGETS, CPU_TARGETS, OPEN_TARGETS
from .run import Growth

INK, MUTED, GRID, MAIN = "#22262b", "#6b7280", "#e5e7eb", "#1f5fbf"
STAGE_COLOURS = ("#9aa3af", "#d1642a", "#3b8a5a", "#8a4fa3", "#c0a062", "#7fb0e8")
DPI = 100


def write_plot(growth: Growth, out: Path) -> None:
    """`growth.svg` and `growth.png` in `out`. Raises MissingExtra without matplotlib."""
    try:
        import matplotlib
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise MissingExtra("the growth plot (matplotlib)", "eval") from error
    style = {
        "font.family": "DejaVu Sans", "font.size": 9, "text.color": INK, "axes.labelcolor": INK,
        "axes.edgecolor": GRID, "xtick.color": MUTED, "ytick.color": MUTED, "axes.spines.top": False,
        "axes.spines.right": False, "axes.grid": True, "grid.color": GRID, "axes.axisbelow": True,
        "svg.hashsalt": "growth", "svg.fonttype": "none", "axes.titlesize": 10, "axes.titleweight": "bold",
        "axes.titlelocation": "left",
    }  # fmt: skip
    backend = matplotlib.get_backend()
    pyplot.switch_backend("agg")
    try:
        with pyplot.rc_context(style):
            figure, (asking, writing) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
            _queries(asking, growth)
            _rest(writing, growth)
            figure.savefig(out / "growth.svg", metadata={"Date": None, "Creator": None})
            figure.savefig(out / "growth.png", dpi=DPI, metadata={"Software": None})
            pyplot.close(figure)
    finally:
        pyplot.switch_backend(backend)


def _queries(axes: Any, growth: Growth) -> None:
    """Left: CPU by stage, their sum, the plain programs, the targets."""
    for stage, colour in zip(STAGES, STAGE_COLOURS, strict=True):
        _line(axes, growth, ("query_cpu_ms", stage, "p50"), stage, color=colour, lw=1.2)
    _line(axes, growth, ("query_cpu_ms", "total", "p50"), "sum", color=MAIN, lw=2.6)
    _line(axes, growth, ("dense", "plain", "p50"), "numpy float32 scan", color=MUTED, lw=1.2, ls="--")
    _line(axes, growth, ("words", "plain", "p50"), "bm25s", color=MUTED, lw=1.2, ls=":")
    axes.plot(list(CPU_TARGETS), list(CPU_TARGETS.values()), ls="none", marker="_", ms=16, mew=2, color=INK,
              label="target of the sum")  # fmt: skip
    _dress(axes, "CPU a query, p50", "ms, lower is better")


def _rest(axes: Any, growth: Growth) -> None:
    """Right: until ten turns are added or deleted for everybody, and a cold open, by the clock."""
    _line(axes, growth, ("add", "wall", "p50"), "ten turns added and seen", color=MAIN, lw=2.2)
    _line(axes, growth, ("delete", "wall", "p50"), "ten turns deleted, bytes gone", color="#d1642a", lw=1.6)
    _line(axes, growth, ("open", "s"), "cold open", 1000, color="#3b8a5a", lw=2.2)
    axes.plot(list(ADD_TARGETS), list(ADD_TARGETS.values()), ls="none", marker="_", ms=16, mew=2, color=MAIN,
              label="target")  # fmt: skip
    axes.plot(list(OPEN_TARGETS), [1000 * v for v in OPEN_TARGETS.values()], ls="none", marker="_", ms=16, mew=2,
              color="#3b8a5a", label="target")  # fmt: skip
    _dress(axes, "Adding, deleting, opening, by the clock", "ms, lower is better")


def _line(axes: Any, growth: Growth, path: tuple[str, ...], label: str, scale: float = 1, **style: Any) -> None:
    values = []
    for size in growth.sizes:
        value: Any = size
        for name in path:
            value = value[name]
        values.append(max(value * scale, 1e-3))
    axes.plot([size["units"] for size in growth.sizes], values, marker="o", ms=3, label=label, **style)


def _dress(axes: Any, title: str, unit: str) -> None:
    axes.set(xscale="log", yscale="log", xlabel="units in the namespace", ylabel=unit, title=title)
    axes.legend(frameon=False, fontsize=7.5, labelcolor=INK)
