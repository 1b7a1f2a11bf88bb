"""Several processes on one store, and processes that are killed in the middle of what they do."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest
from forked import Child, Say

from qgmem import Memory
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.derived import DerivedIndex
from qgmem.stores.folder import SNAPSHOT, namespace_folder

if not hasattr(os, "fork"):
    pytest.skip("needs os.fork", allow_module_level=True)

EMBEDDER = HashEmbedder(16)


def memory_at(path: Path) -> Memory:
    return Memory.open(path, embedder=EMBEDDER)


def index_of(memory: Memory) -> DerivedIndex:
    return memory._space("default").index


def test_readers_see_whole_batches_only(tmp_path: Path) -> None:
    """Batches of five; a reader that ever sees a number of units that is no multiple of five saw a torn one."""

    def write(say: Say) -> None:
        with memory_at(tmp_path) as memory:
            for n in range(40):
                memory.add([f"batch {n} part {part}" for part in range(5)])
        say("done")

    with memory_at(tmp_path) as memory:
        memory.add([f"first part {part}" for part in range(5)])
        writer = Child(write)
        seen = set()
        while len(seen) < 3 or max(seen) < 205:
            seen.add(memory.stats().turns)
            seen.add(len(memory.search("part", limit=300)))
            seen.add(index_of(memory).current().size)
        writer.join()
        assert all(count % 5 == 0 for count in seen)
        assert len(seen) > 5


def test_killed_at_fifty_moments_of_ingestion(tmp_path: Path) -> None:
    """Nothing acknowledged is lost, nothing is doubled, no batch is torn, and the next run completes."""
    moments = random.Random(7)
    whole = 0.1  # seconds that a run takes; measured again by every run that completes
    cut_short = 0
    for number in range(50):
        batches = [[f"round {number} batch {n} part {part}" for part in range(3)] for n in range(12)]

        def run(say: Say, batches: list[list[str]] = batches) -> None:
            memory = memory_at(tmp_path)
            for batch in batches:
                for item in memory.add(batch, session_id=batch[0][:8]).items:
                    say(str(item.turn_id))

        child = Child(run)
        time.sleep(moments.uniform(0, whole))
        acknowledged = {line for line in child.kill() if not line.startswith("failed")}
        with memory_at(tmp_path) as memory:
            held = Counter(unit.text for unit in memory.get_all())
            ids = {unit.id for unit in memory.get_all()}
            assert acknowledged <= ids
            assert set(held.values()) <= {1}
            for batch in batches:
                assert len([text for text in batch if held[text]]) in (0, 3)
            cut_short += len(acknowledged) < 36
            started = time.monotonic()
            reports = [memory.add(batch, session_id=batch[0][:8]) for batch in batches]
            whole = 0.5 * whole + 0.5 * (time.monotonic() - started)
            again = {str(item.turn_id) for report in reports for item in report.items}
            assert acknowledged <= again
            assert {item.status for report in reports for item in report.items} <= {"stored", "deduplicated"}
    with memory_at(tmp_path) as memory:
        assert set(Counter(unit.text for unit in memory.get_all()).values()) == {1}
        assert memory.stats().turns == 50 * 36
        assert memory._space("default").store.check() == []
    assert cut_short >= 25  # the moments did fall into the work


def answers(memory: Memory) -> list[tuple[str, float]]:
    """Everything the index says about a few questions."""
    found = []
    for question in ("red kite", "the tax form of Bob", "batch three"):
        found += [(hit.id, round(hit.score, 5)) for hit in memory.search(question, limit=40)]
    return found


def from_scratch(memory: Memory) -> list[tuple[str, float]]:
    """The same from an index that is made anew from the store."""
    (namespace_folder(memory.path, "default") / SNAPSHOT).unlink(missing_ok=True)
    index_of(memory).forget()
    return answers(memory)


def sentences(seed: int, count: int) -> list[str]:
    words = "red kite tax form Bob Eve sea three batch night letter green house garden".split()
    drawn = random.Random(seed)
    return [f"{' '.join(drawn.choices(words, k=6))} {seed}-{n}" for n in range(count)]


def test_killed_while_folding(tmp_path: Path) -> None:
    """The child adds, deletes and writes snapshots without a pause; whenever it dies, the next open is right."""
    moments = random.Random(11)
    memory_at(tmp_path).add(sentences(0, 300))
    folded = 0
    for number in range(1, 16):

        def run(say: Say, number: int = number) -> None:
            memory = memory_at(tmp_path)
            for n in range(1000):
                memory.add(sentences(1000 * number + n, 3))
                index_of(memory).fold(force=True)
                say("folded")

        child = Child(run)
        before = time.monotonic()
        child.line()
        took = time.monotonic() - before  # starting and one round: so a slow machine gets its time too
        time.sleep(moments.uniform(0, max(0.03, took)))
        folded += len(child.kill())
        with memory_at(tmp_path) as memory:
            assert answers(memory) == from_scratch(memory)
    assert folded > 0


def test_two_processes_one_folding_are_both_right(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        memory.add(sentences(0, 200))

        def fold(say: Say) -> None:
            other = memory_at(tmp_path)
            for n in range(15):
                added = other.add(sentences(n + 1, 4)).items
                index_of(other).fold(force=True)
                other.delete(str(added[0].turn_id))
                say(str(added[1].turn_id))
            assert answers(other) == from_scratch(other)

        child = Child(fold)
        for _ in range(15):
            turn_id = child.line()
            assert turn_id in {unit.id for unit in memory.get_all()}
            assert turn_id in {hit.id for hit in memory.search("red kite letter", limit=300)}
            memory.search("red kite")
        child.join()
        assert answers(memory) == from_scratch(memory)


def test_a_deletion_is_seen_at_once_by_another_process(tmp_path: Path) -> None:
    with memory_at(tmp_path) as memory:
        memory.add([*sentences(0, 50), "a lighthouse keeper"])
        index_of(memory).fold(force=True)

        def forget(say: Say) -> None:
            with memory_at(tmp_path) as other:
                [hit] = [hit for hit in other.search("lighthouse") if "lighthouse" in hit.text]
                say(str(other.delete(hit.id).units))

        assert any("lighthouse" in hit.text for hit in memory.search("lighthouse"))

        child = Child(forget)
        assert child.line() == "1"
        assert all("lighthouse" not in hit.text for hit in memory.search("lighthouse", limit=100))
        child.join()


def test_a_store_lives_through_a_fork(tmp_path: Path) -> None:
    """Connections are closed before a fork and open again on both sides."""
    with memory_at(tmp_path) as memory:
        memory.add("before the fork")

        def child_side(say: Say) -> None:
            memory.add("from the child")
            say(str(len(memory.search("the", limit=10))))

        child = Child(child_side)
        assert child.line() == "2"
        memory.add("from the parent")
        child.join()
        assert sorted(unit.text for unit in memory.get_all()) == [
            "before the fork",
            "from the child",
            "from the parent",
        ]
        assert memory._space("default").store.check() == []
