"""Late interaction over kept word pieces: how well each piece of a question is met by its like in a unit.

MaxSim (Khattab and Zaharia, 2020) with an embedder that was not trained for it. Names of speakers are left out of the
question: every turn of theirs would meet them, and people misremember who said what.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..pieces import AskedPieces, codes_of, unpacked
from ..stores.index import Rows
from .channel import Float32

READ = 200  # of the fusion's best; the rest counts as the least of them
_TELLING = 5  # best units of a piece, which are compared with all: a piece that they alone meet tells much
NAMES = (
    "pieces", "pieces_content", "pieces_telling", "pieces_worst", "pieces_before", "pieces_after", "pieces_window",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PieceMatch:
    """The pieces of a question that are looked for, `vectors` (q, 64) and `content` (q,), and where to look.

    `kept`: rows -> the codes of each unit, None where there are none.
    """

    vectors: Float32
    content: NDArray[np.bool_]
    kept: Callable[[Rows], Sequence[bytes | None]]

    @classmethod
    def of(
        cls, asked: AskedPieces, named: Callable[[str], bool], kept: Callable[[Rows], Sequence[bytes | None]]
    ) -> PieceMatch:
        """Of a question's pieces without those of names; with all where nothing would be left."""
        chosen = np.array([not named(word) for word in asked.words], np.bool_)
        if not (chosen & asked.content).any():
            chosen[:] = True
        content = asked.content[chosen]
        return cls(asked.vectors[chosen], content if content.any() else np.ones_like(content), kept)

    def similarities(self, rows: Rows) -> tuple[Float32, NDArray[np.bool_]]:
        """(n, q) best cosine of each of the question's pieces in each unit, and (n,) which units have pieces."""
        found = self.kept(rows)
        lengths = np.array([0 if codes is None else len(codes_of(codes)) for codes in found], np.intp)
        best = np.zeros((len(rows), len(self.vectors)), np.float32)
        there = lengths > 0
        if there.any() and len(self.vectors):
            products = unpacked(codes_of(b"".join(codes for codes in found if codes))) @ self.vectors.T
            starts = np.concatenate([[0], np.cumsum(lengths[there])[:-1]])
            best[there] = np.maximum.reduceat(products, starts, axis=0)
        return best, there


def piece_features(match: PieceMatch, rows: Rows, first: Rows, near: NDArray[np.intp]) -> dict[str, Float32]:
    """Columns over `rows`, ascending, by `NAMES`; empty where no unit has pieces.

    `first`: the fusion's best, best first, of which `READ` are looked at. `near`: (rows, ≥ 2) the rows before and
    after each, -1 for none.
    """
    at = np.searchsorted(rows, np.sort(first[:READ]))
    found, there = match.similarities(rows[at])
    if not there.any():
        return {}
    found[~there] = found[there].min(axis=0)
    best = np.sort(found, axis=0)[-_TELLING:].mean(axis=0)
    telling = np.maximum(best - found.mean(axis=0), 0)
    telling /= max(float(telling.sum()), 1e-6)
    content = found[:, match.content]
    worst = max(1, content.shape[1] // 3)
    bordered = np.vstack([found, np.zeros((1, found.shape[1]), np.float32)])
    place = np.full(len(rows), len(at), np.intp)
    place[at] = np.arange(len(at))
    before, after = (_placed(rows, near[at, side], place, len(at)) for side in (0, 1))
    told = bordered @ telling
    window = np.maximum(found, np.maximum(bordered[before], bordered[after]))
    columns = (
        found.mean(axis=1), content.mean(axis=1), told[:-1], np.sort(content, axis=1)[:, :worst].mean(axis=1),
        told[before], told[after], window @ telling,
    )  # fmt: skip
    return {name: _spread(values, at, len(rows)) for name, values in zip(NAMES, columns, strict=True)}


def _placed(rows: Rows, wanted: Rows, place: Rows, nowhere: int) -> Rows:
    """Where each wanted row stands among those that were read; `nowhere` for the others."""
    at = np.minimum(np.searchsorted(rows, np.maximum(wanted, 0)), len(rows) - 1)
    return np.where(rows[at] == wanted, place[at], nowhere)


def _spread(values: Float32, at: Rows, n: int) -> Float32:
    """Over all candidates: the least value for what was not read."""
    column = np.full(n, values.min(), np.float32)
    column[at] = values
    return column
