"""The way in for whole files: dialogues of other systems, streaming. An export of our own: `restoring.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from .construction.identity import Seen
from .construction.redaction import Redactor
from .errors import InvalidInput
from .ingest import Ingest, Shared
from .interchange import READERS, detect, read
from .interchange.sessions import with_sessions
from .restoring import BATCH, Restoring
from .spaces import Spaces
from .types import AddItem, AddReport, ImportProblem, ImportRecord


class Loading:
    """Reads files into namespaces. Holds no state of its own. `redactor`: of what is written."""

    def __init__(self, spaces: Spaces, ingest: Ingest, redactor: Redactor | None) -> None:
        self._spaces, self._ingest, self._redactor = spaces, ingest, redactor

    def load(self, path: Path, format: str | None, user_id: str | None) -> Iterator[AddReport]:
        """Add a file; one report a batch, with a failed item for each record that cannot be read."""
        name = format or detect(path)
        if name not in READERS:
            raise InvalidInput("format", f"there is none called {name!r}", f"use one of {', '.join(READERS)}")
        if name == "qgmem":
            yield from Restoring(self._spaces, self._ingest, self._redactor).restore(path, user_id)
            return
        seen: Seen = Counter()
        for batch in _batches(with_sessions(read(path, name), path, name)):
            problems = [record for record in batch if isinstance(record, ImportProblem)]
            if problems:
                yield _told(problems)
            found = (record for record in batch if isinstance(record, ImportRecord))
            for owner, records in groupby(found, lambda record: user_id or record.user_id or "default"):
                yield self._add(list(records), owner, seen)

    def _add(self, records: list[ImportRecord], owner: str, seen: Seen) -> AddReport:
        messages: list[Mapping[str, Any]] = []
        for record in records:
            session = {"session_id": record.session_id} if record.session_id is not None else {}
            messages.append({**record.message, **session})
        report = self._ingest.add(self._spaces.space(owner), messages, Shared(), seen)
        items = [
            item if item.reason is None else replace(item, reason=f"{record.where}: {item.reason}")
            for item, record in zip(report.items, records, strict=True)
        ]
        return AddReport(tuple(items), report.pending)


def _told(problems: list[ImportProblem]) -> AddReport:
    """What is lost as failed items, the rest as notes."""
    said = [(f"{each.where}: {each.field}: {each.reason}", each.kept) for each in problems]
    failed = tuple(AddItem("failed", None, text) for text, kept in said if not kept)
    return AddReport(failed, notes=tuple(text for text, kept in said if kept))


def _batches(
    records: Iterator[ImportRecord | ImportProblem],
) -> Iterator[list[ImportRecord | ImportProblem]]:
    batch: list[ImportRecord | ImportProblem] = []
    for record in records:
        batch.append(record)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
