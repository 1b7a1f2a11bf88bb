"""Which differences are asked about, in which family, and which are real ([E] §4.3).

Every difference is percentage points of evidence recall, complete B minus the other side, over the same
questions. Holm corrects within a family, and a family never spans two embedders or graphs unless it compares
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from qgmem.evals.progress import progress
from qgmem.evals.statistics import RESAMPLES, SEED, Comparison, Pair, compare_family

from .conditions import COMPLETE, CUTOFFS, DENSE, MAIN_CUTOFF
from .published import B_MINUS_RAW_B, CUTOFF_DIFFERENCES, DIFFERENCES, RAW_B_MINUS_RAW_A
from .ranking import Floats
from .texts import MAIN_FORM, TextForm

FEWEST_CLUSTERS = 6
"""With fewer conversations not even unanimous signs are rare: 2 · 2⁻⁵ > .05. Nothing is called supported then."""


class Cell(NamedTuple):
    """Where lists come from: embedder label, graph name, text form."""

    embedder: str
    graph: str
    form: TextForm


Scores = Mapping[Cell, Mapping[str, Mapping[int, Floats]]]
"""Cell → condition → cutoff → (questions,) recall in per cent."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a difference."""

    cell: Cell
    condition: str
    cutoff: int = MAIN_CUTOFF


@dataclass(frozen=True, slots=True)
class Contrast:
    """`complete` minus `other`; `published` is [E]'s value of the same difference, where it printed one."""

    name: str
    complete: Side
    other: Side
    published: float | None = None


@dataclass(frozen=True, slots=True)
class Family:
    """Contrasts that share one correction; `scope` says on which embedder or graph, empty for the rest."""

    name: str
    embedder: str
    graph: str
    contrasts: tuple[Contrast, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A contrast with what both bootstraps say of it."""

    family: Family
    contrast: Contrast
    comparison: Comparison


def families(embedders: Sequence[str], graphs: Sequence[str], cells: Sequence[Cell]) -> list[Family]:
    """Every family that these cells allow, graph by graph."""
    found: list[Family] = []
    for graph in graphs:
        for embedder in embedders:
            found += _within(embedder, graph, set(cells))
        first, *others = embedders
        if others:
            contrasts = tuple(_between(Cell(first, graph, MAIN_FORM), Cell(other, graph, MAIN_FORM),
                                       f"{first} - {other}") for other in others)  # fmt: skip
            found.append(Family("embedder", "", graph, contrasts))
    if len(graphs) > 1:
        for embedder in embedders:
            contrasts = tuple(_between(Cell(embedder, graphs[0], MAIN_FORM), Cell(embedder, other, MAIN_FORM),
                                       f"{graphs[0]} - {other} graph") for other in graphs[1:])  # fmt: skip
            found.append(Family("graph", embedder, "", contrasts))
    return found


def compare_all(
    wanted: Sequence[Family],
    scores: Scores,
    conversations: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    show_progress: bool = True,
) -> list[Finding]:
    """Both bootstraps and Holm's correction for every family, in order. `conversations`: (questions,)."""
    findings: list[Finding] = []
    with progress("bootstrap", sum(len(f.contrasts) for f in wanted), show_progress) as bar:
        for family in wanted:
            pairs = {c.name: Pair(_scores(scores, c.other), _scores(scores, c.complete)) for c in family.contrasts}
            compared = compare_family(pairs, conversations, resamples=resamples, seed=seed)
            for contrast, comparison in zip(family.contrasts, compared, strict=True):
                enough = comparison.clusters >= FEWEST_CLUSTERS
                findings.append(
                    Finding(family, contrast, replace(comparison, supported=comparison.supported and enough))
                )
            bar.advance(len(family.contrasts))
    return findings


def _within(embedder: str, graph: str, cells: set[Cell]) -> list[Family]:
    cell, raw, stamped = (
        Cell(embedder, graph, MAIN_FORM),
        Cell(embedder, graph, "raw"),
        Cell(embedder, graph, "stamped"),
    )
    complete = Side(cell, COMPLETE)

    def against(conditions: Sequence[str]) -> tuple[Contrast, ...]:
        return tuple(
            Contrast(f"B - {name}", complete, Side(cell, name), DIFFERENCES.get(name)) for name in conditions
        )

    cutoffs = tuple(
        Contrast(f"B - A at {k}", Side(cell, COMPLETE, k), Side(cell, DENSE, k), CUTOFF_DIFFERENCES[k])
        for k in CUTOFFS
    )
    components = against((
        "B without sequence", "B sequence after gating", "B without entity score", "B entity-only",
        "B without speaker links",
    ))  # fmt: skip
    inputs: list[Contrast] = []
    if raw in cells:
        inputs += [
            Contrast("B - B on raw text", complete, Side(raw, COMPLETE), B_MINUS_RAW_B),
            Contrast("B - A, both on raw text", Side(raw, COMPLETE), Side(raw, DENSE), RAW_B_MINUS_RAW_A),
        ]
    if stamped in cells:
        inputs += [
            Contrast("B - B on stamped text", complete, Side(stamped, COMPLETE)),
            Contrast("B - A, both on stamped text", Side(stamped, COMPLETE), Side(stamped, DENSE)),
        ]
    return [
        Family("cutoffs", embedder, graph, cutoffs),
        Family("components", embedder, graph, components),
        *([Family("input", embedder, graph, tuple(inputs))] if inputs else []),
        Family("weights", embedder, graph, against(("B weights .1/.9", "B weights .5/.5"))),
        Family("sequence scale", embedder, graph, against(("B scale .25", "B scale 1"))),
    ]


def _between(one: Cell, other: Cell, name: str) -> Contrast:
    return Contrast(name, Side(one, COMPLETE), Side(other, COMPLETE))


def _scores(scores: Scores, side: Side) -> list[float]:
    values: list[float] = scores[side.cell][side.condition][side.cutoff].tolist()
    return values
