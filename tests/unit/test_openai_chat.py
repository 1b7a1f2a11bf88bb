"""Chat over HTTP, with the server's faults injected (CASES 24, 25)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from qgmem.errors import InvalidInput, ModelMisbehaved, ModelRefused, ModelUnavailable
from qgmem.models.chat import ChatModel, ChatRequest
from qgmem.models.client import ModelClient, Scope
from qgmem.models.openai_answer import Gathered
from qgmem.models.openai_compatible import OpenAIChat
from qgmem.models.retry import RetryPolicy, Transient, retry_after_seconds

REQUEST = ChatRequest("units/1", "system words", "user words", {"type": "object"}, max_tokens=50)
Handler = Callable[[httpx.Request], httpx.Response]


def _said(text: object = "hi", **more: Any) -> httpx.Response:
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"} | more
    return httpx.Response(200, json={"choices": [choice], "usage": usage})


def _chat(handler: Handler, **more: Any) -> OpenAIChat:
    given = {"base_url": "http://box:8080/v1", **more}
    return OpenAIChat("m", transport=httpx.MockTransport(handler), **given)


class _Server:
    """Answers from a list, the last one for ever; remembers what it was sent."""

    def __init__(self, *replies: httpx.Response | Exception) -> None:
        self.replies, self.requests = list(replies), list[httpx.Request]()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if isinstance(reply, Exception):
            raise reply
        return reply

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(request.content) for request in self.requests]


def _client(server: _Server, waits: list[float], attempts: int = 3) -> ModelClient:
    return ModelClient(_chat(server), retry=RetryPolicy(attempts, sleep=waits.append))


SCOPE = Scope("ana", "units", "w-1")


def test_case_25_a_base_url_without_a_key_sends_none_and_demands_none() -> None:
    server = _Server(_said())
    answer = _chat(server).complete(REQUEST)
    assert (answer.text, answer.tokens_in, answer.tokens_out, answer.counted) == ("hi", 7, 3, True)
    assert "authorization" not in server.requests[0].headers
    assert str(server.requests[0].url) == "http://box:8080/v1/chat/completions"


def test_without_base_url_it_is_openai_and_a_key_is_demanded() -> None:
    with pytest.raises(InvalidInput, match="api_key"):
        OpenAIChat("m")
    server = _Server(_said())
    chat = OpenAIChat("m", api_key="sk-secret", transport=httpx.MockTransport(server))
    chat.complete(REQUEST)
    assert server.requests[0].headers["authorization"] == "Bearer sk-secret"
    assert server.requests[0].url.host == "api.openai.com"
    assert isinstance(chat, ChatModel)


@pytest.mark.parametrize("url", ["box:8080", "ftp://box", "http://", "", "http://box/v1?key=pw12", "http://box/v1#x"])
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(InvalidInput, match="base_url"):
        OpenAIChat("m", base_url=url)


def test_a_password_of_the_address_is_not_shown_in_the_header_that_it_becomes_either() -> None:
    """joe:pw12 is am9lOnB3MTI= in base64, which a server may repeat."""
    server = _Server(httpx.Response(401, json={"error": {"message": "key was Basic am9lOnB3MTI="}}))
    with pytest.raises(ModelRefused) as caught:
        _chat(server, base_url="http://joe:pw12@box/v1").complete(REQUEST)
    assert "am9l" not in str(caught.value)
    assert "***" in str(caught.value)


def test_a_refusal_is_told_in_the_models_words() -> None:
    message = {"role": "assistant", "content": None, "refusal": "I cannot help\nwith that."}
    server = _Server(httpx.Response(200, json={"choices": [{"message": message, "finish_reason": "stop"}]}))
    with pytest.raises(ModelMisbehaved, match="the model refuses: I cannot help with that"):
        _chat(server).complete(REQUEST)


def test_a_refusal_that_comes_in_pieces_is_told_whole() -> None:
    gathered = Gathered(REQUEST)
    for piece in ("I cannot", " help."):
        assert gathered.take({"choices": [{"delta": {"refusal": piece}, "finish_reason": None}]}) == ""
    with pytest.raises(ModelMisbehaved, match="the model refuses: I cannot help"):
        gathered.answer(1)


def test_secrets_show_in_no_repr_and_no_error() -> None:
    server = _Server(httpx.Response(401, json={"error": {"message": "Incorrect key sk-secret, header tok-2"}}))
    chat = _chat(server, base_url="http://bob:pw12@box/v1", api_key="sk-secret", headers={"x-token": "tok-2"})
    with pytest.raises(ModelRefused) as caught:
        chat.complete(REQUEST)
    for text in (repr(chat), repr(ModelClient(chat)), str(caught.value)):
        assert not any(secret in text for secret in ("sk-secret", "pw12", "tok-2")), text
    assert caught.value.status == 401
    assert caught.value.hopeless


def test_the_request_is_temperature_0_with_the_schema() -> None:
    server = _Server(_said())
    _chat(server, extra={"seed": 1}).complete(REQUEST)
    assert server.bodies[0] == {
        "model": "m",
        "messages": [{"role": "system", "content": "system words"}, {"role": "user", "content": "user words"}],
        "max_tokens": 50,
        "stream": False,
        "seed": 1,
        "temperature": 0.0,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "units", "strict": True, "schema": {"type": "object"}},
        },
    }


def test_a_server_without_schemas_is_asked_for_json_then_in_words_and_that_is_remembered() -> None:
    def serve(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        bodies.append(body)
        refused = httpx.Response(422, json={"detail": [{"loc": ["response_format"], "msg": "unknown", "input": "x"}]})
        return refused if "response_format" in body else _said()

    bodies: list[dict[str, Any]] = []
    chat = _chat(serve)
    assert chat.complete(REQUEST).attempts == 4
    types = [(body.get("response_format") or {}).get("type") for body in bodies]
    assert types == ["json_schema", "json_object", "json_object", None]
    assert bodies[1]["response_format"]["schema"] == {"type": "object"}
    assert chat.complete(REQUEST).attempts == 1


def test_a_refusal_for_another_reason_unlearns_nothing() -> None:
    """Too long a prompt is refused in every mode; the next request asks by schema again."""
    server = _Server(*[httpx.Response(400, json={"error": {"message": "context length exceeded"}})] * 4, _said())
    chat = _chat(server)
    with pytest.raises(ModelRefused, match="context length") as caught:
        chat.complete(REQUEST)
    assert not caught.value.hopeless
    chat.complete(REQUEST)
    assert server.bodies[-1]["response_format"]["type"] == "json_schema"


def test_a_schema_that_the_server_cannot_compile_is_dropped() -> None:
    server = _Server(httpx.Response(500, json={"error": {"message": "failed to parse grammar"}}), _said())
    assert _chat(server).complete(REQUEST).attempts == 2


def test_a_fixed_json_mode_is_kept() -> None:
    server = _Server(httpx.Response(400, json={"error": "no response_format"}))
    with pytest.raises(ModelRefused):
        _chat(server, json_mode="json_object").complete(REQUEST)
    assert len(server.requests) == 1
    with pytest.raises(InvalidInput, match="json_mode"):
        _chat(server, json_mode="xml")


def test_newer_models_that_refuse_parameters_are_obliged() -> None:
    server = _Server(
        httpx.Response(400, json={"error": {"message": "use 'max_completion_tokens' instead of max_tokens"}}),
        httpx.Response(400, json={"error": {"message": "'temperature' does not support 0"}}),
        _said(),
    )
    assert _chat(server).complete(REQUEST).attempts == 3
    assert server.bodies[-1]["max_completion_tokens"] == 50
    assert not {"max_tokens", "temperature"} & set(server.bodies[-1])


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(500, json={"error": {"message": "boom"}}),
        httpx.Response(503, text="Service Unavailable"),
        httpx.Response(429, json={"error": {"message": "slow down"}}),
        httpx.Response(502, html="<html>Bad Gateway</html>"),
        httpx.Response(200, html="<html>Please log in to the hotel wifi</html>"),
        httpx.Response(200, content=b'{"choices": [{"mess'),
        httpx.Response(200, content=b"\xff\xfe"),
        httpx.Response(200, json={"error": {"message": "upstream overloaded", "code": 502}}),
        httpx.ReadTimeout("slow"),
        httpx.ConnectError("refused"),
        httpx.RemoteProtocolError("cut"),
    ],
    ids=str,
)
def test_case_24_what_may_pass_is_retried_then_told_as_unavailable(reply: httpx.Response | Exception) -> None:
    waits: list[float] = []
    server = _Server(reply)
    with pytest.raises(ModelUnavailable, match="3 attempts"):
        _client(server, waits).ask(REQUEST, SCOPE)
    assert waits == [1.0, 2.0]
    healed = _Server(reply, _said("back"))
    assert _client(healed, waits).ask(REQUEST, SCOPE).text == "back"


def test_case_24_retry_after_is_obeyed() -> None:
    waits: list[float] = []
    server = _Server(httpx.Response(429, headers={"retry-after": "17"}), _said())
    client = _client(server, waits)
    assert client.ask(REQUEST, SCOPE).text == "hi"
    assert waits == [17.0]
    (row,) = client.ledger.ledger()
    assert (row.calls, row.retries, row.failed) == (1, 1, 0)


def test_a_wait_that_is_too_long_is_not_waited_for() -> None:
    waits: list[float] = []
    server = _Server(httpx.Response(429, headers={"retry-after": "3600"}))
    with pytest.raises(ModelUnavailable, match="wait 3600 s"):
        _client(server, waits).ask(REQUEST, SCOPE)
    assert waits == []
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0), ("0.5", 0.5), ("Thu, 01 Jan 1970 00:01:00 GMT", 60.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("soon", None), ("-1", None), ("inf", None), ("nan", None), ("", None), (None, None),
    ],
)  # fmt: skip
def test_retry_after_as_number_or_date(header: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(header, now=lambda: 0.0) == seconds


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_case_24_what_cannot_pass_is_not_retried(status: int) -> None:
    waits: list[float] = []
    server = _Server(httpx.Response(status, json={"error": {"message": "no"}}))
    client = ModelClient(_chat(server, json_mode="plain"), retry=RetryPolicy(sleep=waits.append))
    with pytest.raises(ModelRefused, match=f"HTTP {status}"):
        client.ask(REQUEST, SCOPE)
    assert (len(server.requests), waits) == (1, [])


@pytest.mark.parametrize(
    "body", [[], {"choices": []}, {"choices": [{}]}, {"choices": [{"message": {"content": 5}}]}, {}]
)
def test_an_answer_of_another_shape_is_misbehaviour(body: object) -> None:
    with pytest.raises(ModelMisbehaved):
        _chat(_Server(httpx.Response(200, json=body))).complete(REQUEST)


@pytest.mark.parametrize(("content", "text"), [(None, ""), ([{"type": "text", "text": "a"}, {"text": "b"}], "ab")])
def test_content_in_its_other_shapes(content: object, text: str) -> None:
    assert _chat(_Server(_said(content))).complete(REQUEST).text == text


def test_a_long_answer_is_marked_and_missing_usage_is_estimated() -> None:
    assert _chat(_Server(_said("x", finish_reason="length"))).complete(REQUEST).truncated
    bare = httpx.Response(200, json={"choices": [{"message": {"content": "x" * 40}}]})
    answer = _chat(_Server(bare)).complete(REQUEST)
    assert (answer.tokens_out, answer.counted) == (10, False)


def test_a_lone_surrogate_is_named() -> None:
    with pytest.raises(InvalidInput, match="surrogate"):
        _chat(_Server(_said())).complete(ChatRequest("units/1", "", "\ud83d"))


def test_a_redirect_is_told_and_not_followed_with_the_key() -> None:
    server = _Server(httpx.Response(301, headers={"location": "http://elsewhere/"}))
    with pytest.raises(ModelRefused, match="moved"):
        _chat(server, api_key="sk-secret").complete(REQUEST)


def test_one_attempt_is_transient_without_a_client() -> None:
    with pytest.raises(Transient) as caught:
        _chat(_Server(httpx.Response(503))).complete(REQUEST)
    assert caught.value.status == 503


@pytest.mark.parametrize("status", [302, 404])
def test_a_wrong_address_is_asked_once(status: int) -> None:
    """Another way of asking for JSON mends neither a page that is not there nor one that has moved."""
    server = _Server(*[httpx.Response(status, headers={"location": "/elsewhere"})] * 4)
    with pytest.raises(ModelRefused):
        _chat(server).complete(REQUEST)
    assert len(server.bodies) == 1
