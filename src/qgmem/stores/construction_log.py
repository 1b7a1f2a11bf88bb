"""The log of construction by a language model, in the namespace's own file (see `protocol.ConstructionLog`).

Windows, answers, quarantine and account have tables of their own; units that passed go where all units are, so that
they are embedded, indexed, searched and deleted like the others.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields

from ..errors import InvalidInput
from ..types import Attributes, LedgerRow, MemoryUnit
from . import reading, writing
from .connection import SqliteFile
from .records import ClaimMarks, Forgotten, Quarantined, UnitRecord, WindowOutcome, WindowRecord

Changing = Callable[[], AbstractContextManager[tuple[sqlite3.Connection, int]]]
_SUMS = tuple(field.name for field in fields(LedgerRow))[3:]  # after namespace, stage, model


class SqliteLog:
    """The log of one namespace. `changing` counts a change for the index, `forgetting` overwrites bytes as well."""

    def __init__(self, file: SqliteFile, changing: Changing, forgetting: Changing) -> None:
        self._file, self._changing, self._forgetting = file, changing, forgetting

    # ---- answers and charges

    def cached(self, owner: str, key: str) -> str | None:
        """The answer kept for this window under this key."""
        sql = "SELECT a.answer FROM answers a JOIN windows w ON w.key = a.window WHERE w.id = ? AND a.key = ?"
        with self._file.reading() as connection:
            row = connection.execute(sql, (owner, key)).fetchone()
        return None if row is None else str(row[0])

    def cache(self, owner: str, key: str, answer: str) -> None:
        """Keep an answer, unless its window was forgotten meanwhile."""
        with self._file.writing() as connection:
            sql = "INSERT OR REPLACE INTO answers SELECT key, ?, ? FROM windows WHERE id = ?"
            connection.execute(sql, (key, answer, owner))

    def charge(self, row: LedgerRow) -> None:
        """Add to the sums of the row's stage and model."""
        added = ", ".join(f"{name} = {name} + excluded.{name}" for name in _SUMS)
        marks = ", ".join("?" * (2 + len(_SUMS)))
        with self._file.writing() as connection:
            connection.execute(
                f"INSERT INTO ledger (stage, model, {', '.join(_SUMS)}) VALUES ({marks}) "
                f"ON CONFLICT (stage, model) DO UPDATE SET {added}",
                (row.stage, row.model, *(getattr(row, name) for name in _SUMS)),
            )

    def ledger(self) -> list[LedgerRow]:
        """All sums, by stage and model; the namespace is this one."""
        sql = f"SELECT stage, model, {', '.join(_SUMS)} FROM ledger ORDER BY stage, model"
        with self._file.reading() as connection:
            return [LedgerRow(self._file.user_id, *row) for row in connection.execute(sql)]

    # ---- windows

    def windows(self, session_id: str | None = None) -> list[WindowRecord]:
        """All windows, or a session's, in the order in which they were opened."""
        chosen, values = ("", ()) if session_id is None else ("WHERE s.text = ?", (session_id,))
        sql = (
            "SELECT w.id, s.text, (SELECT json_group_array(id) FROM (SELECT t.id FROM window_turns m JOIN turns t "
            "ON t.sequence = m.turn WHERE m.window = w.key ORDER BY m.place)), w.overlap, w.status, w.reason, "
            f"w.attempts FROM windows w JOIN labels s ON s.code = w.session {chosen} ORDER BY w.key"
        )
        with self._file.reading() as connection:
            return [
                WindowRecord(row[0], row[1], tuple(json.loads(row[2])), *row[3:])
                for row in connection.execute(sql, values)
            ]

    def open(self, windows: Sequence[WindowRecord]) -> None:
        """Add windows as pending; those that are here already stay as they are, as do those whose turns are gone."""
        with self._file.writing() as connection:
            for window in windows:
                turns = _sequences(connection, window.turn_ids)
                if len(turns) < len(window.turn_ids) or not turns:
                    continue
                made = connection.execute(
                    "INSERT INTO windows (id, session, overlap, status) SELECT ?, session, ?, 'pending' FROM turns "
                    "WHERE sequence = ? ON CONFLICT (id) DO NOTHING RETURNING key",
                    (window.id, window.overlap, turns[window.turn_ids[0]]),
                ).fetchall()
                connection.executemany(
                    "INSERT INTO window_turns VALUES (?, ?, ?)",
                    [(key, place, turns[id]) for (key,) in made for place, id in enumerate(window.turn_ids)],
                )

    def finish(self, outcome: WindowOutcome) -> None:
        """Record a window's outcome in place of any former one, units and quarantine included.

        A window that was forgotten meanwhile stays forgotten: nothing is recorded then.
        """
        with self._changing() as (connection, change):
            found = connection.execute("SELECT key FROM windows WHERE id = ?", (outcome.window_id,)).fetchone()
            if found is None:
                return
            window = int(found[0])
            notes = json.dumps(dict(outcome.notes), sort_keys=True)
            connection.execute(
                "UPDATE windows SET status = ?, reason = ?, attempts = attempts + 1, notes = ? WHERE key = ?",
                (outcome.status, outcome.reason, notes, window),
            )
            former = {int(row[0]) for row in connection.execute("SELECT key FROM units WHERE window = ?", (window,))}
            for record in outcome.units:
                row = connection.execute("SELECT key FROM units WHERE id = ?", (record.unit.id,)).fetchone()
                former.update(row or ())
            writing.remove_units(connection, sorted(former), change)
            connection.execute("DELETE FROM quarantine WHERE window = ?", (window,))
            connection.executemany(
                "INSERT INTO quarantine VALUES (?, ?, ?, ?, ?)",
                [(window, place, one.kind, one.reason, one.claim) for place, one in enumerate(outcome.quarantined)],
            )
            batch = writing.Batch(connection, change, {})
            for record in outcome.units:
                _insert(connection, batch, change, window, record)

    def units(self, window_id: str | None = None) -> list[UnitRecord]:
        """Units of all windows in the order in which they were opened, or of one."""
        chosen, values = ("", ()) if window_id is None else ("WHERE w.id = ?", (window_id,))
        sql = f"SELECT u.id, u.partial, u.claim FROM units u JOIN windows w ON w.key = u.window {chosen} "
        with self._file.reading() as connection:
            rows = connection.execute(f"{sql} ORDER BY w.key, u.key", values).fetchall()
            found = {unit.id: unit for unit in reading.units(connection, [str(row[0]) for row in rows])}
        return [UnitRecord(found[unit_id], bool(partial), _marks(claim)) for unit_id, partial, claim in rows]

    def quarantine(self, window_id: str | None = None) -> list[Quarantined]:
        """What was set apart."""
        chosen, values = ("", ()) if window_id is None else ("WHERE w.id = ?", (window_id,))
        sql = (
            "SELECT q.kind, q.reason, q.claim FROM quarantine q JOIN windows w ON w.key = q.window "
            f"{chosen} ORDER BY q.window, q.place"
        )
        with self._file.reading() as connection:
            return [Quarantined(*row) for row in connection.execute(sql, values)]

    def drop(self, window_ids: Iterable[str]) -> Forgotten:
        """Forget windows with their answers, units and quarantine."""
        with self._changing() as (connection, change):
            keys: set[int] = set()
            for window_id in window_ids:
                keys.update(connection.execute("SELECT key FROM windows WHERE id = ?", (window_id,)).fetchone() or ())
            return writing.forget_windows(connection, keys, change)

    def forget_turns(self, turn_ids: Iterable[str]) -> Forgotten:
        """Forget every window that shows one of these turns, also as background, down to the bytes."""
        with self._forgetting() as (connection, change):
            sequences = _sequences(connection, tuple(turn_ids)).values()
            return writing.forget_windows(connection, writing.windows_showing(connection, sequences), change)


def _insert(
    connection: sqlite3.Connection, batch: writing.Batch, change: int, window: int, record: UnitRecord
) -> None:
    """A unit that passed. Its vectors are still to be made."""
    unit, span = record.unit, record.unit.span
    turns = _sequences(connection, (span.first_turn, span.last_turn))
    if not {span.first_turn, span.last_turn} <= set(turns):
        raise InvalidInput("span", f"unit {unit.id!r} rests on a turn that is not here")
    triple = unit.triple
    made = connection.execute(
        "INSERT INTO units (id, kind, first_turn, last_turn, text, quote, subject, predicate, object, fact_times, "
        "change, window, partial, voice, claim) VALUES (?, 'extracted', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            unit.id,
            turns[span.first_turn],
            turns[span.last_turn],
            unit.text,
            span.quote,
            *((triple.subject, triple.predicate, triple.object) if triple else (None, None, None)),
            reading.intervals_text(unit.fact_times),
            change,
            window,
            int(record.partial),
            _voice(unit, turns[span.first_turn], turns[span.last_turn]),
            json.dumps(marks, ensure_ascii=False, sort_keys=True) if (marks := record.claim.to_json()) else None,
        ),
    )
    batch.attach(writing.key_of(made), Attributes(unit.entities, unit.locations, unit.fact_times), None)


def _marks(claim: str | None) -> ClaimMarks:
    return ClaimMarks() if claim is None else ClaimMarks.from_json(json.loads(claim))


def _voice(unit: MemoryUnit, first: int, last: int) -> int | None:
    """The sequence of the turn that is quoted; None if it is the first."""
    return unit.sequence if first < unit.sequence <= last else None


def _sequences(connection: sqlite3.Connection, turn_ids: Sequence[str]) -> dict[str, int]:
    """Sequences of those of the turns that are here."""
    found: dict[str, int] = {}
    for turn_id in turn_ids:
        row = connection.execute("SELECT sequence FROM turns WHERE id = ?", (turn_id,)).fetchone()
        if row is not None:
            found[turn_id] = int(row[0])
    return found
