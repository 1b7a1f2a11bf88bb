"""A progress bar on stderr for work that takes longer than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

SILENT_SECONDS = 2.0


class Bar:
    """Counts steps; shows itself only once the work has run for `SILENT_SECONDS`."""

    def __init__(self, label: str, total: int, enabled: bool) -> None:
        self._label, self._total, self._enabled = label, total, enabled
        self._started = time.monotonic()
        self._done = 0
        self._shown: Progress | None = None

    def advance(self, steps: int = 1) -> None:
        """Says that `steps` more are done."""
        self._done += steps
        if not self._enabled:
            return
        if self._shown is None and time.monotonic() - self._started > SILENT_SECONDS:
            self._show()
        if self._shown is not None:
            self._shown.update(self._shown.task_ids[0], completed=self._done)

    def close(self) -> None:
        """Takes the bar off the screen."""
        if self._shown is not None:
            self._shown.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._shown = Progress(*columns, console=Console(file=sys.stderr), transient=True)
        self._shown.add_task(self._label, total=self._total)
        self._shown.start()


@contextmanager
def progress(label: str, total: int, enabled: bool = True) -> Iterator[Bar]:
    """A bar over `total` steps, closed at the end."""
    bar = Bar(label, total, enabled)
    try:
        yield bar
    finally:
        bar.close()
