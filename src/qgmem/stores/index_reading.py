"""What the file gives to the derived index: everything written after a change, in pages of one moment each."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..types import MemoryUnit, Turn
from . import reading
from .segment import (
    ASSISTANT,
    CAPTION,
    CHAIN_SHIFT,
    DIGIT,
    FACT_TIME,
    NO_DAY,
    NO_TIME,
    QUESTION,
    USER,
    IndexRow,
)

Analyse = Callable[[MemoryUnit, Turn], Sequence[str]]  # the terms by which a unit is found
QUESTION_MARKS = ("?", "？", "؟", "⸮", "\u037e")  # Latin, CJK, Arabic, reversed, Greek
_DIGIT = re.compile(r"\d")
PAGE = 20_000  # units read at once when a whole index is made
PART = 2_000  # units whose attributes and vectors are asked for together


@dataclass(frozen=True, slots=True)
class IndexPage:
    """Units and phrases written after a change, and keys deleted after it, as of `change`.

    `more`: the units go on after the last key of this page. `phrases`: (key, text, float16 vector or None) of those
    that came, or got a vector; on the first page only.
    """

    change: int
    rows: Sequence[IndexRow]
    gone: Sequence[int]
    phrases: Sequence[tuple[int, str, bytes | None]]
    more: bool


def index_page(
    connection: sqlite3.Connection, change: int, after: int, after_key: int, analyse: Analyse
) -> IndexPage:
    """The next page of what was written after the change `after`; `change` is the file's own."""
    # A plus keeps SQLite from an index: everything is read in key order as it lies, a few by the index on change.
    change_column, key_column = ("+u.change", "u.key") if after == 0 else ("u.change", "+u.key")
    sql = f"{reading.UNIT} WHERE {change_column} > ? AND {key_column} > ? ORDER BY {key_column} LIMIT ?"
    rows = connection.execute(sql, (after, after_key, PAGE)).fetchall()
    embedder = reading.active_embedder(connection)
    found: list[IndexRow] = []
    for start in range(0, len(rows), PART):
        found += _index_rows(connection, rows[start : start + PART], embedder.key if embedder else 0, analyse)
    if after_key:
        return IndexPage(change, found, (), (), len(rows) == PAGE)
    gone = [int(row[0]) for row in connection.execute("SELECT unit FROM tombstones WHERE change > ?", (after,))]
    return IndexPage(change, found, gone, _phrases(connection, after, embedder), len(rows) == PAGE)


def _index_rows(
    connection: sqlite3.Connection, rows: Sequence[Any], embedder: int, analyse: Analyse
) -> list[IndexRow]:
    marks = ",".join(str(int(row[0])) for row in rows)
    mentioned: dict[int, list[tuple[int, str]]] = defaultdict(list)
    sql = f"SELECT unit, phrase, kind FROM mentions WHERE unit IN ({marks})"
    for unit_key, phrase, kind in connection.execute(sql):
        mentioned[unit_key].append((phrase, kind))
    vectors: dict[int, list[bytes]] = defaultdict(list)
    sql = f"SELECT unit, vector FROM unit_vectors WHERE embedder = ? AND unit IN ({marks}) ORDER BY unit, chunk"
    for unit_key, vector in connection.execute(sql, (embedder,)):
        vectors[unit_key].append(vector)
    found = []
    for row in rows:
        turn = reading.turn_of(row[reading.TURN_FROM :])
        unit = reading.unit_of(row, ())
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
        traits=_traits(unit, turn),
        terms=analyse(unit, turn),
        utterance_day=said,
        utterance_us=row[12] if row[12] is not None else NO_TIME,
        valid_from=min((start for start, _ in spans), default=said),
        intervals=spans,
        entities=[phrase for phrase, kind in mentioned if kind == "entity"],
        locations=[phrase for phrase, kind in mentioned if kind == "location"],
        vectors=vectors,
    )


def _traits(unit: MemoryUnit, turn: Turn) -> int:
    bits = {
        USER: turn.role == "user",
        ASSISTANT: turn.role == "assistant",
        QUESTION: unit.text.rstrip().endswith(QUESTION_MARKS),
        DIGIT: _DIGIT.search(unit.text) is not None,
        FACT_TIME: bool(unit.fact_times),
        CAPTION: turn.caption is not None,
    }
    return sum(bit for bit, there in bits.items() if there)


def _phrases(
    connection: sqlite3.Connection, after: int, embedder: reading.EmbedderRow | None
) -> list[tuple[int, str, bytes | None]]:
    sql = (
        "SELECT p.key, p.text, v.vector FROM phrases p LEFT JOIN phrase_vectors v "
        "ON v.phrase = p.key AND v.embedder = ? WHERE p.change > ? ORDER BY p.key"
    )
    return [tuple(row) for row in connection.execute(sql, (embedder.key if embedder else 0, after))]
