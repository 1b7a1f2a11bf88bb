"""One SQLite file held open: transactions, errors in our words, and what forks and closing ask for.

A connection is shared by the threads of a process behind one lock. A file that was closed opens again for a single
call and closes after it, so that whoever still holds the store never sees a difference.
"""

from __future__ import annotations

import ctypes
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import InvalidInput, StoreDamaged, StoreError, StoreUnavailable
from . import schema
from .folder import DATABASE, OPEN_LOCK, SNAPSHOT
from .locks import FileLock

WRITTEN = b"written\n"  # in the lock file beside a database that has its tables
Identity = tuple[int, int]  # device, inode
BUSY_SECONDS = 60.0
PRAGMAS = (
    "synchronous = FULL",
    "secure_delete = ON",
    "temp_store = MEMORY",
    "cache_size = -8192",  # KiB
)
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


class SqliteFile:
    """The file of one namespace. Raises StoreUnavailable, StoreDamaged."""

    def __init__(self, folder: Path, user_id: str) -> None:
        self.folder, self.user_id, self.path = folder, user_id, folder / DATABASE
        self.lock = threading.RLock()
        self.presence = FileLock(folder / OPEN_LOCK)
        self._connection: sqlite3.Connection | None = None
        self._users = 0  # calls in progress, nested ones included
        self._keep_open = True
        self._identity: Identity | None = None  # of the file that was last opened
        self._replaced = False
        self._stamp: tuple[int, ...] | None = None  # of a file that is read as if nobody could write to it

    @property
    def moved(self) -> bool:
        """True if another file, or none, lies where this one was opened: somebody removed or replaced the folder."""
        return self._replaced or (self._identity is not None and _identity(self.path) != self._identity)

    # ---- transactions

    @contextmanager
    def connected(self) -> Iterator[sqlite3.Connection]:
        """The connection, outside any transaction."""
        with self.lock, self.errors():
            self._users += 1
            try:
                yield self._current()
            finally:
                self._users -= 1
                if not self._keep_open and not self._users:
                    self._disconnect()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view of the file for several statements."""
        with self.connected() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction; commits at the end, rolls back on any error."""
        with self.connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
                if self._identity != _identity(self.path):
                    raise StoreUnavailable(
                        f"{self.folder.name}: was removed during the write, which went with it; add it again"
                    )
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def errors(self) -> Iterator[None]:
        """SQLite's and the system's errors as ours, naming the file and the way out."""
        name = f"{self.folder.name}/{DATABASE}"
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise StoreError(f"{name}: {error}") from error
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", None)
            if not isinstance(error, sqlite3.OperationalError) or code is None or code & 0xFF in _BROKEN:
                raise StoreDamaged(f"{name}: {error}; run `qgmem doctor`") from error
            raise StoreUnavailable(
                f"{name}: {error}; check free space, permissions and other writers, then try again"
            ) from error
        except OSError as error:
            raise StoreUnavailable(f"{name}: {error.strerror or error}") from error
        except UnicodeEncodeError as error:
            raise InvalidInput("text", f"holds a lone surrogate at character {error.start}") from error
        except OverflowError as error:
            raise InvalidInput("number", "is beyond 64 bits") from error

    # ---- opening and closing

    def let_go(self) -> None:
        """Close the connection; the next call opens it again. No call may be in progress."""
        with self.lock:
            self._disconnect()

    def close(self) -> None:
        """Close the file; a later call opens it for itself alone."""
        with self.lock:
            self._keep_open = False
            if not self._users:
                self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            if _identity(self.path) in (None, self._identity):
                self._connection.close()
            else:
                _abandon(self._connection)
            self._connection = self._stamp = None
            self.presence.release()
            _open_files.discard(self)

    def _current(self) -> sqlite3.Connection:
        if self._users == 1 and self._identity is not None and _identity(self.path) != self._identity:
            self._replaced = True  # what is derived from the former file is worth nothing any more
            self._disconnect()
        if self._users == 1 and self._stamp is not None and self._stamp != _stamp(self.path):
            self._disconnect()  # somebody who may write did: what was read before may be half of something
        if self._connection is None:
            try:
                self.presence.acquire(shared=True)
            except OSError:
                if not _read_only(self.path):
                    raise
            try:
                self._connection = self._connect()
                self._identity = _identity(self.path)
            except BaseException:
                self.presence.release()
                raise
            _remember(self)
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        fixed = _read_only(self.path)
        self._check_not_emptied()
        if fixed:
            # Without a log there is nothing to share with a writer, and no file to share it by can be made.
            way = "mode=ro" if _log_size(self.path) else "immutable=1"
            self._stamp = _stamp(self.path)
        else:
            if not self.path.exists():
                _mark(self.presence.path, b"")
            with suppress(FileExistsError):  # its log and the rest take over that it is its owner's alone
                os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
            way = "mode=rwc"
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?{way}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            for pragma in PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            if version > len(schema.MIGRATIONS):
                raise StoreUnavailable(
                    f"{self.folder.name}/{self.path.name}: written by a newer qgmem (format {version}, this one "
                    f"knows {len(schema.MIGRATIONS)}); upgrade qgmem"
                )
            if fixed and version < len(schema.MIGRATIONS):
                raise StoreUnavailable(
                    f"{self.folder.name}/{self.path.name}: written by an older qgmem (format {version}) and not "
                    "writable; open it once where it may be written"
                )
            if version < len(schema.MIGRATIONS):
                _write_ahead(connection)
                schema.migrate(connection, self.user_id)
        except BaseException:
            connection.close()
            raise
        if not fixed:
            _mark(self.presence.path, WRITTEN)
        return connection

    def _check_not_emptied(self) -> None:
        """An empty file is one that is just beginning, unless its neighbours show that it was written before.

        They are looked at first: whoever is beginning writes the file before its mark. Raises StoreDamaged.
        """
        names = (SNAPSHOT, OPEN_LOCK, f"{DATABASE}-wal")
        signs = [name for name in names if _size(self.folder / name)]
        if signs and _size(self.path) == 0:
            raise StoreDamaged(
                f"{self.folder.name}/{self.path.name}: is empty, and {signs[0]} shows that it once was not; put a "
                "backup back, or remove the folder to begin anew; `qgmem doctor` checks the others"
            )


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


def _identity(path: Path) -> Identity | None:
    """Which file lies there; None if none can be seen."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _read_only(path: Path) -> bool:
    """True for a database that may be read in a folder that may not be written to."""
    return os.access(path, os.R_OK) and not os.access(path.parent, os.W_OK)


def _log_size(path: Path) -> int:
    """Bytes of the write-ahead log beside the file."""
    return _size(Path(f"{path}-wal")) or 0


def _size(path: Path) -> int | None:
    """Bytes of a file; None if none can be seen."""
    try:
        return os.stat(path).st_size
    except OSError:
        return None


def _mark(path: Path, sign: bytes) -> None:
    """What the lock file says of the database beside it; one that cannot be written now is when it is next opened."""
    if _size(path) != len(sign):
        with suppress(OSError):
            path.write_bytes(sign)


def _stamp(path: Path) -> tuple[int, ...] | None:
    """What changes when somebody writes to the file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns, int(_log_size(path) > 0)


def _abandon(connection: sqlite3.Connection) -> None:
    """Never close this one: SQLite would unlink a log by its name, which is that of a newer file by now."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Turn the log on. Its change of mode ignores the busy timeout, so several creators take turns here."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        else:
            if mode == "wal":
                return
            if time.monotonic() > deadline:
                raise StoreUnavailable(f"{DATABASE}: this file system cannot hold a write-ahead log")
        time.sleep(0.01)


# ---- forks: SQLite connections must not live through one, so they are closed before and open again on demand

_open_files: weakref.WeakSet[SqliteFile] = weakref.WeakSet()
_held: list[SqliteFile] = []
_watching = False
_guard = threading.Lock()


def _remember(file: SqliteFile) -> None:
    global _watching
    with _guard:
        if not _watching and hasattr(os, "register_at_fork"):
            os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
            _watching = True
        _open_files.add(file)


def _before_fork() -> None:
    with _guard:
        files = sorted(_open_files, key=id)
    for file in files:
        file.lock.acquire()
        _held.append(file)
        if not file._users:
            file._disconnect()


def _after_fork() -> None:
    while _held:
        _held.pop().lock.release()
