"""Rows of the file as the values of `types.py`: every SELECT of the SQLite store."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..types import Entity, Granularity, Interval, MemoryUnit, SourceSpan, Triple, Turn
from .records import HistoryEvent, StoreStats
from .segment import CHAIN_SHIFT, NO_DAY, NO_TIME, IndexRow

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Analyse = Callable[[MemoryUnit, Turn], Sequence[str]]  # the terms by which a unit is found


@dataclass(frozen=True, slots=True)
class Where:
    """A condition on units as SQL with its values; made by `filters.py` only."""

    sql: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class EmbedderRow:
    """An embedder as the store knows it."""

    key: int
    id: str
    dimension: int


_TURN = """
    t.sequence, t.id, s.text AS session_id, p.text AS speaker_name, t.role, t.text, t.utterance_time, t.caption,
    t.caption_query, t.metadata, t.agent_id, t.run_id
"""
_JOINS = "JOIN labels s ON s.code = t.session JOIN labels p ON p.code = t.speaker"
_UNIT = f"""
    SELECT u.key, u.id, u.kind, u.text, u.quote, u.subject, u.predicate, u.object, u.fact_times, l.id, t.session,
    t.speaker, t.utterance_us, {_TURN}
    FROM units u JOIN turns t ON t.sequence = u.first_turn JOIN turns l ON l.sequence = u.last_turn {_JOINS}
"""


def time_text(time: datetime | None) -> str | None:
    """ISO 8601, offset kept."""
    return None if time is None else time.isoformat()


def time_number(time: datetime | None) -> int | None:
    """Microseconds since 1970 for sorting; a time without an offset is read as UTC."""
    if time is None:
        return None
    aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
    delta = aware - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def phrase_text(surface: str) -> str:
    """How phrases are told apart: lower case, a trailing 's cut, spaces collapsed (SPEC §3)."""
    folded = " ".join(surface.casefold().split())
    return folded[:-2] if folded.endswith(("'s", "’s")) and len(folded) > 2 else folded


def intervals_text(intervals: Iterable[Interval]) -> str:
    """JSON of fact times."""
    return json.dumps([[str(i.start), str(i.end), i.granularity.value] for i in intervals])


def intervals(text: str) -> tuple[Interval, ...]:
    """Fact times from their JSON."""
    return tuple(
        Interval(date.fromisoformat(start), date.fromisoformat(end), Granularity(granularity))
        for start, end, granularity in json.loads(text)
    )


# ---- embedders


def active_embedder(connection: sqlite3.Connection) -> EmbedderRow | None:
    """The one whose vectors answer searches."""
    row = connection.execute("SELECT key, id, dimension FROM embedders WHERE active = 1").fetchone()
    return EmbedderRow(*row) if row else None


def embedder_key(connection: sqlite3.Connection, embedder_id: str) -> int:
    """Raises InvalidInput for an embedder that this file has never heard of."""
    row = connection.execute("SELECT key FROM embedders WHERE id = ?", (embedder_id,)).fetchone()
    if row is None:
        raise InvalidInput("embedder", f"{embedder_id!r} was not announced to this memory")
    return int(row[0])


# ---- turns and units


def turns(connection: sqlite3.Connection, ids: Sequence[str]) -> list[Turn]:
    """Turns by id, in no promised order."""
    found = []
    for part in _parts(ids):
        marks = ",".join("?" * len(part))
        sql = f"SELECT {_TURN} FROM turns t {_JOINS} WHERE t.id IN ({marks})"
        found += [_turn(row) for row in connection.execute(sql, part)]
    return found


def turn_page(connection: sqlite3.Connection, after: int, limit: int, session_id: str | None) -> list[Turn]:
    """Turns after a sequence, in order."""
    chosen = "" if session_id is None else "AND s.text = ?"
    values = (after, limit) if session_id is None else (after, session_id, limit)
    sql = f"SELECT {_TURN} FROM turns t {_JOINS} WHERE t.sequence > ? {chosen} ORDER BY t.sequence LIMIT ?"
    return [_turn(row) for row in connection.execute(sql, values)]


def unit_key(connection: sqlite3.Connection, unit_id: str) -> int:
    """The key of a unit that is known to be here."""
    return int(connection.execute("SELECT key FROM units WHERE id = ?", (unit_id,)).fetchone()[0])


def unit(connection: sqlite3.Connection, unit_id: str) -> MemoryUnit | None:
    """One unit."""
    found = units(connection, [unit_id])
    return found[0] if found else None


def units(connection: sqlite3.Connection, ids: Sequence[str]) -> list[MemoryUnit]:
    """Units by id, in no promised order."""
    found: list[MemoryUnit] = []
    for part in _parts(ids):
        marks = ",".join("?" * len(part))
        rows = connection.execute(f"{_UNIT} WHERE u.id IN ({marks})", part).fetchall()
        found += [unit for _, unit in _units(connection, rows)]
    return found


def page(connection: sqlite3.Connection, after: int, limit: int, where: Where | None) -> list[tuple[int, MemoryUnit]]:
    """(key, unit) after a key, in order."""
    where = where or Where("1")
    sql = f"{_UNIT} WHERE u.key > ? AND ({where.sql}) ORDER BY u.key LIMIT ?"
    return _units(connection, connection.execute(sql, (after, *where.values, limit)).fetchall())


def keys(connection: sqlite3.Connection, where: Where) -> NDArray[np.int64]:
    """Keys of the units that pass, ascending."""
    sql = (
        "SELECT u.key FROM units u JOIN turns t ON t.sequence = u.first_turn "
        f"{_JOINS} WHERE {where.sql} ORDER BY u.key"
    )
    return np.array([row[0] for row in connection.execute(sql, where.values)], np.int64)


def history(connection: sqlite3.Connection, unit_id: str | None) -> list[HistoryEvent]:
    """Events, oldest first."""
    chosen, values = ("WHERE unit_id = ?", (unit_id,)) if unit_id is not None else ("", ())
    sql = f"SELECT unit_id, event, text, recorded_at FROM history {chosen} ORDER BY sequence"
    return [HistoryEvent(*row) for row in connection.execute(sql, values)]


def stats(connection: sqlite3.Connection, folder: Path) -> StoreStats:
    """Counts of everything."""

    def count(sql: str) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {sql}").fetchone()[0])

    embedder = active_embedder(connection)
    key = embedder.key if embedder else 0
    has_unit = f"SELECT 1 FROM unit_vectors v WHERE v.unit = u.key AND v.embedder = {key}"
    has_phrase = f"SELECT 1 FROM phrase_vectors v WHERE v.phrase = p.key AND v.embedder = {key}"
    change = connection.execute("SELECT value FROM meta WHERE name = 'change'").fetchone()[0]
    return StoreStats(
        turns=count("turns"),
        units=count("units"),
        sessions=count("(SELECT DISTINCT session FROM turns)"),
        phrases=count("phrases"),
        history=count("history"),
        vectors=count(f"unit_vectors WHERE embedder = {key}"),
        pending_units=count(f"units u WHERE NOT EXISTS ({has_unit})"),
        pending_phrases=count(f"phrases p WHERE NOT EXISTS ({has_phrase})"),
        bytes=sum(path.stat().st_size for path in folder.iterdir()),
        change=int(change),
        embedder=embedder.id if embedder else None,
        dimension=embedder.dimension if embedder else None,
    )


def pending_units(connection: sqlite3.Connection, embedder_id: str, limit: int) -> list[tuple[int, str]]:
    """Units without a vector of this embedder."""
    sql = (
        "SELECT u.key, u.id FROM units u WHERE NOT EXISTS (SELECT 1 FROM unit_vectors v JOIN embedders e "
        "ON e.key = v.embedder WHERE v.unit = u.key AND e.id = ?) ORDER BY u.key LIMIT ?"
    )
    return [(int(key), str(unit_id)) for key, unit_id in connection.execute(sql, (embedder_id, limit))]


def pending_phrases(connection: sqlite3.Connection, embedder_id: str, limit: int) -> list[tuple[int, str]]:
    """Phrases without a vector of this embedder."""
    sql = (
        "SELECT p.key, p.text FROM phrases p WHERE NOT EXISTS (SELECT 1 FROM phrase_vectors v JOIN embedders e "
        "ON e.key = v.embedder WHERE v.phrase = p.key AND e.id = ?) ORDER BY p.key LIMIT ?"
    )
    return [(int(key), str(text)) for key, text in connection.execute(sql, (embedder_id, limit))]


# ---- for the derived index


def index_rows(connection: sqlite3.Connection, after: int, analyse: Analyse) -> list[IndexRow]:
    """What every unit written after a change gives to the index."""
    rows = connection.execute(f"{_UNIT} WHERE u.change > ? ORDER BY u.key", (after,)).fetchall()
    embedder = active_embedder(connection)
    found: list[IndexRow] = []
    for start in range(0, len(rows), 2000):
        part = rows[start : start + 2000]
        marks = ",".join(str(int(row[0])) for row in part)
        mentioned: dict[int, list[tuple[int, str]]] = defaultdict(list)
        sql = f"SELECT unit, phrase, kind FROM mentions WHERE unit IN ({marks})"
        for unit_key, phrase, kind in connection.execute(sql):
            mentioned[unit_key].append((phrase, kind))
        vectors: dict[int, list[bytes]] = defaultdict(list)
        if embedder is not None:
            sql = (
                f"SELECT unit, vector FROM unit_vectors WHERE embedder = ? AND unit IN ({marks}) ORDER BY unit, chunk"
            )
            for unit_key, vector in connection.execute(sql, (embedder.key,)):
                vectors[unit_key].append(vector)
        for row in part:
            turn = _turn(row[13:])
            unit = _unit(row, turn, ())
            found.append(_index_row(row, unit, turn, mentioned[row[0]], vectors[row[0]], analyse))
    return found


def _index_row(
    row: Any,
    unit: MemoryUnit,
    turn: Turn,
    mentioned: list[tuple[int, str]],
    vectors: list[bytes],
    analyse: Analyse,
) -> IndexRow:
    said = turn.utterance_time.date().toordinal() if turn.utterance_time else NO_DAY
    spans = [(i.start.toordinal(), i.end.toordinal()) for i in unit.fact_times]
    return IndexRow(
        key=row[0],
        id=unit.id,
        chain=(row[10] << CHAIN_SHIFT) | turn.sequence,
        speaker=row[11],
        verbatim=unit.kind == "verbatim",
        terms=analyse(unit, turn),
        utterance_day=said,
        utterance_us=row[12] if row[12] is not None else NO_TIME,
        valid_from=min((start for start, _ in spans), default=said),
        intervals=spans,
        entities=[phrase for phrase, kind in mentioned if kind == "entity"],
        locations=[phrase for phrase, kind in mentioned if kind == "location"],
        vectors=vectors,
    )


def deleted_keys(connection: sqlite3.Connection, after: int) -> list[int]:
    """Keys of units deleted after a change."""
    return [int(row[0]) for row in connection.execute("SELECT unit FROM tombstones WHERE change > ?", (after,))]


def phrases(connection: sqlite3.Connection, after: int) -> list[tuple[int, str, bytes | None]]:
    """(key, text, vector) of phrases that came, or got a vector, after a change."""
    embedder = active_embedder(connection)
    sql = (
        "SELECT p.key, p.text, v.vector FROM phrases p LEFT JOIN phrase_vectors v "
        "ON v.phrase = p.key AND v.embedder = ? WHERE p.change > ? ORDER BY p.key"
    )
    return [tuple(row) for row in connection.execute(sql, (embedder.key if embedder else 0, after))]


# ---- rows to values


def _turn(row: Sequence[Any]) -> Turn:
    return Turn(
        sequence=row[0],
        id=row[1],
        session_id=row[2],
        speaker=row[3],
        role=row[4],
        text=row[5],
        utterance_time=None if row[6] is None else datetime.fromisoformat(row[6]),
        caption=row[7],
        caption_query=row[8],
        metadata=json.loads(row[9]) if row[9] != "{}" else {},
        agent_id=row[10],
        run_id=row[11],
    )


def _unit(row: Any, turn: Turn, mentioned: Sequence[Any]) -> MemoryUnit:
    triple = None if row[5] is None else Triple(row[5], row[6], row[7])
    return MemoryUnit(
        id=row[1],
        kind=row[2],
        text=turn.text if row[3] is None else row[3],
        span=SourceSpan(turn.id, row[9], turn.text if row[4] is None else row[4]),
        session_id=turn.session_id,
        sequence=turn.sequence,
        speaker=turn.speaker,
        role=turn.role,
        utterance_time=turn.utterance_time,
        entities=tuple(
            Entity(surface, entity_type, start, stop)
            for kind, entity_type, surface, start, stop in mentioned
            if kind == "entity"
        ),
        locations=tuple(surface for kind, _, surface, _, _ in mentioned if kind == "location"),
        fact_times=() if row[8] == "[]" else intervals(row[8]),
        triple=triple,
        metadata=turn.metadata,
        agent_id=turn.agent_id,
        run_id=turn.run_id,
    )


def _units(connection: sqlite3.Connection, rows: Sequence[Any]) -> list[tuple[int, MemoryUnit]]:
    marks = ",".join(str(int(row[0])) for row in rows)
    mentioned: dict[int, list[Any]] = defaultdict(list)
    sql = f"SELECT unit, kind, type, surface, start, stop FROM mentions WHERE unit IN ({marks}) ORDER BY place"
    for unit_key, *rest in connection.execute(sql):
        mentioned[unit_key].append(rest)
    return [(int(row[0]), _unit(row, _turn(row[13:]), mentioned[row[0]])) for row in rows]


def _parts(ids: Sequence[str]) -> Iterable[Sequence[str]]:
    for start in range(0, len(ids), 500):
        yield ids[start : start + 500]
