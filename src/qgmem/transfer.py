"""Whole memories in and out: the export that round-trips, and dialogues of other systems, streaming."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import InvalidInput
from .interchange import READERS, detect, read
from .interchange.export import ExportHeader, ExportRecord, read_export, write_export
from .stores.folder import DATABASE
from .stores.protocol import Store
from .stores.records import HistoryEvent
from .stores.sqlite import stored_user
from .types import AddItem, AddReport, ImportProblem, ImportRecord, JsonValue, Turn

if TYPE_CHECKING:
    from .memory import Memory

BATCH = 256  # messages a transaction


def namespaces(root: Path) -> list[str]:
    """User ids with at least one turn under this folder, sorted."""
    found = (stored_user(path) for path in root.glob(f"*/{DATABASE}"))
    return sorted(user_id for user_id in found if user_id is not None)


def write(store: Store, path: Path) -> int:
    """Export a namespace to a file; how many records."""
    with path.open("wb") as handle:
        return write_export(_records(store), handle, ExportHeader(store.user_id))


def _records(store: Store) -> Iterator[ExportRecord]:
    """Turns in order, then units whose words were changed, then what they said before."""
    for turn in store.turns():
        yield ExportRecord.of_turn(turn)
    for unit in store.edited():
        yield ExportRecord("edit", {"id": unit.id, "text": unit.text})
    for event in store.history():
        yield ExportRecord(
            "history",
            {"id": event.unit_id, "event": event.event, "text": event.text, "recorded_at": event.recorded_at},
        )


def load(memory: Memory, path: Path, format: str | None, user_id: str | None) -> Iterator[AddReport]:
    """Add a file to a memory; one report a batch, with a failed item for each record that cannot be read."""
    name = format or detect(path)
    if name not in READERS:
        raise InvalidInput("format", f"there is none called {name!r}", f"use one of {', '.join(READERS)}")
    if name == "qgmem":
        yield from _restore(memory, path, user_id)
        return
    for batch in _batches(read(path, name)):
        for owner, records in groupby(batch, lambda record: _owner(record, user_id)):
            yield _add(memory, list(records), owner)


def _owner(record: ImportRecord | ImportProblem, user_id: str | None) -> str | None:
    """Whose memory a record goes to; None for a problem, which belongs to nobody."""
    if isinstance(record, ImportProblem):
        return None
    return user_id or record.user_id or "default"


def _add(memory: Memory, records: list[ImportRecord | ImportProblem], owner: str | None) -> AddReport:
    messages: list[Mapping[str, Any]] = []
    wheres: list[str] = []
    failed = [
        AddItem("failed", None, f"{record.where}: {record.field}: {record.reason}")
        for record in records
        if isinstance(record, ImportProblem)
    ]
    if owner is None:
        return AddReport(tuple(failed))
    for record in records:
        if isinstance(record, ImportRecord):
            session = {"session_id": record.session_id} if record.session_id is not None else {}
            messages.append({**record.message, **session})
            wheres.append(record.where)
    report = memory.add(messages, user_id=owner)
    items = [
        AddItem(item.status, item.turn_id, f"{where}: {item.reason}") if item.status == "failed" else item
        for item, where in zip(report.items, wheres, strict=True)
    ]
    return AddReport(tuple(items), report.pending)


def _restore(memory: Memory, path: Path, user_id: str | None) -> Iterator[AddReport]:
    """An export of our own: turns keep their sequence where it is free, then edits and history follow."""
    owner = user_id or "default"
    edits: list[tuple[str, str]] = []
    events: list[HistoryEvent] = []
    turns: list[Turn] = []
    for entry in read_export(path):
        if isinstance(entry, ImportProblem):
            yield AddReport((AddItem("failed", None, f"{entry.where}: {entry.field}: {entry.reason}"),))
        elif isinstance(entry, ExportHeader):
            owner = user_id or entry.user_id or owner
        elif entry.kind == "turn":
            turns.append(entry.turn())
            if len(turns) == BATCH:
                yield memory.put_turns(turns, user_id=owner)
                turns = []
        elif entry.kind == "edit":
            edits.append((_text(entry, "id"), _text(entry, "text")))
        elif entry.kind == "history":
            names = ("id", "event", "text", "recorded_at")
            events.append(HistoryEvent(*(_text(entry, name) for name in names)))
    if turns:
        yield memory.put_turns(turns, user_id=owner)
    if edits or events:
        memory.put_edits(edits, events, user_id=owner)


def _text(entry: ExportRecord, name: str) -> str:
    value: JsonValue = entry.body.get(name)
    if not isinstance(value, str):
        raise InvalidInput(name, f"expected text, got {type(value).__name__}", f"see {entry.where}")
    return value


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
