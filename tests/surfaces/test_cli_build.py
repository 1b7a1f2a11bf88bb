"""`build` from end to end against a server on this machine, and what `doctor` says of it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from command_line import Cli

from qgmem.models.chat import ChatRequest
from qgmem.models.scripted_chat import no_attributes, one_unit_a_turn

ANA = ("--user", "ana")


class Server(ThreadingHTTPServer):
    """Answers as a chat server: the scripted model, `garbage` instead, or an HTTP `status`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.garbage: str | None = None
        self.status = 200
        self.headers_seen: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.headers_seen.append(self.headers.get("Authorization"))
        system, user = (message["content"] for message in body["messages"])
        rule = no_attributes if "memory_unit_id" in user else one_unit_a_turn
        text = self.server.garbage if self.server.garbage is not None else rule(ChatRequest("x/1", system, user))
        answer: dict[str, Any] = {
            "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 10},
        }
        content = json.dumps(answer).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def told(cli: Cli) -> Cli:
    """A memory of two turns."""
    cli("add", "I moved to Lisbon in March.", *ANA, "--speaker", "Ana", "--id", "t1", "--time", "2024-05-02")
    cli("add", "I keep a greyhound.", *ANA, "--speaker", "Ana", "--id", "t2", "--time", "2024-05-02")
    return cli


def test_build_says_what_it_takes_reads_and_adds(told: Cli, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QGMEM_CHAT_KEY", "sk-verysecret1")
    monkeypatch.setenv("QGMEM_CHAT_PRICE_IN", "1000")
    asked = ("build", *ANA, "--base-url", server.url, "--model", "m")
    plan = told(*asked, "--dry-run")
    assert (plan.code, plan.out.startswith("1 windows to read of 1: at most 2 calls")) == (0, True)
    assert server.headers_seen == []
    done = told(*asked)
    assert (done.code, done.err) == (0, "")
    assert "1 windows read (done 1), 0 left, 2 units added" in done.out
    calls = "2 calls for windows, 0 for trajectories, 0 retries, 0 answers kept from before"
    assert f"{calls}, 200 tokens in, 20 out, $0.2000" in done.out
    assert set(server.headers_seen) == {"Bearer sk-verysecret1"}
    assert "verysecret" not in plan.out + done.out
    again = told(*asked, "--json").json
    assert (again["report"]["calls"], again["report"]["units"], again["plan"]["windows"]) == (0, 0, 0)
    card = told("search", "greyhound", *ANA, "--json").json["hits"]
    assert [hit["turn_ids"] for hit in card] in ([["t2"], ["t1"]], [["t2"]])


def test_no_key_is_demanded_where_a_server_is_named(told: Cli, server: Server) -> None:
    assert told("build", *ANA, "--base-url", server.url, "--model", "m").code == 0
    assert server.headers_seen == [None, None]
    missing = told("build", *ANA, "--model", "m")
    assert (missing.code, "error: QGMEM_CHAT_KEY: is missing" in missing.err) == (2, True)
    unnamed = told("build", *ANA)
    assert (unnamed.code, "error: --model: no model is named" in unnamed.err) == (2, True)


def test_a_failed_window_is_named_by_doctor_and_healed_by_resume(told: Cli, server: Server) -> None:
    server.garbage = "I cannot help with that."
    asked = ("build", *ANA, "--base-url", server.url, "--model", "m")
    done = told(*asked)
    assert done.code == 1
    assert "unreadable-answer" in done.err
    health = told("doctor")
    assert (health.code, "failed, unreadable-answer; run `qgmem build --resume`" in health.out) == (0, True)
    assert "Lisbon" not in health.out
    server.garbage = None
    assert told(*asked).code == 1  # leaves it as it is, and says so
    assert "unreadable-answer" in told("doctor").out
    assert "2 units added" in told(*asked, "--resume").out
    assert "unreadable-answer" not in told("doctor").out


def test_windows_that_failed_before_are_not_forgotten(told: Cli, server: Server) -> None:
    """A plain run does not read them again, but says that they are there and how to go on, and ends with 1."""
    server.garbage = "no JSON"
    build = ("build", *ANA, "--base-url", server.url, "--model", "m")
    assert told(*build).code == 1
    again = told(*build)
    assert (again.code, "failed 1" in again.err, "--resume" in again.err) == (1, True, True)
    as_json = told(*build, "--json")
    assert (as_json.code, as_json.json["earlier"]) == (1, {"failed": 1})
    planned = told(*build, "--dry-run")
    assert (planned.code, "failed 1" in planned.err) == (0, True)
    server.garbage = None
    healed = told(*build, "--resume", "--json")
    assert (healed.code, healed.json["earlier"]) == (0, {})


def test_a_refused_key_stops_the_run_and_blames_no_window(told: Cli, server: Server) -> None:
    server.status = 401
    done = told("build", *ANA, "--base-url", server.url, "--model", "m", "--json")
    assert done.code == 1
    report = done.json["report"]
    assert (report["windows"], report["left"], report["incomplete"]) == ({}, 1, [])
    assert "401" in report["stopped"]


def test_ctrl_c_keeps_what_was_read(told: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    from qgmem.models.scripted_chat import ScriptedChat

    def stop(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(ScriptedChat, "complete", stop)
    done = told("build", *ANA, "--model", "scripted")
    assert (done.code, "0 windows were read and stay; the same command goes on" in done.err) == (130, True)
    monkeypatch.undo()
