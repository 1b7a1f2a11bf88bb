"""Cross-encoders by folder or hub name, run by sentence-transformers (extra `hf`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

import numpy as np

from ...errors import MissingExtra, ModelMisbehaved, ModelUnavailable

Predict = Callable[[list[tuple[str, str]]], Sequence[float]]  # (question, document) pairs -> one score each
MAX_TOKENS = 512  # question and document together; what the usual models were trained on
BATCH = 16


class CrossEncoderReranker:
    """A `Reranker` that reads question and document together. Scores are the model's own, higher is better.

    `source` is a folder, or a hub name, which is downloaded once. The model is loaded by the first question, which
    may find the time box too short. `predict` replaces it, for tests. Raises MissingExtra without
    sentence-transformers.
    """

    def __init__(self, source: str | Path, *, predict: Predict | None = None) -> None:
        self.source = str(source)
        self.id = f"cross-encoder-{Path(self.source).name}"
        self._given, self._lock = predict, Lock()
        if predict is None and find_spec("sentence_transformers") is None:
            raise MissingExtra(f"the reranker {self.id}", "hf")

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        """One score a document. Raises ModelUnavailable if it cannot be loaded, ModelMisbehaved."""
        if not documents:
            return []
        with self._lock:
            predict = self._given or self._model
        scores = np.asarray(predict([(question, document) for document in documents]), np.float32)
        if scores.ndim == 2 and scores.shape[1] == 1:
            scores = scores[:, 0]
        if scores.shape != (len(documents),):
            raise ModelMisbehaved(
                f"{self.id}: expected {len(documents)} scores, got {scores.shape}; a reranker has one label"
            )
        return [float(score) for score in scores]

    @cached_property
    def _model(self) -> Predict:
        from sentence_transformers import CrossEncoder

        try:
            model = CrossEncoder(self.source, max_length=MAX_TOKENS)
        except (OSError, ValueError) as error:
            raise ModelUnavailable(f"{self.source}: cannot be loaded: {error}") from error
        return lambda pairs: model.predict(pairs, batch_size=BATCH, show_progress_bar=False)
