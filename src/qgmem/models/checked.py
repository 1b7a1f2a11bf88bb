"""An embedder behind a door that checks what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from ..errors import ModelMisbehaved, ModelUnavailable, QgmemError
from ..pieces import PIECE_BYTES, WIDTH, AskedPieces, Pieces
from ..protocols import Embedder, PieceEmbedder, Vectors
from .remembered import Remembered

T = TypeVar("T")


class CheckedEmbedder:
    """The same embedder, whose failures are ModelErrors: a caller's own may raise anything and answer anything.

    Vectors are brought to length 1; ModelMisbehaved for a wrong shape or values that are no numbers.
    """

    def __init__(self, inner: Embedder) -> None:
        # `Memory.embedder` of one memory may be given to another: it is checked once.
        self.inner: Embedder = inner.inner if isinstance(inner, CheckedEmbedder) else inner
        self.id, self.dimension = inner.id, inner.dimension
        self.phrases = Remembered(self.embed)  # vectors of entities, locations and constraints

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows of length 1, checked."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return self._checked(texts, self._tried(lambda: np.asarray(self.inner.embed(texts), np.float32)))

    def embed_pieces(self, texts: Sequence[str]) -> tuple[Vectors, list[Pieces] | None]:
        """The same, and the pieces of each text, or None from an embedder that shows none."""
        inner = self.inner
        if not texts or not isinstance(inner, PieceEmbedder):
            return self.embed(texts), None
        vectors, pieces = self._tried(lambda: inner.embed_pieces(texts))
        fitting = [one for one in pieces if one.codes.shape == (len(one.ids), PIECE_BYTES)]
        if len(pieces) != len(texts) or len(fitting) < len(pieces):
            raise ModelMisbehaved(
                f"embedder {self.id}: expected pieces of {len(texts)} texts, with codes (t, {PIECE_BYTES}) of t ids; "
                f"got {len(pieces)}, {len(fitting)} of them so"
            )
        return self._checked(texts, vectors), pieces

    def embed_question(self, text: str) -> tuple[Vectors, AskedPieces | None]:
        """(1, d) of one text, and its pieces, or None from an embedder that shows none."""
        inner = self.inner
        if not isinstance(inner, PieceEmbedder):
            return self.embed([text]), None
        vectors, pieces = self._tried(lambda: inner.embed_question(text))
        expected = (len(pieces.words), WIDTH)
        if pieces.vectors.shape != expected or len(pieces.content) != len(pieces.words):
            raise ModelMisbehaved(
                f"embedder {self.id}: expected pieces {expected} and {expected[0]} marks, got {pieces.vectors.shape} "
                f"and {len(pieces.content)}"
            )
        return self._checked([text], vectors), pieces

    def _checked(self, texts: Sequence[str], vectors: Vectors) -> Vectors:
        expected = (len(texts), self.dimension)
        if vectors.shape != expected:
            raise ModelMisbehaved(f"embedder {self.id}: expected {expected}, got {vectors.shape}")
        if not np.isfinite(vectors).all():
            raise ModelMisbehaved(f"embedder {self.id}: a vector holds a value that is no number")
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        if (np.abs(length - 1) > 1e-3).any():
            vectors = np.where(length > 0, vectors / np.maximum(length, 1e-12), 0).astype(np.float32)
        return vectors

    def _tried(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except QgmemError:
            raise
        except Exception as error:  # a caller's embedder: whatever it raises, its turns must be kept
            raise ModelUnavailable(f"embedder {self.id}: {type(error).__name__}: {error}") from error

    @property
    def shows_pieces(self) -> bool:
        """True when `embed_pieces` gives pieces."""
        return isinstance(self.inner, PieceEmbedder)

    @property
    def concurrent(self) -> bool:
        """True when it gains from several calls at a time; a caller's own gets one after the other by default."""
        return bool(getattr(self.inner, "concurrent", False))

    @property
    def sem_match_threshold(self) -> float:
        """Cosine from which two phrases match: the embedder's own calibration, else the paper's 0.60."""
        return float(getattr(self.inner, "sem_match_threshold", 0.60))

    @property
    def trace_threshold(self) -> float:
        """Cosine from which two claims may share a trace: the embedder's own calibration, else the paper's 0.80."""
        return float(getattr(self.inner, "trace_threshold", 0.80))
