"""The state of one namespace's files, looked at without changing a byte of what they hold.

`problems` are things that are not as they were written; `blocked` says why something could not be looked at, which
tells nothing about it; `notes` cost time or quality and say what to do.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import InvalidInput, StoreError, StoreUnavailable
from . import schema
from .folder import DATABASE, FILES, FOLD_LOCK, SNAPSHOT, namespace_folder
from .locks import FileLock
from .records import StoreStats
from .snapshot import checked
from .sqlite import SqliteStore

SQLITE_MAGIC = b"SQLite format 3\0"
WINDOWS_LISTED = 20


@dataclass(slots=True)
class Health:
    """What was found in one folder. `user_id` and `stats` are None when the file does not tell."""

    folder: str
    user_id: str | None = None
    stats: StoreStats | None = None
    snapshot: str = "none"
    problems: list[str] = field(default_factory=list)
    blocked: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def examine(folder: Path) -> Health:
    """Looks at one namespace folder. Damage is reported, never raised."""
    health = Health(folder.name)
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        health.blocked.append(f"{folder.name}: cannot be listed: {error.strerror}")
        return health
    _leftovers(health, folder, names)
    database = folder / DATABASE
    if DATABASE not in names:
        health.notes.append(f"{folder.name}: holds no {DATABASE}; an interrupted deletion leaves such a folder")
        return health
    if _whole_header(health, database):
        _content(health, folder)
    _snapshot(health, folder / SNAPSHOT)
    return health


def _whole_header(health: Health, database: Path) -> bool:
    """The first bytes, before SQLite is asked: it would fill an empty file and repair nothing."""
    name = f"{health.folder}/{DATABASE}"
    try:
        with database.open("rb") as file:
            lead = file.read(100)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        health.blocked.append(f"{name}: cannot be read: {error.strerror}")
        return False
    if len(lead) < 100 or not lead.startswith(SQLITE_MAGIC):
        what = f"is cut short ({size} bytes)" if len(lead) < 100 else "has a damaged header"
        health.problems.append(f"{name}: {what}; put a backup back, or import an export under the same user id")
        return False
    return True


def _content(health: Health, folder: Path) -> None:
    name = f"{health.folder}/{DATABASE}"
    try:
        health.user_id, version = _identity(folder / DATABASE)
    except sqlite3.OperationalError as error:
        said = f"{name}: cannot be opened: {error}; check permissions and free space"
        health.blocked.append(_unwritable(folder) or said)
        return
    except sqlite3.DatabaseError as error:
        health.problems.append(f"{name}: {error}; put a backup back, or import an export under the same user id")
        return
    if health.user_id is None:
        health.problems.append(f"{name}: does not say whose memory it is")
        return
    if not _in_its_folder(folder, health.user_id):
        expected = namespace_folder(folder.parent, health.user_id).name
        health.problems.append(f"{health.folder}: belongs to a user whose folder is {expected}; rename it to that")
    if version < len(schema.MIGRATIONS):
        health.notes.append(f"{name}: format {version}, brought up to date when it is next opened")
        return
    try:
        with closing(SqliteStore(folder, health.user_id, create=False)) as store:
            health.problems += [f"{name}: {problem}" for problem in store.check()]
            health.stats = store.stats()
            health.notes += _incomplete(name, store) + _untraced(name, store)
    except StoreUnavailable as error:
        health.blocked.append(_unwritable(folder) or str(error))
        return
    except StoreError as error:
        health.problems.append(str(error))
        return
    waiting = health.stats.pending_units + health.stats.pending_phrases
    if waiting:
        health.notes.append(f"{name}: {waiting} vectors are missing, so meaning counts for less; run `qgmem reembed`")


def _unwritable(folder: Path) -> str:
    """Said of a memory that this user may only read; nothing of any other. SQLite writes its log even to read."""
    if os.access(folder, os.W_OK) and os.access(folder / DATABASE, os.W_OK):
        return ""
    return f"{folder.name}/{DATABASE}: cannot be written, which even checking it needs; check permissions"


def _incomplete(name: str, store: SqliteStore) -> list[str]:
    """Windows that a language model could not read, or not whole. Their turns are found by their own words."""
    windows = [window for window in store.log.windows() if window.status in ("failed", "partial")]
    notes = [
        f"{name}: window {window.id} ({window.turn_ids[0]} to {window.turn_ids[-1]}): {window.status}, "
        f"{window.reason}; run `qgmem build --resume`"
        for window in windows[:WINDOWS_LISTED]
    ]
    more = len(windows) - WINDOWS_LISTED
    return notes + ([f"{name}: and {more} more windows that failed or lack something"] if more > 0 else [])


def _untraced(name: str, store: SqliteStore) -> list[str]:
    """What nobody has read for traces yet, as after an upgrade; it is read when traces are first asked for."""
    with store.traced() as reading:
        waiting = reading.waiting
    return [f"{name}: {waiting} turns are in no trace yet; `qgmem trace` reads them"] if waiting else []


def _identity(database: Path) -> tuple[str | None, int]:
    """(user id, format number) of a file with a whole header. Raises sqlite3.DatabaseError."""
    with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        tables = {str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if "meta" not in tables:
            return None, version
        row = connection.execute("SELECT value FROM meta WHERE name = 'user_id'").fetchone()
        return (None if row is None else str(row[0])), version


def _in_its_folder(folder: Path, user_id: str) -> bool:
    try:
        return namespace_folder(folder.parent, user_id).name == folder.name
    except InvalidInput:
        return False


def _snapshot(health: Health, path: Path) -> None:
    """Whether the derived index is there and whole; it is never a problem, since it can be made again."""
    try:
        change = checked(path).change
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        health.snapshot = "unreadable"
        health.notes.append(f"{health.folder}/{SNAPSHOT}: is not whole; it is made again when it is needed")
        return
    behind = health.stats.change - change if health.stats else 0
    health.snapshot = "current" if behind == 0 else f"{behind} changes behind"


def _leftovers(health: Health, folder: Path, names: list[str]) -> None:
    for stale in _stale(folder, names):
        health.notes.append(
            f"{health.folder}/{stale}: left by an interrupted writer; `qgmem doctor --fix` removes it"
        )
    for other in names:
        if other not in FILES and not _temporary(other) and other != f"{DATABASE}-journal":
            health.notes.append(f"{health.folder}/{other}: is no file of qgmem")


def _temporary(name: str) -> bool:
    return name.startswith(f"{SNAPSHOT}.") and name.endswith(".tmp")


def _stale(folder: Path, names: list[str]) -> Iterator[str]:
    """Temporary files that nobody is writing: a writer holds the lock."""
    found = [name for name in names if _temporary(name)]
    if not found:
        return
    lock = FileLock(folder / FOLD_LOCK)
    try:
        if lock.acquire(shared=False, wait=False):
            yield from found
    except OSError:
        yield from found  # nobody can be writing where nobody can write
    finally:
        lock.release()


def tidy(folder: Path) -> list[str]:
    """Removes what can be made again: temporary files nobody is writing, and a snapshot that is not whole.

    Returns their names. Raises StoreUnavailable.
    """
    health = examine(folder)
    gone = list(_stale(folder, sorted(os.listdir(folder))))
    if health.snapshot == "unreadable":
        gone.append(SNAPSHOT)
    try:
        with FileLock(folder / FOLD_LOCK):
            for name in gone:
                (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"{folder.name}: {error.strerror or error}") from error
    return gone
