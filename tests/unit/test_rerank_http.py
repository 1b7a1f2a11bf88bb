"""Rerankers over HTTP: the three shapes as servers speak them, and every way in which an answer can be wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from qgmem import Memory, Settings
from qgmem.errors import InvalidInput, ModelError, ModelMisbehaved, ModelRefused, ModelUnavailable
from qgmem.models.rerankers.http import SHAPES, HttpReranker
from qgmem.models.retry import RetryPolicy
from qgmem.models.scripted import HashEmbedder
from qgmem.protocols import Reranker

DOCUMENTS = ["tea", "green tea", "a cat"]
Handler = Callable[[httpx.Request], httpx.Response]


def reranker(shape: Any, handler: Handler, **given: Any) -> HttpReranker:
    given.setdefault("retry", RetryPolicy(2, sleep=lambda _: None, longest_retry_after=10))
    url = given.pop("base_url", "http://box/v1")
    return HttpReranker(shape, url, transport=httpx.MockTransport(handler), **given)


class Server:
    """Answers as a server of that shape does: sorted by score, which is the length of the text."""

    def __init__(self, shape: str) -> None:
        self.shape, self.requests = shape, []  # type: ignore[var-annotated]

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        body = json.loads(request.content)
        texts = body["texts" if self.shape == "tei" else "documents"]
        name = "score" if self.shape == "tei" else "relevance_score"
        rows = [{"index": place, name: float(len(text))} for place, text in enumerate(texts)]
        rows.sort(key=lambda row: -row[name])
        if self.shape == "tei":
            return httpx.Response(200, json=rows)
        if self.shape == "jina":
            return httpx.Response(200, json={"model": "m", "usage": {"total_tokens": 9}, "results": rows})
        return httpx.Response(
            200, json={"id": "07734bd2", "results": rows, "meta": {"api_version": {"version": "2"}}}
        )

    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(request.content) for request in self.requests]


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        ("tei", {"query": "q", "texts": DOCUMENTS, "truncate": True}),
        ("jina", {"query": "q", "documents": DOCUMENTS, "top_n": 3, "model": "m", "return_documents": False}),
        ("cohere", {"query": "q", "documents": DOCUMENTS, "top_n": 3, "model": "m"}),
    ],
)
def test_each_shape_asks_and_is_read_as_its_servers_do(shape: str, body: dict[str, Any]) -> None:
    """Scores come back in the documents' order, whatever the order of the answer."""
    server = Server(shape)
    model = reranker(shape, server, model="m", api_key="sk-1")
    assert model.score("q", DOCUMENTS) == [3.0, 9.0, 5.0]
    assert server.bodies() == [body]
    request = server.requests[0]
    assert (request.method, str(request.url)) == ("POST", "http://box/v1/rerank")
    assert request.headers["authorization"] == "Bearer sk-1"
    assert model.id == f"http:{shape}-m"
    assert isinstance(model, Reranker)


@pytest.mark.parametrize("shape", SHAPES)
def test_without_key_and_model_neither_is_sent(shape: str) -> None:
    server = Server(shape)
    reranker(shape, server).score("q", DOCUMENTS)
    assert "authorization" not in server.requests[0].headers
    assert "model" not in server.bodies()[0]


def test_many_documents_are_sent_in_batches_that_servers_take() -> None:
    """text-embeddings-inference takes 32 texts a request unless told otherwise: 70 are 32, 32 and 6."""
    server = Server("tei")
    texts = ["x" * length for length in range(70)]
    assert reranker("tei", server).score("q", texts) == [float(length) for length in range(70)]
    assert [len(body["texts"]) for body in server.bodies()] == [32, 32, 6]


def test_nothing_to_score_asks_nobody() -> None:
    server = Server("tei")
    assert reranker("tei", server).score("q", []) == []
    assert server.requests == []


def test_an_unknown_shape_and_a_bad_address_are_refused() -> None:
    with pytest.raises(InvalidInput, match="shape"):
        HttpReranker("voyage", "http://box")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="base_url"):
        HttpReranker("tei", "box:8080")


# ---- answers that are none

GOOD = [{"index": 0, "score": 1.0}, {"index": 1, "score": 2.0}, {"index": 2, "score": 3.0}]
WRONG = {
    "too few": (GOOD[:2], "expected 3 scores, got 2"),
    "too many": ([*GOOD, GOOD[0]], "expected 3 scores, got 4"),
    "none": ([], "expected 3 scores, got 0"),
    "an object without results": ({"scores": [1, 2, 3]}, "expected 3 scores, got none in dict"),
    "a string": ("fine", "expected 3 scores, got none in str"),
    "one twice": ([GOOD[0], GOOD[0], GOOD[2]], "1 documents have none"),
    "an index past the end": ([*GOOD[:2], {"index": 3, "score": 1.0}], "expected an index from 0 to 2, got 3"),
    "an index that is true": ([*GOOD[:2], {"index": True, "score": 1.0}], "expected an index from 0 to 2, got True"),
    "no index": ([*GOOD[:2], {"score": 1.0}], "expected an index from 0 to 2, got None"),
    "a bare number": ([*GOOD[:2], 0.5], "expected an index from 0 to 2, got None"),
    "no score": ([*GOOD[:2], {"index": 2}], "the score of document 2 is no number"),
    "a score in words": ([*GOOD[:2], {"index": 2, "score": "high"}], "the score of document 2 is no number"),
}


@pytest.mark.parametrize("fault", WRONG)
@pytest.mark.parametrize("wrapped", [False, True])
def test_an_answer_of_the_wrong_form_is_typed_and_not_asked_for_again(fault: str, wrapped: bool) -> None:
    answer, said = WRONG[fault]
    calls = 0

    def serve(_: httpx.Request) -> httpx.Response:
        nonlocal calls
        calls += 1
        return httpx.Response(200, json={"results": answer} if wrapped else answer)

    if wrapped:
        said = said.replace("none in str", "none in dict")
        if not isinstance(answer, list):
            said = "expected 3 scores, got none in dict"
    with pytest.raises(ModelMisbehaved, match=said):
        reranker("jina" if wrapped else "tei", serve).score("q", DOCUMENTS)
    assert calls == 1


def test_a_score_that_json_writes_as_infinite_is_no_number() -> None:
    content = b'[{"index": 0, "score": 1}, {"index": 1, "score": Infinity}, {"index": 2, "score": NaN}]'
    with pytest.raises(ModelMisbehaved, match="document 1 is no number"):
        reranker("tei", lambda _: httpx.Response(200, content=content)).score("q", DOCUMENTS)


def fails(status: int, **more: Any) -> Handler:
    return lambda _: httpx.Response(status, **more)


def times_out(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadTimeout("slow", request=request)


def no_connection(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


TROUBLE: dict[str, tuple[Handler, type[ModelError], str, int]] = {
    "a page": (fails(200, html="<html>login</html>"), ModelUnavailable, "text/html instead of JSON", 2),
    "a page of an error": (fails(502, html="<html>bad gateway</html>"), ModelUnavailable, "HTTP 502", 2),
    "429": (fails(429, json={"error": "slow down", "error_type": "Overloaded"}), ModelUnavailable, "slow down", 2),
    "429 for long": (fails(429, headers={"retry-after": "3600"}), ModelUnavailable, "asks to wait 3600 s", 1),
    "500": (fails(500, json={"message": "oops"}), ModelUnavailable, "HTTP 500: oops", 2),
    "a timeout": (times_out, ModelUnavailable, "no answer in time", 2),
    "no connection": (no_connection, ModelUnavailable, "ConnectError", 2),
    "401": (fails(401, json={"detail": "invalid api key"}), ModelRefused, "HTTP 401: invalid api key", 1),
    "422": (fails(422, json={"error": "batch size 33 > 32"}), ModelRefused, "batch size 33", 1),
    "404": (fails(404, text="not here"), ModelRefused, "HTTP 404", 1),
    "moved": (fails(308, headers={"location": "http://box/v2/rerank"}), ModelRefused, "give the new address", 1),
}


@pytest.mark.parametrize("trouble", TROUBLE)
@pytest.mark.parametrize("shape", SHAPES)
def test_trouble_is_typed_and_tried_again_where_that_can_help(shape: str, trouble: str) -> None:
    handler, error, said, tries = TROUBLE[trouble]
    calls = 0

    def serve(request: httpx.Request) -> httpx.Response:
        nonlocal calls
        calls += 1
        return handler(request)

    with pytest.raises(error, match=said):
        reranker(shape, serve, api_key="sk-1").score("q", DOCUMENTS)
    assert calls == tries


def test_a_second_attempt_that_succeeds_is_enough() -> None:
    server = Server("tei")
    left = [fails(429, headers={"retry-after": "1"}), server]
    waits: list[float] = []
    retry = RetryPolicy(2, sleep=waits.append)
    assert reranker("tei", lambda request: left.pop(0)(request), retry=retry).score("q", DOCUMENTS) == [3, 9, 5]
    assert waits == [1.0]


def test_the_key_is_in_no_message(tmp_path: Path) -> None:
    model = reranker("jina", fails(401, json={"detail": "key sk-secret is not known"}), api_key="sk-secret")
    with pytest.raises(ModelRefused) as caught:
        model.score("q", DOCUMENTS)
    assert "sk-secret" not in f"{caught.value}{model!r}"
    with Memory.open(tmp_path, embedder=HashEmbedder(32), reranker=model) as memory:
        memory.add("green tea")
        hit = memory.search("tea")[0]
    assert hit.flags[0].startswith("not-reranked: reranker http:jina: http://box/v1/rerank: HTTP 401")
    assert "sk-secret" not in str(hit)


def test_a_server_orders_the_hits_of_a_memory(tmp_path: Path) -> None:
    server = Server("tei")
    with Memory.open(
        tmp_path, embedder=HashEmbedder(32), reranker=reranker("tei", server), settings=Settings(rerank_seconds=20)
    ) as memory:
        for text in ("tea", "soup with carrots", "red kite"):
            memory.add(text, session_id=text)
        hits = memory.search("tea kite soup")
    assert [hit.text for hit in hits] == ["soup with carrots", "red kite", "tea"]
    assert all(hit.flags == () for hit in hits)
    assert server.bodies()[0]["query"] == "tea kite soup"
    assert all(text.startswith("fact: ") for text in server.bodies()[0]["texts"])
