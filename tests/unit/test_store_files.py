"""The files of a namespace: whose they are, and what happens when they go away under an open memory."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from qgmem import Memory
from qgmem.errors import StoreError, StoreUnavailable
from qgmem.models.scripted import HashEmbedder
from qgmem.stores import schema
from qgmem.stores.folder import DATABASE, namespace_folder
from qgmem.stores.sqlite import SqliteStore

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and removing open files are POSIX")


def _open(path: Path) -> Memory:
    return Memory.open(path, embedder=HashEmbedder(16))


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@posix
def test_what_is_remembered_is_its_owners_alone(tmp_path: Path) -> None:
    """Whatever the umask lets through: 0700 for the folder, 0600 for the database, its log, locks and the index."""
    before = os.umask(0)
    try:
        with _open(tmp_path) as memory:
            memory.add([f"turn {n}" for n in range(20)], user_id="ana")
            memory._space("ana").index.fold(force=True)
            folder = namespace_folder(tmp_path, "ana")
            modes = {path.name: _mode(path) for path in folder.iterdir()}
            memory.export(tmp_path / "out.jsonl", user_id="ana")
    finally:
        os.umask(before)
    assert _mode(folder) == 0o700
    assert {"memory.sqlite", "memory.sqlite-wal", "index.snapshot", "open.lock"} <= modes.keys()
    assert set(modes.values()) == {0o600}
    assert _mode(tmp_path / "out.jsonl") == 0o600


@posix
def test_a_folder_that_was_there_keeps_its_permissions(tmp_path: Path) -> None:
    """Who opened it to a group did so on purpose."""
    folder = namespace_folder(tmp_path, "ana")
    folder.mkdir()
    folder.chmod(0o750)
    with _open(tmp_path) as memory:
        memory.add("one", user_id="ana")
    assert _mode(folder) == 0o750


def _removed(folder: Path) -> None:
    shutil.rmtree(folder)


def _renamed(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def _replaced(folder: Path) -> None:
    """Another process has begun anew; its log must not be touched by whoever closes the old file."""
    shutil.rmtree(folder)
    other = _open(folder.parent)
    other.add("the other's", user_id="ana", session_id="o")
    KEPT.append(other)


KEPT: list[Memory] = []


@posix
@pytest.mark.parametrize("away", [_removed, _renamed, _replaced])
def test_nothing_is_acknowledged_into_a_folder_that_is_gone(tmp_path: Path, away: Callable[[Path], None]) -> None:
    """The write after it lands where the next opening finds it; what went with the folder is not found any more."""
    folder = namespace_folder(tmp_path, "ana")
    with _open(tmp_path) as memory:
        memory.add("before the flood", user_id="ana", session_id="s")
        assert len(memory.search("flood", user_id="ana")) == 1
        away(folder)
        assert memory.add("after it", user_id="ana", session_id="s").count("stored") == 1
        found = {hit.text for hit in memory.search("before the flood, after it, the other's", user_id="ana")}
    expected = {"after it"} | ({"the other's"} if KEPT else set())
    while KEPT:
        KEPT.pop().close()
    assert found == expected
    with _open(tmp_path) as again:
        assert {unit.text for unit in again.get_all(user_id="ana")} == expected


@posix
def test_a_search_does_not_make_a_removed_folder_again(tmp_path: Path) -> None:
    with _open(tmp_path) as memory:
        memory.add("one", user_id="ana")
        shutil.rmtree(namespace_folder(tmp_path, "ana"))
        assert memory.search("one", user_id="ana") == []
        assert memory.get_all(user_id="ana") == []
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_folder_removed_in_the_middle_of_a_write_fails_it(tmp_path: Path) -> None:
    with _open(tmp_path) as memory:
        memory.add("one", user_id="ana")
        file = memory._space("ana").store._file  # type: ignore[attr-defined]
        with pytest.raises(StoreUnavailable, match="removed during the write"), file.writing():
            (namespace_folder(tmp_path, "ana") / DATABASE).unlink()
        assert memory.add("two", user_id="ana").count("stored") == 1
        assert [unit.text for unit in memory.get_all(user_id="ana")] == ["two"]


def test_a_file_gets_all_its_tables_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step that fails undoes those before it: the next opening begins at the first."""
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE turns (again TEXT);"))
    with pytest.raises(StoreError, match="turns"):
        SqliteStore(tmp_path, "ana")
    with sqlite3.connect(tmp_path / DATABASE) as file:
        assert file.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        assert file.execute("PRAGMA user_version").fetchone() == (0,)
    monkeypatch.undo()
    store = SqliteStore(tmp_path, "ana")
    assert store.stats().turns == 0
    store.close()
