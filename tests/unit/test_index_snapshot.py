"""Snapshots of the index: used when they are whole and of this very store, and made again otherwise."""

from __future__ import annotations

import json
import random
import shutil
import threading
from pathlib import Path

import pytest

from qgmem import Memory, Settings
from qgmem.errors import StoreUnavailable
from qgmem.models.scripted import HashEmbedder
from qgmem.stores import derived, index_reading, snapshot
from qgmem.stores.derived import DerivedIndex
from qgmem.stores.folder import DATABASE, SNAPSHOT, namespace_folder

EMBEDDER = HashEmbedder(16)
FOLDER = namespace_folder(Path(), "default").name
SENTENCES = [f"turn {n} about the {'red kite tax form sea'.split()[n % 5]} with Bob in Oslo" for n in range(120)]


def memory_at(path: Path, **options: object) -> Memory:
    return Memory.open(path, embedder=EMBEDDER, **options)  # type: ignore[arg-type]


def index_of(memory: Memory) -> DerivedIndex:
    return memory._space("default").index


def answers(memory: Memory) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in memory.search("Was Bob with the red kite in Oslo?", limit=60)]


@pytest.fixture
def folded(tmp_path: Path) -> Path:
    """A memory whose base snapshot holds most of it, with a little after it."""
    with memory_at(tmp_path) as memory:
        memory.add(SENTENCES[:100])
        assert index_of(memory).fold(force=True)
        memory.add(SENTENCES[100:])
    return tmp_path


def based(memory: Memory) -> bool:
    """True if the index stands on the snapshot."""
    index_of(memory).current()
    return index_of(memory)._based


def test_a_snapshot_is_used_and_gives_what_an_index_from_the_store_gives(folded: Path) -> None:
    with memory_at(folded) as memory:
        with_snapshot = answers(memory)
        assert based(memory)
        assert [len(part.segment) for part in index_of(memory).current().parts] == [100, 20]
    (folded / FOLDER / SNAPSHOT).unlink()
    with memory_at(folded) as memory:
        assert answers(memory) == with_snapshot
        assert not based(memory)


@pytest.mark.parametrize("part", range(12))
def test_a_changed_byte_anywhere_makes_it_be_ignored(folded: Path, part: int) -> None:
    path = folded / FOLDER / SNAPSHOT
    data = bytearray(path.read_bytes())
    header = 16 + int.from_bytes(data[8:16], "little")
    # padding between arrays is not read, so a byte that changes there changes nothing: seek one that matters
    drawn = random.Random(part)
    specs = json.loads(data[16 : header - 4])["arrays"]
    name = sorted(name for name, spec in specs.items() if spec[1][0])[part % len(specs)]
    place = header + specs[name][2] if part > 2 else (3, 12, 40)[part]
    with memory_at(folded) as memory:
        expected = answers(memory)
    data[place] ^= 1 << drawn.randrange(8)
    path.write_bytes(bytes(data))
    with memory_at(folded) as memory:
        assert answers(memory) == expected
        assert not based(memory)


@pytest.mark.parametrize("size", [0, 7, 15, 16, 100, -1, -5000])
def test_a_cut_file_is_ignored(folded: Path, size: int) -> None:
    path = folded / FOLDER / SNAPSHOT
    path.write_bytes(path.read_bytes()[:size])
    with memory_at(folded) as memory:
        assert len(answers(memory)) == 60
        assert not based(memory)
        assert index_of(memory).fold(force=True)
        assert based(memory)


def test_garbage_and_folders_in_its_place_are_ignored(folded: Path) -> None:
    path = folded / FOLDER / SNAPSHOT
    for content in (b"", b"qgmemix1" + bytes(100), b"\xff" * 4096, snapshot.MAGIC + (1 << 60).to_bytes(8, "little")):
        path.write_bytes(content)
        with memory_at(folded) as memory:
            assert not based(memory)
            assert len(answers(memory)) == 60
    path.unlink()
    path.mkdir()
    with memory_at(folded) as memory:
        assert not based(memory)
        with pytest.raises(StoreUnavailable, match=SNAPSHOT):
            index_of(memory).fold(force=True)


def test_a_snapshot_of_other_settings_is_not_used(folded: Path) -> None:
    with memory_at(folded, settings=Settings(language="german")) as memory:
        assert not based(memory)
    with memory_at(folded) as memory:
        assert based(memory)


def test_a_snapshot_of_another_store_is_not_used(folded: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two stores with equal change numbers; one's snapshot is put beside the other's file."""
    other = tmp_path_factory.mktemp("other")
    with memory_at(other) as memory:
        memory.add([f"quite different {n}" for n in range(100)])
        memory.add([f"and more {n}" for n in range(20)])
    shutil.copy(folded / FOLDER / SNAPSHOT, other / FOLDER / SNAPSHOT)
    with memory_at(other) as memory:
        assert not based(memory)
        assert memory.search("different")[0].text.startswith("quite different")


def test_a_file_put_back_from_a_backup_does_not_believe_a_later_snapshot(folded: Path) -> None:
    """The backup has no knowledge of the snapshot, also when it has come further than the snapshot's change."""
    with memory_at(folded) as memory:
        memory._space("default").store.close()
    backup = (folded / FOLDER / DATABASE).read_bytes()
    with memory_at(folded) as memory:
        memory.add("the lost lighthouse")
        assert index_of(memory).fold(force=True)
    (folded / FOLDER / DATABASE).write_bytes(backup)
    with memory_at(folded) as memory:
        for n in range(5):
            memory.add(f"another way it went {n}")
        assert not based(memory)
        assert all("lighthouse" not in hit.text for hit in memory.search("lighthouse", limit=200))
        assert len(memory.search("another way", limit=5)) == 5


def test_folding_happens_in_the_background_when_the_delta_has_grown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "FOLD_FROM", 50)
    with memory_at(tmp_path) as memory:
        memory.add(SENTENCES[:60])
        first = answers(memory)
        index_of(memory)._join()
        assert (tmp_path / FOLDER / SNAPSHOT).exists()
        assert answers(memory) == first
        assert based(memory)
        memory.add(SENTENCES[60:])
        assert len(answers(memory)) == 60


def test_closing_folds_what_was_added_without_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived, "FOLD_FROM", 50)
    with memory_at(tmp_path) as memory:
        memory.add(SENTENCES[:40])
    assert not (tmp_path / FOLDER / SNAPSHOT).exists()
    with memory_at(tmp_path) as memory:
        memory.add(SENTENCES[40:])
    assert (tmp_path / FOLDER / SNAPSHOT).exists()
    with memory_at(tmp_path) as memory:
        assert based(memory)


def test_a_large_gap_is_read_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is lost or doubled where pages meet, also when another thread writes meanwhile."""
    with memory_at(tmp_path) as memory:
        memory.add(SENTENCES)
        expected = answers(memory)
        monkeypatch.setattr(index_reading, "PAGE", 7)
        index_of(memory).forget()
        assert answers(memory) == expected
        index_of(memory).forget()
        writer = threading.Thread(target=lambda: [memory.add(f"meanwhile {n}") for n in range(20)])
        writer.start()
        while writer.is_alive():
            index_of(memory).forget()
            index = index_of(memory).current()
            names = index.ids(range(index.rows))
            alive = range(index.rows) if index.alive is None else index.alive.nonzero()[0]
            assert len({names[row] for row in alive}) == index.size
            assert index.size >= 120
        writer.join()
        assert index_of(memory).current().size == 140


def test_a_failed_write_leaves_no_file_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with memory_at(tmp_path) as memory:
        memory.add(SENTENCES)
        assert answers(memory)

        def broken(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(snapshot.os, "fsync", broken)
        with pytest.raises(StoreUnavailable, match="No space"):
            index_of(memory).fold(force=True)
        assert len(answers(memory)) == 60
        monkeypatch.undo()
    assert {path.name for path in (tmp_path / FOLDER).iterdir()} <= {DATABASE, "fold.lock", "open.lock"}


def test_an_empty_memory_has_no_snapshot(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        unit = memory.add("only this").items[0].turn_id
        assert memory.delete(str(unit)).units == 1
        assert index_of(memory).fold(force=True) is False
        assert memory.search("only this") == []
    assert not (tmp_path / FOLDER / SNAPSHOT).exists()
