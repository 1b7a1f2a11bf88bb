"""Retrieval measures by printed name: `parse("recall_acc@10")` gives what prints as `recall_acc@10`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qgmem.errors import InvalidInput

from .ndcg import ndcg, ndcg_retrieved
from .ndcg_any import ndcg_any
from .precision import precision
from .recall_acc import recall_acc
from .recall_all import recall_all
from .recall_any import recall_any

RetrievalMetric = Callable[[Sequence[str], Sequence[str], int], float]

RETRIEVAL: dict[str, RetrievalMetric] = {
    "recall_acc": recall_acc,
    "precision": precision,
    "ndcg": ndcg,
    "ndcg_retrieved": ndcg_retrieved,
    "recall_any": recall_any,
    "recall_all": recall_all,
    "ndcg_any": ndcg_any,
}


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric at a cutoff. `str()` of it parses back; calling it scores one question in [0, 1]."""

    name: str
    k: int

    def __str__(self) -> str:
        return f"{self.name}@{self.k}"

    def __call__(self, evidence: Sequence[str], found: Sequence[str]) -> float:
        return RETRIEVAL[self.name](evidence, found, self.k)


def parse(printed: str) -> Measure:
    """The measure of a printed name. Raises InvalidInput naming the known ones."""
    match = re.fullmatch(r"(\w+)@([1-9]\d*)", printed)
    if match is None or match[1] not in RETRIEVAL:
        raise InvalidInput("measure", f"{printed!r}", f"write one of {', '.join(RETRIEVAL)} as name@k")
    return Measure(match[1], int(match[2]))


def at(names: Sequence[str], cutoffs: Sequence[int]) -> tuple[Measure, ...]:
    """Every name at every cutoff, in that order."""
    return tuple(parse(f"{name}@{k}") for name in names for k in cutoffs)
