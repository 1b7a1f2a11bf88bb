"""A progress bar on stderr for work that takes longer than two seconds; nothing where stderr is no terminal."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .screen import stderr

if TYPE_CHECKING:
    from rich.progress import Progress

    from ..pieces import AskedPieces, Pieces
    from ..protocols import Embedder, PieceEmbedder, Vectors

SILENT_SECONDS = 2.0


class Bar:
    """Counts steps of a known or unknown total; shows the time that passes also within a long step."""

    def __init__(self, label: str, total: int | None) -> None:
        self.done = 0
        self._label, self._total = label, total
        self._console = stderr()
        self._shown: Progress | None = None
        self._lock = threading.Lock()
        self._timer = threading.Timer(SILENT_SECONDS, self._show)
        self._timer.daemon = True
        if self._console.is_terminal:
            self._timer.start()

    def advance(self, steps: int = 1) -> None:
        """Says that `steps` more are done."""
        with self._lock:
            self.done += steps
            if self._shown is not None:
                self._shown.update(self._shown.task_ids[0], completed=self.done)

    def close(self) -> None:
        """Takes the bar off the screen."""
        self._timer.cancel()
        if self._timer.is_alive():
            self._timer.join()
        if self._shown is not None:
            self._shown.stop()

    def _show(self) -> None:
        with self._lock:
            self._shown = self._open()

    def _open(self) -> Progress:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        shown = Progress(*columns, console=self._console, transient=True)
        shown.add_task(self._label, total=self._total, completed=self.done)
        shown.start()
        return shown


@contextmanager
def progress(label: str, total: int | None = None) -> Iterator[Bar]:
    """A bar, taken off the screen at the end."""
    bar = Bar(label, total)
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """A moving sign beside work that cannot be counted, once it has run for two seconds."""
    console = stderr()
    if not console.is_terminal:
        yield
        return
    sign = console.status(label)
    timer = threading.Timer(SILENT_SECONDS, sign.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        sign.stop()


class CountingEmbedder:
    """The same embedder; tells a bar about every text it has embedded."""

    def __init__(self, inner: Embedder, bar: Bar) -> None:
        self._inner, self._bar = inner, bar
        self.id, self.dimension = inner.id, inner.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, as the inner one gives them."""
        vectors = self._inner.embed(texts)
        self._bar.advance(len(texts))
        return vectors


class CountingPieceEmbedder(CountingEmbedder):
    """The same for one that shows word pieces."""

    _inner: PieceEmbedder

    def embed_pieces(self, texts: Sequence[str]) -> tuple[Vectors, list[Pieces]]:
        """(n, d) float32 and pieces, as the inner one gives them."""
        made = self._inner.embed_pieces(texts)
        self._bar.advance(len(texts))
        return made

    def embed_question(self, text: str) -> tuple[Vectors, AskedPieces]:
        """(1, d) float32 and pieces, as the inner one gives them."""
        return self._inner.embed_question(text)


def counting(inner: Embedder, bar: Bar) -> Embedder:
    """The embedder with a bar that moves on with every text, able to do what it can do."""
    from ..protocols import PieceEmbedder

    return CountingPieceEmbedder(inner, bar) if isinstance(inner, PieceEmbedder) else CountingEmbedder(inner, bar)
