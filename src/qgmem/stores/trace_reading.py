"""What readers ask of the tables of traces, as of one moment."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from . import reading
from .trace_records import TripleRow
from .trace_tables import TraceTables

Int64 = NDArray[np.int64]
UNKNOWN = -1  # a day or time that is not known


@dataclass(frozen=True, slots=True)
class Asserted:
    """(n,) arrays: which state each claim says. Units may occur several times; days are UNKNOWN where open or vague.

    `unit`: keys. `retracted`, `vague` (its beginning or end is unknown), `opens` (said first, not again): booleans as
    0 and 1. `claims`: (m, 2) unit and trace of every claim, also of those that say no state.
    """

    claims: Int64
    unit: Int64
    trace: Int64
    valid_from: Int64
    valid_to: Int64
    retracted: Int64
    vague: Int64
    opens: Int64


@dataclass(frozen=True, slots=True)
class Side:
    """A unit's claim in one trace: the status of the state it says, None for an end or a retraction.

    `begins`, `ends`: days of that state as ordinals, None where open or unknown. `said`: sequence of its turn; `day`:
    when that was said, as ISO text or None.
    """

    unit: int
    status: str | None
    begins: int | None
    ends: int | None
    said: int
    day: str | None


class TraceReading:
    """Rows of one transaction, which the caller holds."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._tables = TraceTables(connection)

    @property
    def change(self) -> int:
        """Number of the last write."""
        return self._tables.change

    def up_to_date(self, rules: int) -> bool:
        """True if traces are those of everything that is stored, read by this version of the rules."""
        return self._tables.change == self._tables.number("traced") and rules == self._tables.number("traced_rules")

    @property
    def waiting(self) -> int:
        """Number of turns that nobody has read, up to 10,000."""
        return self._tables.waiting()

    def sizes(self) -> dict[str, int]:
        """Rows of each table."""
        names = ("triples", "people", "atoms", "traces", "states", "nearest")
        return {name: int(self._connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) for name in names}

    def subjects(self) -> dict[str, str]:
        """Subject id → how it is shown, of all who have a trace."""
        return dict(self._connection.execute("SELECT subject, max(name) FROM atoms GROUP BY subject").fetchall())

    def kin(self) -> list[tuple[str, str, str]]:
        """(who said "my …", the kinship, the subject's id) of everybody whose kinship is known."""
        sql = "SELECT speaker, kin, subject FROM people WHERE kin <> '' AND subject <> '' ORDER BY 1, 2, 3"
        return [(str(a), str(b), str(c)) for a, b, c in self._connection.execute(sql)]

    def users(self) -> list[str]:
        """Names of those who speak as users."""
        return self._tables.users()

    def traces(self, subject: str) -> list[tuple[str, list[TripleRow]]]:
        """(trace id, all its claims) of a subject, by relation."""
        sql = (
            "SELECT DISTINCT r.key, r.id FROM atoms a JOIN traces r ON r.key = a.trace WHERE a.subject = ? "
            "ORDER BY r.relation, r.id"
        )
        rows = self._connection.execute(sql, (subject,)).fetchall()
        return [(trace_id, self._tables.claims_of(self._tables.atoms_of(key))) for key, trace_id in rows]

    def relations(self, subject: str) -> list[tuple[str, str]]:
        """(relation, trace id) of a subject's atoms."""
        sql = "SELECT a.relation, r.id FROM atoms a JOIN traces r ON r.key = a.trace WHERE a.subject = ?"
        return [(str(row[0]), str(row[1])) for row in self._connection.execute(sql, (subject,))]

    def claims(self, trace_ids: Sequence[str]) -> list[list[TripleRow]]:
        """All claims of each of these traces."""
        found = []
        for trace_id in trace_ids:
            sql = "SELECT key FROM traces WHERE id = ?"
            keys = [int(row[0]) for row in self._connection.execute(sql, (trace_id,))]
            found.append([row for key in keys for row in self._tables.claims_of(self._tables.atoms_of(key))])
        return found

    def traces_of_unit(self, unit_id: str) -> list[str]:
        """Ids of the traces in which a unit claims something."""
        sql = (
            "SELECT DISTINCT r.id FROM units u JOIN triples c ON c.unit = u.key JOIN atoms a ON a.key = c.atom "
            "JOIN traces r ON r.key = a.trace WHERE u.id = ? ORDER BY r.relation, r.id"
        )
        return [str(row[0]) for row in self._connection.execute(sql, (unit_id,))]

    def all_traces(self) -> list[str]:
        """Ids of all traces, by subject and relation."""
        sql = "SELECT id FROM traces ORDER BY subject, relation, id"
        return [str(row[0]) for row in self._connection.execute(sql)]

    def sides(self, subject: str, relation: str) -> list[Side]:
        """What units say about one subject–relation, by stored states."""
        sql = (
            "SELECT c.unit, s.status, s.valid_from, s.valid_to, t.sequence, substr(t.utterance_time, 1, 10) "
            "FROM atoms a JOIN atoms b ON b.trace = a.trace "
            "JOIN triples c ON c.atom = b.key LEFT JOIN states s ON s.opening = c.state "
            "JOIN units u ON u.key = c.unit "
            "JOIN turns t ON t.sequence = CAST(coalesce(u.voice, u.first_turn) AS INTEGER) "
            "WHERE (a.subject, a.relation) = (?, ?)"
        )
        return [Side(*row) for row in self._connection.execute(sql, (subject, relation))]

    def worded(self, words: Sequence[str], since: int) -> list[tuple[int, str | None, datetime | None]]:
        """(unit, its text if one of the words occurs in it, when it was said) of units written after a change."""
        text = "coalesce(u.text, t.text)"
        holds = " OR ".join(f"instr(lower({text}), ?)" for _ in words) or "0"
        sql = (
            f"SELECT u.key, CASE WHEN {holds} THEN {text} END, t.utterance_time FROM units u JOIN turns t "
            "ON t.sequence = CAST(coalesce(u.voice, u.first_turn) AS INTEGER) WHERE +u.change > ?"
        )
        rows = self._connection.execute(sql, (*words, since))
        return [(key, said, None if said is None else reading.time_of(time)) for key, said, time in rows]

    def asserted(self) -> Asserted:
        """Which state each claim says, of all claims that say one, and where each claim belongs."""
        sql = (
            "SELECT c.unit, s.trace, coalesce(s.valid_from, -1), coalesce(s.valid_to, -1), s.status = 'retracted', "
            "s.flags LIKE '%-unknown%', c.key = s.opening FROM triples c JOIN states s ON s.opening = c.state"
        )
        rows = np.array(self._connection.execute(sql).fetchall(), np.int64).reshape(-1, 7)
        sql = "SELECT c.unit, a.trace FROM triples c JOIN atoms a ON a.key = c.atom WHERE a.trace IS NOT NULL"
        claims = np.array(self._connection.execute(sql).fetchall(), np.int64).reshape(-1, 2)
        return Asserted(claims, *(rows[:, place].copy() for place in range(7)))

    def claims_of(self, traces: Int64) -> dict[int, list[TripleRow]]:
        """Trace → its claims, of these traces by key."""
        if not len(traces):
            return {}
        return self._tables.claims_of_traces("SELECT value FROM json_each(?)", (json.dumps(traces.tolist()),))

    def heard_in_part(self, until_us: int | None, until_sequence: int | None) -> dict[int, list[TripleRow]]:
        """Claims of traces of which something, and not everything, was said later: trace → its claims.

        By time in microseconds (claims of unknown time count as said), or by the sequence of a turn.
        """
        later = "t.utterance_us > ?" if until_sequence is None else "t.sequence > ?"
        sql = (
            "SELECT DISTINCT a.trace FROM turns t JOIN units u ON "
            "t.sequence = CAST(coalesce(u.voice, u.first_turn) AS INTEGER) JOIN triples c ON c.unit = u.key "
            f"JOIN atoms a ON a.key = c.atom WHERE {later} AND a.trace IS NOT NULL"
        )
        bound = until_us if until_sequence is None else until_sequence
        return self._tables.claims_of_traces(sql, (bound or 0,))


__all__ = ["UNKNOWN", "Asserted", "Side", "TraceReading", "reading"]
