"""Every INSERT, UPDATE and DELETE of one transaction; the caller holds it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ..errors import NotFound
from ..types import Attributes
from . import reading, trace_forget
from .records import Forgotten, NewTurn, Receipt
from .segment import CHAIN_SHIFT

PhraseVectors = Mapping[str, NDArray[np.float32]]  # phrase text -> (d,)


def next_change(connection: sqlite3.Connection) -> int:
    """Count this transaction."""
    change = reading.meta_number(connection, "change") + 1
    set_meta(connection, "change", str(change))
    return change


def set_meta(connection: sqlite3.Connection, name: str, value: str | None) -> None:
    """Write or remove one entry."""
    if value is None:
        connection.execute("DELETE FROM meta WHERE name = ?", (name,))
    else:
        connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))


# ---- adding


class Batch:
    """Inserts of one transaction that share labels, phrases and the embedder."""

    def __init__(self, connection: sqlite3.Connection, change: int, phrase_vectors: PhraseVectors) -> None:
        self._connection, self._change, self._vectors = connection, change, phrase_vectors
        embedder = reading.active_embedder(connection)
        self._embedder = embedder.key if embedder else None
        self._labels: dict[tuple[str, str], int] = {}
        self._phrases: dict[str, int] = {}

    def insert(self, turn: NewTurn) -> int | None:
        """A turn with its verbatim unit; its sequence, or None where its id is taken."""
        if self._connection.execute("SELECT 1 FROM turns WHERE id = ?", (turn.id,)).fetchone():
            return None
        stored = self._connection.execute(
            "INSERT INTO turns (sequence, id, session, speaker, role, text, utterance_time, utterance_us, caption, "
            "caption_query, metadata, agent_id, run_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._free(turn.sequence),
                turn.id,
                self._label("session", turn.session_id),
                self._label("speaker", turn.speaker),
                turn.role,
                turn.text,
                reading.time_text(turn.utterance_time),
                reading.time_number(turn.utterance_time),
                turn.caption,
                turn.caption_query,
                json.dumps(dict(turn.metadata), ensure_ascii=False, sort_keys=True),
                turn.agent_id,
                turn.run_id,
            ),
        )
        sequence = key_of(stored)
        times = reading.intervals_text(turn.attributes.fact_times)
        unit = self._connection.execute(
            "INSERT INTO units (id, kind, first_turn, last_turn, fact_times, change) "
            "VALUES (?, 'verbatim', ?, ?, ?, ?)",
            (turn.id, sequence, sequence, times, self._change),
        )
        self.attach(key_of(unit), turn.attributes, turn.vectors, turn.pieces)
        return sequence

    def attach(
        self, key: int, attributes: Attributes, vectors: NDArray[np.float32] | None, pieces: bytes | None = None
    ) -> None:
        """Mentions, vectors (chunks, d) and word pieces of a unit that has none."""
        found: list[tuple[str, str | None, str, int | None, int | None]] = [
            ("entity", entity.type, entity.text, entity.start, entity.end) for entity in attributes.entities
        ]
        found += [("location", None, text, None, None) for text in attributes.locations]
        self._connection.executemany(
            "INSERT INTO mentions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (key, place, self._phrase(reading.phrase_text(surface)), kind, entity_type, surface, start, stop)
                for place, (kind, entity_type, surface, start, stop) in enumerate(found)
            ],
        )
        if vectors is not None and self._embedder is not None:
            insert_unit_vectors(self._connection, self._embedder, key, vectors, pieces)

    def _free(self, sequence: int | None) -> int | None:
        """The wanted place if nothing stands there or later, else None for the next one."""
        if sequence is None:
            return None
        last = self._connection.execute("SELECT coalesce(max(sequence), 0) FROM turns").fetchone()[0]
        return sequence if last < sequence < 1 << (CHAIN_SHIFT - 1) else None

    def _label(self, kind: str, text: str) -> int:
        code = self._labels.get((kind, text))
        if code is None:
            where = "SELECT code FROM labels WHERE kind = ? AND text = ?"
            row = self._connection.execute(where, (kind, text)).fetchone()
            code = (
                row[0]
                if row
                else key_of(self._connection.execute("INSERT INTO labels (kind, text) VALUES (?, ?)", (kind, text)))
            )
            self._labels[kind, text] = code
        return code

    def _phrase(self, text: str) -> int:
        """The key of a phrase; its vector goes in with it where it is known and was missing."""
        key = self._phrases.get(text)
        if key is None:
            row = self._connection.execute("SELECT key FROM phrases WHERE text = ?", (text,)).fetchone()
            key = (
                int(row[0])
                if row
                else key_of(
                    self._connection.execute("INSERT INTO phrases (text, change) VALUES (?, ?)", (text, self._change))
                )
            )
            self._phrases[text] = key
            if text in self._vectors and self._embedder is not None:
                put_phrase_vectors(self._connection, {key: self._vectors[text]}, self._embedder, self._change)
        return key


def key_of(cursor: sqlite3.Cursor) -> int:
    """The key of the row that was inserted."""
    assert cursor.lastrowid is not None
    return cursor.lastrowid


# ---- vectors


def insert_unit_vectors(
    connection: sqlite3.Connection, embedder: int, key: int, vectors: NDArray[np.float32], pieces: bytes | None
) -> None:
    """(chunks, d) of a unit without vectors, kept as float16, with its pieces in the first chunk."""
    connection.executemany(
        "INSERT INTO unit_vectors (unit, embedder, chunk, vector, pieces) VALUES (?, ?, ?, ?, ?)",
        [
            (key, embedder, chunk, vector.tobytes(), None if chunk else pieces)
            for chunk, vector in enumerate(vectors.astype(np.float16))
        ],
    )


def put_unit_vectors(
    connection: sqlite3.Connection,
    vectors: Mapping[int, NDArray[np.float32]],
    embedder: int,
    change: int | None,
    pieces: Mapping[int, bytes],
) -> None:
    """Vectors and pieces of units by key, replacing that embedder's; `change` marks them for the index."""
    for key, chunks in vectors.items():
        connection.execute("DELETE FROM unit_vectors WHERE unit = ? AND embedder = ?", (key, embedder))
        if connection.execute("SELECT 1 FROM units WHERE key = ?", (key,)).fetchone():
            insert_unit_vectors(connection, embedder, key, chunks, pieces.get(key))
            if change is not None:
                connection.execute("UPDATE units SET change = ? WHERE key = ?", (change, key))


def put_phrase_vectors(
    connection: sqlite3.Connection, vectors: Mapping[int, NDArray[np.float32]], embedder: int, change: int | None
) -> None:
    """Vectors of phrases by key; keys that are gone are left out."""
    connection.executemany(
        "INSERT OR REPLACE INTO phrase_vectors SELECT key, ?, ? FROM phrases WHERE key = ?",
        [(embedder, vector.astype(np.float16).tobytes(), key) for key, vector in vectors.items()],
    )
    if change is not None:
        connection.executemany("UPDATE phrases SET change = ? WHERE key = ?", [(change, key) for key in vectors])


# ---- updating and deleting


def update(connection: sqlite3.Connection, key: int, turn: NewTurn, change: int, vectors: PhraseVectors) -> None:
    """New words, attributes and vectors of a unit in place of the old ones; its triple goes with those."""
    trace_forget.drop_claims(connection, [key])
    none = "subject = NULL, predicate = NULL, object = NULL, claim = NULL"
    connection.execute(f"UPDATE units SET {none} WHERE key = ?", (key,))
    connection.execute(
        "UPDATE units SET text = ?, fact_times = ?, change = ? WHERE key = ?",
        (turn.text, reading.intervals_text(turn.attributes.fact_times), change, key),
    )
    phrases = _drop_mentions(connection, [key])
    connection.execute("DELETE FROM unit_vectors WHERE unit = ?", (key,))
    Batch(connection, change, vectors).attach(key, turn.attributes, turn.vectors, turn.pieces)
    _drop_orphans(connection, phrases)


def delete(connection: sqlite3.Connection, user_id: str, unit_ids: Sequence[str], change: int) -> Receipt:
    """Units by id, the turns that verbatim ones stand for, and all that shows or rests on those. Raises NotFound."""
    keys: set[int] = set()
    sequences: set[int] = set()
    read: set[int] = set()  # windows that lose a unit by itself: their answers hold its words
    for unit_id in unit_ids:
        sql = "SELECT key, kind, first_turn, window FROM units WHERE id = ?"
        row = connection.execute(sql, (unit_id,)).fetchone()
        if row is None:
            raise NotFound(f"id: no unit {unit_id!r} of {user_id!r}; nothing was deleted")
        keys.add(int(row[0]))
        if row[1] == "verbatim":
            sequences.add(int(row[2]))
        elif row[3] is not None:
            read.add(int(row[3]))
    for sequence in sequences:
        keys.update(_resting_on(connection, sequence))
    windows = windows_showing(connection, sequences)
    for window in windows:
        keys.update(_units_of(connection, window))
    cached = sum(connection.execute("DELETE FROM answers WHERE window = ?", (key,)).rowcount for key in read)
    ids, vectors, phrases, events = remove_units(connection, sorted(keys), change)
    forgotten = forget_windows(connection, windows, change)
    labels: set[int] = set()
    for sequence in sorted(sequences):
        where = "SELECT session, speaker FROM turns WHERE sequence = ?"
        labels.update(connection.execute(where, (sequence,)).fetchone() or ())
        connection.execute("DELETE FROM turns WHERE sequence = ?", (sequence,))
    connection.executemany(
        "DELETE FROM labels WHERE code = ? AND NOT EXISTS (SELECT 1 FROM turns WHERE session = code) "
        "AND NOT EXISTS (SELECT 1 FROM turns WHERE speaker = code)",
        [(code,) for code in labels],
    )
    return Receipt(
        user_id,
        tuple(ids),
        len(sequences),
        len(ids),
        phrases,
        vectors,
        events,
        forgotten.windows,
        cached + forgotten.cached,
        forgotten.quarantined,
    )


def remove_units(connection: sqlite3.Connection, keys: Sequence[int], change: int) -> tuple[list[str], int, int, int]:
    """Units with all that hangs on them, leaving tombstones: (ids, vectors, orphaned phrases, history events)."""
    trace_forget.drop_claims(connection, keys)
    ids: list[str] = []
    vectors = events = 0
    for key in keys:
        ids.append(str(connection.execute("SELECT id FROM units WHERE key = ?", (key,)).fetchone()[0]))
        vectors += connection.execute("DELETE FROM unit_vectors WHERE unit = ?", (key,)).rowcount
        events += connection.execute("DELETE FROM history WHERE unit_id = ?", (ids[-1],)).rowcount
    phrases = _drop_mentions(connection, keys)
    connection.executemany("DELETE FROM units WHERE key = ?", [(key,) for key in keys])
    connection.executemany("INSERT INTO tombstones VALUES (?, ?)", [(change, key) for key in keys])
    return ids, vectors, _drop_orphans(connection, phrases), events


def windows_showing(connection: sqlite3.Connection, sequences: Iterable[int]) -> set[int]:
    """Keys of the windows that show one of these turns, also as background."""
    found: set[int] = set()
    for sequence in sequences:
        rows = connection.execute("SELECT window FROM window_turns WHERE turn = ?", (sequence,))
        found.update(int(row[0]) for row in rows)
    return found


def forget_windows(connection: sqlite3.Connection, windows: Iterable[int], change: int) -> Forgotten:
    """Windows with their units, answers and quarantine."""
    ids: list[str] = []
    gone = {"windows": 0, "answers": 0, "quarantine": 0}
    for window in sorted(windows):
        ids += remove_units(connection, _units_of(connection, window), change)[0]
        connection.execute("DELETE FROM window_turns WHERE window = ?", (window,))
        for table in ("answers", "quarantine"):
            gone[table] += connection.execute(f"DELETE FROM {table} WHERE window = ?", (window,)).rowcount
        gone["windows"] += connection.execute("DELETE FROM windows WHERE key = ?", (window,)).rowcount
    return Forgotten(tuple(ids), gone["windows"], gone["answers"], gone["quarantine"])


def _units_of(connection: sqlite3.Connection, window: int) -> list[int]:
    rows = connection.execute("SELECT key FROM units WHERE window = ? ORDER BY key", (window,))
    return [int(row[0]) for row in rows]


def _resting_on(connection: sqlite3.Connection, sequence: int) -> list[int]:
    """Units whose span holds this turn."""
    at_border = "SELECT key FROM units WHERE first_turn = :turn OR last_turn = :turn"
    session = "SELECT session FROM turns WHERE sequence"
    across = (
        "SELECT key FROM units INDEXED BY units_spanning "
        "WHERE last_turn > first_turn AND first_turn < :turn AND last_turn > :turn "
        f"AND ({session} = first_turn) = ({session} = :turn)"
    )
    return [int(row[0]) for row in connection.execute(f"{at_border} UNION {across}", {"turn": sequence})]


def _drop_mentions(connection: sqlite3.Connection, keys: Iterable[int]) -> set[int]:
    """Remove all mentions of these units; the phrases they named."""
    phrases: set[int] = set()
    for key in keys:
        rows = connection.execute("DELETE FROM mentions WHERE unit = ? RETURNING phrase", (key,)).fetchall()
        phrases.update(int(row[0]) for row in rows)
    return phrases


def _drop_orphans(connection: sqlite3.Connection, phrases: Iterable[int]) -> int:
    """Remove those of the phrases that no unit mentions any more; how many."""
    count = 0
    for key in phrases:
        if connection.execute("SELECT 1 FROM mentions WHERE phrase = ? LIMIT 1", (key,)).fetchone() is None:
            connection.execute("DELETE FROM phrase_vectors WHERE phrase = ?", (key,))
            count += connection.execute("DELETE FROM phrases WHERE key = ?", (key,)).rowcount
    return count


def delete_everything(connection: sqlite3.Connection, user_id: str, change: int) -> Receipt:
    """All content; ids and counts of what went."""
    ids = tuple(str(row[0]) for row in connection.execute("SELECT id FROM units ORDER BY key"))
    connection.execute("INSERT INTO tombstones SELECT ?, key FROM units", (change,))
    content = ("mentions", "unit_vectors", "phrase_vectors", "history", "units", "turns", "phrases", "labels")
    tables = (*content, "answers", "quarantine", "window_turns", "windows", "ledger")
    trace_forget.forget_all(connection)
    counts = {table: connection.execute(f"DELETE FROM {table}").rowcount for table in tables}
    return Receipt(
        user_id,
        ids,
        counts["turns"],
        counts["units"],
        counts["phrases"],
        counts["unit_vectors"],
        counts["history"],
        counts["windows"],
        counts["answers"],
        counts["quarantine"],
    )
