"""Vectors of word pieces, small enough to keep: 64 numbers of four bits each, of the pieces that mean something.

What late interaction compares (Khattab and Zaharia, 2020). A text's own vector is the mean of its pieces, so a word
that decides may drown in it; kept one by one, the pieces of a chat turn take some 500 bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WIDTH = 64  # numbers of a piece
PIECE_BYTES = WIDTH // 2  # two numbers a byte
MOST = 64  # pieces that are kept of a text; more of a long one made the ranker no better


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces of one text, each once: `ids` (t,) of the vocabulary, `codes` (t, 32) as `packed` makes them."""

    ids: NDArray[np.int64]
    codes: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class AskedPieces:
    """All pieces of a question: `vectors` (q, 64) of length 1, the `words` that they belong to, lower-case, and

    `content` (q,): whether the piece means something by itself.
    """

    vectors: NDArray[np.float32]
    words: tuple[str, ...]
    content: NDArray[np.bool_]


def packed(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    """(t, 32) codes of (t, 64) vectors, whose length is not kept: two numbers a byte, 1 to 15 around 8.

    >>> codes = packed(np.eye(2, WIDTH, dtype=np.float32))
    >>> unpacked(codes)[:, :3].tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    largest = np.maximum(np.abs(vectors).max(axis=1, keepdims=True, initial=0), 1e-9)
    numbers = (np.rint(vectors * (7 / largest)) + 8).astype(np.uint8)
    half = PIECE_BYTES
    return np.asarray((numbers[:, :half] << 4) | numbers[:, half:], np.uint8)


def unpacked(codes: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(t, 64) float32 of length 1."""
    numbers = np.concatenate([codes >> 4, codes & 15], axis=1).astype(np.float32) - 8
    length = np.sqrt(np.einsum("td,td->t", numbers, numbers))
    numbers /= np.maximum(length, 1e-6)[:, None]
    return numbers


def joined(parts: Sequence[Pieces]) -> bytes:
    """The codes of a unit that was embedded in parts: the first `MOST` different pieces."""
    if not parts:
        return b""
    ids = np.concatenate([part.ids for part in parts])
    first = np.sort(np.unique(ids, return_index=True)[1])[:MOST]
    return np.concatenate([part.codes for part in parts])[first].tobytes()


def codes_of(kept: bytes) -> NDArray[np.uint8]:
    """(t, 32) of what `joined` gave."""
    return np.frombuffer(kept, np.uint8).reshape(-1, PIECE_BYTES)
