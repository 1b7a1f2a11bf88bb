"""Stored traces are those of the whole history, however it came: any cut into calls, any detour over deletions.

What lies in the tables is compared with what the same turns give in one call, and with what an empty set of tables
is filled with when it is first asked.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
from trace_rows import forget, stored

from qgmem import Memory
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.records import UnitRecord, WindowOutcome, WindowRecord
from qgmem.synthetic import simulate
from qgmem.types import MemoryUnit, SourceSpan, Triple

EMBEDDER = HashEmbedder(16)
NAMESAKES = (
    "My sister is a nurse.", "Lena lives in Leeds.", "I work at Acme.", "My sister Lena Weiss moved to Bonn.",
    "John Smith from Acme lives in Porto.", "He plays chess. He is allergic to nuts.",
    "John Smith from Bolt lives in Turin.", "John Smith moved to Oslo.", "John Smith works at Corvo.",
    "Lena adopted a cat named Miso.", "Where does Lena work?", "My sister works at Bolt.",
    "In 2021 I lived in Oslo. I moved to Porto in March.", "I never lived in Oslo.", "I left Acme and I joined Bolt.",
    "Ana Costa lives in Rome.", "My brother Tom Weiss lives in Bath.", "I speak French and German.",
)  # fmt: skip


def messages(seed: int) -> list[dict[str, object]]:
    """Turns of two sessions in which namesakes, kin and pronouns meet."""
    draw = random.Random(seed)
    texts = [draw.choice(NAMESAKES) for _ in range(24)]
    return [
        {
            "id": f"m{n}", "role": "user", "name": draw.choice(("Ana", "Ana", "Ben")), "content": text,
            "session_id": draw.choice(("a", "b")), "timestamp": f"2024-{1 + n // 3:02}-{1 + n % 3:02}",
        }
        for n, text in enumerate(texts)
    ]  # fmt: skip


def added(path: Path, batches: Sequence[Sequence[dict[str, object]]]) -> Memory:
    """A memory to which batches were added."""
    memory = Memory.open(path, embedder=EMBEDDER)
    for batch in batches:
        memory.add(list(batch))
    return memory


@pytest.mark.parametrize("seed", range(12))
def test_any_cut_and_any_detour_give_the_same_tables(tmp_path: Path, seed: int) -> None:
    """In one call; one by one; in pieces, with edits taken back and turns that come and go; and made from nothing."""
    turns, draw = messages(seed), random.Random(seed)
    with added(tmp_path / "whole", [turns]) as memory:
        memory.stats()
    expected = stored(tmp_path / "whole")
    assert len(expected) > 4
    with added(tmp_path / "each", [[turn] for turn in turns]) as memory:
        assert stored(tmp_path / "each") == expected
        gone = draw.sample([str(turn["id"]) for turn in turns], 6)
        memory.delete(gone)
        left = stored(tmp_path / "each")
    with added(tmp_path / "left", [[turn for turn in turns if turn["id"] not in gone]]):
        pass
    assert _without_places(left) == _without_places(stored(tmp_path / "left"))
    with Memory.open(tmp_path / "whole", embedder=EMBEDDER) as memory:
        changed = draw.choice([turn for turn in turns if "?" not in str(turn["content"])])
        memory.update(str(changed["id"]), "Lena Weiss from Acme lives in Perth.")
        assert stored(tmp_path / "whole") != expected
        edited = stored(tmp_path / "whole")
        memory.update(str(changed["id"]), str(changed["content"]))
        assert stored(tmp_path / "whole") == expected
        memory.update(str(changed["id"]), "Lena Weiss from Acme lives in Perth.")
    forget(tmp_path / "whole")
    with Memory.open(tmp_path / "whole", embedder=EMBEDDER) as memory:
        memory.trajectory("Lena Weiss")
    assert stored(tmp_path / "whole") == edited


def _without_places(rows: Sequence[object]) -> str:
    """Turns have other places in the order where others never were; nothing of a trace says which."""
    return repr(rows)


def test_a_life_told_in_pieces_gives_the_tables_of_the_whole(tmp_path: Path) -> None:
    """A simulated life, as raw text: added at once, and session by session in pieces."""
    life = next(simulate(1, 1, 12, questions=0))
    turns = [message.record() for message in life.dialogue.messages()][:260]
    with added(tmp_path / "whole", [turns]):
        pass
    draw, left, pieces = random.Random(3), turns, []
    while left:
        size = draw.randint(1, 40)
        pieces.append(left[:size])
        left = left[size:]
    with added(tmp_path / "pieces", pieces):
        pass
    assert len(stored(tmp_path / "whole")) > 5
    assert stored(tmp_path / "pieces") == stored(tmp_path / "whole")


class Near(HashEmbedder):
    """Words without meaning, and a threshold that some pairs of claims reach."""

    trace_threshold = 0.45


WORDS = ("took", "evening", "lessons", "in", "fencing", "north", "hall", "watched", "old", "films", "about", "boats")


def claimed(memory: Memory, records: Sequence[tuple[str, str, Triple]]) -> None:
    """Put units of a language model, as (unit, turn, triple), in one window."""
    units = []
    for unit_id, turn_id, triple in records:
        turn = memory.turn(turn_id)
        text = f"{triple.subject} {triple.predicate} {triple.object}"
        span = SourceSpan(turn_id, turn_id, turn.text)
        unit = MemoryUnit(
            unit_id, "extracted", text, span, turn.session_id, turn.sequence, turn.speaker, "user",
            turn.utterance_time, triple=triple,
        )  # fmt: skip
        units.append(UnitRecord(unit))
    log, name = memory._existing("default").store.log, f"w-{records[0][0]}"
    log.open([WindowRecord(name, "s", tuple(dict.fromkeys(turn for _, turn, _ in records)), 0)])
    log.finish(WindowOutcome(name, "done", None, tuple(units)))
    memory.embed_pending()


@pytest.mark.parametrize("seed", range(4))
def test_units_compared_by_cosine_share_the_same_traces_however_they_came(tmp_path: Path, seed: int) -> None:
    """Predicates that no table knows, in random orders and windows, with units that go and come, and reopening."""
    draw = random.Random(seed)
    triples = {
        f"u{n}": Triple(draw.choice(("Ana", "Ben", "the club")), *(_phrase(draw) for _ in range(2)))
        for n in range(40)
    }
    tables = []
    for order in range(3):
        draw = random.Random(seed * 10 + order)
        path = tmp_path / str(order)
        memory = Memory.open(path, embedder=Near(32))
        memory.add([{"id": f"t{n}", "content": "Hm.", "timestamp": f"2024-01-{n + 1:02}"} for n in range(8)])
        left = [(unit, f"t{n % 8}", triple) for n, (unit, triple) in enumerate(triples.items())]
        draw.shuffle(left)
        while left:
            size = draw.randint(1, 15)
            claimed(memory, left[:size])
            if order and draw.random() < 0.5:
                memory.delete([unit for unit, _, _ in left[:2]][:size])
                again = left[: min(2, size)]
                memory._existing("default").store.log.drop([f"w-{again[0][0]}"])
                claimed(memory, left[:size])
            if order == 2 and draw.random() < 0.4:
                memory.close()
                memory = Memory.open(path, embedder=Near(32))
            left = left[size:]
        memory.close()
        tables.append(stored(path))
    assert any(len({claim[2:4] for claim in claims}) > 1 for _, _, claims in tables[0]), "some atoms came together"
    assert tables[1] == tables[0]
    assert tables[2] == tables[0]


def _phrase(draw: random.Random) -> str:
    return " ".join(draw.sample(WORDS, draw.randint(2, 3)))
