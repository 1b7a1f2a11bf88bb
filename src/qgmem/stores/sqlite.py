"""One SQLite file per namespace: the only truth (ARCHITECTURE, Store).

WAL, synchronous=FULL, one transaction a batch. Everything a stage may know about the file is a method here; no
SQL leaves this package.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import EmbedderMismatch, NotFound, StoreUnavailable
from ..types import MemoryUnit, Turn
from . import index_reading, reading, trace_forget, writing
from .connection import BUSY_SECONDS, SqliteFile
from .construction_log import SqliteLog
from .filters import parse_filters
from .folder import FILES, FOLD_LOCK, SNAPSHOT
from .locks import FileLock
from .protocol import Analyse, Filters, Renew
from .records import HistoryEvent, NewTurn, Receipt, StoreStats
from .snapshot import remove, sync_folder
from .sqlite_filters import EDITED, Where, compiled
from .trace_access import TraceAccess
from .trace_tables import TraceTables

PAGE = 1000  # rows read at once by iterators
VACUUM_IN_MEMORY = 256 << 20  # bytes; a larger file is rewritten by way of the disk


class SqliteStore(TraceAccess):
    """The turns, units, attributes, vectors and history of one namespace; see `protocol.Store`.

    Raises StoreUnavailable when the file cannot be opened or written (nothing is changed then) and StoreDamaged
    when it is not a whole database.
    """

    def __init__(self, folder: Path, user_id: str, *, create: bool = True) -> None:
        self.folder, self.user_id = folder, user_id
        self._file = SqliteFile(folder, user_id)
        if not create and not self._file.path.exists():
            raise NotFound(f"user_id: no memory of {user_id!r}")
        with self._file.reading() as connection:
            interrupted = reading.meta(connection, "scrub") is not None
        if interrupted:  # a deletion was cut off between its commit and the overwriting of its bytes
            with suppress(StoreUnavailable):  # stays noted, and `check` says so
                self._finish_scrub()

    def close(self) -> None:
        """Close the file; a later call opens it for itself alone."""
        self._file.close()

    @property
    def moved(self) -> bool:
        """True if the file was removed or replaced since it was opened."""
        return self._file.moved

    @contextmanager
    def _changing(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        with self._file.writing() as connection:
            yield connection, writing.next_change(connection)

    @contextmanager
    def _forgetting(self) -> Iterator[tuple[sqlite3.Connection, int]]:
        """A change after which the bytes of what it removed are overwritten."""
        with self._file.errors(), FileLock(self.folder / FOLD_LOCK):
            with self._changing() as (connection, change):
                yield connection, change
                writing.set_meta(connection, "scrub", str(change))
            self._scrub()

    @property
    def log(self) -> SqliteLog:
        """What construction by a language model has recorded."""
        return SqliteLog(self._file, self._changing, self._forgetting)

    # ---- embedder

    def use_embedder(self, embedder_id: str, dimension: int) -> None:
        """Bind the namespace to an embedder. Raises EmbedderMismatch when its vectors are another's."""
        with self._file.reading() as connection:
            row = reading.active_embedder(connection)
        if row is None:
            with self._file.writing() as connection:
                row = reading.active_embedder(connection)
                if row is None:
                    connection.execute(
                        "INSERT INTO embedders (id, dimension, active) VALUES (?, ?, 1) "
                        "ON CONFLICT (id) DO UPDATE SET active = 1",
                        (embedder_id, dimension),
                    )
                    return
        if (row.id, row.dimension) != (embedder_id, dimension):
            raise EmbedderMismatch(row.id, row.dimension, embedder_id, dimension)

    def begin_reembed(self, embedder_id: str, dimension: int) -> None:
        """Make room for another embedder's vectors; the active one answers until `finish_reembed`."""
        with self._changing() as (connection, _):
            connection.execute(
                "INSERT INTO embedders (id, dimension, active) VALUES (?, ?, 0) ON CONFLICT (id) DO NOTHING",
                (embedder_id, dimension),
            )

    def finish_reembed(self, embedder_id: str) -> bool:
        """Switch to that embedder and drop every other's vectors; False, and nothing done, if some are missing."""
        with self._changing() as (connection, change):
            key = reading.embedder_key(connection, embedder_id)
            if reading.pending_units(connection, embedder_id, 1, 0):
                return False
            connection.execute("UPDATE embedders SET active = (key = ?)", (key,))
            for table in ("unit_vectors", "phrase_vectors"):
                connection.execute(f"DELETE FROM {table} WHERE embedder <> ?", (key,))
            connection.execute("DELETE FROM embedders WHERE key <> ?", (key,))
            connection.execute("UPDATE units SET change = ?", (change,))
            connection.execute("UPDATE phrases SET change = ?", (change,))
        return True

    def pending_units(
        self, embedder_id: str, limit: int, after: int = 0, *, pieces: bool = False
    ) -> list[tuple[int, str]]:
        """(key, id) of units after a key that this embedder has no vector, or no pieces, of, oldest first."""
        with self._file.reading() as connection:
            return reading.pending_units(connection, embedder_id, limit, after, pieces=pieces)

    def pieces(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Pieces of units by key, of the embedder that answers searches; units without any are left out."""
        with self._file.reading() as connection:
            return reading.pieces(connection, keys)

    def pending_phrases(self, embedder_id: str, limit: int, after: int = 0) -> list[tuple[int, str]]:
        """(key, text) of phrases after a key that this embedder has no vector of."""
        with self._file.reading() as connection:
            return reading.pending_phrases(connection, embedder_id, limit, after)

    def unembedded(self, phrases: Sequence[str]) -> list[str]:
        """Those of these phrases, in the form they are told apart by, that have no vector yet; each once."""
        texts = list(dict.fromkeys(map(reading.phrase_text, phrases)))
        with self._file.reading() as connection:
            embedder = reading.active_embedder(connection)
            here = reading.embedded_phrases(connection, texts, embedder.key) if embedder else set()
        return [text for text in texts if text not in here]

    def put_unit_vectors(
        self,
        vectors: Mapping[int, NDArray[np.float32]],
        embedder_id: str,
        pieces: Mapping[int, bytes] | None = None,
    ) -> None:
        """Vectors (chunks, d) and pieces of units by key, for an embedder that is active or being built."""
        with self._changing() as (connection, change):
            embedder, seen = self._target(connection, embedder_id, change)
            writing.put_unit_vectors(connection, vectors, embedder, seen, pieces or {})

    def put_phrase_vectors(self, vectors: Mapping[int, NDArray[np.float32]], embedder_id: str) -> None:
        """Vectors (d,) of phrases by key."""
        with self._changing() as (connection, change):
            embedder, seen = self._target(connection, embedder_id, change)
            writing.put_phrase_vectors(connection, vectors, embedder, seen)

    @staticmethod
    def _target(connection: sqlite3.Connection, embedder_id: str, change: int) -> tuple[int, int | None]:
        """Key of that embedder, and the change for the index to see if its vectors answer searches."""
        key = reading.embedder_key(connection, embedder_id)
        active = reading.active_embedder(connection)
        return key, change if active is not None and active.key == key else None

    # ---- writing

    def add(
        self, turns: Sequence[NewTurn], phrase_vectors: Mapping[str, NDArray[np.float32]] | None = None
    ) -> list[int | None]:
        """Store turns with their verbatim units, and vectors (d,) of phrases by text, in one transaction.

        Returns each one's sequence, or None where a turn of that id was there already (nothing is changed then).
        """
        with self._changing() as (connection, change):
            batch = writing.Batch(connection, change, phrase_vectors or {})
            return [batch.insert(turn) for turn in turns]

    def update(
        self,
        unit_id: str,
        turn: NewTurn,
        recorded_at: str | None,
        phrase_vectors: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> None:
        """Give a unit new words; the former ones go to its history unless `recorded_at` is None.

        `turn` carries the new words, attributes and vectors; the stored turn stays as said. Raises NotFound.
        """
        with self._changing() as (connection, change):
            unit = reading.unit(connection, unit_id)
            if unit is None:
                raise NotFound(f"id: no unit {unit_id!r} of {self.user_id!r}")
            if recorded_at is not None:
                connection.execute(
                    "INSERT INTO history (unit_id, event, text, recorded_at) VALUES (?, 'update', ?, ?)",
                    (unit_id, unit.text, recorded_at),
                )
            writing.update(connection, reading.unit_key(connection, unit_id), turn, change, phrase_vectors or {})

    def add_history(self, events: Sequence[HistoryEvent]) -> None:
        """Put events of an imported memory back; those already here, or of a unit that is not, are left alone."""
        with self._changing() as (connection, _):
            for event in events:
                row = (event.unit_id, event.event, event.text, event.recorded_at)
                connection.execute(
                    "INSERT INTO history (unit_id, event, text, recorded_at) SELECT ?, ?, ?, ? WHERE NOT EXISTS "
                    "(SELECT 1 FROM history WHERE (unit_id, event, text, recorded_at) = (?, ?, ?, ?)) "
                    "AND EXISTS (SELECT 1 FROM units WHERE id = ?)",
                    (*row, *row, event.unit_id),
                )

    # ---- deleting

    def delete(self, unit_ids: Sequence[str], renew: Renew | None = None) -> Receipt:
        """Remove units, the turns a verbatim one stands for, and all that rests on them, down to the bytes.

        The file is rewritten without them, which takes about a second for 100,000 units; delete many at once.
        `renew` works out again, before the bytes are overwritten, what rests on other units as well; without it all
        traces are forgotten until they are asked for. Raises NotFound, before anything is removed, if an id is not
        here.
        """
        with self._forgetting() as (connection, change):
            receipt = writing.delete(connection, self.user_id, unit_ids, change)
            if renew is None:
                trace_forget.forget_all(connection)
            else:
                renew(TraceTables(connection))
            return receipt

    def delete_all(self) -> Receipt:
        """Remove everything of the namespace; its files too, unless another process has them open.

        In that case an empty file stays behind, with no byte of content.
        """
        with self._file.errors(), FileLock(self.folder / FOLD_LOCK), self._file.lock:
            with self._changing() as (connection, change):
                receipt = writing.delete_everything(connection, self.user_id, change)
                writing.set_meta(connection, "scrub", str(change))
            self._scrub()
            self._file.let_go()
            if self._file.presence.acquire(shared=False, wait=False):
                for name in FILES:
                    remove(self.folder / name)
                self._file.presence.release()
        with suppress(OSError):  # not empty: another process has begun anew
            self.folder.rmdir()
            sync_folder(self.folder.parent)
        return receipt

    def _finish_scrub(self) -> None:
        """The same, unless another process is at it."""
        lock = FileLock(self.folder / FOLD_LOCK)
        with self._file.errors():
            if lock.acquire(shared=False, wait=False):
                try:
                    self._scrub(patience=0)
                finally:
                    lock.release()

    def _scrub(self, patience: float = BUSY_SECONDS) -> None:
        """Rewrite the file without its free pages, empty the log, drop the snapshot. The fold lock is held."""
        with self._file.connected() as connection:
            remove(self.folder / SNAPSHOT)
            # SQLite unlinks its temporary file as soon as it is open, so that no copy of the content has a name
            large = self._file.path.stat().st_size > VACUUM_IN_MEMORY
            connection.execute(f"PRAGMA temp_store = {'FILE' if large else 'MEMORY'}")
            connection.execute("VACUUM")
            deadline = time.monotonic() + patience
            while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                if time.monotonic() > deadline:
                    raise StoreUnavailable(
                        f"{self.folder.name}: the units are gone from every answer, but a reader elsewhere "
                        "keeps the log open, which may hold their bytes; call delete([]) later to finish"
                    )
                time.sleep(0.05)
            with self._file.writing():
                writing.set_meta(connection, "scrub", None)

    # ---- reading

    @property
    def change(self) -> int:
        """Number of the last write."""
        with self._file.connected() as connection:
            return reading.meta_number(connection, "change")

    def known(self, turn_ids: Sequence[str]) -> dict[str, Turn]:
        """Those of the turns that are here, by id."""
        with self._file.reading() as connection:
            return {turn.id: turn for turn in reading.turns(connection, turn_ids)}

    def turn(self, turn_id: str) -> Turn:
        """One turn. Raises NotFound."""
        found = self.known([turn_id])
        if turn_id not in found:
            raise NotFound(f"id: no turn {turn_id!r} of {self.user_id!r}")
        return found[turn_id]

    def turns(self, session_id: str | None = None) -> Iterator[Turn]:
        """All turns, or a session's, in ingestion order, read in pages."""
        after = 0
        while True:
            with self._file.reading() as connection:
                found = reading.turn_page(connection, after, PAGE, session_id)
            if not found:
                return
            yield from found
            after = found[-1].sequence

    def units(self, ids: Sequence[str]) -> list[MemoryUnit]:
        """Units in the order of their ids; ids that are not here are left out."""
        with self._file.reading() as connection:
            found = {unit.id: unit for unit in reading.units(connection, ids)}
        return [found[unit_id] for unit_id in ids if unit_id in found]

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """The words of units by key, and nothing else of them; keys that are not here are left out."""
        with self._file.connected() as connection:
            return reading.texts(connection, keys)

    def scan(self, filters: Filters | None = None, limit: int | None = None) -> Iterator[MemoryUnit]:
        """Units in ingestion order that pass the filters, read in pages. Raises InvalidInput at once."""
        return self._scan(compiled(parse_filters(filters)), limit)

    def edited(self) -> Iterator[MemoryUnit]:
        """Verbatim units whose words were changed."""
        return self._scan(EDITED, None)

    def _scan(self, where: Where, limit: int | None) -> Iterator[MemoryUnit]:
        after, left = 0, limit
        while left is None or left > 0:
            page = PAGE if left is None else min(left, PAGE)
            with self._file.reading() as connection:
                found = reading.page(connection, after, page, where)
            if not found:
                return
            yield from (unit for _, unit in found)
            after = found[-1][0]
            left = None if left is None else left - len(found)

    def keys(self, filters: Filters) -> NDArray[np.int64]:
        """Keys of the units that pass, ascending. Raises InvalidInput."""
        where = compiled(parse_filters(filters))
        with self._file.reading() as connection:
            return reading.keys(connection, where)

    def keys_of(self, unit_ids: Sequence[str]) -> list[int]:
        """The key of each of these units; 0 for one that is not here."""
        with self._file.reading() as connection:
            return reading.keys_of(connection, unit_ids)

    def history(self, unit_id: str | None = None) -> list[HistoryEvent]:
        """Events of one unit, or of all, oldest first."""
        with self._file.reading() as connection:
            return reading.history(connection, unit_id)

    def speakers(self) -> dict[int, str]:
        """Speakers' names by the code that the index knows them by."""
        with self._file.reading() as connection:
            return dict(connection.execute("SELECT code, text FROM labels WHERE kind = 'speaker'").fetchall())

    def stats(self) -> StoreStats:
        """Counts and sizes."""
        with self._file.reading() as connection:
            return reading.stats(connection, self.folder)

    def check(self) -> list[str]:
        """What is wrong with the file; empty when nothing is. Reads all of it."""
        with self._file.reading() as connection:
            return reading.problems(connection)

    # ---- for the derived index

    def index_page(self, after: int, after_key: int, analyse: Analyse, embedder_id: str) -> index_reading.IndexPage:
        """What was written after a change, from a key on, as of one moment. Raises EmbedderMismatch."""
        with self._file.reading() as connection:
            active = reading.active_embedder(connection)
            if active is not None and active.id != embedder_id:
                raise EmbedderMismatch(active.id, active.dimension, embedder_id, active.dimension)
            change = reading.meta_number(connection, "change")
            return index_reading.index_page(connection, change, after, after_key, analyse)

    def written_after(self, change: int) -> int:
        """Number of units written after a change."""
        with self._file.connected() as connection:
            return int(connection.execute("SELECT count(*) FROM units WHERE change > ?", (change,)).fetchone()[0])

    def mark_index(self, name: str) -> None:
        """Remember a snapshot of this store by name, before it is put in place; the last two are known."""
        with self._file.writing() as connection:
            before = (reading.meta(connection, "index") or "").split()
            writing.set_meta(connection, "index", " ".join([name, *before][:2]))

    def knows_index(self, name: str) -> bool:
        """True for a snapshot that belongs to this very store: not to another, nor to a later state of a copy."""
        with self._file.connected() as connection:
            return name in (reading.meta(connection, "index") or "").split()
