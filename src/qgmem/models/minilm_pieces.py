"""Which word pieces of a text are kept, and as what: MiniLM's last hidden states along 64 directions.

The directions are the main ones of the hidden states of `training-data/dialogues`, made by `make pieces`
(`training/make_pieces.py`) and shipped as `minilm_pieces.npz`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..pieces import AskedPieces, Pieces, packed
from ..protocols import Vectors

_FUNCTION = frozenset(
    "a an the of to in on at for and or is are was were be been do does did has have had what when where who whom "
    "which why how with by from as that this it its his her their they he she i you your my we our s about".split()
)


def projection() -> Vectors:
    """(384, 64) float32 directions."""
    with as_file(files("qgmem.models") / "minilm_pieces.npz") as path, np.load(path) as arrays:
        return np.asarray(arrays["projection"], np.float32)


class PieceReader:
    """Picks the pieces that mean something, and makes their vectors small. `vocabulary`: piece -> id."""

    def __init__(self, vocabulary: Mapping[str, int], directions: Vectors) -> None:
        self._directions = directions
        self._means = np.zeros(max(vocabulary.values(), default=-1) + 1, np.bool_)
        for piece, row in vocabulary.items():
            self._means[row] = _means_something(piece)

    def of_text(self, ids: NDArray[np.int64], hidden: Vectors) -> Pieces:
        """Pieces of one text, each where it comes first. `hidden`: (t, 384) of the `ids`, special ones left out."""
        first = np.sort(np.unique(ids, return_index=True)[1])
        kept = first[self._means[ids[first]]]
        return Pieces(ids[kept], packed(self._small(hidden[kept])))

    def of_question(self, encoding: Any, hidden: Vectors) -> AskedPieces:
        """All pieces of a question. `encoding`: the tokenizer's, with its two special pieces."""
        pieces, owners = encoding.tokens[1:-1], encoding.word_ids[1:-1]
        words: dict[int, str] = {}
        for piece, owner in zip(pieces, owners, strict=True):
            words[owner] = words.get(owner, "") + piece.removeprefix("##")
        content: NDArray[np.bool_] = self._means[np.array(encoding.ids[1:-1], np.int64)]
        return AskedPieces(self._small(hidden), tuple(words[owner] for owner in owners), content)

    def _small(self, hidden: Vectors) -> Vectors:
        small = hidden @ self._directions
        length = np.sqrt(np.einsum("td,td->t", small, small))
        small /= np.maximum(length, 1e-9)[:, None]
        return np.asarray(small, np.float32)


def _means_something(piece: str) -> bool:
    return piece not in _FUNCTION and any(character.isalnum() for character in piece)
