"""Pictures of a study (extra `eval`): how validation falls, and what the gold answer costs under each condition.

python -m qgmem.training.graph_branch.plot OUT/study.json study.svg
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...evals.answers.plot import drawing

COLOURS = ("#1b7f5c", "#2f6fb2", "#7d3c98", "#b8860b", "#a93226", "#566573")


def plot(study: Mapping[str, Any], file: Path) -> None:
    """Draws study.json's trainings and gold answers, a dot a seed. Raises MissingExtra."""
    pyplot = drawing()
    figure, (losses, costs) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    kinds = list(dict.fromkeys(name.partition("-seed")[0] for name in study["training"]))
    for name, one in study["training"].items():
        kind, _, seed = name.partition("-seed-")
        colour = COLOURS[kinds.index(kind) % len(COLOURS)]
        losses.plot(one["validation"], color=colour, label=kind if seed == "0" else None, linewidth=1.2)
    losses.set(xlabel="epoch", ylabel="validation loss, nats a target token")
    losses.xaxis.get_major_locator().set_params(integer=True)
    losses.legend(fontsize=8)
    conditions = study["conditions"]
    for at, one in enumerate(conditions.values()):
        seeds = list(one["gold_nats_by_seed"].values())
        costs.plot(seeds, [at] * len(seeds), "o", color=COLOURS[1], alpha=0.6)
        costs.plot(one["gold_nats"], at, "|", color="black", markersize=16)
    costs.set_yticks(range(len(conditions)), list(conditions))
    costs.invert_yaxis()
    costs.set_xlabel("gold answer, nats a token: a dot a seed, a line the mean")
    for axis in (losses, costs):
        axis.grid(alpha=0.3)
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    pyplot.close(figure)


if __name__ == "__main__":
    plot(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2]))
