"""Windows of construction that an export brings, with the units that were read from them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from .construction.redaction import Redactor
from .errors import InvalidInput
from .interchange.export import ExportRecord
from .stores.protocol import Store
from .stores.records import ClaimMarks, Status, UnitRecord, WindowOutcome, WindowRecord


@dataclass(slots=True)
class BroughtWindow:
    """A window of a file, and its units, each with the id of the turn that it quotes.

    `spoiled`: a record of it could not be read, so it is not whole.
    """

    where: str
    record: WindowRecord
    units: list[tuple[str, UnitRecord]] = field(default_factory=list)
    spoiled: bool = False

    @classmethod
    def read(cls, entry: ExportRecord) -> BroughtWindow:
        """A record of kind `window`. Raises InvalidInput naming the field."""
        turns, overlap, reason = (entry.body.get(name) for name in ("turns", "overlap", "reason"))
        if not isinstance(turns, list) or not turns:
            raise InvalidInput("turns", "expected a list of turn ids")
        if isinstance(overlap, bool) or not isinstance(overlap, int):
            raise InvalidInput("overlap", "expected a whole number")
        status = next((one for one in get_args(Status) if one == entry.body.get("status")), None)
        if status is None:
            raise InvalidInput("status", f"expected one of {', '.join(get_args(Status))}")
        said = reason if isinstance(reason, str) else None
        shown = tuple(map(str, turns))
        window = WindowRecord(entry.text_of("id"), entry.text_of("session_id"), shown, overlap, status, said)
        return cls(entry.where, window)

    def add(self, entry: ExportRecord) -> None:
        """A record of kind `unit` of this window. Raises InvalidInput, and the window counts as spoiled then."""
        whole, self.spoiled = not self.spoiled, True
        marks = entry.body.get("claim")
        claim = ClaimMarks.from_json(marks) if isinstance(marks, dict) else ClaimMarks()
        unit = UnitRecord(entry.unit(), entry.body.get("partial") is True, claim)
        self.units.append((entry.text_of("voice"), unit))
        self.spoiled = not whole


def put_windows(
    store: Store, windows: Sequence[BroughtWindow], taken: Collection[str], redactor: Redactor | None
) -> tuple[set[str], list[tuple[str, str]]]:
    """Windows with their units into the store; those that were finished here before are left alone.

    `taken`: ids of the turns that are here as the file has them. Returns ids of the units of all windows that are
    here now, and (where, why) for each window that could not be put.
    """
    finished = {window.id for window in store.log.windows() if window.status != "pending"}
    here: set[str] = set()
    failures: list[tuple[str, str]] = []
    for window in windows:
        if window.record.id not in finished:
            reason = _refused(store, window, taken)
            if reason:
                failures.append((window.where, f"{reason}; its {len(window.units)} units were left out with it"))
                continue
            store.log.open([window.record])
            store.log.finish(_outcome(store, window, redactor))
        here |= {one.unit.id for _, one in window.units}
    return here, failures


def _refused(store: Store, window: BroughtWindow, taken: Collection[str]) -> str | None:
    """Why a window cannot be put; None if it can."""
    if window.spoiled:
        return "window: a record of it could not be read"
    rests_on = [*window.record.turn_ids, *(voice for voice, _ in window.units)]
    rests_on += [turn for _, one in window.units for turn in one.unit.span.turn_ids]
    missing = next((turn for turn in rests_on if turn not in taken), None)
    if missing is not None:
        return f"turns: {missing!r} was not taken in from this file"
    brought = {one.unit.id: one.unit for _, one in window.units}
    for unit in store.units(list(brought)):
        if unit.kind != "extracted" or unit.span.turn_ids != brought[unit.id].span.turn_ids:
            return f"units: {unit.id!r} is taken by another unit here"
    return None


def _outcome(store: Store, window: BroughtWindow, redactor: Redactor | None) -> WindowOutcome:
    """The window as it ended; units take their place in the order of turns as they lie here."""
    voices = store.known([voice for voice, _ in window.units])
    placed = [replace(one, unit=replace(one.unit, sequence=voices[voice].sequence)) for voice, one in window.units]
    if redactor is not None:
        placed = [replace(one, unit=redactor.fresh().unit(one.unit)) for one in placed]
    return WindowOutcome(window.record.id, window.record.status, window.record.reason, tuple(placed))
