"""Many small memories beside each other: a hundred turns each, as many users have."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from random import Random

from qgmem.memory import Memory
from qgmem.settings import Settings
from qgmem.stores.folder import DATABASE, namespace_folder
from qgmem.synthetic import load_turns
from qgmem.types import JsonValue

from ..progress import progress
from .asking import questions
from .drawn import DrawnEmbedder
from .kept import Kept
from .load import SEED
from .measure import Spent, Spread, Stopwatch, TimedEmbedder, folder_bytes, open_handles, resident_bytes

TURNS = 100
SEARCHED = 1000  # namespaces, chosen at random: most are not open when they are asked
LOOK = 50  # namespaces between two looks at memory and file handles


def measure_namespaces(count: int, folder: Path, *, show: bool = True) -> dict[str, JsonValue]:
    """Fill `count` namespaces of a hundred turns, those that are not full yet, and search some of them.

    Vectors are drawn. One call adds a namespace's turns, as a user's import would. What each took is kept in a file
    beside the folder until it is removed: an interrupted run fills the rest, and reports of all.
    """
    embedder = TimedEmbedder(DrawnEmbedder())
    kept = Kept(kept_file(folder))
    first: list[Spent] = []
    again: list[Spent] = []
    searching = _Held()
    with Memory.open(folder, embedder=embedder, settings=Settings()) as memory:
        turns = load_turns(count * TURNS, SEED)
        with progress(f"{count:,} namespaces", count, show) as bar:
            for number in range(count):
                batch = [message.record() for message in islice(turns, TURNS)]
                there = (namespace_folder(folder, _user(number)) / DATABASE).exists()
                if number not in kept.filled or not there:
                    before, watch = embedder.cpu, Stopwatch()
                    memory.add(batch, user_id=_user(number))  # turns of a half-filled one are not stored twice
                    spent = watch.read()
                    spent = replace(spent, cpu=spent.cpu - (embedder.cpu - before))
                    kept.add(number, spent, look=number % LOOK == 0)
                bar.advance()
    asked = questions(TURNS, 50)
    embedder = TimedEmbedder(DrawnEmbedder(), remember=True)
    embedder.embed(asked)
    with Memory.open(folder, embedder=embedder, settings=Settings(rerank="none")) as memory:
        for turn, number in enumerate(Random(SEED).sample(range(count), min(SEARCHED, count))):
            for times in (first, again):
                watch = Stopwatch()
                memory.search(asked[number % len(asked)], user_id=_user(number))
                times.append(watch.read())
            if turn % LOOK == 0:
                searching.look()
    places = [namespace_folder(folder, _user(number)) for number in range(count)]
    filled = [kept.filled[number] for number in range(count)]
    adding = _Held()
    for one in filled:
        adding.saw(one.resident, one.handles)
    found: dict[str, JsonValue] = {
        "namespaces": count,
        "turns": TURNS,
        "vectors": "drawn",
        "disk_bytes": sum(folder_bytes(place) for place in places),
        "first_search_ms": _spreads(first),
        "next_search_ms": _spreads(again),
        "searched": len(first),
        "held_searching": searching.to_json(),
        "add_ms": _spreads([one.spent for one in filled]),
        "held_adding": adding.to_json(),
    }
    return found


def kept_file(folder: Path) -> Path:
    """Where it is kept what filling the namespaces of this folder has cost."""
    return folder.with_name(f"{folder.name}-filled.jsonl")


class _Held:
    """Memory and file handles of this process, looked at now and then; none where the system has no /proc."""

    def __init__(self) -> None:
        self._resident: list[int] = []
        self._handles: list[int] = []

    def look(self) -> None:
        """One more look."""
        self.saw(resident_bytes().get("total"), open_handles())

    def saw(self, resident: int | None, handles: int | None) -> None:
        """What a look found; nothing where there was none."""
        if resident is not None and handles is not None:
            self._resident.append(resident)
            self._handles.append(handles)

    def to_json(self) -> dict[str, JsonValue]:
        """Resident bytes after a tenth of the looks, when as much is open as may be, and at most; handles at most."""
        if not self._resident:
            return {}
        settled = self._resident[len(self._resident) // 10]
        return {"settled": settled, "most": max(self._resident), "handles": max(self._handles)}


def _spreads(spent: list[Spent]) -> dict[str, JsonValue]:
    return {"wall": asdict(Spread.of([s.wall for s in spent])), "cpu": asdict(Spread.of([s.cpu for s in spent]))}


def _user(number: int) -> str:
    return f"user-{number}"
