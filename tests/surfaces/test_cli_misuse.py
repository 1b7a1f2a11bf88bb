"""Misuse is told before anything is written, with 2; a memory that is not there is said wherever one asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Cli

from qgmem.moments import last_day, last_moment


@pytest.mark.parametrize("call", [("add", ""), ("add", "x", "--role", "king"), ("import", "good.txt", "code.py")])
def test_nothing_is_written_by_a_call_that_cannot_be_understood(cli: Cli, call: tuple[str, ...]) -> None:
    """The first file is good; the second is looked at before a turn of the first is stored."""
    Path("good.txt").write_text("Ben: hello\n")
    Path("code.py").write_text("import this\nx = 1\n")
    done = cli(*call)
    assert (done.code, done.out) == (2, "")
    assert not Path("memories").exists()


def test_ask_says_as_search_does_that_nobody_has_that_memory(cli: Cli) -> None:
    """The answer is still given: nothing is known, which is not an error."""
    cli("add", "I live in Rome.", "--user", "ana")
    for call in (("ask", "Where?"), ("search", "Where?")):
        done = cli(*call, "--user", "zed")
        assert (done.code, "no memory of 'zed'" in done.err, "ana" in done.err) == (0, True, True)


def test_the_last_year_of_the_calendar_is_a_year() -> None:
    """9999 has a December too; the day after its last is none."""
    assert last_day("9999").isoformat() == last_day("9999-12").isoformat() == "9999-12-31"
    assert last_moment("9999").isoformat() == "9999-12-31T23:59:59.999999"
    assert last_day("2023-12").isoformat() == "2023-12-31"
