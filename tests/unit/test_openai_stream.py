"""Chat that comes in pieces: server-sent events, servers that do not stream, and what can break on the way."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from qgmem.errors import ModelMisbehaved, ModelRefused
from qgmem.models.chat import ChatAnswer, ChatRequest
from qgmem.models.openai_compatible import OpenAIChat
from qgmem.models.retry import Transient

REQUEST = ChatRequest("answer/1", "system words", "user words", {"type": "object"})
Handler = Callable[[httpx.Request], httpx.Response]


def chat(handler: Handler) -> OpenAIChat:
    return OpenAIChat("m", base_url="http://box/v1", transport=httpx.MockTransport(handler))


def sent(*events: dict[str, Any] | str) -> httpx.Response:
    lines = [each if isinstance(each, str) else f"data: {json.dumps(each)}" for each in events]
    return httpx.Response(200, text="\n\n".join(lines) + "\n\n", headers={"content-type": "text/event-stream"})


def piece(text: str | None, finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"delta": {"role": "assistant", "content": text}, "finish_reason": finish}]}


def test_pieces_come_as_they_are_sent_and_the_whole_last() -> None:
    """Comments, empty pieces and the end mark are no text; the usage of the last event is the server's count."""
    usage = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
    reply = sent(": hello", piece(None), piece("Por"), piece("to"), piece("", "stop"), usage, "data: [DONE]")
    assert list(chat(lambda _: reply).stream(REQUEST)) == ["Por", "to", ChatAnswer("Porto", 7, 3)]


def test_an_answer_that_was_cut_says_so_and_is_counted_by_estimate() -> None:
    """ "Porto" is 5 characters, a quarter of which is 1 token, rounded."""
    *_, whole = chat(lambda _: sent(piece("Porto", "length"))).stream(REQUEST)
    assert isinstance(whole, ChatAnswer)
    assert (whole.truncated, whole.counted, whole.tokens_out) == (True, False, 1)


def test_a_server_that_does_not_stream_gives_one_piece() -> None:
    body = {"choices": [{"message": {"content": "Porto"}, "finish_reason": "stop"}]}
    first, whole = chat(lambda _: httpx.Response(200, json=body)).stream(REQUEST)
    assert first == "Porto"
    assert isinstance(whole, ChatAnswer)
    assert whole.text == "Porto"


def test_a_schema_that_is_refused_is_tried_otherwise_before_the_first_piece() -> None:
    bodies: list[dict[str, Any]] = []

    def handler(request: httpx.Request) -> httpx.Response:
        bodies.append(json.loads(request.content))
        if bodies[-1]["response_format"]["type"] == "json_schema":
            return httpx.Response(400, json={"error": {"message": "no response_format"}})
        return sent(piece("{}", "stop"))

    *_, whole = chat(handler).stream(REQUEST)
    assert [body["response_format"]["type"] for body in bodies] == ["json_schema", "json_object"]
    assert all(body["stream"] for body in bodies)
    assert isinstance(whole, ChatAnswer)
    assert whole.attempts == 2


def test_a_key_that_is_refused_and_a_server_that_is_down_are_told_apart() -> None:
    with pytest.raises(ModelRefused, match="HTTP 401"):
        next(chat(lambda _: httpx.Response(401, json={"error": "no"})).stream(REQUEST))
    with pytest.raises(Transient, match="HTTP 503"):
        next(chat(lambda _: httpx.Response(503, text="busy")).stream(REQUEST))


def test_an_error_between_the_pieces_is_raised() -> None:
    """Some servers send it as an event of the stream that had begun."""
    stream = chat(lambda _: sent(piece("Por"), {"error": {"message": "out of memory"}})).stream(REQUEST)
    assert next(stream) == "Por"
    with pytest.raises(Transient, match="broke off: out of memory"):
        next(stream)


def test_a_connection_that_breaks_off_is_raised() -> None:
    class Broken(httpx.SyncByteStream):
        def __iter__(self) -> Any:
            yield f"data: {json.dumps(piece('Por'))}\n\n".encode()
            raise httpx.ReadError("reset")

    reply = httpx.Response(200, stream=Broken(), headers={"content-type": "text/event-stream"})
    stream = chat(lambda _: reply).stream(REQUEST)
    assert next(stream) == "Por"
    with pytest.raises(Transient, match="ReadError"):
        next(stream)


def test_a_stream_of_nothing_is_no_empty_answer() -> None:
    with pytest.raises(Transient, match="before it began"):
        next(chat(lambda _: sent("data: [DONE]")).stream(REQUEST))
    with pytest.raises(ModelMisbehaved, match="no choices"):
        list(chat(lambda _: sent({"choices": []})).stream(REQUEST))
