"""One client for every call: cache, account, bounded concurrency."""

from __future__ import annotations

import threading
import time

import pytest

from qgmem.construction.log import MemoryLog, WindowRecord
from qgmem.errors import InvalidInput, ModelMisbehaved, ModelUnavailable
from qgmem.models.chat import ChatAnswer, ChatRequest, estimate_tokens
from qgmem.models.client import ModelClient, Scope, cache_key
from qgmem.models.ledger import MemoryLedger, Price
from qgmem.models.retry import RetryPolicy, Transient
from qgmem.models.scripted_chat import ScriptedChat
from qgmem.types import LedgerRow

REQUEST = ChatRequest("units/1", "s", "u")
SCOPE = Scope("ana", "units", "w-1")
QUICK = RetryPolicy(3, sleep=lambda _: None)


def _log() -> MemoryLog:
    log = MemoryLog()
    log.open([WindowRecord("w-1", "s", ("t1",), 0)])
    return log


def _client(chat: ScriptedChat, log: MemoryLog | None = None, **more: object) -> ModelClient:
    return ModelClient(chat, ledger=log, cache=log, retry=QUICK, **more)  # type: ignore[arg-type]


def test_a_second_question_is_answered_from_the_cache_and_costs_nothing() -> None:
    log, chat = _log(), ScriptedChat([ChatAnswer("one", 10, 5), ChatAnswer("two", 10, 5)])
    client = _client(chat, log, prices={"scripted": Price(100.0, 1000.0)})
    assert [client.ask(REQUEST, SCOPE).text for _ in range(3)] == ["one"] * 3
    (row,) = log.ledger()
    assert (row.calls, row.cached, row.tokens_in, row.tokens_out, row.unpriced) == (1, 2, 10, 5, 0)
    assert row.cost == pytest.approx(10 * 100e-6 + 5 * 1000e-6)


@pytest.mark.parametrize(
    "other",
    [
        ChatRequest("units/2", "s", "u"),
        ChatRequest("units/1", "s2", "u"),
        ChatRequest("units/1", "s", "u2"),
        ChatRequest("units/1", "s", "u", {"type": "object"}),
        ChatRequest("units/1", "s", "u", max_tokens=1),
        ChatRequest("units/1", "s", "u", temperature=0.3),
        ChatRequest("units/1", "su", ""),
    ],
)
def test_all_that_shapes_an_answer_is_in_its_key(other: ChatRequest) -> None:
    assert cache_key("m", other) != cache_key("m", REQUEST)
    assert cache_key("m2", REQUEST) != cache_key("m", REQUEST) == cache_key("m", ChatRequest("units/1", "s", "u"))


def test_an_answer_that_is_of_no_use_is_not_kept() -> None:
    log, chat = _log(), ScriptedChat(["bad", "good", "never"])
    client = _client(chat, log)
    for expected in ("bad", "good", "good"):
        assert client.ask(REQUEST, SCOPE, usable=lambda answer: answer.text != "bad").text == expected


def test_a_cached_answer_goes_with_its_window() -> None:
    log = _log()
    client = _client(ScriptedChat(["my SSN is 078-05-1120"]), log)
    client.ask(REQUEST, SCOPE)
    assert log.forget_turns(["t1"]).cached == 1
    client.ask(REQUEST, SCOPE)
    assert log.cached("w-1", cache_key("scripted", REQUEST)) is None, "a window that is gone keeps nothing"


def test_attempts_and_failures_are_counted_apart_from_calls() -> None:
    log, chat = _log(), ScriptedChat([Transient("no"), "yes", Transient("a"), Transient("b"), Transient("c")])
    client = _client(chat)
    client.ask(REQUEST, SCOPE)
    with pytest.raises(ModelUnavailable, match=r"c \(3 attempts\)"):
        client.ask(REQUEST, SCOPE)
    (row,) = client.ledger.ledger()
    assert (row.calls, row.retries, row.failed, row.unpriced) == (2, 3, 1, 1)
    assert log.ledger() == []


def test_what_trying_again_cannot_help_is_not_tried_again() -> None:
    chat = ScriptedChat([ModelMisbehaved("x"), "y"])
    with pytest.raises(ModelMisbehaved):
        _client(chat).ask(REQUEST, SCOPE)
    assert len(chat.requests) == 1


def test_waits_double_up_to_the_longest() -> None:
    waits: list[float] = []
    policy = RetryPolicy(7, first_wait=1, longest_wait=10, sleep=waits.append)
    with pytest.raises(ModelUnavailable):
        ModelClient(ScriptedChat([Transient("x")]), retry=policy).ask(REQUEST, SCOPE)
    assert waits == [1, 2, 4, 8, 10, 10]


def test_no_more_calls_at_a_time_than_allowed() -> None:
    running = most = 0
    lock = threading.Lock()

    def slow(_: ChatRequest) -> str:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        time.sleep(0.01)
        with lock:
            running -= 1
        return "x"

    client = _client(ScriptedChat({"units": slow}), concurrency=2)
    threads = [threading.Thread(target=client.ask, args=(REQUEST, SCOPE)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 2
    with pytest.raises(InvalidInput, match="concurrency"):
        _client(ScriptedChat(), concurrency=0)


def test_ledger_rows_add_and_subtract() -> None:
    ledger = MemoryLedger()
    one = LedgerRow("n", "units", "m", calls=1, tokens_in=5, cost=0.5)
    ledger.charge(one)
    ledger.charge(one)
    ledger.charge(LedgerRow("n", "attributes", "m", calls=1))
    rows = ledger.ledger()
    assert [row.stage for row in rows] == ["attributes", "units"]
    assert rows[1].minus(one) == one


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a" * 40, 10), ("東" * 30, 20)])
def test_tokens_are_estimated_from_characters(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
