"""How a store lets its tables of traces be read and written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .connection import SqliteFile
from .trace_reading import TraceReading
from .trace_tables import TraceTables
from .trace_texts import TraceTexts


class TraceAccess:
    """The part of `SqliteStore` that has to do with traces."""

    _file: SqliteFile

    @contextmanager
    def tracing(self) -> Iterator[TraceTables]:
        """The tables of traces, for writing, in one transaction."""
        with self._file.writing() as connection:
            yield TraceTables(connection)

    @contextmanager
    def traced(self) -> Iterator[TraceReading]:
        """The tables of traces, for reading, as of one moment."""
        with self._file.reading() as connection:
            yield TraceReading(connection)

    @property
    def trace_texts(self) -> TraceTexts:
        """Trajectory texts that a language model wrote."""
        return TraceTexts(self._file)
