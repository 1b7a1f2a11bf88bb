"""The README is true: its Python sessions and its command lines run, in order, and say what it says they say."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NUMBER = re.compile(r"(?<![\w-])\d+\.\d+\b")  # scores: int8 arithmetic differs a little between processors
TOLERANCE = 0.05


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def output(command: str, folder: Path) -> str:
    """What a `qgmem` command line says on stdout in a terminal of 80 columns."""
    program, *arguments = shlex.split(command)
    assert program == "qgmem", command
    done = subprocess.run(
        [sys.executable, "-m", "qgmem", *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def refresh(folder: Path) -> str:
    """The README with the output of its command lines as it is now; `make docs` writes it."""

    def again(block: re.Match[str]) -> str:
        commands = re.findall(r"^\$ (.*)$", block[1], re.MULTILINE)
        return "```console\n" + "".join(f"$ {each}\n{output(each, folder)}" for each in commands) + "```"

    return re.sub(r"^```console\n(.*?)^```", again, README, flags=re.DOTALL | re.MULTILINE)


def test_python_sessions_give_the_output_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks are one session, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks("python")), {}, "README.md", "README.md", 0)
    assert len(session.examples) >= 10, "the README lost its Python session"
    said: list[str] = []
    failed, tried = doctest.DocTestRunner(verbose=False).run(session, out=said.append)
    assert tried == len(session.examples)
    assert not failed, "".join(said)


def test_command_lines_give_the_output_shown(tmp_path: Path) -> None:
    """Each `$ ` line runs in one empty folder; numbers may differ by `TOLERANCE`."""
    steps = [step for block in blocks("console") for step in re.split(r"^\$ ", block, flags=re.MULTILINE) if step]
    assert len(steps) >= 3, "the README lost its command lines"
    for step in steps:
        command, _, expected = step.partition("\n")
        shown = output(command, tmp_path)
        assert NUMBER.sub("#", shown) == NUMBER.sub("#", expected), f"{command}: run `make docs`"
        for got, want in zip(NUMBER.findall(shown), NUMBER.findall(expected), strict=True):
            assert abs(float(got) - float(want)) <= TOLERANCE, f"{command}: {got}, not {want}: run `make docs`"


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    named = re.findall(r"^make (\w+)", "\n".join(blocks("sh")), re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert named[:2] == ["demo", "test"]
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in named)


def test_every_path_and_module_named_exists() -> None:
    """Links, and the back-quoted files of the reading order."""
    links = [target for target in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in target]
    modules = re.findall(r"`((?:\w+/)+|(?:\w+/)*\w+\.py)`", README.partition("## Reading order")[2])
    assert links
    assert len(modules) >= 12
    assert [each for each in links if not (ROOT / each).exists()] == []
    inside = [ROOT / "src/qgmem", ROOT / "src/qgmem/construction"]
    assert [each for each in modules if not any((base / each).exists() for base in inside)] == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as empty:
        (ROOT / "README.md").write_text(refresh(Path(empty)), encoding="utf-8")
