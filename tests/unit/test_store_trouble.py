"""Full disks, read-only folders, damaged and foreign files: a typed error that names the file, and no harm done."""

from __future__ import annotations

import os
import resource
import sqlite3
from pathlib import Path

import pytest
from forked import Child, Say, open_way

from qgmem import Memory
from qgmem.errors import EmbedderMismatch, ModelUnavailable, NotFound, StoreDamaged, StoreError, StoreUnavailable
from qgmem.models.scripted import HashEmbedder
from qgmem.stores import schema
from qgmem.stores.connection import SqliteFile
from qgmem.stores.folder import DATABASE, SNAPSHOT, namespace_folder
from qgmem.stores.sqlite import SqliteStore

EMBEDDER = HashEmbedder(16)
FOLDER = namespace_folder(Path(), "default").name
UNPRIVILEGED = 65534  # "nobody"


def memory_at(path: Path) -> Memory:
    return Memory.open(path, embedder=EMBEDDER)


def texts(path: Path) -> list[str]:
    with memory_at(path) as memory:
        assert memory._space("default").store.check() == []
        return [unit.text for unit in memory.get_all()]


def test_a_full_disk_stops_a_write_and_harms_nothing(tmp_path: Path) -> None:
    """RLIMIT_FSIZE makes every file end where it is: what was acknowledged stays, and the next run goes on."""
    with memory_at(tmp_path) as memory:
        memory.add("before")
    size = (tmp_path / FOLDER / DATABASE).stat().st_size

    def fill(say: Say) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 1_000_000, resource.RLIM_INFINITY))
        memory = memory_at(tmp_path)
        for n in range(10_000):
            try:
                memory.add(f"turn {n} " + "x" * 2000)
            except StoreUnavailable as error:
                say(f"{type(error).__name__} {error}")
                break
            say(f"turn {n}")
        say(str(len(memory.get_all())))  # it can still be read
        say(str(memory.search("before")[0].text))

    *acknowledged, error, count, found = Child(fill).join()
    assert error.startswith("StoreUnavailable")
    assert FOLDER in error
    assert "free space" in error
    assert (len(acknowledged) > 5, int(count), found) == (True, len(acknowledged) + 1, "before")
    assert [text.split(" x")[0] for text in texts(tmp_path)] == ["before", *acknowledged]
    with memory_at(tmp_path) as memory:
        memory.add("after")
    assert texts(tmp_path)[-1] == "after"


def test_a_full_disk_while_folding_costs_nothing_but_the_snapshot(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        memory.add([f"turn {n} about the sea" for n in range(400)])

    def fold(say: Say) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, resource.RLIM_INFINITY))
        memory = memory_at(tmp_path)
        index = memory._space("default").index
        say(str(len(memory.search("sea", limit=500))))
        try:
            index.fold(force=True)
        except StoreUnavailable as error:
            say(str(error))
        say(str(len(memory.search("sea", limit=500))))
        memory.close()

    before, error, after = Child(fold).join()
    assert (before, after) == ("400", "400")
    assert FOLDER in error
    assert [path.name for path in (tmp_path / FOLDER).glob("*.tmp")] == []
    assert not (tmp_path / FOLDER / SNAPSHOT).exists()
    assert len(texts(tmp_path)) == 400


def test_a_full_disk_while_deleting_is_told_and_finished_later(tmp_path: Path) -> None:
    """The unit is gone from every answer; its bytes go when there is room, at the latest when it is opened again."""
    with memory_at(tmp_path) as memory:
        secret = str(memory.add("a secret word: quellmalz").items[0].turn_id)
        memory.add([f"turn {n} " + "y" * 3000 for n in range(100)])

    def delete(say: Say) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
        memory = memory_at(tmp_path)
        try:
            memory.delete(secret)
        except StoreUnavailable as error:
            say(str(error))
        say(str(secret in {unit.id for unit in memory.get_all()}))
        say(str(memory._space("default").store.check()))

    error, still_there, problems = Child(delete).join()
    assert FOLDER in error
    assert still_there == "False"
    assert "interrupted" in problems
    assert len(texts(tmp_path)) == 100
    assert b"quellmalz" not in b"".join(path.read_bytes() for path in (tmp_path / FOLDER).iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up its rights for a test")
def test_a_read_only_folder_is_searched_and_a_write_is_a_typed_error(tmp_path: Path) -> None:
    """A memory that may only be read gives what it holds; no file is made or changed, however it is asked."""
    with memory_at(tmp_path / "m") as memory:
        memory.add("before")
    open_way(tmp_path)
    for path in [tmp_path, *tmp_path.rglob("*")]:
        os.chmod(path, 0o555 if path.is_dir() else 0o444)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def use(say: Say) -> None:
        os.setgroups([])
        os.setgid(UNPRIVILEGED)
        os.setuid(UNPRIVILEGED)
        for name, call in (
            ("add", lambda memory: memory.add("no")),
            ("add new user", lambda memory: memory.add("no", user_id="new")),
            ("search", lambda memory: memory.search("before")),
            ("delete", lambda memory: memory.delete_all()),
        ):
            try:
                memory = memory_at(tmp_path / "m")
                found = call(memory)
                say(f"{name}: {[hit.text for hit in found]}" if name == "search" else f"{name}: no error")
            except StoreUnavailable as error:
                say(f"{name}: StoreUnavailable {error}")
            memory.close()

    said = Child(use).join()
    assert said[2] == "search: ['before']"
    writes = [said[0], said[1], said[3]]
    assert [line.split(": ")[1].split()[0] for line in writes] == ["StoreUnavailable"] * 3
    assert all(FOLDER in line for line in (said[0], said[3]))
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == files
    for path in [tmp_path, *tmp_path.rglob("*")]:
        os.chmod(path, 0o755 if path.is_dir() else 0o644)
    assert texts(tmp_path / "m") == ["before"]


@pytest.mark.parametrize("damage", ["garbage", "cut", "middle", "empty pages"])
def test_a_damaged_file_is_named(tmp_path: Path, damage: str) -> None:
    with memory_at(tmp_path) as memory:
        memory.add([f"turn {n} about the sea " + "z" * 500 for n in range(300)])
    path = tmp_path / FOLDER / DATABASE
    data = bytearray(path.read_bytes())
    if damage == "garbage":
        data[:4096] = os.urandom(4096)
    elif damage == "cut":
        del data[len(data) // 2 :]
    elif damage == "middle":
        data[8192:81920] = b"\xa5" * (81920 - 8192)
    else:
        data[4096:] = bytes(len(data) - 4096)
    path.write_bytes(bytes(data))
    problems = found_wrong(tmp_path / FOLDER)
    assert problems != []
    memory = memory_at(tmp_path)
    with pytest.raises(StoreDamaged, match=f"{FOLDER}.*doctor"):
        use(memory)


@pytest.mark.parametrize("beside", ["open.lock", "index.snapshot", f"{DATABASE}-wal"])
@pytest.mark.parametrize("size", [0, 50])
def test_an_emptied_file_is_damage_and_stays_as_it_is(tmp_path: Path, beside: str, size: int) -> None:
    """Each neighbour alone shows that words were here once; a file of 50 bytes shows it by itself."""
    with memory_at(tmp_path) as memory:
        memory.add("My dog is called Biscuit.")
    folder = tmp_path / FOLDER
    assert (folder / "open.lock").stat().st_size > 0
    for path in folder.iterdir():
        path.unlink()
    (folder / beside).write_bytes(b"written\n")
    (folder / DATABASE).write_bytes(b"\0" * size)
    memory = memory_at(tmp_path)
    for call in (
        lambda: memory.search("dog"),
        memory.get_all,
        lambda: memory.add("more"),
        memory.stats,
        lambda: memory.export(tmp_path / "x"),
    ):
        with pytest.raises(StoreDamaged, match=f"{FOLDER}/{DATABASE}.*doctor"):
            call()
    assert (folder / DATABASE).read_bytes() == b"\0" * size


def test_an_empty_file_with_nothing_beside_it_is_a_beginning(tmp_path: Path) -> None:
    """Whoever was killed between making the file and writing it leaves this, and has acknowledged nothing."""
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / DATABASE).touch()
    (tmp_path / FOLDER / "open.lock").touch()
    with memory_at(tmp_path) as memory:
        memory.add("first")
        assert texts_of(memory) == ["first"]


def test_a_deletion_cut_off_before_its_last_file_lets_a_memory_begin_anew(tmp_path: Path) -> None:
    """The lock file goes last; what it says of the former database is taken back before a new one begins."""
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "open.lock").write_bytes(b"written\n")
    with memory_at(tmp_path) as memory:
        memory.add("first")
        assert texts_of(memory) == ["first"]


def texts_of(memory: Memory) -> list[str]:
    return [unit.text for unit in memory.get_all()]


def found_wrong(folder: Path) -> list[str]:
    """What a check of the file says, be it as a list or because the file cannot even be opened."""
    try:
        return SqliteStore(folder, "default").check()
    except StoreDamaged as error:
        return [str(error)]


def use(memory: Memory) -> None:
    """Read and write everything."""
    memory.get_all()
    memory.add("more")
    memory.search("sea")


def test_values_that_cannot_be_read_back_are_damage_not_a_crash(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        memory.add(["one", "two"])
    with sqlite3.connect(tmp_path / FOLDER / DATABASE) as connection:
        connection.execute("UPDATE turns SET metadata = '{broken' WHERE text = 'one'")
        connection.execute("UPDATE units SET fact_times = '[[1, 2]]' WHERE key = 2")
        connection.execute("UPDATE turns SET utterance_time = 'noon' WHERE text = 'two'")
    connection.close()
    store = SqliteStore(tmp_path / FOLDER, "default")
    assert store.check() == ["1 turns with broken metadata"]
    with pytest.raises(StoreDamaged, match="turn 1"):
        list(store.turns())
    with pytest.raises(StoreDamaged, match="turn 2"):
        store.turn(next(unit_id for _, unit_id in store.pending_units("nobody", 1, 1)))


def test_rows_that_lack_what_they_rest_on_are_named(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        memory.add(["I met Bob in Oslo", "two"])
    with sqlite3.connect(tmp_path / FOLDER / DATABASE) as connection:
        connection.execute("DELETE FROM units WHERE key = 1")
        connection.execute("UPDATE unit_vectors SET vector = x'00' WHERE unit = 2")
    connection.close()
    problems = SqliteStore(tmp_path / FOLDER, "default").check()
    assert any("1 turns without a unit" in problem for problem in problems)
    assert any("1 vectors of a wrong length" in problem for problem in problems)
    assert any("mentions without a unit" in problem for problem in problems)


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        memory.add("from the future")
    with sqlite3.connect(tmp_path / FOLDER / DATABASE) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = (tmp_path / FOLDER / DATABASE).read_bytes()
    with pytest.raises(StoreUnavailable, match=r"newer qgmem \(format 99.*upgrade"):
        memory_at(tmp_path).search("future")
    assert (tmp_path / FOLDER / DATABASE).read_bytes() == before


def test_an_older_file_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A further step runs once, in its own transaction, on a file that was made before it."""
    with memory_at(tmp_path) as memory:
        memory.add("old words")
    step = "CREATE TABLE extra (n INTEGER);\nINSERT INTO extra VALUES (1);"
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
    assert texts(tmp_path) == texts(tmp_path) == ["old words"]
    with sqlite3.connect(tmp_path / FOLDER / DATABASE) as connection:
        assert connection.execute("SELECT count(*) FROM extra").fetchone() == (1,)
        assert connection.execute("PRAGMA user_version").fetchone() == (len(schema.MIGRATIONS),)
    connection.close()


def test_a_step_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with memory_at(tmp_path) as memory:
        memory.add("old words")
    with monkeypatch.context() as patch:
        patch.setattr(
            schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE extra (n);\nINSERT INTO nowhere VALUES (1);")
        )
        with pytest.raises(StoreError, match=FOLDER):
            memory_at(tmp_path).get_all()
    assert texts(tmp_path) == ["old words"]
    with sqlite3.connect(tmp_path / FOLDER / DATABASE) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'extra'").fetchone() == (0,)
    connection.close()


def test_a_database_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    with sqlite3.connect(tmp_path / FOLDER / DATABASE) as connection:
        connection.execute("CREATE TABLE theirs (n INTEGER)")
    connection.close()
    with pytest.raises(StoreDamaged, match="not made by qgmem"):
        memory_at(tmp_path).add("mine")
    with sqlite3.connect(tmp_path / FOLDER / DATABASE) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
    connection.close()


def test_a_store_that_must_exist_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="ana"):
        SqliteStore(tmp_path / "x", "ana", create=False)
    assert not (tmp_path / "x").exists()


class Failing(HashEmbedder):
    """An embedder that gives up after a number of calls."""

    def __init__(self, dimension: int, calls: int) -> None:
        super().__init__(dimension)
        self.calls = calls

    def embed(self, texts):  # type: ignore[no-untyped-def]
        self.calls -= 1
        if self.calls < 0:
            raise ModelUnavailable("interrupted")
        return super().embed(texts)


def test_reembedding_goes_on_after_an_interrupt_and_the_old_index_answers_until_then(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        for start in range(0, 700, 100):
            memory.add([f"turn {n} about the sea" for n in range(start, start + 100)])
        before = [hit.id for hit in memory.search("turn 77 sea")]
    interrupted = Memory.open(tmp_path, embedder=Failing(24, calls=2))
    with pytest.raises(EmbedderMismatch, match=r"hash-16 \(16 dim.*hash-24 \(24 dim.*reembed"):
        interrupted.search("sea")
    with pytest.raises(ModelUnavailable):
        interrupted.reembed()
    with memory_at(tmp_path) as memory:
        assert [hit.id for hit in memory.search("turn 77 sea")] == before
        memory.add("written meanwhile")
    resumed = Failing(24, calls=100)
    with Memory.open(tmp_path, embedder=resumed) as memory:
        assert memory.reembed() == 701 - 512  # two batches of 256 were done before
        assert memory.stats().embedder == "hash-24"
        assert memory.stats().vectors == 701
        assert memory.search("turn 77 sea")[0].text == "turn 77 about the sea"
        assert memory.search("written meanwhile")[0].text == "written meanwhile"
    with pytest.raises(EmbedderMismatch):
        memory_at(tmp_path).search("sea")


def test_an_index_in_memory_does_not_outlive_its_embedder(tmp_path: Path) -> None:
    """A process that searched before another one reembedded is told, instead of mixing vectors."""
    memory = memory_at(tmp_path)
    memory.add("about the sea")
    assert memory.search("sea")
    Memory.open(tmp_path, embedder=HashEmbedder(24)).reembed()
    with pytest.raises(EmbedderMismatch):
        memory.search("sea")
    with pytest.raises(EmbedderMismatch):
        memory.add("more")


def test_every_write_waits_for_the_disk_and_overwrites_what_it_frees(tmp_path: Path) -> None:
    """A power cut cannot be tested here; that SQLite was told to survive one can."""
    file = SqliteFile(tmp_path / "n", "ana")
    with file.connected() as connection:
        told = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "secure_delete", "temp_store")
        }
    assert told == {"journal_mode": "wal", "synchronous": 2, "secure_delete": 1, "temp_store": 2}
    file.close()


def test_errors_in_a_transaction_leave_the_connection_usable(tmp_path: Path) -> None:
    file = SqliteFile(tmp_path / "n", "ana")
    with pytest.raises(StoreError), file.writing() as connection:
        connection.execute("INSERT INTO meta VALUES ('change', 'twice')")
    with pytest.raises(ZeroDivisionError), file.reading():
        _ = 1 // 0
    with file.reading() as connection:
        assert connection.execute("SELECT count(*) FROM meta").fetchone() == (2,)
    file.close()
