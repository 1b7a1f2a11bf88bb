"""One SQLite file per namespace: the only truth (ARCHITECTURE, Store).

WAL, synchronous=FULL, one transaction a batch. Everything a stage may know about the file is a method here; no
SQL leaves this package. A connection is shared by the threads of a process behind one lock.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import EmbedderMismatch, NotFound, StoreDamaged, StoreError, StoreUnavailable
from ..types import MemoryUnit, Turn
from . import reading, schema
from .folder import DATABASE, FILES, FOLD_LOCK, OPEN_LOCK, SNAPSHOT
from .locks import FileLock
from .records import HistoryEvent, NewTurn, Receipt, StoreStats
from .segment import IndexRow
from .snapshot import remove, sync_folder

BUSY_SECONDS = 60.0
PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "secure_delete = ON",
    "temp_store = MEMORY",  # VACUUM must not leave a copy in a temporary file
    "cache_size = -8192",  # KiB
)


class SqliteStore:
    """The turns, units, attributes, vectors and history of one namespace.

    Raises StoreUnavailable when the file cannot be opened or written (nothing is changed then) and StoreDamaged
    when it is not a whole database.
    """

    def __init__(self, folder: Path, user_id: str, *, create: bool = True) -> None:
        self.folder, self.user_id = folder, user_id
        self._path = folder / DATABASE
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._presence = FileLock(folder / OPEN_LOCK)
        if not create and not self._path.exists():
            raise NotFound(f"user_id: no memory of {user_id!r}")
        with self._errors():
            self._current()

    # ---- opening, transactions, errors

    def _current(self) -> sqlite3.Connection:
        if self._connection is None:
            self._presence.acquire(shared=True)
            try:
                self._connection = self._connect()
            except BaseException:
                self._presence.release()
                raise
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            for pragma in PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version > len(schema.MIGRATIONS):
                raise StoreUnavailable(
                    f"{self._path.name}: written by a newer qgmem (format {version}, this one knows "
                    f"{len(schema.MIGRATIONS)}); upgrade qgmem"
                )
            if version < len(schema.MIGRATIONS):
                schema.migrate(connection, self.user_id)
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the file. Using the store afterwards opens it again."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None
                self._presence.release()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """SQLite's and the system's errors as ours, naming the file and the way out."""
        name = f"{self.folder.name}/{DATABASE}"
        try:
            yield
        except sqlite3.OperationalError as error:
            raise StoreUnavailable(
                f"{name}: {error}; check free space, permissions and other writers, then try again"
            ) from error
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.IntegrityError):
                raise StoreError(f"{name}: {error}") from error
            raise StoreDamaged(f"{name}: {error}; run `qgmem doctor`") from error
        except OSError as error:
            raise StoreUnavailable(f"{name}: {error.strerror or error}") from error

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of the file for several statements."""
        with self._lock, self._errors():
            connection = self._current()
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    @contextmanager
    def _writing(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        """One transaction and its change number; commits at the end, rolls back on any error."""
        with self._lock, self._errors():
            connection = self._current()
            connection.execute("BEGIN IMMEDIATE")
            try:
                change = self._meta_number(connection, "change") + 1
                connection.execute("UPDATE meta SET value = ? WHERE name = 'change'", (str(change),))
                yield connection, change
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @staticmethod
    def _meta_number(connection: sqlite3.Connection, name: str) -> int:
        row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return int(row[0]) if row else 0

    # ---- embedder

    def use_embedder(self, embedder_id: str, dimension: int) -> None:
        """Bind the namespace to an embedder. Raises EmbedderMismatch when its vectors are another's."""
        with self._reading() as connection:
            row = reading.active_embedder(connection)
        if row is None:
            with self._writing() as (connection, _):
                if reading.active_embedder(connection) is None:
                    connection.execute(
                        "INSERT INTO embedders (id, dimension, active) VALUES (?, ?, 1) "
                        "ON CONFLICT (id) DO UPDATE SET active = 1",
                        (embedder_id, dimension),
                    )
        elif (row.id, row.dimension) != (embedder_id, dimension):
            raise EmbedderMismatch(row.id, row.dimension, embedder_id, dimension)

    # ---- writing

    def add(self, turns: Sequence[NewTurn]) -> list[int | None]:
        """Store turns with their verbatim units in one transaction.

        Returns each one's sequence, or None where a turn of that id was there already (nothing is changed then).
        """
        with self._writing() as (connection, change):
            embedder = reading.active_embedder(connection)
            return [self._insert(connection, turn, change, embedder.key if embedder else None) for turn in turns]

    def _insert(self, connection: sqlite3.Connection, turn: NewTurn, change: int, embedder: int | None) -> int | None:
        cursor = connection.execute(
            "INSERT INTO turns (sequence, id, session, speaker, role, text, utterance_time, utterance_us, caption, "
            "caption_query, metadata, agent_id, run_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO NOTHING RETURNING sequence",
            (
                _free(connection, turn.sequence),
                turn.id,
                _label(connection, "session", turn.session_id),
                _label(connection, "speaker", turn.speaker),
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
        ).fetchall()
        if not cursor:
            return None
        sequence = int(cursor[0][0])
        key = connection.execute(
            "INSERT INTO units (id, kind, first_turn, last_turn, fact_times, change) "
            "VALUES (?, 'verbatim', ?, ?, ?, ?)",
            (turn.id, sequence, sequence, reading.intervals_text(turn.attributes.fact_times), change),
        ).lastrowid
        assert key is not None
        _insert_mentions(connection, key, turn, change)
        if turn.vectors is not None and embedder is not None:
            _insert_unit_vectors(connection, embedder, key, turn.vectors)
        return sequence

    def update(self, unit_id: str, turn: NewTurn, recorded_at: str | None) -> None:
        """Give a unit new words; the former ones go to its history, unless `recorded_at` is None.

        The turn stays as it was said.

        `turn` carries the new words with their attributes and vectors. Raises NotFound.
        """
        with self._writing() as (connection, change):
            unit = reading.unit(connection, unit_id)
            if unit is None:
                raise NotFound(f"id: no unit {unit_id!r} of {self.user_id!r}")
            key = reading.unit_key(connection, unit_id)
            if recorded_at is not None:
                connection.execute(
                    "INSERT INTO history (unit_id, event, text, recorded_at) VALUES (?, 'update', ?, ?)",
                    (unit_id, unit.text, recorded_at),
                )
            connection.execute(
                "UPDATE units SET text = ?, fact_times = ?, change = ? WHERE key = ?",
                (turn.text, reading.intervals_text(turn.attributes.fact_times), change, key),
            )
            connection.execute("DELETE FROM mentions WHERE unit = ?", (key,))
            connection.execute("DELETE FROM unit_vectors WHERE unit = ?", (key,))
            _insert_mentions(connection, key, turn, change)
            embedder = reading.active_embedder(connection)
            if turn.vectors is not None and embedder is not None:
                _insert_unit_vectors(connection, embedder.key, key, turn.vectors)
            _drop_orphan_phrases(connection)

    def put_unit_vectors(self, vectors: Mapping[int, NDArray[np.float32]], embedder_id: str) -> None:
        """Vectors (chunks, d) of units by key, for an embedder that is active or being built."""
        with self._writing() as (connection, change):
            embedder = reading.embedder_key(connection, embedder_id)
            for key, chunks in vectors.items():
                connection.execute("DELETE FROM unit_vectors WHERE embedder = ? AND unit = ?", (embedder, key))
                if connection.execute("SELECT 1 FROM units WHERE key = ?", (key,)).fetchone():
                    _insert_unit_vectors(connection, embedder, key, chunks)
                    connection.execute("UPDATE units SET change = ? WHERE key = ?", (change, key))

    def put_phrase_vectors(self, vectors: Mapping[int, NDArray[np.float32]], embedder_id: str) -> None:
        """Vectors (d,) of phrases by key."""
        with self._writing() as (connection, change):
            embedder = reading.embedder_key(connection, embedder_id)
            connection.executemany("UPDATE phrases SET change = ? WHERE key = ?", [(change, key) for key in vectors])
            connection.executemany(
                "INSERT OR REPLACE INTO phrase_vectors SELECT ?, key, ? FROM phrases WHERE key = ?",
                [(embedder, vector.astype(np.float16).tobytes(), key) for key, vector in vectors.items()],
            )

    # ---- reembedding

    def begin_reembed(self, embedder_id: str, dimension: int) -> None:
        """Make room for another embedder's vectors; the active one answers until `finish_reembed`."""
        with self._writing() as (connection, _):
            connection.execute(
                "INSERT INTO embedders (id, dimension, active) VALUES (?, ?, 0) ON CONFLICT (id) DO NOTHING",
                (embedder_id, dimension),
            )

    def finish_reembed(self, embedder_id: str) -> None:
        """Switch to that embedder and drop every other's vectors."""
        with self._writing() as (connection, change):
            key = reading.embedder_key(connection, embedder_id)
            connection.execute("UPDATE embedders SET active = (key = ?)", (key,))
            for table in ("unit_vectors", "phrase_vectors"):
                connection.execute(f"DELETE FROM {table} WHERE embedder <> ?", (key,))
            connection.execute("DELETE FROM embedders WHERE key <> ?", (key,))
            connection.execute("UPDATE units SET change = ?", (change,))
            connection.execute("UPDATE phrases SET change = ?", (change,))

    # ---- deleting

    def delete(self, unit_ids: Sequence[str]) -> Receipt:
        """Remove units, the turns a verbatim one stands for, and all that rests on them, down to the bytes.

        Raises NotFound, before anything is removed, if an id is not here.
        """
        with FileLock(self.folder / FOLD_LOCK):
            with self._writing() as (connection, change):
                receipt = _delete(connection, self.user_id, unit_ids, change)
            self._scrub()
        return receipt

    def _scrub(self) -> None:
        """Rewrite the file without its free pages, empty the log, drop the derived index."""
        with self._lock, self._errors():
            remove(self.folder / SNAPSHOT)
            connection = self._current()
            connection.execute("VACUUM")
            deadline = time.monotonic() + BUSY_SECONDS
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > deadline:
                    raise StoreUnavailable(
                        f"{self.folder.name}: the units are gone from every answer, but a reader elsewhere "
                        "keeps the log open, which may hold their bytes; call delete([]) later to finish"
                    )
                time.sleep(0.05)

    def delete_all(self) -> Receipt:
        """Remove everything of the namespace; its files too, unless another process has them open.

        In that case an empty file stays behind, with no byte of content.
        """
        with FileLock(self.folder / FOLD_LOCK), self._lock:
            with self._writing() as (connection, change):
                ids = [str(row[0]) for row in connection.execute("SELECT id FROM units ORDER BY key")]
                receipt = _delete_everything(connection, self.user_id, ids, change)
            self._scrub()
            self.close()
            with self._errors():
                if self._presence.acquire(shared=False, wait=False):
                    for name in FILES:
                        remove(self.folder / name)
                    self._presence.release()
        with suppress(OSError):  # not empty: another process has begun anew
            self.folder.rmdir()
            sync_folder(self.folder.parent)
        return receipt

    # ---- reading

    @property
    def change(self) -> int:
        """Number of the last write."""
        with self._lock, self._errors():
            return self._meta_number(self._current(), "change")

    def known(self, turn_ids: Sequence[str]) -> dict[str, Turn]:
        """Those of the turns that are here, by id."""
        with self._reading() as connection:
            return {turn.id: turn for turn in reading.turns(connection, turn_ids)}

    def turn(self, turn_id: str) -> Turn:
        """One turn. Raises NotFound."""
        found = self.known([turn_id])
        if turn_id not in found:
            raise NotFound(f"id: no turn {turn_id!r} of {self.user_id!r}")
        return found[turn_id]

    def units(self, ids: Sequence[str]) -> list[MemoryUnit]:
        """Units in the order of their ids; ids that are not here are left out."""
        with self._reading() as connection:
            found = {unit.id: unit for unit in reading.units(connection, ids)}
        return [found[unit_id] for unit_id in ids if unit_id in found]

    def scan(self, where: reading.Where | None = None, limit: int | None = None) -> Iterator[MemoryUnit]:
        """Units in ingestion order that pass `where`, read in pages."""
        after, left = 0, limit
        while left is None or left > 0:
            page = 1000 if left is None else min(left, 1000)
            with self._reading() as connection:
                found = reading.page(connection, after, page, where)
            if not found:
                return
            yield from (unit for _, unit in found)
            after = found[-1][0]
            left = None if left is None else left - len(found)

    def keys(self, where: reading.Where) -> NDArray[np.int64]:
        """Keys of the units that pass a filter, ascending."""
        with self._reading() as connection:
            return reading.keys(connection, where)

    def turns(self, session_id: str | None = None) -> Iterator[Turn]:
        """All turns in ingestion order, read in pages."""
        after = 0
        while True:
            with self._reading() as connection:
                found = reading.turn_page(connection, after, 1000, session_id)
            if not found:
                return
            yield from found
            after = found[-1].sequence

    def history(self, unit_id: str | None = None) -> list[HistoryEvent]:
        """Events of one unit, or of all, oldest first."""
        with self._reading() as connection:
            return reading.history(connection, unit_id)

    def edited(self) -> Iterator[MemoryUnit]:
        """Verbatim units whose words were changed."""
        return self.scan(reading.Where("u.kind = 'verbatim' AND u.text IS NOT NULL"))

    def add_history(self, events: Sequence[HistoryEvent]) -> None:
        """Put events of an imported memory back; those already here are left alone."""
        with self._writing() as (connection, _):
            for event in events:
                row = (event.unit_id, event.event, event.text, event.recorded_at)
                connection.execute(
                    "INSERT INTO history (unit_id, event, text, recorded_at) SELECT ?, ?, ?, ? WHERE NOT EXISTS "
                    "(SELECT 1 FROM history WHERE (unit_id, event, text, recorded_at) = (?, ?, ?, ?))",
                    row + row,
                )

    def speakers(self) -> dict[int, str]:
        """Names by code."""
        with self._reading() as connection:
            return dict(connection.execute("SELECT code, text FROM labels WHERE kind = 'speaker'").fetchall())

    def stats(self) -> StoreStats:
        """Counts and sizes."""
        with self._reading() as connection:
            return reading.stats(connection, self.folder)

    def pending_units(self, embedder_id: str, limit: int) -> list[tuple[int, str]]:
        """(key, id) of units that this embedder has no vector of, oldest first."""
        with self._reading() as connection:
            return reading.pending_units(connection, embedder_id, limit)

    def pending_phrases(self, embedder_id: str, limit: int) -> list[tuple[int, str]]:
        """(key, text) of phrases that this embedder has no vector of."""
        with self._reading() as connection:
            return reading.pending_phrases(connection, embedder_id, limit)

    # ---- for the derived index

    def index_rows(self, after: int, analyse: reading.Analyse) -> tuple[int, list[IndexRow], list[int]]:
        """(change, rows written after `after`, keys touched or deleted after it), as of one moment."""
        with self._reading() as connection:
            change = self._meta_number(connection, "change")
            rows = reading.index_rows(connection, after, analyse)
            gone = reading.deleted_keys(connection, after)
        return change, rows, gone

    def phrases(self, after: int) -> list[tuple[int, str, bytes | None]]:
        """(key, text, float16 vector or None) of phrases that came, or got a vector, after a change."""
        with self._reading() as connection:
            return reading.phrases(connection, after)

    def check(self) -> list[str]:
        """What is wrong with the file; empty when nothing is."""
        with self._reading() as connection:
            rows = connection.execute("PRAGMA integrity_check(20)").fetchall()
            problems = [str(row[0]) for row in rows if row[0] != "ok"]
            lost = connection.execute(
                "SELECT count(*) FROM turns t WHERE NOT EXISTS (SELECT 1 FROM units u WHERE u.id = t.id)"
            ).fetchone()[0]
        return problems + ([f"{lost} turns have no unit"] if lost else [])


def stored_user(path: Path) -> str | None:
    """The user id of a namespace file that holds at least one turn; None for an empty or unreadable one."""
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS)
        try:
            if connection.execute("SELECT 1 FROM turns LIMIT 1").fetchone() is None:
                return None
            return str(connection.execute("SELECT value FROM meta WHERE name = 'user_id'").fetchone()[0])
        finally:
            connection.close()
    except sqlite3.DatabaseError:
        return None  # `doctor` names files that cannot be read


def _free(connection: sqlite3.Connection, sequence: int | None) -> int | None:
    """The wanted place if nothing stands there or later, else None for the next one."""
    if sequence is None:
        return None
    last = connection.execute("SELECT coalesce(max(sequence), 0) FROM turns").fetchone()[0]
    return sequence if sequence > last else None


def _label(connection: sqlite3.Connection, kind: str, text: str) -> int:
    row = connection.execute("SELECT code FROM labels WHERE kind = ? AND text = ?", (kind, text)).fetchone()
    if row is not None:
        return int(row[0])
    code = connection.execute("INSERT INTO labels (kind, text) VALUES (?, ?)", (kind, text)).lastrowid
    assert code is not None
    return code


def _insert_mentions(connection: sqlite3.Connection, key: int, turn: NewTurn, change: int) -> None:
    found: list[tuple[str, str | None, str, int | None, int | None]] = [
        ("entity", entity.type, entity.text, entity.start, entity.end) for entity in turn.attributes.entities
    ]
    found += [("location", None, text, None, None) for text in turn.attributes.locations]
    for place, (kind, entity_type, surface, start, stop) in enumerate(found):
        phrase = _phrase(connection, reading.phrase_text(surface), change)
        connection.execute(
            "INSERT INTO mentions VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (key, place, phrase, kind, entity_type, surface, start, stop),
        )


def _phrase(connection: sqlite3.Connection, text: str, change: int) -> int:
    row = connection.execute("SELECT key FROM phrases WHERE text = ?", (text,)).fetchone()
    if row is not None:
        return int(row[0])
    key = connection.execute("INSERT INTO phrases (text, change) VALUES (?, ?)", (text, change)).lastrowid
    assert key is not None
    return key


def _insert_unit_vectors(
    connection: sqlite3.Connection, embedder: int, key: int, vectors: NDArray[np.float32]
) -> None:
    connection.executemany(
        "INSERT INTO unit_vectors VALUES (?, ?, ?, ?)",
        [(embedder, key, chunk, vector.tobytes()) for chunk, vector in enumerate(vectors.astype(np.float16))],
    )


def _drop_orphan_phrases(connection: sqlite3.Connection) -> int:
    orphans = "SELECT key FROM phrases p WHERE NOT EXISTS (SELECT 1 FROM mentions m WHERE m.phrase = p.key)"
    connection.execute(f"DELETE FROM phrase_vectors WHERE phrase IN ({orphans})")
    return connection.execute(f"DELETE FROM phrases WHERE key IN ({orphans})").rowcount


def _delete(connection: sqlite3.Connection, user_id: str, unit_ids: Sequence[str], change: int) -> Receipt:
    keys: set[int] = set()
    sequences: set[int] = set()
    for unit_id in unit_ids:
        row = connection.execute("SELECT key, kind, first_turn FROM units WHERE id = ?", (unit_id,)).fetchone()
        if row is None:
            raise NotFound(f"id: no unit {unit_id!r} of {user_id!r}; nothing was deleted")
        keys.add(int(row[0]))
        if row[1] == "verbatim":
            sequences.add(int(row[2]))
    for sequence in sequences:  # a claim that rests on a deleted turn goes with it
        rows = connection.execute(
            "SELECT key FROM units WHERE first_turn <= ? AND last_turn >= ?", (sequence, sequence)
        )
        keys.update(int(row[0]) for row in rows)
    ids, vectors, events = [], 0, 0
    for key in sorted(keys):
        ids.append(str(connection.execute("SELECT id FROM units WHERE key = ?", (key,)).fetchone()[0]))
        connection.execute("DELETE FROM mentions WHERE unit = ?", (key,))
        vectors += connection.execute("DELETE FROM unit_vectors WHERE unit = ?", (key,)).rowcount
        events += connection.execute("DELETE FROM history WHERE unit_id = ?", (ids[-1],)).rowcount
        connection.execute("DELETE FROM units WHERE key = ?", (key,))
        connection.execute("INSERT INTO tombstones VALUES (?, ?)", (change, key))
    connection.executemany("DELETE FROM turns WHERE sequence = ?", [(s,) for s in sorted(sequences)])
    phrases = _drop_orphan_phrases(connection)
    connection.execute(
        "DELETE FROM labels WHERE NOT EXISTS (SELECT 1 FROM turns WHERE session = code OR speaker = code)"
    )
    return Receipt(user_id, tuple(ids), len(sequences), len(keys), phrases, vectors, events)


def _delete_everything(connection: sqlite3.Connection, user_id: str, ids: Sequence[str], change: int) -> Receipt:
    connection.execute("INSERT INTO tombstones SELECT ?, key FROM units", (change,))
    counts = {
        table: connection.execute(f"DELETE FROM {table}").rowcount
        for table in ("mentions", "unit_vectors", "phrase_vectors", "history", "units", "turns", "phrases")
    }
    connection.execute("DELETE FROM labels")
    return Receipt(
        user_id,
        tuple(ids),
        counts["turns"],
        counts["units"],
        counts["phrases"],
        counts["unit_vectors"],
        counts["history"],
    )
