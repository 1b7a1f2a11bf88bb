"""What a deletion takes from the tables of traces, in the deletion's own transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from .schema import OF_TRACES

MARKS = ("traced", "traced_turn", "traced_unit", "traced_rules", "traced_words", "untidy", "uncompared")


def drop_claims(connection: sqlite3.Connection, units: Iterable[int]) -> None:
    """The claims of units that go, the traces that rest on them, and whatever was read in the same sessions.

    What is left is worked out again by `tracing.catch_up`, which also drops names that nobody says any more.
    """
    atoms: set[int] = set()
    sessions: set[int] = set()
    found = compared = False
    for unit in units:
        gone = connection.execute(
            "DELETE FROM triples WHERE unit = ? RETURNING key, atom, compared", (unit,)
        ).fetchall()
        told = connection.execute("DELETE FROM introductions WHERE unit = ?", (unit,)).rowcount
        connection.executemany("DELETE FROM nearest WHERE triple = ?", [(row[0],) for row in gone])
        atoms.update(int(row[1]) for row in gone if row[1] is not None)
        sql = "SELECT t.session FROM units u JOIN turns t ON t.sequence = u.first_turn WHERE u.key = ?"
        sessions.update(int(row[0]) for row in connection.execute(sql, (unit,)))
        found = found or bool(gone) or bool(told)
        compared = compared or any(row[2] for row in gone)
    for atom in atoms:
        forget_trace(connection, atom)
    connection.executemany("UPDATE readers SET state = 'null', stale = 1 WHERE session = ?", [(s,) for s in sessions])
    if found:
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('untidy', '1')")
    if compared:
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('uncompared', '1')")


def forget_trace(connection: sqlite3.Connection, atom: int) -> None:
    """The trace of an atom with its states and text; its atoms are to be settled anew."""
    row = connection.execute("SELECT trace FROM atoms WHERE key = ? AND trace IS NOT NULL", (atom,)).fetchone()
    if row is None:
        return
    connection.execute("UPDATE atoms SET trace = NULL WHERE trace = ?", row)
    connection.execute("DELETE FROM states WHERE trace = ?", row)
    connection.execute("DELETE FROM trajectory_texts WHERE trace = (SELECT id FROM traces WHERE key = ?)", row)
    connection.execute("DELETE FROM traces WHERE key = ?", row)


def forget_all(connection: sqlite3.Connection) -> None:
    """Everything that traces are made of; it is worked out again from turns and units when it is asked for."""
    for table in OF_TRACES:
        connection.execute(f"DELETE FROM {table}")
    connection.executemany("DELETE FROM meta WHERE name = ?", [(name,) for name in MARKS])
