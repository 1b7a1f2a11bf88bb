"""A server that drips bytes keeps nobody waiting longer than was said: the bound is on the call, not on its gaps."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

import pytest

from qgmem.errors import ModelUnavailable
from qgmem.models.chat import ChatRequest
from qgmem.models.endpoint import STREAM, Endpoint
from qgmem.models.openai_compatible import OpenAIChat, OpenAIEmbedder
from qgmem.models.rerankers.http import HttpReranker
from qgmem.models.retry import RetryPolicy, Transient

TIMEOUT = 0.3  # seconds
SLACK = 1.0  # for a busy machine; a drip of 0.05 s would go on for 10
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: 100000\r\n\r\n"
EVENT = b'data: {"choices": [{"delta": {"content": "x"}}]}\n\n'
ONCE = RetryPolicy(attempts=1)


@contextmanager
def server(begin: bytes, drip: bytes) -> Iterator[str]:
    """The address of a server that sends `begin` at once, then `drip` every 0.05 s for as long as it lives."""
    over = Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def talk(one: socket.socket) -> None:
            with one:
                try:
                    one.recv(65536)
                    one.sendall(begin)
                    while not over.wait(0.05):
                        one.sendall(drip)
                except OSError:
                    pass  # the other side has gone, which is what is tested

        def serve() -> None:
            while not over.is_set():
                try:
                    one, _ = listening.accept()
                except OSError:
                    return
                Thread(target=talk, args=(one,), daemon=True).start()

        Thread(target=serve, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            over.set()
            listening.shutdown(socket.SHUT_RDWR)


def seconds(call: Callable[[], object]) -> float:
    start = time.monotonic()
    with pytest.raises(ModelUnavailable, match="no answer in time"):
        call()
    return time.monotonic() - start


@pytest.mark.parametrize(
    ("begin", "drip"),
    [(HEAD % b"application/json", b" "), (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"), (b"", b"")],
    ids=["body", "headers", "silence"],
)
def test_a_whole_answer_has_one_deadline(begin: bytes, drip: bytes) -> None:
    with server(begin, drip) as url:
        endpoint = Endpoint(url, timeout=TIMEOUT)
        assert TIMEOUT * 0.9 < seconds(lambda: endpoint.post("x", {})) < TIMEOUT + SLACK


def test_chat_embeddings_and_rerankers_share_it() -> None:
    request = ChatRequest("answer-1", "", "hello", None, 10, 0.0)
    with server(HEAD % b"application/json", b" ") as url:
        chat = OpenAIChat("m", base_url=url, timeout=TIMEOUT)
        embedder = OpenAIEmbedder("m", dimension=3, base_url=url, timeout=TIMEOUT, retry=ONCE)
        reranker = HttpReranker("tei", url, timeout=TIMEOUT, retry=ONCE)
        assert seconds(lambda: chat.complete(request)) < TIMEOUT + SLACK
        assert seconds(lambda: embedder.embed(["a"])) < TIMEOUT + SLACK
        assert seconds(lambda: reranker.score("q", ["a"])) < TIMEOUT + SLACK


@pytest.mark.parametrize(
    "drip", [b" ", b": still here\n\n", b"data: [DONE"], ids=["bytes", "comments", "half a line"]
)
def test_a_stream_has_the_same_time_to_its_next_event(drip: bytes) -> None:
    """One event comes at once; what follows is none."""
    with server(HEAD % b"text/event-stream" + EVENT, drip) as url:
        events = Endpoint(url, timeout=TIMEOUT).events("x", {})
        assert next(events)["choices"]
        assert TIMEOUT * 0.9 < seconds(lambda: next(events)) < 2 * TIMEOUT + SLACK


def test_a_stream_without_end_is_ended() -> None:
    """An event every 0.05 s is never late, but the whole may take five times the timeout: 1.5 s."""
    with server(HEAD % b"text/event-stream", EVENT) as url:
        events = Endpoint(url, timeout=TIMEOUT).events("x", {})
        taken = seconds(lambda: list(events))
        assert STREAM * TIMEOUT * 0.9 < taken < STREAM * TIMEOUT + SLACK


def test_a_stream_that_is_alive_may_take_longer_than_one_answer() -> None:
    with server(HEAD % b"text/event-stream", EVENT) as url:
        start, count = time.monotonic(), 0
        for _ in Endpoint(url, timeout=TIMEOUT).events("x", {}):
            count += 1
            if time.monotonic() - start > 2 * TIMEOUT:
                break
        assert count > 1


def test_a_failure_of_the_call_itself_is_raised_as_it_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        free = listening.getsockname()[1]
    with pytest.raises(Transient, match="ConnectError"):
        Endpoint(f"http://127.0.0.1:{free}", timeout=5.0).post("x", {})
