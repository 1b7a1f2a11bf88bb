"""What is deleted leaves no byte in any file: text, words, names, vectors, and what the index made of them."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import numpy as np
import pytest
from forked import Child, Say

from qgmem import Memory
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.dense import quantise
from qgmem.stores.folder import DATABASE, namespace_folder
from qgmem.stores.segment import term_hash
from qgmem.stores.sqlite import SqliteStore

EMBEDDER = HashEmbedder(48)
SECRET = "I met Quellmalz and Eve in Vorpalburg. My SSN is 078-05-1120."
SECRET_WORDS = ("078-05-1120", "Quellmalz", "quellmalz", "Vorpalburg", "vorpalburg")
NEW_WORDS = "I met Brillig there. My number is 555-44-3333."
FILLERS = [f"filler number {n} about gardens, Ana and rivers {n * 7}" for n in range(60)]


def vector_needles(text: str) -> dict[str, bytes]:
    """The vector of a text as the store and the index keep it."""
    vector = EMBEDDER.embed([text]).astype(np.float16)
    return {f"vector of {text[:20]}": vector.tobytes(), f"codes of {text[:20]}": quantise(vector)[0].tobytes()}


def needles() -> dict[str, bytes]:
    """What must be gone, by name."""
    found = {word: word.encode() for word in (SECRET, *SECRET_WORDS, "secret-session", "Jabber", "secret-value")}
    found |= vector_needles(f"Jabber: {SECRET}") | vector_needles("quellmalz")
    for word in ("quellmalz", "vorpalburg", "jabber"):
        found[f"hash of {word}"] = term_hash(word).to_bytes(8, "little")
    return found


def occurrences(folder: Path, wanted: dict[str, bytes]) -> dict[str, list[str]]:
    """Which needle stands in which files of the folder."""
    found: dict[str, list[str]] = {}
    for path in filter(Path.is_file, sorted(folder.rglob("*"))):
        data = path.read_bytes()
        for name, needle in wanted.items():
            if needle in data:
                found.setdefault(name, []).append(path.name)
    return found


def filled(path: Path, *, fold: bool) -> tuple[Memory, str]:
    """A memory with a secret among other turns and another user; the secret's id."""
    memory = Memory.open(path, embedder=EMBEDDER)
    memory.add(FILLERS[:30], session_id="open")
    report = memory.add(
        {"role": "user", "name": "Jabber", "content": SECRET, "metadata": {"note": "secret-value"}},
        session_id="secret-session",
    )
    memory.add(FILLERS[30:], session_id="open")
    memory.add("Bob keeps his own words", user_id="bob")
    memory.search("Quellmalz")
    if fold:
        assert memory._space("default").index.fold(force=True)
    return memory, str(report.items[0].turn_id)


def assert_others_are_whole(memory: Memory) -> None:
    assert [unit.text for unit in memory.get_all()] == FILLERS
    assert memory.search("gardens rivers 63", limit=1)[0].text in FILLERS
    assert memory.get_all(user_id="bob")[0].text == "Bob keeps his own words"
    assert occurrences(namespace_folder(memory.path, "bob"), {"bob": b"Bob keeps his own words"})
    assert memory._space("default").store.check() == []


@pytest.mark.parametrize("fold", [False, True], ids=["no-snapshot", "after-a-fold"])
@pytest.mark.parametrize("how", ["id", "session", "update", "all"])
def test_no_byte_stays(tmp_path: Path, how: str, fold: bool) -> None:
    memory, secret = filled(tmp_path, fold=fold)
    folder = namespace_folder(tmp_path, "default")
    before = occurrences(folder, needles())
    text = {name for name in needles() if not name.startswith(("hash", "codes"))}
    assert text <= set(before)  # they are found where they are
    if fold:
        assert {name for name in needles() if name.startswith("hash")} <= set(before)
    wanted = needles()
    if how == "update":
        memory.update(secret, NEW_WORDS)
        if fold:
            memory._space("default").index.fold(force=True)
        wanted |= {word: word.encode() for word in ("555-44-3333", "Brillig", "brillig")}
        wanted |= vector_needles(f"Jabber: {NEW_WORDS}")
        assert occurrences(folder, wanted)["Brillig"]
    if how == "all":
        receipt = memory.delete_all()
        assert receipt.units == len(FILLERS) + 1
        assert not folder.exists()
        assert memory.get_all(user_id="bob")
    else:
        receipt = memory.delete(session_id="secret-session") if how == "session" else memory.delete(secret)
        assert (receipt.unit_ids, receipt.turns, receipt.units, receipt.vectors) == ((secret,), 1, 1, 1)
        assert receipt.history == (how == "update")
        assert occurrences(tmp_path, wanted) == {}
        assert_others_are_whole(memory)
        memory.close()
    assert occurrences(tmp_path, wanted) == {}
    for word in SECRET_WORDS:
        assert word not in str(receipt)


@pytest.mark.parametrize("how", ["id", "all"])
def test_no_byte_stays_while_another_process_has_the_memory_open(tmp_path: Path, how: str) -> None:
    memory, secret = filled(tmp_path, fold=True)
    folder = namespace_folder(tmp_path, "default")

    def hold(say: Say) -> None:
        other = Memory.open(tmp_path, embedder=EMBEDDER)
        say(str(len([hit for hit in other.search("Quellmalz") if "Quellmalz" in hit.text])))
        deadline = time.monotonic() + 60
        while not (tmp_path / "over").exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        say(str(len([hit for hit in other.search("Quellmalz", limit=500) if "Quellmalz" in hit.text])))
        other.close()

    other = Child(hold)
    assert other.line() == "1"
    if how == "all":
        memory.delete_all()
        assert folder.exists()  # the other process has its files open
    else:
        memory.delete(secret)
    assert occurrences(tmp_path, needles()) == {}
    (tmp_path / "over").touch()
    assert other.line() == "0"
    other.join()
    assert occurrences(tmp_path, needles()) == {}
    if how == "id":
        assert_others_are_whole(memory)
    else:
        assert memory.get_all() == []


def test_a_deletion_that_was_killed_is_finished_by_the_next_opening(tmp_path: Path) -> None:
    """Either the unit is still there whole, or it is gone and, after one opening, so is every byte."""
    moments = random.Random(3)
    gone = finished_late = 0
    memory, secret = filled(tmp_path / "measured", fold=True)
    started = time.monotonic()
    memory.delete(secret)
    whole = 1.2 * (time.monotonic() - started)
    for number in range(20):
        path = tmp_path / str(number)
        memory, secret = filled(path, fold=True)
        memory.close()

        def delete(say: Say, path: Path = path, secret: str = secret) -> None:
            memory = Memory.open(path, embedder=EMBEDDER)
            store = memory._space("default").store
            say("ready")
            store.delete([secret])

        child = Child(delete)
        child.line()
        time.sleep(moments.uniform(0, whole))
        child.kill()
        folder = namespace_folder(path, "default")
        left = occurrences(folder, needles())
        SqliteStore(folder, "default").close()
        memory = Memory.open(path, embedder=EMBEDDER)
        if secret in {unit.id for unit in memory.get_all()}:
            assert SECRET in {hit.text for hit in memory.search("Quellmalz")}
        else:
            gone += 1
            finished_late += bool(left)
            assert occurrences(path, needles()) == {}
            assert_others_are_whole(memory)
        memory.close()
    assert gone > 0
    assert finished_late > 0


def test_a_secret_that_was_moved_between_pages_leaves_no_copy(tmp_path: Path) -> None:
    """Names in random order make the pages of the file's indexes split and merge, which copies rows about.

    SQLite's `secure_delete` does not reach such copies; rewriting the file does.
    """
    drawn = random.Random(5)
    names = ["".join(drawn.choices("bcdfgklmnprstvz", k=40)).title() for _ in range(450)]
    memory = Memory.open(tmp_path, embedder=EMBEDDER)
    ids: dict[str, str] = {}
    for start in range(0, 450, 50):
        batch = names[start : start + 50]
        report = memory.add([f"I met {name} there. {'pad ' * drawn.randrange(0, 200)}" for name in batch])
        ids |= {name: str(item.turn_id) for name, item in zip(batch, report.items, strict=True)}
    for name in drawn.sample(names, 60):
        memory.update(ids[name], f"I met {name} elsewhere. {'pad ' * drawn.randrange(0, 400)}")
    drawn.shuffle(names)
    for start in range(0, 450, 150):
        part = names[start : start + 150]
        memory.delete([ids[name] for name in part])
        wanted = {name: name.encode() for name in part} | {name.lower(): name.lower().encode() for name in part}
        assert occurrences(tmp_path, wanted) == {}
    assert memory.get_all() == []


def test_a_name_of_a_message_that_was_not_stored_is_not_kept(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path, embedder=EMBEDDER)
    memory.add({"role": "user", "content": "first", "id": "m1"})
    report = memory.add(
        {"role": "user", "content": "other", "id": "m1", "name": "Jabber"}, session_id="secret-session"
    )
    assert report.items[0].status == "failed"
    memory.close()
    assert occurrences(tmp_path, {word: word.encode() for word in ("Jabber", "secret-session")}) == {}


def test_delete_all_of_a_user_without_a_memory_makes_nothing(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "m", embedder=EMBEDDER)
    assert memory.delete_all(user_id="nobody").units == 0
    assert not (tmp_path / "m").exists()


def test_files_of_a_namespace_are_for_its_owner_alone_to_find(tmp_path: Path) -> None:
    """No content and no path in names: a readable stem of the user id and a digest."""
    memory, _ = filled(tmp_path, fold=True)
    names = {path.name for path in namespace_folder(tmp_path, "default").iterdir()}
    assert DATABASE in names
    assert not any(word in name for word in SECRET_WORDS for name in os.listdir(tmp_path) + sorted(names))
    memory.close()
