"""Late interaction: MaxSim over the embedder's own token vectors, made when the question is asked.

Khattab and Zaharia (2020), https://arxiv.org/abs/2004.12832, with an embedder that was not trained for it: a unit is
as good as the question's tokens find their like in it. Costs one embedding of each text and no extra model.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import InvalidInput, ModelMisbehaved
from ...protocols import Embedder, TokenEmbedder, Vectors


class LateInteraction:
    """A `Reranker` over token vectors. Scores are mean cosines in [-1, 1], higher is better.

    `embedder` has to be a `TokenEmbedder`; raises InvalidInput for one that shows no token vectors.
    """

    def __init__(self, embedder: Embedder) -> None:
        if not isinstance(embedder, TokenEmbedder):
            raise InvalidInput(
                "settings.rerank", f"late needs token vectors, which {embedder.id} does not show", "use minilm"
            )
        self._embedder = embedder
        self.id = f"late-{embedder.id}"

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        """One mean MaxSim a document; 0 where question or document has no token. Raises ModelError."""
        if not documents:
            return []
        # The question alone: a text's vectors do not depend on its company, and batches stay of like length.
        asked = self._embedder.embed_tokens([question])[0]
        told = self._embedder.embed_tokens(documents)
        if len(told) != len(documents) or any(rows.ndim != 2 for rows in (asked, *told)):
            raise ModelMisbehaved(f"embedder {self._embedder.id}: expected (tokens, d) of {len(documents)} texts")
        return maxsim(asked, told)


def maxsim(question: Vectors, documents: Sequence[Vectors]) -> list[float]:
    """Mean over the question's tokens of the best cosine to a document's tokens.

    `question`: (q, d), each of `documents`: (t, d), rows of length 1.

        >>> import numpy as np
        >>> east, north = np.eye(2, dtype=np.float32)
        >>> maxsim(np.stack([east, north]), [np.stack([east, north]), np.stack([east]), np.empty((0, 2), np.float32)])
        [1.0, 0.5, 0.0]
    """
    if not len(question):
        return [0.0] * len(documents)
    return [float((rows @ question.T).max(axis=0).mean()) if len(rows) else 0.0 for rows in documents]
