"""What traces cost in a large memory: `python -m qgmem.evals.growth.traces 100000 --out out/traces`.

The memory holds simulated lives: of every 10 units 6 are turns, which the rules read, and 4 are units as a language
model would make them, one to a turn, with predicates that no table knows. Vectors are sums of drawn word vectors, so
that nothing is spent on embedding. Measured is what comes on top of storing: bringing traces up to date after a
session, in the process that filled the memory and in one that has just opened it, and asking.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from ...memory import Memory
from ...models.scripted import HashEmbedder
from ...namespace import Namespace
from ...stores.records import NewTurn, UnitRecord, WindowOutcome, WindowRecord
from ...synthetic.load import load_turns
from ...synthetic.records import Message
from ...types import MemoryUnit, SourceSpan, Triple

SESSION, UNITS = 12, 8  # turns, and extracted units, of one session: 20 units
FILL = 100  # sessions whose traces are worked out together while the memory is filled
TRIES = 10
SEED = 5


class WordVectors(HashEmbedder):
    """384 dimensions, and the threshold that traces have with the embedded default."""

    trace_threshold = 0.30


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill, measure, write `traces.json`, print it."""
    parser = argparse.ArgumentParser(prog="python -m qgmem.evals.growth.traces", description=__doc__)
    parser.add_argument("units", nargs="?", type=int, default=100_000, help="units in one namespace")
    parser.add_argument("--out", type=Path, default=Path("out/traces"), help="the result, and the memory meanwhile")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    found = measure(given.out / "memories", given.units)
    (given.out / "traces.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))
    return 0


def measure(root: Path, units: int) -> dict[str, object]:
    """Seconds of everything, by what was done."""
    sessions = _sessions()
    found: dict[str, object] = {"units": units}
    with _memory(root) as memory:
        space = memory._space("default")
        found["fill"] = _timed(lambda: _fill(space, memory, islice(sessions, units // (SESSION + UNITS))))
        found["session, warm"] = [_added(space, memory, next(sessions)) for _ in range(TRIES)]
    with _memory(root) as memory:
        space = memory._space("default")
        found["session, first after opening"] = _added(space, memory, next(sessions))
        found["a turn, warm"] = [_added(space, memory, next(sessions)[:1], extract=False) for _ in range(TRIES)]
    with _memory(root) as memory:
        space = memory._space("default")
        found["a turn, first after opening"] = _added(space, memory, next(sessions)[:1], extract=False)
        found["asked"] = _asked(memory, space)
        last = list(space.store.scan(limit=50))[-1].id
        found["delete"] = _timed(lambda: memory.delete(last))
    with _memory(root) as memory:
        space = memory._space("default")
        found["trajectory, first after opening"] = _timed(lambda: memory.trajectory(_somebody(space)))
        found["rows"] = _rows(space)
    return found


def _memory(root: Path) -> Memory:
    return Memory.open(root, embedder=WordVectors(384))


def _sessions() -> Iterator[list[Message]]:
    turns = load_turns(1 << 40, SEED)
    while True:
        yield list(islice(turns, SESSION))


def _fill(space: Namespace, memory: Memory, sessions: Iterator[list[Message]]) -> None:
    while batch := list(islice(sessions, FILL)):
        _put(space, [message for session in batch for message in session], extract=True)
        memory._chronicle.keep_up(space, None)


def _added(space: Namespace, memory: Memory, session: list[Message], *, extract: bool = True) -> dict[str, float]:
    """Store a session, then the seconds that its traces take."""
    _put(space, session, extract=extract)
    return _timed(lambda: memory._chronicle.keep_up(space))


def _put(space: Namespace, session: list[Message], *, extract: bool) -> None:
    embed = WordVectors.embed
    model = MODEL
    vectors = embed(model, [message.content for message in session])
    turns = [
        NewTurn(m.id, m.session_id, m.name, m.role, m.content, m.timestamp, vectors=vectors[n : n + 1])
        for n, m in enumerate(session)
    ]
    sequences = space.store.add(turns)
    if not extract:
        return
    chosen = [(m, s) for n, (m, s) in enumerate(zip(session, sequences, strict=True)) if n % SESSION < UNITS]
    units = [_unit(message, sequence) for message, sequence in chosen if sequence is not None]
    ids = tuple(unit.span.first_turn for unit in units)
    window = WindowRecord(f"w-{ids[0]}", session[0].session_id, ids, 0)
    space.store.log.open([window])
    space.store.log.finish(WindowOutcome(window.id, "done", None, tuple(map(UnitRecord, units))))
    waiting = {unit_id: key for key, unit_id in space.store.pending_units(model.id, 10_000)}
    made = embed(model, [unit.text for unit in units])
    here = {waiting[unit.id]: made[n : n + 1] for n, unit in enumerate(units)}
    space.store.put_unit_vectors(here, model.id)


def _unit(message: Message, sequence: int) -> MemoryUnit:
    """A unit as a language model would make it: the speaker, a verb that no table knows, the rest."""
    words = message.content.rstrip(".!?").split() or ["nothing"]
    triple = Triple(message.name, " ".join(words[:2]).lower(), " ".join(words[2:6]) or "it")
    return MemoryUnit(
        id=f"u-{message.id}", kind="extracted", text=f"{message.name}: {message.content}",
        span=SourceSpan(message.id, message.id, message.content), session_id=message.session_id, sequence=sequence,
        speaker=message.name, role=message.role, utterance_time=message.timestamp, triple=triple,
    )  # fmt: skip


def _somebody(space: Namespace) -> str:
    with space.store.traced() as reading:
        return max(reading.users())


def _asked(memory: Memory, space: Namespace) -> dict[str, dict[str, float]]:
    """Median seconds of questions, each of another subject or day."""
    with space.store.traced() as reading:
        users = reading.users()
    subjects = users[:: max(1, len(users) // TRIES)][:TRIES]
    days = [f"2021-{1 + n:02}-15" for n in range(TRIES)]
    chronicle, trajectory = memory._chronicle, memory.trajectory
    then = {"as_of": "2021-05", "known_at": "2021-06"}

    def each(ask: Callable[[str], object], values: Sequence[str]) -> dict[str, float]:
        return _median(_timed(partial(ask, value)) for value in values)

    return {
        "trajectory of somebody": each(trajectory, subjects),
        "trajectory of a relation, known_at": each(lambda who: trajectory(who, "home", **then), subjects),
        "as_of, first": each(lambda day: chronicle.standing(space, day, None), ["2020-01-01"]),
        "as_of, another day": each(lambda day: chronicle.standing(space, day, None), days),
        "as_of and known_at, first": each(lambda day: chronicle.standing(space, day, "2021-06"), days[:1]),
        "as_of and known_at, another day": each(lambda day: chronicle.standing(space, day, "2021-06"), days[1:]),
        "question about now": each(lambda who: chronicle.sides(space, f"Where does {who} live?"), subjects),
        "question that is not read": each(lambda who: chronicle.sides(space, f"What did {who} say?"), subjects),
    }


def _rows(space: Namespace) -> dict[str, int]:
    with space.store.traced() as reading:
        return reading.sizes()


def _timed(action: Callable[[], object]) -> dict[str, float]:
    """Seconds by the clock, and of the processor: on a busy machine they differ."""
    begun, worked = perf_counter(), process_time()
    action()
    return {"clock": round(perf_counter() - begun, 4), "cpu": round(process_time() - worked, 4)}


def _median(taken: Iterable[dict[str, float]]) -> dict[str, float]:
    taken = list(taken)
    return {name: median(each[name] for each in taken) for name in ("clock", "cpu")}


MODEL = WordVectors(384)

if __name__ == "__main__":
    sys.exit(main())
