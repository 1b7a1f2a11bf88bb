"""Whole memories out: the export that round-trips. `loading.py` is the way back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from .errors import InvalidInput, StoreUnavailable
from .interchange.export import ExportHeader, ExportRecord, write_export
from .stores.connection import stored_user
from .stores.folder import DATABASE, check_root
from .stores.protocol import Store
from .stores.records import UnitRecord, WindowRecord
from .types import JsonValue


def namespaces(root: Path) -> list[str]:
    """User ids with at least one turn under this folder, sorted. Raises StoreUnavailable for a file in its place."""
    check_root(root)
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
    if claim := record.claim.to_json():
        more["claim"] = claim
    return ExportRecord("unit", {**ExportRecord.of_unit(record.unit).body, **more})
