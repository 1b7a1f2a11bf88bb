"""Whole memories in and out: the export that round-trips, and dialogues of other systems, streaming."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from .errors import InvalidInput, NotFound, StoreUnavailable
from .interchange import READERS, detect, read
from .interchange.export import ExportHeader, ExportRecord, read_export, write_export
from .stores.folder import DATABASE
from .stores.protocol import Store
from .stores.records import HistoryEvent, Status, UnitRecord, WindowOutcome, WindowRecord
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
    """Export a namespace to a file; how many records.

    What is at the path is replaced when the export is whole; the file is its owner's alone. Something that is no
    file, as a pipe, is written to as it comes. Raises InvalidInput for a path that cannot be written to, and
    StoreUnavailable when writing stops half way.
    """
    target = Path(os.path.realpath(path))
    whole = not target.exists() or target.is_file()
    written = target
    try:
        if whole:  # under a name of its own, for its owner alone
            handle, name = tempfile.mkstemp(".partial", f"{target.name[:100]}.", target.parent)
            written = Path(name)
        else:
            handle = os.open(target, os.O_WRONLY)
    except OSError as error:
        raise InvalidInput("path", f"cannot write {path}: {error.strerror or error}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            count = write_export(_records(store), file, ExportHeader(store.user_id))
        if whole:
            os.replace(written, target)
    except OSError as error:
        raise StoreUnavailable(f"{path}: {error.strerror or error}; nothing was exported") from error
    finally:
        if whole:
            written.unlink(missing_ok=True)
    return count


def _records(store: Store) -> Iterator[ExportRecord]:
    """Turns in order, windows with the units read from them, units whose words were changed, and what they said.

    Answers and quarantine of construction stay behind: the one saves calls, the other is not the user's memory.
    """
    for turn in store.turns():
        yield ExportRecord.of_turn(turn)
    for window in store.log.windows():
        if window.status != "pending":
            yield ExportRecord("window", _window(window))
            yield from (_unit(record, window, store) for record in store.log.units(window.id))
    for unit in store.edited():
        yield ExportRecord("edit", {"id": unit.id, "text": unit.text})
    for event in store.history():
        yield ExportRecord(
            "history",
            {"id": event.unit_id, "event": event.event, "text": event.text, "recorded_at": event.recorded_at},
        )


def _window(window: WindowRecord) -> dict[str, JsonValue]:
    return {
        "id": window.id,
        "session_id": window.session_id,
        "turns": list(window.turn_ids),
        "overlap": window.overlap,
        "status": window.status,
        "reason": window.reason,
    }


def _unit(record: UnitRecord, window: WindowRecord, store: Store) -> ExportRecord:
    """A unit with its window, and the turn that is quoted by id, since sequences may change on the way."""
    turns = store.known(record.unit.span.turn_ids)
    voice = next(turn.id for turn in turns.values() if turn.sequence == record.unit.sequence)
    more: dict[str, JsonValue] = {"window": window.id, "voice": voice, "partial": record.partial}
    return ExportRecord("unit", {**ExportRecord.of_unit(record.unit).body, **more})


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
    windows: list[tuple[WindowRecord, list[tuple[str, UnitRecord]]]] = []  # units with the turn that is quoted
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
        elif entry.kind == "window":
            windows.append((_read_window(entry), []))
        elif entry.kind == "unit" and windows and entry.body.get("window") == windows[-1][0].id:
            windows[-1][1].append(
                (_text(entry, "voice"), UnitRecord(entry.unit(), entry.body.get("partial") is True))
            )
        elif entry.kind == "edit":
            edits.append((_text(entry, "id"), _text(entry, "text")))
        elif entry.kind == "history":
            names = ("id", "event", "text", "recorded_at")
            events.append(HistoryEvent(*(_text(entry, name) for name in names)))
    if turns:
        yield memory.put_turns(turns, user_id=owner)
    if windows:
        outcomes = [(window, _outcome(memory, window, units, owner)) for window, units in windows]
        if pending := memory.put_windows(outcomes, user_id=owner):
            yield AddReport((), pending)
    if edits or events:
        memory.put_edits(edits, events, user_id=owner)


def _read_window(entry: ExportRecord) -> WindowRecord:
    turns, overlap, reason = (entry.body.get(name) for name in ("turns", "overlap", "reason"))
    if not isinstance(turns, list) or not isinstance(overlap, int):
        raise InvalidInput(
            "turns", "expected a list of turn ids, and a whole number as overlap", f"see {entry.where}"
        )
    status = next((one for one in get_args(Status) if one == entry.body.get("status")), None)
    if status is None:
        raise InvalidInput("status", f"expected one of {', '.join(get_args(Status))}", f"see {entry.where}")
    said = reason if isinstance(reason, str) else None
    return WindowRecord(_text(entry, "id"), _text(entry, "session_id"), tuple(map(str, turns)), overlap, status, said)


def _outcome(memory: Memory, window: WindowRecord, units: list[tuple[str, UnitRecord]], owner: str) -> WindowOutcome:
    """The window as it ended; units take their place in the order of turns as they lie here."""
    placed = []
    for voice, record in units:
        with suppress(NotFound):  # a turn that was not taken in: `put_windows` leaves its window out
            sequence = memory.turn(voice, user_id=owner).sequence
            placed.append(replace(record, unit=replace(record.unit, sequence=sequence)))
    return WindowOutcome(window.id, window.status, window.reason, tuple(placed))


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
