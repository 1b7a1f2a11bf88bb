"""`ask` from end to end: with a server on this machine, whole and streamed, and without any model."""

from __future__ import annotations

import json
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from command_line import Cli

ANA = ("--user", "ana")
QUESTION = "What is the dog called?"
ANSWER = json.dumps({"reasoning_path": "[MU1] names it", "answer": "Biscuit"})


class Server(ThreadingHTTPServer):
    """Answers as a chat server with `text`, in pieces of five characters to who asks for a stream."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.text: str | list[str] = ANSWER  # a list: one after the other
        self.bodies: list[dict[str, Any]] = []

    @property
    def options(self) -> tuple[str, ...]:
        return "--base-url", f"http://127.0.0.1:{self.server_port}/v1", "--model", "m"


class _Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append(body)
        kept = self.server.text
        text, usage = kept if isinstance(kept, str) else kept.pop(0), {"prompt_tokens": 100, "completion_tokens": 10}
        if body["stream"]:
            pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
            events = [{"choices": [{"delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
            events.append({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": usage})
            content = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"
            kind = "text/event-stream"
        else:
            choice = {"message": {"content": text}, "finish_reason": "stop"}
            content, kind = json.dumps({"choices": [choice], "usage": usage}), "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content.encode())))
        self.end_headers()
        self.wfile.write(content.encode())

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def told(cli: Cli) -> Cli:
    text = "We adopted a greyhound called Biscuit yesterday."
    cli("add", text, *ANA, "--speaker", "Ana", "--time", "2024-06-03", "--id", "t1")
    return cli


def test_an_answer_shows_its_evidence_with_both_dates(told: Cli, server: Server) -> None:
    done = told("ask", QUESTION, *ANA, *server.options)
    assert done.code == 0
    assert done.out.splitlines() == [
        "Biscuit",
        "because [MU1] names it",
        "[MU1] Ana  said 2024-06-03 00:00, happened 2024-06-02",
        '   "We adopted a greyhound called Biscuit yesterday."',
        "   turn t1, session default",
    ]
    assert "prompt 100 and answer 10 tokens" in done.err


def test_json_has_the_whole_answer(told: Cli, server: Server) -> None:
    answer = told("ask", QUESTION, *ANA, *server.options, "--json").json
    assert (answer["answer"], answer["abstained"], answer["answerer"], answer["error"]) == (
        "Biscuit",
        False,
        "m",
        None,
    )
    [citation] = answer["citations"]
    assert (citation["label"], citation["unit_id"], citation["turns"][0]["turn_id"]) == ("MU1", "t1", "t1")
    assert answer["tokens"]["prompt"] == 100
    assert answer["context"]["labels"]["MU1"] == "t1"
    assert answer["local_graph"]["edges"][0]["unit_id"] == "t1"
    assert answer["working_memory"][0]["id"] == "t1"


def test_without_a_model_the_evidence_is_shown_and_that_nobody_answered(told: Cli) -> None:
    done = told("ask", QUESTION, *ANA)
    assert done.code == 0
    assert done.out.startswith("1. Ana  said 2024-06-03 00:00, happened 2024-06-02")
    assert "no answerer is set" in done.err
    assert told("ask", QUESTION, *ANA, "--json").json["answer"] is None


def test_a_stream_shows_the_answer_as_it_comes_and_then_the_evidence(told: Cli, server: Server) -> None:
    done = told("ask", QUESTION, *ANA, *server.options, "--stream")
    assert done.out.splitlines()[:3] == [
        "because [MU1] names it",
        "Biscuit",
        "[MU1] Ana  said 2024-06-03 00:00, happened 2024-06-02",
    ]
    assert server.bodies[0]["stream"] is True
    assert "prompt 100 and answer 10 tokens" in done.err


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"reasoning_path": "[MU1]", "answer": 42}', "42"),
        ('{"reasoning_path": "[MU1]", "final_answer": "Biscuit"}', "Biscuit"),
        ("{'reasoning_path': '[MU1]', 'answer': 'Biscuit'}", "Biscuit"),
        ('{"reasoning_path": "[MU1]", "answer": "Biscuit"}', "Biscuit"),
    ],
)
def test_an_answer_that_could_not_be_streamed_is_shown_once_it_is_read(
    told: Cli, server: Server, text: str, shown: str
) -> None:
    server.text = text
    done = told("ask", QUESTION, *ANA, *server.options, "--stream")
    assert [line for line in done.out.splitlines() if line == shown] == [shown]


def test_after_an_attempt_that_does_not_count_the_answer_that_does_is_shown(told: Cli, server: Server) -> None:
    """The first cites nothing and no memory has its words; the second cannot be read, so the first one stands."""
    server.text = ['{"reasoning_path": "", "answer": "Rex"}', '{"reasoning_path": "it says", "answ']
    done = told("ask", QUESTION, *ANA, *server.options, "--stream")
    assert done.out.splitlines().index("Rex") < done.out.splitlines().index("because it says")
    assert done.out.splitlines().count("Rex") == 2  # as it came, and as the answer
    assert "unsupported" in done.err


@pytest.mark.parametrize("place", ["nowhere/g.svg", "memory.txt", "."])
def test_no_model_is_asked_for_a_picture_that_cannot_be_drawn(
    told: Cli, server: Server, tmp_path: Path, place: str
) -> None:
    """Nor is anything overwritten but a former picture."""
    (tmp_path / "memory.txt").write_text("mine")
    done = told("ask", QUESTION, *ANA, *server.options, "--graph", str(tmp_path / place))
    assert done.code == 2
    assert "--graph" in done.err
    assert server.bodies == []
    assert (tmp_path / "memory.txt").read_text() == "mine"
    for _ in range(2):
        assert told("ask", QUESTION, *ANA, *server.options, "--graph", str(tmp_path / "g.svg")).code == 0


def test_a_stream_in_json_is_an_event_a_line(told: Cli, server: Server) -> None:
    """The pieces of each field add up to the field of the last line."""
    done = told("ask", QUESTION, *ANA, *server.options, "--stream", "--json")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert (events[0]["kind"], events[-1]["kind"]) == ("evidence", "done")
    for name in ("reasoning_path", "answer"):
        assert "".join(e["text"] for e in events[1:-1] if e["kind"] == name) == events[-1][name]


def test_a_model_that_babbles_ends_with_1_and_the_evidence(told: Cli, server: Server) -> None:
    server.text = "I like dogs."
    done = told("ask", QUESTION, *ANA, *server.options)
    assert done.code == 1
    assert "greyhound called Biscuit" in done.out
    assert "error: m: answer: after 2 attempts it holds no JSON object" in done.err
    failed = told("ask", QUESTION, *ANA, *server.options, "--json")
    assert failed.code == 1
    assert "holds no JSON object" in failed.json["error"]
    assert failed.json["working_memory"][0]["id"] == "t1"


def test_the_local_graph_is_drawn_as_a_picture_that_any_reader_of_xml_takes(told: Cli, tmp_path: Path) -> None:
    """One edge: Ana to what she spoke of; its words and the question stand in the picture."""
    file = tmp_path / "graph.svg"
    done = told("ask", "What is <the> dog called?", *ANA, "--graph", str(file))
    assert (done.code, f"drawn to {file}" in done.err) == (0, True)
    texts = [each.text for each in ET.parse(file).iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "What is <the> dog called?"
    assert {"Ana", "spoke of [MU1]"} <= set(texts)


def test_nothing_known_is_answered_without_a_model(cli: Cli, server: Server) -> None:
    done = cli("ask", QUESTION, "--user", "nora", *server.options)
    assert (done.code, done.out.splitlines()[0], server.bodies) == (0, "Not mentioned", [])


def test_misuse_names_the_option(told: Cli) -> None:
    done = told("ask", QUESTION, *ANA, "--context", "0")
    assert done.code == 2
    assert "--context: is 0" in done.err


def test_a_checkpoint_is_for_local_models(cli: Cli) -> None:
    """A graph token is read by the model that it was trained for, and by no server."""
    done = cli("ask", QUESTION, "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--graph-token", "token")
    assert (done.code, done.out) == (2, "")
    assert "settings.graph_token" in done.err
    assert "name the local model that it was trained for, as hf:PATH" in " ".join(done.err.split())
