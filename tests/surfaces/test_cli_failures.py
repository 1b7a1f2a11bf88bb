"""Failures: one line that names the option, a way out, the right exit code, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Cli


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("add", ""), 2, "error: message.content: is empty"),
        (("add", "x", "--time", "teatime"), 2, "error: --time: cannot read 'teatime'"),
        (("add", "x", "--user", ""), 2, "error: --user: is empty"),
        (("add", "x", "--role", "robot"), 2, "error: message.role:"),
        (("search", " "), 2, "error: QUERY: is empty"),
        (("search", "x", "--filter", "{"), 2, "error: --filter: is no JSON"),
        (("search", "x", "--filter", "[]"), 2, "error: --filter: expected an object"),
        (("search", "x", "--filter", '{"speaker": {"like": "A"}}'), 2, "error: --filter.speaker.like:"),
        (("search", "x", "--context", "0"), 2, "error: --context: is 0"),
        (("show", "nothing"), 1, "error: id: no unit 'nothing'"),
        (("add", "hi", "--path", "a-file"), 1, "a-file: is a file, and memories need a folder"),
        (("search", "hi", "--path", "a-file"), 1, "a-file: is a file, and memories need a folder"),
        (("list", "--path", "a-file/below"), 1, "a-file: is a file, and memories need a folder"),
        (("stats", "--path", "a-file"), 1, "a-file: is a file, and memories need a folder"),
        (("history", "nothing"), 1, "error: id: no unit 'nothing'"),
        (("show", "nothing", "--user", "nobody"), 1, "error: --user: no memory of 'nobody'"),
        (("forget", "nothing", "--yes"), 1, "error: id: no unit 'nothing'"),
        (("stats", "--user", "nobody"), 1, "error: --user: no memory of 'nobody'"),
        (("reembed", "--user", "nobody"), 1, "error: --user: no memory of 'nobody'"),
        (("reembed", "--embedder", "huge"), 2, "error: --embedder: there is none called 'huge'"),
        (("import", "nowhere.json"), 2, "error: FILE: nowhere.json is no file"),
        (("doctor", "--path", "nowhere"), 1, "error: nowhere: No such file"),
        (("synth", "--people", "0", "--out", "s"), 2, "error: --people: must be at least 1"),
        (("bench", "locomo", "--data", "nowhere", "--out", "o"), 2, "error: "),
        (("bench", "locomo", "--data", "x"), 2, "Missing option '--out'"),
        (("sing",), 2, "No such command 'sing'"),
    ],
)
def test_one_line_a_way_out_and_the_exit_code(cli: Cli, arguments: tuple[str, ...], code: int, said: str) -> None:
    cli("add", "Something.", "--id", "t1")
    Path("a-file").touch()
    failed = cli(*arguments)
    assert failed.code == code
    assert said in failed.err
    assert failed.out == ""
    assert "Traceback" not in failed.err
    assert len(failed.err.splitlines()) <= 4


def test_with_json_the_error_is_json_on_stderr(cli: Cli) -> None:
    failed = cli("show", "nothing", "--user", "nobody", "--json")
    assert (failed.code, failed.out) == (1, "")
    error = json.loads(failed.err)["error"]
    assert error["type"] == "NotFound"
    assert "nobody" in error["message"]
    assert "qgmem stats" in error["hint"]


def test_a_folder_that_cannot_be_made_is_named(cli: Cli) -> None:
    Path("memories").write_text("a file stands where the folder should be")
    failed = cli("add", "x")
    assert failed.code == 1
    assert failed.err.startswith("error: ")
    assert "memories: is a file, and memories need a folder" in failed.err


def test_help_comes_without_a_command_and_the_version_on_request(cli: Cli) -> None:
    from qgmem import __version__

    assert cli().code == 0
    assert "qgmem demo" in cli().out
    assert cli("--version").out == f"qgmem {__version__}\n"


@pytest.mark.parametrize("arguments", [("search",), ("search", "x", "--limit", "many"), ("sing",), ("show", "--no")])
def test_with_json_misuse_is_json_on_stderr_too(cli: Cli, arguments: tuple[str, ...]) -> None:
    failed = cli(*arguments, "--json")
    assert (failed.code, failed.out) == (2, "")
    assert json.loads(failed.err)["error"]["type"] == "UsageError"
