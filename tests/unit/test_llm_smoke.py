"""The smoke run, with a scripted model behind a real server process that is killed half-way."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx
import pytest

from qgmem.errors import InvalidInput, ModelUnavailable
from qgmem.evals.llm_smoke import run as smoke
from qgmem.evals.llm_smoke.report import write_report
from qgmem.evals.llm_smoke.run import SmokeRun, passage
from qgmem.evals.llm_smoke.server import LocalServer, llama_server
from qgmem.models.retry import RetryPolicy
from qgmem.settings import Settings

SERVER = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from qgmem.models.chat import ChatRequest
from qgmem.models.scripted_chat import no_attributes, one_unit_a_turn

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.tell({"data": []})
    def do_POST(self):
        user = json.loads(self.rfile.read(int(self.headers["content-length"])))["messages"][1]["content"]
        rule = no_attributes if "memory_unit_id" in user else one_unit_a_turn
        message = {"content": rule(ChatRequest("x/1", "", user))}
        self.tell({"choices": [{"message": message, "finish_reason": "stop"}], "usage": {}})
    def tell(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def scripted(log: Path) -> LocalServer:
    return LocalServer(lambda port: [sys.executable, "-c", SERVER, str(port)], log, 60)


def conversation(path: Path) -> Path:
    """Two sessions of 18 turns and one that is not read; a question on the first, one that needs the third."""
    cities = ["Oslo", "Porto", "Lima", "Cork", "Kyiv", "Rome", "Bern", "Nice", "Faro"]
    record: dict[str, object] = {}
    for session in (1, 2, 3):
        record[f"session_{session}_date_time"] = f"1:56 pm on {session} May, 2023"
        record[f"session_{session}"] = [
            {"speaker": "Ana" if n % 2 else "Ben", "dia_id": f"D{session}:{n}", "text": f"I saw {cities[n % 9]}."}
            for n in range(18)
        ]
    questions = [
        {"question": "Who saw Lima?", "answer": "Ben", "evidence": ["D1:2"], "category": 4},
        {"question": "Who saw Oslo twice?", "answer": "Ben", "evidence": ["D1:0", "D3:0"], "category": 1},
    ]
    path.write_text(json.dumps([{"sample_id": "conv-1", "conversation": record, "qa": questions}]))
    return path


def test_killed_server_is_started_again_and_the_build_completes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """18 turns make 4 windows a session. The server dies once four are read; after the restart the others are, and
    every turn is a unit. Of two questions, one needs a session that was not read and is left out.
    """
    monkeypatch.setattr(smoke, "KILL_AFTER", 0.0)
    monkeypatch.setattr(RetryPolicy, "_wait", lambda *_: 0.0)
    text = passage(conversation(tmp_path / "locomo10.json"), None, 2)
    assert [question.text for question in text.questions] == ["Who saw Lima?"]
    server = scripted(tmp_path / "server.log")
    settings = Settings.load({}, chat_model="m", chat_url=server.base_url, chat_concurrency=1)
    run = SmokeRun(tmp_path / "out", text, settings, lambda _: None)
    with server:
        run.build(server)
    assert not server.running
    outcome = run.outcome()
    assert (outcome.turns, outcome.windows, outcome.units) == (36, {"done": 8}, 36)
    assert (outcome.killed, len(outcome.stopped)) == (4, 1)
    assert (outcome.covered, outcome.entries) == (1, 1)
    assert outcome.recall["verbatim"]["all"]["recall_acc@25"] == 1.0
    page = write_report(outcome, text, {}, tmp_path / "out")
    assert "server killed | after" in page
    assert str(tmp_path) not in page


def test_local_server_keeps_its_address_over_a_restart(tmp_path: Path) -> None:
    """Killed, it answers nobody; started again, it answers at the same address."""
    with scripted(tmp_path / "log") as server:
        address = f"{server.base_url}/models"
        assert httpx.get(address).status_code == 200
        server.kill()
        with pytest.raises(httpx.ConnectError):
            httpx.get(address)
        server.start()
        assert httpx.get(address).status_code == 200


def test_server_that_ends_at_once_says_so(tmp_path: Path) -> None:
    """A process that exits with 3 never answers: the error names the code and the log."""
    with pytest.raises(ModelUnavailable, match=r"ended with 3; server\.log"):
        LocalServer(lambda _: [sys.executable, "-c", "raise SystemExit(3)"], tmp_path / "server.log").start()


def test_command_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="server"):
        LocalServer(lambda _: [str(tmp_path / "nothing")], tmp_path / "log").start()


def test_model_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="model"):
        llama_server(Path(sys.executable), tmp_path / "none.gguf", tmp_path / "log")


def test_conversation_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="conv-1"):
        passage(conversation(tmp_path / "locomo10.json"), "conv-9", 2)
