"""Trajectory texts that a language model wrote, in the namespace's own file ([Q] §III-A2).

A text belongs to a trace and to the states that it was written from. It goes when a unit of its trace is deleted, and
it is answered only while the states are those that its writer saw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import trace_forget, writing
from .connection import SqliteFile


@dataclass(frozen=True, slots=True)
class TrajectoryText:
    """A trace in words. `states`: digest of the states it was written from; `written_by`: the model's id."""

    trace_id: str
    text: str
    written_by: str
    states: str


class TraceTexts:
    """The texts of one namespace. Raises StoreError."""

    def __init__(self, file: SqliteFile) -> None:
        self._file = file

    def put_trajectory_text(self, text: TrajectoryText) -> None:
        """Keep a text in place of any former one of its trace; not, if the trace is gone meanwhile."""
        with self._file.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO trajectory_texts SELECT id, ?, ?, ? FROM traces WHERE id = ?",
                (text.text, text.written_by, text.states, text.trace_id),
            )

    def trajectory_text(self, trace_id: str) -> TrajectoryText | None:
        """The text of a trace, whatever states it was written from; None if there is none."""
        with self._file.reading() as connection:
            sql = "SELECT trace, text, written_by, states FROM trajectory_texts WHERE trace = ?"
            row = connection.execute(sql, (trace_id,)).fetchone()
        return None if row is None else TrajectoryText(*row)

    def set_apart(self, unit_ids: Sequence[str]) -> None:
        """What these units claim is off the traces that cosines brought it into: it stands alone from now on."""
        with self._file.writing() as connection:
            atoms: set[int] = set()
            for unit_id in unit_ids:
                sql = "SELECT c.atom FROM triples c JOIN units u ON u.key = c.unit WHERE u.id = ? AND c.compared > 0"
                atoms.update(int(row[0]) for row in connection.execute(sql, (unit_id,)) if row[0] is not None)
            for atom in atoms:
                trace_forget.forget_trace(connection, atom)
                connection.execute("UPDATE atoms SET apart = 1 WHERE key = ?", (atom,))
            if atoms:
                change = writing.next_change(connection)
                sql = "UPDATE triples SET compared = ? WHERE atom = ? AND compared > 0"
                connection.executemany(sql, [(change, atom) for atom in atoms])
                writing.set_meta(connection, "uncompared", "1")
