"""The local default reranker: a small network over `rank_features`, trained without any reported question.

Scores are logits, comparable within one question only. The weights ship as `ranker.npz` with `ranker.md`, the card
that says what they were trained on and how well they do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files

import numpy as np

from ..errors import ModelUnavailable
from ..stores.index import Rows
from .channel import Float32
from .rank_features import features, standardised
from .rerank import RerankTask

_AFTER_LATIN = "\u0250"  # the first letter that no language's Latin alphabet holds


@dataclass(frozen=True, slots=True)
class Network:
    """Two hidden layers with a linear path beside: names of the f columns, their mean and spread, weights."""

    names: tuple[str, ...]
    mean: Float32  # (f,)
    spread: Float32  # (f,)
    first: Float32  # (members, f, h)
    first_bias: Float32  # (members, h)
    second: Float32  # (members, h, h)
    second_bias: Float32  # (members, h)
    last: Float32  # (members, h)
    linear: Float32  # (members, f)

    def score(self, columns: dict[str, Float32]) -> Float32:
        """(n,) mean logit of the members. Raises ModelUnavailable when a column is missing."""
        missing = [name for name in self.names if name not in columns]
        if missing:
            raise ModelUnavailable(f"ranker.npz: made for other features, {missing[0]!r} is unknown; reinstall qgmem")
        inputs = (np.stack([columns[name] for name in self.names], axis=1) - self.mean) / self.spread
        inputs = np.clip(inputs, -6, 6)
        total = np.zeros(len(inputs), np.float32)
        for member in range(len(self.first)):
            hidden = np.maximum(inputs @ self.first[member] + self.first_bias[member], 0)
            hidden = np.maximum(hidden @ self.second[member] + self.second_bias[member], 0)
            total += hidden @ self.last[member] + inputs @ self.linear[member]
        return total / np.float32(len(self.first))


@lru_cache(maxsize=2)
def shipped(name: str = "ranker") -> Network:
    """A network that comes with the package: `ranker`, or `ranker-plain` for memories without word pieces."""
    with as_file(files("qgmem.activation") / f"{name}.npz") as path, np.load(path) as arrays:
        names = tuple(str(name) for name in arrays["names"])
        rest = {name: arrays[name].astype(np.float32) for name in arrays.files if name != "names"}
    return Network(names, **rest)


class LearnedReranker:
    """A quarter the fusion's score, the rest the network's, both standardised over the question's candidates.

    The share was chosen where the network had seen nothing by the writer asked about, as will be so for its users.
    """

    id = "learned-2"
    inline = True  # arithmetic over at most a thousand candidates: it ends, so no thread need watch it
    share = np.float32(0.75)

    def __init__(self, network: Network | None = None) -> None:
        self._network = network

    def rerank(self, task: RerankTask) -> tuple[Rows, Float32]:
        """Every candidate of the fusion with its score.

        Raises ModelUnavailable when a channel it reads is off, and for a question in a script that it never saw.
        """
        if not _in_latin_script(task.asking.text):
            raise ModelUnavailable("was trained on Latin script, the question is in another; the fused order stands")
        off = {"lexical", "semantic"} - {channel.name for channel in task.lists}
        if off:
            raise ModelUnavailable(f"reads the channels lexical and semantic, and {' and '.join(sorted(off))} is off")
        rows = np.sort(task.fused.rows)
        fused = np.empty(len(rows), np.float32)
        fused[np.searchsorted(rows, task.fused.rows)] = task.fused.scores
        columns = features(
            task.index, task.asking, rows, task.lists, task.lexical, task.attributes, task.pieces, task.fused.rows
        )
        network = self._network or shipped("ranker" if "pieces" in columns else "ranker-plain")
        learned = network.score(columns)
        both = (1 - self.share) * standardised(fused) + self.share * standardised(learned)
        return rows, fused.mean() + max(fused.std(), np.float32(1e-3)) * both  # on the fusion's own scale


def _in_latin_script(text: str) -> bool:
    """True unless most letters are of another script."""
    letters = [letter for letter in text if letter.isalpha()]
    return 2 * sum(letter < _AFTER_LATIN for letter in letters) >= len(letters)
