"""The reference is made from the commands, is not stale, and leaves nothing out; every help fits a screen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from command_line import Cli

from qgmem.surfaces.reference import commands, reference

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
COMMANDS = dict(commands())
EXPECTED = (
    "demo add import search show history list trace export update forget stats build doctor reembed bench study synth"
)
LINES = 32


def test_the_page_is_what_the_commands_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "stale: run `make docs`"


def test_every_command_asked_for_is_there() -> None:
    assert set(EXPECTED.split()) <= {path.split()[1] for path in COMMANDS if " " in path}
    assert {"locomo", "beam", "factconsolidation", "longmemeval"} <= {path.split()[-1] for path in COMMANDS}


@pytest.mark.parametrize("path", COMMANDS)
def test_command_and_options_are_documented_with_an_example_and_fit_a_screen(path: str, cli: Cli) -> None:
    command: Any = COMMANDS[path]
    assert command.help
    assert command.help.strip()
    for parameter in command.params:
        assert parameter.name == "help" or parameter.help, f"{path}: {parameter.name} has no help"
    shown = cli(*path.split()[1:], "--help")
    assert shown.code == 0
    assert f"\n  {path} " in shown.out or f"\n  {path}\n" in shown.out, "no example"
    assert len(shown.out.splitlines()) <= LINES
    assert all(len(line) <= 80 for line in shown.out.splitlines())


@pytest.mark.parametrize("path", [path for path, command in COMMANDS.items() if not hasattr(command, "commands")])
def test_every_command_answers_in_json(path: str) -> None:
    assert "--json" in [flag for parameter in COMMANDS[path].params for flag in parameter.opts]
