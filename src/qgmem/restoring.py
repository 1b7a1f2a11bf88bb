"""The way back in for an export of our own: everything as it was, and nothing of what was refused.

Turns are put as they come. Windows, edits and history wait for the end of the file, since they rest on turns: what
rests on a turn that was not taken in is reported as failed and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from .construction.messages import read_message
from .construction.redaction import Redactor
from .errors import InvalidInput
from .ingest import Ingest
from .interchange.export import ExportHeader, ExportRecord, read_export
from .namespace import Namespace
from .restored_windows import BroughtWindow, put_windows
from .spaces import Spaces
from .stores.records import HistoryEvent
from .types import AddItem, AddReport, ImportProblem, Turn
from .wordings import Wordings, merged, moment

BATCH = 256  # messages a transaction


@dataclass(slots=True)
class _Brought:
    """What of a file waits for its end."""

    turns: list[Turn] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)  # ids of turns that are here as the file has them
    windows: list[BroughtWindow] = field(default_factory=list)
    in_window: bool = False  # the record before this one belongs to the last window
    edits: dict[str, ExportRecord] = field(default_factory=dict)  # by unit id
    events: dict[str, list[tuple[str, HistoryEvent]]] = field(default_factory=dict)  # where in the file, by unit id


class Restoring:
    """Reads exports into namespaces. Holds no state of its own. `redactor`: of what is written."""

    def __init__(self, spaces: Spaces, ingest: Ingest, redactor: Redactor | None) -> None:
        self._spaces, self._ingest, self._redactor = spaces, ingest, redactor

    def restore(self, path: Path, user_id: str | None) -> Iterator[AddReport]:
        """Turns keep their sequence where it is free; then windows with their units, edits and history follow."""
        owner = user_id or "default"
        found = _Brought()
        for entry in read_export(path):
            if isinstance(entry, ExportHeader):
                owner = user_id or entry.user_id or owner
                continue
            if isinstance(entry, ImportProblem):
                if found.in_window:  # it may have been another unit of this one
                    found.windows[-1].spoiled = True
                yield AddReport((_failed(entry.where, f"{entry.field}: {entry.reason}"),))
                continue
            try:
                _sort(entry, found)
            except InvalidInput as error:
                yield AddReport((_failed(entry.where, str(error)),))
            if len(found.turns) == BATCH:
                yield self._put_turns(self._spaces.space(owner), found)
        if found.turns:
            yield self._put_turns(self._spaces.space(owner), found)
        if found.windows:
            yield self._put_windows(self._spaces.space(owner), found)
        if found.edits or found.events:
            yield from self._put_wordings(self._spaces.space(owner), found)

    def _put_turns(self, space: Namespace, found: _Brought) -> AddReport:
        report = self._ingest.put(space, found.turns)
        found.taken.update(item.turn_id for item in report.items if item.status != "failed" and item.turn_id)
        found.turns.clear()
        return report

    def _put_windows(self, space: Namespace, found: _Brought) -> AddReport:
        """Windows that are here already are left alone; their units count as taken in like those of new ones."""
        units, failures = put_windows(space.store, found.windows, found.taken, self._redactor)
        items = tuple(_failed(where, reason) for where, reason in failures)
        found.taken |= units
        return AddReport(items, self._ingest.embed_new(space))

    def _put_wordings(self, space: Namespace, found: _Brought) -> Iterator[AddReport]:
        """Edited words and history, one unit at a time."""
        texts = {one.unit.id: one.unit.text for window in found.windows for _, one in window.units}
        for unit_id in dict.fromkeys((*found.edits, *found.events)):
            edit, events = found.edits.get(unit_id), found.events.get(unit_id, [])
            wheres = ([edit.where] if edit else []) + [where for where, _ in events]
            if unit_id not in found.taken:
                reason = f"id: {unit_id!r} was not taken in from this file, so its words and history were not either"
                yield AddReport(tuple(_failed(where, reason, unit_id) for where in wheres))
                continue
            text = edit.text_of("text") if edit else texts.get(unit_id)
            try:
                item = self._put_wording(space, unit_id, text, [event for _, event in events])
            except InvalidInput as error:
                yield AddReport(tuple(_failed(where, str(error), unit_id) for where in wheres))
            else:
                if item is not None:
                    yield AddReport((item,))

    def _put_wording(
        self, space: Namespace, unit_id: str, text: str | None, events: Sequence[HistoryEvent]
    ) -> AddItem | None:
        """A note where the words of the file do not stand. History first: words that give way are never lost."""
        units = space.store.units([unit_id])
        if not units:
            raise InvalidInput("id", f"{unit_id!r} is not here, so its history was not taken in")
        turn = space.store.known([unit_id]).get(unit_id)
        said = None if turn is None else turn.text
        here = Wordings(units[0].text, tuple(space.store.history(unit_id)), said)
        brought = said if text is None else text
        if brought is None:
            raise InvalidInput("text", f"the file does not say what {unit_id!r} says now")
        content = read_message(brought).content if brought != here.text else brought
        brought_events = [replace(event, text=self._blacked_out(event.text)) for event in events]
        result = merged(unit_id, here, Wordings(self._blacked_out(content), tuple(brought_events)))
        if result.events:
            space.store.add_history(result.events)
        if result.text is not None:
            self._ingest.update(space, units[0], result.text, None)
        return None if result.note is None else AddItem("deduplicated", unit_id, None, f"{unit_id}: {result.note}")

    def _blacked_out(self, text: str) -> str:
        return text if self._redactor is None else self._redactor.fresh().text(text)


def _sort(entry: ExportRecord, found: _Brought) -> None:
    """Puts a record where it waits. Raises InvalidInput for one that cannot be used."""
    found.in_window = found.in_window and entry.kind in ("window", "unit")
    if entry.kind == "turn":
        found.turns.append(entry.turn())
    elif entry.kind == "window":
        found.in_window = False
        found.windows.append(BroughtWindow.read(entry))
        found.in_window = True
    elif entry.kind == "unit":
        if not found.in_window or entry.body.get("window") != found.windows[-1].record.id:
            raise InvalidInput("window", "does not name the window record above it, which may have failed")
        found.windows[-1].add(entry)
    elif entry.kind == "edit":
        entry.text_of("text")
        found.edits[entry.text_of("id")] = entry
    elif entry.kind == "history":
        event = HistoryEvent(*(entry.text_of(name) for name in ("id", "event", "text", "recorded_at")))
        moment(event.recorded_at)
        found.events.setdefault(event.unit_id, []).append((entry.where, event))
    else:
        raise InvalidInput("kind", f"there is none called {entry.kind[:40]!r}", "a newer qgmem may know it")


def _failed(where: str, reason: str, turn_id: str | None = None) -> AddItem:
    return AddItem("failed", turn_id, f"{where}: {reason}")
