"""The tables of traces inside one transaction: what is to be read, who is named, what is claimed, where it stands.

Which rows follow from which is decided in `qgmem.tracing`; here they are only fetched and put.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..types import JsonValue
from . import reading
from .trace_forget import forget_all
from .trace_records import NewTriple, PersonRow, Spoken, StateRow, TraceRow, TripleRow, UnreadTurn, UnreadUnit
from .writing import set_meta

_TRIPLE = """
    SELECT c.key, c.unit, u.id, c.place, c.atom, a.subject, p.shown, c.predicate, c.object, c.kind, c.fact_time,
    t.utterance_time, t.sequence, c.quote, c.source, c.functional, c.sure
    FROM triples c JOIN atoms a ON a.key = c.atom JOIN people p ON p.key = c.person JOIN units u ON u.key = c.unit
    JOIN turns t ON t.sequence = CAST(coalesce(u.voice, u.first_turn) AS INTEGER)
"""


class TraceTables:
    """Rows of one transaction, which the caller holds."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    # ---- how far everything is

    @property
    def change(self) -> int:
        """Number of the write that this transaction sees or makes."""
        return reading.meta_number(self.connection, "change")

    def number(self, name: str) -> int:
        """A number kept under that name: traced (the change that traces are of), traced_turn, traced_unit, …"""
        return reading.meta_number(self.connection, name)

    def keep(self, name: str, value: int | str | None) -> None:
        """Keep a value under that name."""
        set_meta(self.connection, name, None if value is None else str(value))

    def kept(self, name: str) -> str | None:
        """The value kept under that name."""
        return reading.meta(self.connection, name)

    def forget_all(self) -> None:
        """Forget everything; it can be worked out again from turns and units."""
        forget_all(self.connection)

    def waiting(self) -> int:
        """Number of turns that nobody has read, up to 10,000."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM turns WHERE sequence > ? LIMIT 10000)"
        return int(self.connection.execute(sql, (self.number("traced_turn"),)).fetchone()[0])

    # ---- what is to be read

    def unread_turns(self, after: int, limit: int) -> list[UnreadTurn]:
        """Turns after a sequence, in order, as their units say them now."""
        return self._unread("t.sequence > ? ORDER BY t.sequence LIMIT ?", (after, limit))

    def session_turns(self, session: int, until: int) -> list[UnreadTurn]:
        """A session's turns up to a sequence."""
        return self._unread("t.session = ? AND t.sequence <= ? ORDER BY t.sequence", (session, until))

    def _unread(self, where: str, values: Sequence[int]) -> list[UnreadTurn]:
        sql = (
            f"SELECT u.key, t.session, u.text, {reading.TURN} FROM turns t {reading.JOINS} "
            f"JOIN units u ON u.id = t.id AND u.kind = 'verbatim' WHERE {where}"
        )
        found = []
        for key, session, text, *row in self.connection.execute(sql, values):
            row[5] = row[5] if text is None else text
            found.append(UnreadTurn(key, session, reading.turn_of(row)))
        return found

    def unread_units(self, after: int, limit: int) -> list[UnreadUnit]:
        """Extracted units with a triple after a key, in order."""
        sql = (
            "SELECT u.key, u.id, t.session, u.claim FROM units u JOIN turns t ON t.sequence = u.first_turn "
            "WHERE u.key > ? AND u.window IS NOT NULL AND u.predicate IS NOT NULL ORDER BY u.key LIMIT ?"
        )
        rows = self.connection.execute(sql, (after, limit)).fetchall()
        units = {unit.id: unit for unit in reading.units(self.connection, [row[1] for row in rows])}
        return [
            UnreadUnit(key, session, units[unit_id], {} if claim is None else json.loads(claim))
            for key, unit_id, session, claim in rows
        ]

    def last_unit(self) -> int:
        """Key of the newest unit."""
        return int(self.connection.execute("SELECT coalesce(max(key), 0) FROM units").fetchone()[0])

    # ---- readers

    def readers(self, sessions: Iterable[int]) -> dict[int, JsonValue]:
        """What the readers of these sessions remember."""
        found: dict[int, JsonValue] = {}
        for session in sessions:
            row = self.connection.execute("SELECT state FROM readers WHERE session = ?", (session,)).fetchone()
            if row is not None:
                found[session] = json.loads(row[0])
        return found

    def put_reader(self, session: int, state: JsonValue) -> None:
        """What the reader of a session remembers, which is read as far as all are."""
        written = json.dumps(state, ensure_ascii=False)
        self.connection.execute("INSERT OR REPLACE INTO readers VALUES (?, ?, 0)", (session, written))

    def stale_sessions(self) -> list[int]:
        """Sessions that must be read again from their start."""
        sql = "SELECT session FROM readers WHERE stale = 1 ORDER BY session"
        return [int(row[0]) for row in self.connection.execute(sql)]

    def forget_readings(self, session: int) -> set[int]:
        """Drop what the rules read in a session; the atoms that lose claims."""
        atoms: set[int] = set()
        sql = "SELECT u.key FROM turns t JOIN units u ON u.id = t.id AND u.kind = 'verbatim' WHERE t.session = ?"
        for (unit,) in self.connection.execute(sql, (session,)).fetchall():
            gone = self.connection.execute("DELETE FROM triples WHERE unit = ? RETURNING atom", (unit,)).fetchall()
            atoms.update(int(row[0]) for row in gone if row[0] is not None)
            self.connection.execute("DELETE FROM introductions WHERE unit = ?", (unit,))
        self.connection.execute("DELETE FROM readers WHERE session = ?", (session,))
        return atoms

    # ---- people

    def users(self) -> list[str]:
        """Names of those who speak as users."""
        sql = (
            "SELECT l.text FROM labels l WHERE l.kind = 'speaker' AND EXISTS "
            "(SELECT 1 FROM turns t WHERE t.speaker = l.code AND t.role = 'user') ORDER BY l.text"
        )
        return [str(row[0]) for row in self.connection.execute(sql)]

    def people(self) -> list[PersonRow]:
        """All subjects as they were named."""
        sql = "SELECT key, name, speaker, context, kin, given, subject, shown FROM people"
        return [PersonRow(*row) for row in self.connection.execute(sql)]

    def person(self, name: str, speaker: str, context: str, kin: str, given: str = "") -> int:
        """The key of a subject as it was named, new or known."""
        row = (name, speaker, context, kin, given)
        sql = "SELECT key FROM people WHERE (name, speaker, context, kin, given) = (?, ?, ?, ?, ?)"
        found = self.connection.execute(sql, row).fetchone()
        if found is None:
            sql = "INSERT INTO people (name, speaker, context, kin, given) VALUES (?, ?, ?, ?, ?) RETURNING key"
            found = self.connection.execute(sql, row).fetchone()
        return int(found[0])

    def mean(self, person: int, subject: str, shown: str) -> None:
        """Who a person is."""
        sql = "UPDATE people SET subject = ?, shown = ? WHERE key = ?"
        self.connection.execute(sql, (subject, shown, person))

    def spoken(self, people: Sequence[int], sessions: Iterable[int] | None) -> list[Spoken]:
        """Mentions of these people in the order said, in some sessions or in all."""
        marks = ",".join(map(str, people))
        chosen = "" if sessions is None else f"AND t.session IN ({','.join(map(str, sessions))})"
        turn = "JOIN turns t ON t.sequence = CAST(coalesce(u.voice, u.first_turn) AS INTEGER)"
        sql = (
            "SELECT c.key, c.person, t.session, a.subject, t.sequence AS said, c.place AS place, u.id AS id "
            f"FROM triples c JOIN units u ON u.key = c.unit {turn} LEFT JOIN atoms a ON a.key = c.atom "
            f"WHERE c.person IN ({marks}) {chosen} UNION ALL "
            "SELECT NULL, i.person, t.session, NULL, t.sequence, i.place, u.id FROM introductions i "
            f"JOIN units u ON u.key = i.unit {turn} WHERE i.person IN ({marks}) {chosen} ORDER BY said, place, id"
        )
        return [Spoken(*row[:4]) for row in self.connection.execute(sql)]

    # ---- claims

    def put_triples(self, triples: Iterable[NewTriple]) -> None:
        """Take claims in; they have no place yet."""
        change = max(1, self.change)
        self.connection.executemany(
            "INSERT INTO triples (unit, place, person, predicate, object, kind, fact_time, quote, source, "
            "functional, sure, compared) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    t.unit, t.place, t.person, t.predicate, t.object, t.kind,
                    None if t.fact_time is None else reading.intervals_text([t.fact_time]), t.quote, t.source,
                    None if t.functional is None else int(t.functional), int(t.sure), change if t.compared else 0,
                )
                for t in triples
            ],
        )  # fmt: skip

    def introduce(self, unit: int, place: int, person: int) -> None:
        """Somebody whose kinship a unit tells."""
        self.connection.execute("INSERT OR REPLACE INTO introductions VALUES (?, ?, ?)", (unit, place, person))

    def unplace(self, people: Sequence[int]) -> set[int]:
        """All claims of these people are to be placed anew; the atoms that lose them."""
        atoms = self.atoms_of_people(people)
        self.connection.executemany("UPDATE triples SET atom = NULL WHERE person = ?", [(p,) for p in people])
        return atoms

    def unplaced(self) -> list[tuple[int, str | None, int, str, str]]:
        """(triple, subject, person, predicate, object) of claims without an atom."""
        sql = (
            "SELECT c.key, p.subject, c.person, c.predicate, c.object FROM triples c "
            "JOIN people p ON p.key = c.person WHERE c.atom IS NULL"
        )
        return [tuple(row) for row in self.connection.execute(sql)]

    def atoms_of_people(self, people: Iterable[int]) -> set[int]:
        """The atoms in which these people are named."""
        atoms: set[int] = set()
        for person in people:
            sql = "SELECT DISTINCT atom FROM triples WHERE person = ? AND atom IS NOT NULL"
            atoms.update(int(row[0]) for row in self.connection.execute(sql, (person,)))
        return atoms

    def recompare(self, people: Sequence[int]) -> None:
        """Claims of these people are compared anew: the words for their subject changed."""
        sql = "UPDATE triples SET compared = ? WHERE person = ? AND compared > 0"
        self.connection.executemany(sql, [(self.change, person) for person in people])

    def lift(self, triple: int) -> set[int]:
        """A claim is to be placed anew; the atom that loses it, if it was in one."""
        row = self.connection.execute("SELECT atom FROM triples WHERE key = ?", (triple,)).fetchone()
        self.connection.execute("UPDATE triples SET atom = NULL WHERE key = ?", (triple,))
        return set() if row is None or row[0] is None else {int(row[0])}

    def place(self, triple: int, subject: str, relation: str) -> int:
        """Put a claim where its subject and relation are; the atom."""
        row = self.connection.execute("SELECT key FROM atoms WHERE (subject, relation) = (?, ?)", (subject, relation))
        found = row.fetchone()
        if found is None:
            sql = "INSERT INTO atoms (subject, relation) VALUES (?, ?) RETURNING key"
            found = self.connection.execute(sql, (subject, relation)).fetchone()
        moved = "UPDATE triples SET atom = ?, compared = CASE WHEN compared > 0 THEN ? ELSE 0 END WHERE key = ?"
        self.connection.execute(moved, (found[0], self.change, triple))
        return int(found[0])

    def claims_of(self, atoms: Iterable[int]) -> list[TripleRow]:
        """All claims of these atoms."""
        found: list[TripleRow] = []
        for atom in atoms:
            found += map(_triple, self.connection.execute(f"{_TRIPLE} WHERE c.atom = ?", (atom,)))
        return found

    def claims_of_traces(self, chosen: str, values: Sequence[int | str]) -> dict[int, list[TripleRow]]:
        """Trace → its claims, of the traces that a query names."""
        found: dict[int, list[TripleRow]] = {}
        traces = f"SELECT b.key, b.trace FROM atoms b WHERE b.trace IN ({chosen})"
        trace_of = dict(self.connection.execute(traces, values).fetchall())
        sql = f"{_TRIPLE} WHERE c.atom IN (SELECT b.key FROM atoms b WHERE b.trace IN ({chosen}))"
        for row in map(_triple, self.connection.execute(sql, values)):
            found.setdefault(trace_of[row.atom], []).append(row)
        return found

    # ---- traces and states

    def traces_of(self, atoms: Iterable[int]) -> set[int]:
        """Keys of the traces that hold these atoms."""
        found: set[int] = set()
        for atom in atoms:
            rows = self.connection.execute("SELECT trace FROM atoms WHERE key = ? AND trace IS NOT NULL", (atom,))
            found.update(int(row[0]) for row in rows)
        return found

    def unsettled(self) -> set[int]:
        """Atoms that belong to no trace."""
        return {int(row[0]) for row in self.connection.execute("SELECT key FROM atoms WHERE trace IS NULL")}

    def atoms_of(self, trace: int) -> list[int]:
        """The atoms of a trace."""
        sql = "SELECT key FROM atoms WHERE trace = ? ORDER BY key"
        return [int(row[0]) for row in self.connection.execute(sql, (trace,))]

    def trace_ids(self, traces: Iterable[int]) -> list[tuple[int, str]]:
        """(key, id) of traces."""
        found: list[tuple[int, str]] = []
        for trace in traces:
            found += self.connection.execute("SELECT key, id FROM traces WHERE key = ?", (trace,)).fetchall()
        return found

    def drop_trace(self, trace: int) -> None:
        """A trace with its states and its text."""
        self.connection.execute("UPDATE atoms SET trace = NULL WHERE trace = ?", (trace,))
        self.connection.execute("DELETE FROM states WHERE trace = ?", (trace,))
        sql = "DELETE FROM trajectory_texts WHERE trace = (SELECT id FROM traces WHERE key = ?)"
        self.connection.execute(sql, (trace,))
        self.connection.execute("DELETE FROM traces WHERE key = ?", (trace,))

    def put_trace(self, trace: TraceRow, atoms: Mapping[int, str], states: Sequence[StateRow]) -> int:
        """Write a trace over its former rows; only rows that differ are touched. `atoms`: key → name shown."""
        row = (trace.subject, trace.name, trace.relation, int(trace.one), trace.ignored)
        sql = "SELECT key, subject, name, relation, one, ignored FROM traces WHERE id = ?"
        found = self.connection.execute(sql, (trace.id,)).fetchone()
        if found is None:
            columns = "id, subject, name, relation, one, ignored"
            sql = f"INSERT INTO traces ({columns}) VALUES (?, ?, ?, ?, ?, ?) RETURNING key"
            key = int(self.connection.execute(sql, (trace.id, *row)).fetchone()[0])
        else:
            key = int(found[0])
            if tuple(found[1:]) != row:
                sql = "UPDATE traces SET subject = ?, name = ?, relation = ?, one = ?, ignored = ? WHERE key = ?"
                self.connection.execute(sql, (*row, key))
        self._put_states(key, states)
        named = "UPDATE atoms SET name = ?2, trace = ?3 WHERE key = ?1 AND (name <> ?2 OR trace IS NOT ?3)"
        self.connection.executemany(named, [(atom, name, key) for atom, name in atoms.items()])
        return key

    def _put_states(self, trace: int, states: Sequence[StateRow]) -> None:
        columns = "opening, place, value, valid_from, valid_to, known_from, status, reason, flags"
        former = self.connection.execute(f"SELECT {columns} FROM states WHERE trace = ?", (trace,))
        before: dict[int, Any] = {row[0]: tuple(row) for row in former}
        rows = [
            (s.opening, s.place, s.value, s.valid_from, s.valid_to, s.known_from, s.status, s.reason, s.flags)
            for s in states
        ]
        gone = before.keys() - {row[0] for row in rows}
        self.connection.executemany(
            "DELETE FROM states WHERE opening = ? AND trace = ?", [(key, trace) for key in gone]
        )
        self.connection.executemany(
            f"INSERT OR REPLACE INTO states ({columns}, trace) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(*row, trace) for row in rows if before.get(row[0]) != row],
        )

    def assert_states(self, asserting: Mapping[int, int | None]) -> None:
        """Which state each claim says, by the claim that opened it; None for one that says none."""
        sql = "UPDATE triples SET state = ?2 WHERE key = ?1 AND state IS NOT ?2"
        self.connection.executemany(sql, list(asserting.items()))

    # ---- tidying

    def tidy_people(self) -> None:
        """Drop people whom nobody names."""
        self.connection.execute(
            "DELETE FROM people WHERE NOT EXISTS (SELECT 1 FROM triples c WHERE c.person = people.key) "
            "AND NOT EXISTS (SELECT 1 FROM introductions i WHERE i.person = people.key)"
        )

    def tidy_atoms(self) -> None:
        """Drop atoms without claims, traces without atoms, and words that are compared no more."""
        empty = "SELECT 1 FROM triples c WHERE c.atom = atoms.key"
        self.connection.execute(f"DELETE FROM atoms WHERE NOT EXISTS ({empty})")
        sql = "SELECT key FROM traces WHERE NOT EXISTS (SELECT 1 FROM atoms a WHERE a.trace = traces.key)"
        for (trace,) in self.connection.execute(sql).fetchall():
            self.drop_trace(trace)
        self.connection.execute(
            "DELETE FROM nearest WHERE triple NOT IN (SELECT key FROM triples WHERE compared > 0)"
        )
        self.connection.execute(
            "DELETE FROM claim_words WHERE text NOT IN (SELECT predicate FROM triples WHERE compared > 0) "
            "AND text NOT IN (SELECT p.shown FROM people p WHERE p.shown IS NOT NULL)"
        )


def _triple(row: Any) -> TripleRow:
    fact_time = None if row[10] is None else reading.intervals(row[10])[0]
    time = reading.time_of(row[11])
    functional = None if row[15] is None else bool(row[15])
    key, unit, unit_id, place, atom, subject, name, predicate, value, kind = row[:10]
    return TripleRow(
        key, unit, unit_id, place, atom, subject, name, predicate, value, kind, fact_time, time, row[12], row[13],
        row[14], functional, bool(row[16]),
    )  # fmt: skip
