"""Command line of the sweeps: tables on the screen and `sweeps.md` and `construction-sweeps.svg` in a folder.

python -m qgmem.evals.construction_sweeps --out out/construction-sweeps
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from qgmem.models.onnx import MiniLM
from qgmem.synthetic import simulate
from qgmem.synthetic.phrases import related_facts

from .plots import draw
from .tau import WAYS, Point, curve
from .windows import Cut, sweep


def main() -> None:
    """Both sweeps."""
    parser = argparse.ArgumentParser(prog="python -m qgmem.evals.construction_sweeps", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out/construction-sweeps"))
    parser.add_argument("--lives", type=int, default=8)
    parser.add_argument("--seed", type=int, default=51, help="of the lives that are cut into windows")
    parser.add_argument("--seeds", type=int, nargs="+", default=[20, 21, 22], help="of the facts that are clustered")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    cuts, counts = sweep(list(simulate(given.lives, 2, given.seed)))
    page = window_table(cuts, counts)
    print(page, flush=True)
    curves = {}
    model = MiniLM(1)
    for seed in given.seeds:
        lives = related_facts(seed, lives=given.lives)
        for way in WAYS:
            curves[f"{way}, seed {seed}"] = curve(model, lives, way)
    table = tau_table(curves)
    print(table)
    (given.out / "sweeps.md").write_text(f"{page}\n{table}", encoding="utf-8")
    draw(cuts, curves, given.out / "construction-sweeps.svg")


def window_table(cuts: Sequence[Cut], counts: Mapping[str, int]) -> str:
    """One row a cut."""
    told = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    lines = [
        f"claims: {told}",
        "",
        "| width | overlap | readable | of those of several turns | pass the checks | calls a turn | tokens in |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {c.width} | {c.overlap} | {c.readable:.3f} | {c.several:.3f} | {c.passed:.3f} | {c.calls:.2f} | "
        f"{c.tokens_in:.0f} |"
        for c in cuts
    ]
    return "\n".join([*lines, ""])


def tau_table(curves: Mapping[str, Sequence[Point]]) -> str:
    """F1 by τ, one column a curve, and the best of each."""
    first = next(iter(curves.values()))
    lines = ["| τ | " + " | ".join(curves) + " |", "|---" * (1 + len(curves)) + "|"]
    for place, point in enumerate(first):
        lines.append(f"| {point.tau:.2f} | " + " | ".join(f"{c[place].f1:.2f}" for c in curves.values()) + " |")
    best = [max(points, key=lambda point: point.f1) for points in curves.values()]
    lines.append("| best | " + " | ".join(f"{point.tau:.2f}: {point.f1:.3f}" for point in best) + " |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    main()
