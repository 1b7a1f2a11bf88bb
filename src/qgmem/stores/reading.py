"""Rows of the file as the values of `types.py`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, StoreDamaged
from ..pieces import PIECE_BYTES
from ..types import Entity, Granularity, Interval, JsonValue, MemoryUnit, SourceSpan, Triple, Turn
from .records import HistoryEvent, StoreStats

if TYPE_CHECKING:
    from .sqlite_filters import Where

T = TypeVar("T")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class EmbedderRow:
    """An embedder as the store knows it."""

    key: int
    id: str
    dimension: int


TURN = """
    t.sequence, t.id, s.text AS session_id, p.text AS speaker_name, t.role, t.text, t.utterance_time, t.caption,
    t.caption_query, t.metadata, t.agent_id, t.run_id
"""
JOINS = "JOIN labels s ON s.code = t.session JOIN labels p ON p.code = t.speaker"
# The turn that gives a unit its speaker, role and times. The cast lets SQLite use the index `units_by_voice`.
VOICE = "t.sequence = CAST(coalesce(u.voice, u.first_turn) AS INTEGER)"
UNIT = f"""
    SELECT u.key, u.id, u.kind, u.text, u.quote, u.subject, u.predicate, u.object, u.fact_times,
    CASE WHEN u.kind = 'verbatim' THEN NULL ELSE (
        SELECT json_group_array(id) FROM (
            SELECT c.id FROM turns c WHERE c.session = t.session AND c.sequence BETWEEN u.first_turn AND u.last_turn
            ORDER BY c.sequence
        )
    ) END, t.session, t.speaker, t.utterance_us, {TURN}
    FROM units u JOIN turns t ON {VOICE} {JOINS}
"""
MENTIONS = """
    SELECT unit, kind, type, surface, start, stop FROM mentions
    WHERE unit IN (SELECT value FROM json_each(?)) ORDER BY unit, place
"""
TURN_FROM = 13  # the turn's columns in a row of UNIT


def time_text(time: datetime | None) -> str | None:
    """ISO 8601, offset kept."""
    return None if time is None else time.isoformat()


def time_of(text: str | None) -> datetime | None:
    """The time of its ISO 8601 text. Raises StoreDamaged."""
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError as error:
        raise StoreDamaged(f"a time: {error}; run `qgmem doctor`") from error


@overload
def time_number(time: datetime) -> int: ...
@overload
def time_number(time: None) -> None: ...
@overload
def time_number(time: datetime | None) -> int | None: ...
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
    try:
        return tuple(
            Interval(date.fromisoformat(start), date.fromisoformat(end), Granularity(granularity))
            for start, end, granularity in json.loads(text)
        )
    except (ValueError, TypeError) as error:
        raise StoreDamaged(f"fact times: {error}; run `qgmem doctor`") from error


def meta(connection: sqlite3.Connection, name: str) -> str | None:
    """One entry of the table of the same name."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def meta_number(connection: sqlite3.Connection, name: str) -> int:
    """The same as a number, 0 if it is not there."""
    return int(meta(connection, name) or 0)


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
    for part in parts(ids):
        marks = ",".join("?" * len(part))
        sql = f"SELECT {TURN} FROM turns t {JOINS} WHERE t.id IN ({marks})"
        found += [turn_of(row) for row in connection.execute(sql, part)]
    return found


def turn_page(connection: sqlite3.Connection, after: int, limit: int, session_id: str | None) -> list[Turn]:
    """Turns after a sequence, in order."""
    chosen = "" if session_id is None else "AND s.text = ?"
    values = (after, limit) if session_id is None else (after, session_id, limit)
    sql = f"SELECT {TURN} FROM turns t {JOINS} WHERE t.sequence > ? {chosen} ORDER BY t.sequence LIMIT ?"
    return [turn_of(row) for row in connection.execute(sql, values)]


def unit_key(connection: sqlite3.Connection, unit_id: str) -> int:
    """The key of a unit that is known to be here."""
    return int(connection.execute("SELECT key FROM units WHERE id = ?", (unit_id,)).fetchone()[0])


def keys_of(connection: sqlite3.Connection, unit_ids: Sequence[str]) -> list[int]:
    """Keys of units in the order of their ids; 0 for one that is not here."""
    rows = [connection.execute("SELECT key FROM units WHERE id = ?", (one,)).fetchone() for one in unit_ids]
    return [0 if row is None else int(row[0]) for row in rows]


def unit(connection: sqlite3.Connection, unit_id: str) -> MemoryUnit | None:
    """One unit."""
    found = units(connection, [unit_id])
    return found[0] if found else None


def units(connection: sqlite3.Connection, ids: Sequence[str]) -> list[MemoryUnit]:
    """Units by id, in no promised order."""
    found: list[MemoryUnit] = []
    for part in parts(ids):
        marks = ",".join("?" * len(part))
        rows = connection.execute(f"{UNIT} WHERE u.id IN ({marks})", part).fetchall()
        found += [unit for _, unit in _units(connection, rows)]
    return found


def texts(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, str]:
    """The words of units by key: ten times faster than whole units."""
    found: dict[int, str] = {}
    for part in parts(keys):
        marks = ",".join("?" * len(part))  # not the numbers themselves: the statement is prepared once
        sql = f"SELECT u.key, coalesce(u.text, t.text) FROM units u JOIN turns t ON {VOICE} WHERE u.key IN ({marks})"
        found.update(connection.execute(sql, part).fetchall())
    return found


def page(connection: sqlite3.Connection, after: int, limit: int, where: Where) -> list[tuple[int, MemoryUnit]]:
    """(key, unit) after a key, in order."""
    sql = f"{UNIT} WHERE u.key > ? AND ({where.sql}) ORDER BY u.key LIMIT ?"
    return _units(connection, connection.execute(sql, (after, *where.values, limit)).fetchall())


def keys(connection: sqlite3.Connection, where: Where) -> NDArray[np.int64]:
    """Keys of the units that pass, ascending."""
    sql = f"SELECT u.key FROM units u JOIN turns t ON {VOICE} WHERE {where.sql} ORDER BY u.key"
    return np.array([row[0] for row in connection.execute(sql, where.values)], np.int64)


def history(connection: sqlite3.Connection, unit_id: str | None) -> list[HistoryEvent]:
    """Events, oldest first."""
    chosen, values = ("WHERE unit_id = ?", (unit_id,)) if unit_id is not None else ("", ())
    sql = f"SELECT unit_id, event, text, recorded_at FROM history {chosen} ORDER BY julianday(recorded_at), sequence"
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
        bytes=_bytes(folder),
        change=int(change),
        embedder=embedder.id if embedder else None,
        dimension=embedder.dimension if embedder else None,
        without_pieces=count(f"unit_vectors WHERE embedder = {key} AND chunk = 0 AND pieces IS NULL"),
    )


def problems(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the file: broken pages, rows that lack what they rest on, text that cannot be read back."""
    found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    if found:
        return found
    for what, sql in (
        ("turns without a unit", "turns t WHERE NOT EXISTS (SELECT 1 FROM units u WHERE u.id = t.id)"),
        ("units without a turn", "units u WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.sequence = u.first_turn)"),
        ("mentions without a unit", "mentions m WHERE NOT EXISTS (SELECT 1 FROM units u WHERE u.key = m.unit)"),
        ("mentions without a phrase", "mentions m WHERE NOT EXISTS (SELECT 1 FROM phrases p WHERE p.key = m.phrase)"),
        ("extracted units without a window", "units WHERE kind <> 'verbatim' AND window IS NULL"),
        (
            "windows of turns that are gone",
            "window_turns m WHERE NOT EXISTS (SELECT 1 FROM turns t WHERE t.sequence = m.turn)",
        ),
        ("vectors without a unit", "unit_vectors v WHERE NOT EXISTS (SELECT 1 FROM units u WHERE u.key = v.unit)"),
        (
            "vectors of a wrong length",
            "unit_vectors v JOIN embedders e ON e.key = v.embedder WHERE length(v.vector) <> 2 * e.dimension",
        ),
        ("word pieces of a wrong length", f"unit_vectors WHERE length(pieces) % {PIECE_BYTES} <> 0"),
        ("turns with broken metadata", "turns WHERE NOT json_valid(metadata)"),
        ("units with broken fact times", "units WHERE NOT json_valid(fact_times)"),
    ):
        count = int(connection.execute(f"SELECT count(*) FROM {sql}").fetchone()[0])
        if count:
            found.append(f"{count} {what}")
    if meta(connection, "scrub") is not None:
        found.append("a deletion was interrupted before its bytes were overwritten; call delete([]) to finish")
    return found


def _bytes(folder: Path) -> int:
    """Size of all files; one that vanishes meanwhile counts nothing."""
    total = 0
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def pending_units(
    connection: sqlite3.Connection, embedder_id: str, limit: int, after: int, *, pieces: bool = False
) -> list[tuple[int, str]]:
    """(key, id) of units after a key without a vector, or without pieces, of this embedder."""
    kept = "AND v.pieces IS NOT NULL " if pieces else ""
    sql = (
        "SELECT u.key, u.id FROM units u WHERE u.key > ? AND NOT EXISTS (SELECT 1 FROM unit_vectors v "
        f"WHERE v.unit = u.key {kept}AND v.embedder = (SELECT key FROM embedders WHERE id = ?)) "
        "ORDER BY u.key LIMIT ?"
    )
    return [(int(key), str(unit_id)) for key, unit_id in connection.execute(sql, (after, embedder_id, limit))]


def pieces(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, bytes]:
    """Pieces of units by key, of the active embedder."""
    found: dict[int, bytes] = {}
    for start in range(0, len(keys), 500):
        marks = ",".join(str(int(key)) for key in keys[start : start + 500])
        sql = (
            f"SELECT unit, pieces FROM unit_vectors WHERE unit IN ({marks}) AND chunk = 0 AND pieces IS NOT NULL "
            "AND embedder = (SELECT key FROM embedders WHERE active = 1)"
        )
        found.update((int(key), bytes(kept)) for key, kept in connection.execute(sql))
    return found


def pending_phrases(
    connection: sqlite3.Connection, embedder_id: str, limit: int, after: int
) -> list[tuple[int, str]]:
    """(key, text) of phrases after a key without a vector of this embedder."""
    sql = (
        "SELECT p.key, p.text FROM phrases p WHERE p.key > ? AND NOT EXISTS (SELECT 1 FROM phrase_vectors v "
        "WHERE v.phrase = p.key AND v.embedder = (SELECT key FROM embedders WHERE id = ?)) ORDER BY p.key LIMIT ?"
    )
    return [(int(key), str(text)) for key, text in connection.execute(sql, (after, embedder_id, limit))]


def embedded_phrases(connection: sqlite3.Connection, texts: Sequence[str], embedder: int) -> set[str]:
    """Those of the phrase texts that are here with a vector of this embedder."""
    found: set[str] = set()
    for part in parts(texts):
        marks = ",".join("?" * len(part))
        sql = (
            f"SELECT p.text FROM phrases p JOIN phrase_vectors v ON v.phrase = p.key AND v.embedder = ? "
            f"WHERE p.text IN ({marks})"
        )
        found.update(str(row[0]) for row in connection.execute(sql, (embedder, *part)))
    return found


# ---- rows to values


def turn_of(row: Sequence[Any]) -> Turn:
    """A row of `TURN`. Raises StoreDamaged."""
    time, metadata = _read_back(row[0], row[6], row[9])
    return Turn(
        sequence=row[0],
        id=row[1],
        session_id=row[2],
        speaker=row[3],
        role=row[4],
        text=row[5],
        utterance_time=time,
        caption=row[7],
        caption_query=row[8],
        metadata=metadata,
        agent_id=row[10],
        run_id=row[11],
    )


def unit_of(row: Sequence[Any], mentioned: Sequence[Any]) -> MemoryUnit:
    """A row of `UNIT` with its (unit, kind, type, surface, start, stop). Raises StoreDamaged."""
    _, unit_id, kind, claim, quote, subject, predicate, thing, fact_times, span = row[:10]
    sequence, turn_id, session, speaker, role, said, told, _, _, metadata, agent, run = row[TURN_FROM:]
    turns = (turn_id,) if span is None else tuple(json.loads(span)) or (turn_id,)
    time, extra = _read_back(sequence, told, metadata)
    return MemoryUnit(
        unit_id,
        kind,
        said if claim is None else claim,
        SourceSpan(turns[0], turns[-1], said if quote is None else quote, turns if len(turns) > 1 else ()),
        session,
        sequence,
        speaker,
        role,
        time,
        tuple(
            [Entity(text, type, start, stop) for _, kind, type, text, start, stop in mentioned if kind == "entity"]
        ),
        tuple([text for _, kind, _, text, _, _ in mentioned if kind == "location"]),
        () if fact_times == "[]" else intervals(fact_times),
        None if subject is None else Triple(subject, predicate, thing),
        extra,
        agent,
        run,
    )


def _read_back(sequence: int, time: str | None, metadata: str) -> tuple[datetime | None, dict[str, JsonValue]]:
    """A turn's time and metadata from their texts. Raises StoreDamaged."""
    try:
        return (
            None if time is None else datetime.fromisoformat(time),
            {} if metadata == "{}" else json.loads(metadata),
        )
    except (ValueError, TypeError) as error:
        raise StoreDamaged(f"turn {sequence}: {error}; run `qgmem doctor`") from error


def _units(connection: sqlite3.Connection, rows: Sequence[Any]) -> list[tuple[int, MemoryUnit]]:
    mentioned: dict[int, list[Any]] = {row[0]: [] for row in rows}
    keys = json.dumps(list(mentioned))  # one statement whatever the number: it is prepared once
    for mention in connection.execute(MENTIONS, (keys,)):
        mentioned[mention[0]].append(mention)
    return [(row[0], unit_of(row, mentioned[row[0]])) for row in rows]


def parts(ids: Sequence[T]) -> Iterable[Sequence[T]]:
    """Runs short enough for the placeholders of one statement."""
    for start in range(0, len(ids), 500):
        yield ids[start : start + 500]
