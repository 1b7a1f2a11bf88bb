"""Rerankers behind `/rerank`, in the three shapes that servers speak.

| shape | request | answer | spoken by |
|---|---|---|---|
| tei | {query, texts, truncate} | [{index, score}] | Hugging Face text-embeddings-inference |
| jina | {query, documents, model?, top_n, return_documents} | {results: [{index, relevance_score}]} | Jina, vLLM |
| cohere | {query, documents, model?, top_n} | {results: [{index, relevance_score}]} | Cohere v2 |
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import httpx

from ...errors import InvalidInput, ModelMisbehaved
from ..endpoint import Endpoint
from ..retry import RetryPolicy

Shape = Literal["tei", "jina", "cohere"]
SHAPES: tuple[Shape, ...] = ("tei", "jina", "cohere")
BATCHES: Mapping[Shape, int] = {
    "tei": 32,
    "jina": 64,
    "cohere": 1000,
}  # documents a request: what servers take unasked


class HttpReranker:
    """A `Reranker` over HTTP. Scores are the server's, higher is better.

    `base_url` is what comes before `/rerank` (`http://localhost:8080`, `https://api.jina.ai/v1`,
    `https://api.cohere.com/v2`); a key is sent if there is one. `timeout`: seconds of one attempt; there are two, and
    a server that asks to wait longer than `timeout` is not asked again. `transport` is httpx's, for tests.
    """

    def __init__(
        self,
        shape: Shape,
        base_url: str,
        *,
        model: str | None = None,
        api_key: str | None = None,
        timeout: float = 10.0,
        retry: RetryPolicy | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if shape not in SHAPES:
            raise InvalidInput("shape", f"is {shape!r}", f"use one of {', '.join(SHAPES)}")
        self._shape, self._model = shape, model
        self._endpoint = Endpoint(base_url, api_key, timeout=timeout, transport=transport)
        self._retry = retry or RetryPolicy(2, first_wait=0.2, longest_retry_after=timeout)
        self.id = f"http:{shape}" + (f"-{model}" if model else "")

    def __repr__(self) -> str:
        return f"HttpReranker({self._shape!r}, {self._endpoint!r}, model={self._model!r})"

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        """One score a document. Raises ModelUnavailable, ModelRefused, ModelMisbehaved."""
        scores: list[float] = []
        size = BATCHES[self._shape]
        for start in range(0, len(documents), size):
            part = list(documents[start : start + size])
            body = self._body(question, part)
            answer = self._retry.run(lambda body=body: self._endpoint.post_any("rerank", body))  # type: ignore[misc]
            scores += _scores(answer, len(part), self.id)
        return scores

    def _body(self, question: str, documents: list[str]) -> dict[str, Any]:
        if self._shape == "tei":
            return {"query": question, "texts": documents, "truncate": True}
        body: dict[str, Any] = {"query": question, "documents": documents, "top_n": len(documents)}
        if self._model:
            body["model"] = self._model
        if self._shape == "jina":
            body["return_documents"] = False
        return body


def _scores(answer: Any, count: int, name: str) -> list[float]:
    """Scores in the documents' order; answers come sorted by score. Raises ModelMisbehaved."""
    rows = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(rows, list) or len(rows) != count:
        got = f"{len(rows)}" if isinstance(rows, list) else f"none in {type(answer).__name__}"
        raise ModelMisbehaved(f"{name}: expected {count} scores, got {got}")
    scores: list[float | None] = [None] * count
    for row in rows:
        place = row.get("index") if isinstance(row, dict) else None
        if isinstance(place, bool) or not isinstance(place, int) or not 0 <= place < count:
            raise ModelMisbehaved(f"{name}: expected an index from 0 to {count - 1}, got {place!r}")
        score = row.get("relevance_score", row.get("score"))
        if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
            raise ModelMisbehaved(f"{name}: the score of document {place} is no number")
        scores[place] = float(score)
    found = [score for score in scores if score is not None]
    if len(found) != count:
        raise ModelMisbehaved(f"{name}: expected {count} scores, {count - len(found)} documents have none")
    return found
