"""Embeddings over HTTP: batches, order, dimension, and vectors of the wrong length (CASES 24)."""

from __future__ import annotations

import json
from typing import Any

import httpx
import numpy as np
import pytest

from qgmem.errors import ModelMisbehaved, ModelUnavailable
from qgmem.models.ledger import MemoryLedger
from qgmem.models.openai_compatible import OpenAIEmbedder
from qgmem.models.retry import RetryPolicy
from qgmem.protocols import Embedder


def _vector(text: str, dimension: int = 3) -> list[float]:
    return [float(len(text)), 1.0, *[0.0] * (dimension - 2)]


def _serve(request: httpx.Request) -> httpx.Response:
    """Answers in reverse order, as the protocol allows: `index` tells which is which."""
    texts = json.loads(request.content)["input"]
    data = [{"index": n, "embedding": _vector(text)} for n, text in enumerate(texts)]
    return httpx.Response(200, json={"data": data[::-1], "usage": {"prompt_tokens": 5}})


def _embedder(handler: Any = _serve, **more: Any) -> OpenAIEmbedder:
    retry = RetryPolicy(3, sleep=lambda _: None)
    return OpenAIEmbedder("e", base_url="http://box/v1", retry=retry, transport=httpx.MockTransport(handler), **more)


def _answer(*vectors: object) -> Any:
    return lambda _: httpx.Response(200, json={"data": [{"embedding": vector} for vector in vectors]})


def test_rows_follow_the_texts_and_have_length_one() -> None:
    embedder = _embedder(batch=2)
    texts = ["a", "bbbb", "cc", "", "eee"]
    vectors = embedder.embed(texts)
    expected = np.array([_vector(text or "-") for text in texts])
    np.testing.assert_allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-6)
    assert (str(vectors.dtype), embedder.dimension, embedder.id) == ("float32", 3, "e-3")
    assert isinstance(embedder, Embedder)
    assert embedder.embed([]).shape == (0, 3)


def test_batches_and_parameters() -> None:
    bodies: list[dict[str, Any]] = []

    def serve(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        return _serve(request)

    ledger = MemoryLedger()
    embedder = _embedder(serve, dimension=3, batch=2, request_dimension=True, ledger=ledger, namespace="ana")
    embedder.embed(["a", "b", "c"])
    assert [body["input"] for body in bodies] == [["a", "b"], ["c"]]
    assert bodies[0] == {"model": "e", "input": ["a", "b"], "encoding_format": "float", "dimensions": 3}
    (row,) = ledger.ledger()
    assert (row.namespace, row.stage, row.calls, row.tokens_in) == ("ana", "embedding", 2, 10)


@pytest.mark.parametrize(
    "vectors",
    [
        ([1.0, 0.0],),  # two numbers for three
        ([1.0, 0.0, 0.0, 0.0],),
        (),
        ([1.0, 0, 0], [1.0, 0, 0]),
        ("AAAA",),
        ([],),
        (None,),
        (["a", "b", "c"],),
        ([0.0, 0.0, 0.0],),
        ([float("nan"), 1.0, 0.0],),
        ([float("inf"), 1.0, 0.0],),
        ([1e300, 1.0, 0.0],),
    ],
    ids=str,
)
def test_case_24_vectors_that_are_none_of_ours_are_misbehaviour(vectors: tuple[object, ...]) -> None:
    def serve(_: httpx.Request) -> httpx.Response:
        content = json.dumps({"data": [{"embedding": vector} for vector in vectors]})
        return httpx.Response(200, content=content)

    with pytest.raises(ModelMisbehaved, match="embedder e"), np.errstate(all="ignore"):
        _embedder(serve, dimension=3).embed(["a"])


@pytest.mark.parametrize("index", [[0, 0], [0, 2], ["a", 1]])
def test_vectors_that_cannot_be_told_apart_are_misbehaviour(index: list[object]) -> None:
    data = [{"index": n, "embedding": [1.0, 0.0, 0.0]} for n in index]
    with pytest.raises(ModelMisbehaved, match="numbered"):
        _embedder(lambda _: httpx.Response(200, json={"data": data}), dimension=3).embed(["a", "b"])


def test_case_24_an_outage_is_retried_and_then_told() -> None:
    calls = 0

    def serve(request: httpx.Request) -> httpx.Response:
        nonlocal calls
        calls += 1
        return httpx.Response(500) if calls < 3 else _serve(request)

    assert _embedder(serve, dimension=3).embed(["a"]).shape == (1, 3)
    with pytest.raises(ModelUnavailable, match="3 attempts"):
        _embedder(lambda _: httpx.Response(503), dimension=3).embed(["a"])


def test_repr_holds_no_key() -> None:
    assert "sk-secret" not in repr(_embedder(dimension=3, api_key="sk-secret"))
