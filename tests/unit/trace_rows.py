"""The stored traces of a memory as plain values, for tests that compare two stores."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from qgmem.stores.folder import DATABASE, namespace_folder


def stored(root: Path, user_id: str = "default") -> list[Any]:
    """Every trace with its states and claims, by unit ids: what two stores of the same memory must agree on."""
    with closing(sqlite3.connect(namespace_folder(root, user_id) / DATABASE)) as connection:
        traces = connection.execute("SELECT key, id, subject, name, relation, one, ignored FROM traces ORDER BY id")
        return [(row[1:], _states(connection, row[0]), _claims(connection, row[0])) for row in traces.fetchall()]


def _states(connection: sqlite3.Connection, trace: int) -> list[Any]:
    sql = (
        "SELECT u.id, c.place, s.place, s.value, s.valid_from, s.valid_to, s.known_from, s.status, s.reason, s.flags "
        "FROM states s JOIN triples c ON c.key = s.opening JOIN units u ON u.key = c.unit WHERE s.trace = ? "
        "ORDER BY s.place"
    )
    return connection.execute(sql, (trace,)).fetchall()


def _claims(connection: sqlite3.Connection, trace: int) -> list[Any]:
    sql = (
        "SELECT u.id, c.place, a.subject, a.relation, p.shown, c.predicate, c.object, c.kind, c.fact_time, c.quote, "
        "(SELECT v.id || '#' || o.place FROM triples o JOIN units v ON v.key = o.unit WHERE o.key = c.state) "
        "FROM triples c JOIN atoms a ON a.key = c.atom JOIN units u ON u.key = c.unit "
        "JOIN people p ON p.key = c.person WHERE a.trace = ? ORDER BY u.id, c.place"
    )
    return connection.execute(sql, (trace,)).fetchall()


def forget(root: Path, user_id: str = "default") -> None:
    """Put a store back to before anything of it was traced, as after an upgrade from a version without traces."""
    tables = "trajectory_texts states nearest claim_words introductions triples atoms traces people readers".split()
    with closing(sqlite3.connect(namespace_folder(root, user_id) / DATABASE)) as connection:
        for table in tables:
            connection.execute(f"DELETE FROM {table}")
        connection.execute("DELETE FROM meta WHERE name LIKE 'traced%' OR name LIKE 'un%'")
        connection.commit()
