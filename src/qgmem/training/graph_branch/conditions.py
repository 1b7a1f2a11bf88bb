"""What the model is given beside units, trajectories and question; one thing changes at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ...errors import InvalidInput

Graph = Literal["none", "text", "token", "shuffled", "untrained", "blind"]


@dataclass(frozen=True, slots=True)
class Condition:
    """One way to show the local graph.

    `none`: not at all. `text`: as labelled facts. `token`: `tokens` trained vectors of it. Controls: `shuffled`, the
    trained vectors of another case's graph; `untrained`, vectors of this graph by fresh weights; `blind`, trained
    vectors that saw no graph in training or now: what a learned prompt alone does.
    """

    graph: Graph
    tokens: int = 0

    @property
    def name(self) -> str:
        """As in reports: `token-2`."""
        return f"{self.graph}-{self.tokens}" if self.tokens else self.graph

    @property
    def seeded(self) -> bool:
        """True if it differs from seed to seed."""
        return self.tokens > 0

    @property
    def trained(self) -> bool:
        """True if it needs a training."""
        return self.graph in ("token", "shuffled", "blind")


def conditions(tokens: Sequence[int], *, blind: bool = True) -> list[Condition]:
    """All conditions; controls have the smallest and the largest number of tokens. Raises InvalidInput."""
    if not tokens or min(tokens) < 1 or len(set(tokens)) != len(tokens):
        raise InvalidInput("tokens", f"are {list(tokens)}", "give different whole numbers of at least 1")
    controls: tuple[Graph, ...] = ("shuffled", "untrained", *(("blind",) if blind else ()))
    found = [Condition("none"), Condition("text")]
    for each in sorted(tokens):
        found.append(Condition("token", each))
        found += [Condition(name, each) for name in controls if each in (min(tokens), max(tokens))]
    return found
