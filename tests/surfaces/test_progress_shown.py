"""A bar shows itself after two seconds, also while one long step goes on."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from qgmem.surfaces import progress


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    written = io.StringIO()
    monkeypatch.setattr(progress, "stderr", lambda: Console(file=written, force_terminal=True, width=80))
    monkeypatch.setattr(progress, "SILENT_SECONDS", 0.05)
    return written


def test_a_long_step_shows_a_bar_before_it_ends(screen: io.StringIO) -> None:
    with progress.progress("messages") as bar:
        until = time.monotonic() + 5
        while "messages" not in screen.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
        assert "messages" in screen.getvalue()
        bar.advance(3)
        assert bar.done == 3


def test_short_work_shows_nothing(screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SILENT_SECONDS", 30.0)
    with progress.progress("messages") as bar:
        bar.advance()
    assert screen.getvalue() == ""
