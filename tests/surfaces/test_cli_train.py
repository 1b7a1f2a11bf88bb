"""`train graph-token` and `study graph-branch` without a model, without data, without torch."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import Cli

from qgmem.synthetic import simulate, write


def test_a_path_that_is_no_model_is_misuse(cli: Cli, tmp_path: Path) -> None:
    for command in (["train", "graph-token", "--data", str(tmp_path)], ["study", "graph-branch"]):
        done = cli(*command, "--llm", str(tmp_path), "--out", str(tmp_path / "out"))
        assert (done.code, done.out) == (2, "")
        assert "neither a GGUF file nor a folder of a model" in done.err


def test_options_of_something_that_is_not_asked_for_are_misuse(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"weights")
    given = ["--data", str(tmp_path), "--llm", str(tmp_path / "m.gguf"), "--out", str(tmp_path / "out")]
    done = cli("train", "graph-token", *given, "--reader-url", "http://localhost:1/v1")
    assert (done.code, "--reader-url: is for --reader" in done.err) == (2, True)
    (tmp_path / "l.json").write_text("[]")
    for option in (["--sample", "2"], ["--llm", "scripted"], ["--chat-url", "http://localhost:1/v1"]):
        done = cli("bench", "locomo", "--data", str(tmp_path / "l.json"), "--out", str(tmp_path / "b"), *option)
        assert (done.code, f"{option[0]}: is for --answers" in done.err) == (2, True)


def test_a_folder_without_dialogues_is_misuse(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"weights")
    given = ["--data", str(tmp_path), "--llm", str(tmp_path / "m.gguf"), "--out", str(tmp_path / "out")]
    done = cli("train", "graph-token", *given, "--json")
    assert done.code == 2
    assert "holds no dialogues.jsonl" in done.err


def test_without_torch_the_extra_is_named_at_the_first_question(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Contexts are counted by the model's own tokenizer, so that nobody waits for examples without it."""
    monkeypatch.setitem(sys.modules, "torch", None)
    write(simulate(2, 0.15, 4, questions=1), tmp_path / "lives")
    (tmp_path / "m.gguf").write_bytes(b"weights")
    given = ["--data", str(tmp_path / "lives"), "--llm", str(tmp_path / "m.gguf"), "--out", str(tmp_path / "out")]
    done = cli("train", "graph-token", *given)
    assert done.code == 1
    assert "pip install 'qgmem[graph]'" in done.err
    assert not (tmp_path / "out" / "examples.jsonl").exists()
