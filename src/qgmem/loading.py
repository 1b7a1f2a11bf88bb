"""The way back in for whole files: an export of our own as it was, dialogues of other systems, streaming."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

from .construction.redaction import Redactor
from .errors import InvalidInput, NotFound
from .ingest import Ingest, Shared
from .interchange import READERS, detect, read
from .interchange.export import ExportHeader, ExportRecord, read_export
from .namespace import Namespace
from .spaces import Spaces
from .stores.protocol import Store
from .stores.records import ClaimMarks, HistoryEvent, Status, UnitRecord, WindowOutcome, WindowRecord
from .types import AddItem, AddReport, ImportProblem, ImportRecord, JsonValue, Turn

BATCH = 256  # messages a transaction

Windows = Sequence[tuple[WindowRecord, Sequence[tuple[str, UnitRecord]]]]  # units with the turn that is quoted


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
            yield from self._restore(path, user_id)
            return
        for batch in _batches(read(path, name)):
            for owner, records in groupby(batch, lambda record: _owner(record, user_id)):
                yield self._add(list(records), owner)

    def _add(self, records: list[ImportRecord | ImportProblem], owner: str | None) -> AddReport:
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
        report = self._ingest.add(self._spaces.space(owner), messages, Shared())
        items = [
            AddItem(item.status, item.turn_id, f"{where}: {item.reason}") if item.status == "failed" else item
            for item, where in zip(report.items, wheres, strict=True)
        ]
        return AddReport(tuple(items), report.pending)

    def _restore(self, path: Path, user_id: str | None) -> Iterator[AddReport]:
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
                    yield self._ingest.put(self._spaces.space(owner), turns)
                    turns = []
            elif entry.kind == "window":
                windows.append((_read_window(entry), []))
            elif entry.kind == "unit" and windows and entry.body.get("window") == windows[-1][0].id:
                unit = UnitRecord(entry.unit(), entry.body.get("partial") is True, _claim(entry))
                windows[-1][1].append((_text(entry, "voice"), unit))
            elif entry.kind == "edit":
                edits.append((_text(entry, "id"), _text(entry, "text")))
            elif entry.kind == "history":
                names = ("id", "event", "text", "recorded_at")
                events.append(HistoryEvent(*(_text(entry, name) for name in names)))
        if turns:
            yield self._ingest.put(self._spaces.space(owner), turns)
        if windows and (pending := self._put_windows(self._spaces.space(owner), windows)):
            yield AddReport((), pending)
        if edits or events:
            self._put_edits(self._spaces.space(owner), edits, events)

    def _put_windows(self, space: Namespace, windows: Windows) -> str | None:
        """Put windows with their units back; those already here, or whose turns are not, are left alone.

        Returns why vectors are missing, if the embedder failed.
        """
        outcomes = [(window, _outcome(space.store, window, units)) for window, units in windows]
        known = {window.id for window in space.store.log.windows()}
        fresh = [(window, outcome) for window, outcome in outcomes if window.id not in known]
        space.store.log.open([window for window, _ in fresh])
        for _, outcome in fresh:
            units = outcome.units
            if self._redactor is not None:
                units = tuple(replace(one, unit=self._redactor.fresh().unit(one.unit)) for one in units)
            space.store.log.finish(replace(outcome, units=units))
        return self._ingest.embed_new(space)

    def _put_edits(self, space: Namespace, edits: Sequence[tuple[str, str]], events: Sequence[HistoryEvent]) -> None:
        """Put edited words, as (unit id, text), and history back. Raises NotFound."""
        for unit_id, text in edits:
            found = space.store.units([unit_id])
            if not found:
                raise NotFound(f"id: no unit {unit_id!r} of {space.store.user_id!r}")
            if found[0].text != text:
                self._ingest.update(space, found[0], text, None)
        if self._redactor is not None:
            events = [replace(event, text=self._redactor.fresh().text(event.text)) for event in events]
        space.store.add_history(events)


def _owner(record: ImportRecord | ImportProblem, user_id: str | None) -> str | None:
    """Whose memory a record goes to; None for a problem, which belongs to nobody."""
    if isinstance(record, ImportProblem):
        return None
    return user_id or record.user_id or "default"


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


def _outcome(store: Store, window: WindowRecord, units: Sequence[tuple[str, UnitRecord]]) -> WindowOutcome:
    """The window as it ended; units take their place in the order of turns as they lie here."""
    placed = []
    for voice, record in units:
        with suppress(NotFound):  # a turn that was not taken in: the store leaves its window out
            sequence = store.turn(voice).sequence
            placed.append(replace(record, unit=replace(record.unit, sequence=sequence)))
    return WindowOutcome(window.id, window.status, window.reason, tuple(placed))


def _claim(entry: ExportRecord) -> ClaimMarks:
    marks = entry.body.get("claim")
    return ClaimMarks.from_json(marks) if isinstance(marks, dict) else ClaimMarks()


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
