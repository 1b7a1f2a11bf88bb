"""What a replaceable part must do. Implementations are found by exact name in `registry.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from .pieces import AskedPieces, Pieces
from .types import Attributes

if TYPE_CHECKING:
    from .generation.local_graph import LocalGraph
    from .models.chat import ChatAnswer, ChatRequest

Vectors = NDArray[np.float32]  # (n, d), rows of unit length


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. Same text, same bytes."""

    @property
    def id(self) -> str:
        """Name and version; two embedders with one id give the same vectors."""

    @property
    def dimension(self) -> int:
        """d, the width of every vector."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows of length 1. Raises ModelError."""


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also shows its token vectors, for late interaction."""

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """One (tokens, d) float32 array a text, rows of length 1, special tokens left out."""


@runtime_checkable
class PieceEmbedder(Embedder, Protocol):
    """An embedder that shows vectors of word pieces as well, small enough to keep, and made in the same run."""

    def embed_pieces(self, texts: Sequence[str]) -> tuple[Vectors, list[Pieces]]:
        """(n, d) as `embed` gives them, and the pieces of each text. Raises ModelError."""

    def embed_question(self, text: str) -> tuple[Vectors, AskedPieces]:
        """(1, d) as `embed` gives it, and the question's pieces. Raises ModelError."""


@runtime_checkable
class AttributeExtractor(Protocol):
    """Reads entities and locations off a text; times come from `construction.timex`."""

    def extract(self, text: str, speaker: str) -> Attributes:
        """Entities and locations of one text; empty where nothing is understood."""


@runtime_checkable
class Reranker(Protocol):
    """Scores documents against a question; higher is better."""

    @property
    def id(self) -> str: ...

    def score(self, question: str, documents: Sequence[str]) -> Sequence[float]:
        """One score a document. Raises ModelError."""


@runtime_checkable
class Answerer(Protocol):
    """Writes the JSON that answers a request; asked once a call, it neither retries nor checks what it says.

    The local graph comes along as a value: a model that takes embeddings encodes it, any other finds it in the
    request as facts.
    """

    @property
    def id(self) -> str:
        """Name of the model and of what was added to it; part of every cache key."""

    def count_tokens(self, text: str) -> int:
        """Tokens of a text for this model, or an estimate of them."""

    def complete(self, request: ChatRequest, graph: LocalGraph) -> ChatAnswer:
        """One answer. Raises ModelError."""

    def stream(self, request: ChatRequest, graph: LocalGraph) -> Iterator[str | ChatAnswer]:
        """The answer's text in pieces as it is written, then the whole of it. Raises ModelError."""
