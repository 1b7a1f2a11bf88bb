"""doctor names every file that is not as it was written; reembed makes what is missing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Cli


@pytest.fixture
def folder(cli: Cli) -> Path:
    """The folder of a healthy memory with enough pages that its middle can be damaged; another one beside it."""
    with Path("chat.txt").open("w") as file:
        file.writelines(f"Ana: Line {n} tells of harbour {n * 37} and its keeper.\n" for n in range(200))
    assert cli("import", "chat.txt", "--user", "ana").code == 0
    assert cli("add", "Untouched.", "--user", "ben").code == 0
    [found] = Path("memories").glob("ana-*")
    return found


def test_healthy_memories_are_ok(cli: Cli, folder: Path) -> None:
    done = cli("doctor")
    assert done.code == 0
    assert "2 memories checked, 0 damaged" in done.out
    assert f"ok ana ({folder.name}), 200 units" in done.out
    told = cli("doctor", "--json").json
    assert [each["user_id"] for each in told["namespaces"]] == ["ana", "ben"]
    assert all(each["problems"] == [] for each in told["namespaces"])


def _header(path: Path) -> None:
    path.write_bytes(b"\0" * 16 + path.read_bytes()[16:])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _middle(path: Path) -> None:
    whole = bytearray(path.read_bytes())
    for page in range(4096, len(whole) - 4096, 8192):
        whole[page : page + 64] = b"\xff" * 64
    path.write_bytes(bytes(whole))


@pytest.mark.parametrize("damage", [_header, _empty, _cut, _middle])
def test_a_damaged_file_is_named_and_the_others_still_checked(
    cli: Cli, folder: Path, damage: Callable[[Path], None]
) -> None:
    damage(folder / "memory.sqlite")
    done = cli("doctor")
    assert done.code == 1
    assert f"problem: {folder.name}/memory.sqlite: " in done.out
    assert "ok ben" in done.out
    assert "2 memories checked, 1 damaged" in done.out
    assert done.err == ""
    told = cli("doctor", "--json")
    assert (told.code, told.json["damaged"]) == (1, 1)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_nobody_may_read_is_named(cli: Cli, folder: Path) -> None:
    (folder / "memory.sqlite").chmod(0)
    assert f"{folder.name}/memory.sqlite: cannot be read" in cli("doctor").out


def test_a_renamed_folder_is_a_problem_with_the_name_it_should_have(cli: Cli, folder: Path) -> None:
    folder.rename(folder.parent / "renamed")
    done = cli("doctor")
    assert done.code == 1
    assert f"renamed: belongs to a user whose folder is {folder.name}" in done.out


def test_leftovers_are_notes_and_fix_removes_them(cli: Cli, folder: Path) -> None:
    """A dead writer's temporary file and a snapshot that is not whole can be made again; others stay."""
    stale, snapshot, other = folder / "index.snapshot.99.tmp", folder / "index.snapshot", folder / "shopping.txt"
    stale.write_bytes(b"half")
    snapshot.write_bytes(b"qgmemix1 and then nothing")
    other.write_text("milk")
    done = cli("doctor")
    assert done.code == 0
    for path in (stale, snapshot, other):
        assert f"note: {folder.name}/{path.name}: " in done.out
    fixed = cli("doctor", "--fix")
    assert fixed.code == 0
    assert not stale.exists()
    assert not snapshot.exists()
    assert other.exists()
    assert f"removed {folder.name}/{stale.name}" in fixed.out
    assert cli("doctor", "--json").json["namespaces"][0]["notes"] == [
        f"{folder.name}/shopping.txt: is no file of qgmem"
    ]
    assert cli("search", "harbour 37", "--user", "ana", "--json").json["hits"]


def test_a_writer_at_work_is_no_leftover(cli: Cli, folder: Path) -> None:
    from qgmem.stores.locks import FileLock

    (folder / "index.snapshot.99.tmp").write_bytes(b"being written")
    with FileLock(folder / "fold.lock"):
        assert "note: " not in cli("doctor").out


def test_missing_vectors_are_a_note_and_reembed_makes_them(cli: Cli, folder: Path) -> None:
    """An embedder that failed leaves turns without vectors; they are found by their words until then."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(folder / "memory.sqlite")) as connection:
        connection.execute("DELETE FROM unit_vectors WHERE unit <= 5")
        connection.commit()
    done = cli("doctor")
    assert done.code == 0
    assert "5 vectors are missing" in done.out
    assert "5 vectors missing" in cli("stats", "--user", "ana").out
    assert cli("reembed", "--user", "ana", "--json").json["units"] == {"ana": 5}
    assert "missing" not in cli("doctor").out


def test_doctor_changes_nothing(cli: Cli, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    cli("doctor")
    after = {path: path.read_bytes() for path in folder.iterdir()}
    assert after[folder / "memory.sqlite"] == before[folder / "memory.sqlite"]
    assert set(before) <= set(after)
