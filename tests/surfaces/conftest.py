"""Runs `qgmem` in this process, in an empty folder, and keeps what it wrote to either output."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Cli, Done

from qgmem.surfaces.cli import main


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """`cli("add", "words")`; the working folder is `tmp_path`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> Done:
        capsys.readouterr()
        monkeypatch.setattr("sys.argv", ["qgmem", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Done(int(ended.value.code or 0), captured.out, captured.err)

    return run
