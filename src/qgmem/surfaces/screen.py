"""Two outputs: answers on stdout, everything else on stderr. With `--json` stdout holds one JSON document."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ..errors import ModelError, StoreError
from ..types import JsonValue

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def emit(value: JsonValue) -> None:
    """One JSON document and a line end on stdout. Same value, same bytes."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def show(*paragraphs: Text, hang: int = 3) -> None:
    """Paragraphs for people on stdout; lines after a paragraph's first begin at column `hang`."""
    from rich.text import Text

    console = stdout()
    for paragraph in paragraphs:
        indent = len(paragraph.plain) - len(paragraph.plain.lstrip(" "))
        width = max(20, console.width - max(indent, hang))
        for number, line in enumerate(paragraph[indent:].wrap(console, width)):
            line.rstrip()
            console.print(Text(" " * (hang if number else indent)).append_text(line), soft_wrap=True)


def note(text: str) -> None:
    """A remark for people on stderr."""
    stderr().print(text, soft_wrap=True)


def stdout() -> Console:
    """The console for answers; as wide as the terminal, 80 columns where there is none."""
    return _console(stderr=False)


def stderr() -> Console:
    """The console for progress, remarks and errors."""
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def stdin_text() -> str:
    """All of stdin. A byte that is no UTF-8 becomes a lone surrogate, so that whoever stores it can tell."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    return sys.stdin.read()


@contextmanager
def resumable(said: Callable[[], str], so_far: Callable[[], JsonValue] | None = None) -> Iterator[None]:
    """Work that Ctrl-C or trouble may stop anywhere; `said()` tells what was kept and how to go on.

    `so_far`: with --json, the answer as far as it goes.
    """
    try:
        yield
    except (KeyboardInterrupt, StoreError, ModelError) as stop:
        if so_far is not None:
            emit(so_far())
        stop.add_note(said())
        raise
