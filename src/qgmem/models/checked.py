"""An embedder behind a door that checks what comes out of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ModelMisbehaved
from ..protocols import Embedder, Vectors


class CheckedEmbedder:
    """The same embedder; raises ModelMisbehaved for an answer of the wrong shape or with values that are no numbers."""

    def __init__(self, inner: Embedder) -> None:
        self.inner = inner
        self.id, self.dimension = inner.id, inner.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, checked."""
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        vectors = np.asarray(self.inner.embed(texts), np.float32)
        expected = (len(texts), self.dimension)
        if vectors.shape != expected:
            raise ModelMisbehaved(f"embedder {self.id}: expected {expected}, got {vectors.shape}")
        if not np.isfinite(vectors).all():
            raise ModelMisbehaved(f"embedder {self.id}: a vector holds a value that is no number")
        return vectors

    @property
    def sem_match_threshold(self) -> float:
        """Cosine from which two phrases match: the embedder's own calibration, else the paper's 0.60."""
        return float(getattr(self.inner, "sem_match_threshold", 0.60))
