"""How long until ten more turns are durable and found, and until ten that were deleted are found no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice

from qgmem.errors import QgmemError
from qgmem.ingest import Ingest, Shared
from qgmem.models.checked import CheckedEmbedder
from qgmem.namespace import Namespace
from qgmem.protocols import AttributeExtractor, Embedder
from qgmem.settings import Settings
from qgmem.stores.analyser import terms
from qgmem.synthetic import load_turns
from qgmem.types import JsonValue

from .load import SEED
from .measure import Spread, Stopwatch, TimedEmbedder

TURNS = 10  # of one call
MARK = "zyx{number}q"  # a word that no life knows


class NotVisible(QgmemError):
    """What was written is not what a search sees; no time that was measured means anything then."""


@dataclass(frozen=True, slots=True)
class Written:
    """Milliseconds beyond embedding, until the change is durable and seen; `wall` by the clock, `cpu` on a processor.

    `embedding`: what the embedder took beside, by the clock.
    """

    turns: int
    rounds: int
    wall: Spread
    cpu: Spread
    embedding: Spread | None

    def to_json(self) -> JsonValue:
        """The content as plain values."""
        return asdict(self)


def add(
    space: Namespace, embedder: Embedder, extractor: AttributeExtractor, rounds: int
) -> tuple[Written, list[str]]:
    """Add ten turns `rounds` times; what it took, and the ids. Raises NotVisible."""
    timed = TimedEmbedder(embedder)
    ingest = Ingest(CheckedEmbedder(timed), extractor, Settings())
    space.index.current()
    ids: list[str] = []
    wall, cpu, embedding = [], [], []
    messages = load_turns(TURNS * rounds, SEED + 1)
    for number in range(rounds):
        batch = [message.record() for message in islice(messages, TURNS)]
        batch[-1]["content"] = f"{batch[-1]['content']} {MARK.format(number=number)}"
        before_wall, before_cpu = timed.wall, timed.cpu
        watch = Stopwatch()
        report = ingest.add(space, batch, Shared())
        space.index.current()
        spent = watch.read()
        embedding.append(timed.wall - before_wall)
        wall.append(spent.wall - embedding[-1])
        cpu.append(spent.cpu - (timed.cpu - before_cpu))
        if report.count("stored") != TURNS or not _seen(space, number):
            raise NotVisible(f"round {number}: {report.count('stored')} of {TURNS} turns stored, or not found")
        ids += [str(message["id"]) for message in batch]
    return Written(TURNS, rounds, Spread.of(wall), Spread.of(cpu), Spread.of(embedding)), ids


def delete(space: Namespace, ids: Sequence[str], calls: int) -> Written:
    """Delete those turns again, in `calls` calls, all but the last of ten turns. Raises NotVisible."""
    wall, cpu = [], []
    rounds = len(ids) // TURNS
    for call in range(calls):
        first, last = call, call + 1 if call + 1 < calls else rounds
        watch = Stopwatch()
        space.store.delete(ids[first * TURNS : last * TURNS])
        space.index.unbase()
        space.index.current()
        spent = watch.read()
        wall.append(spent.wall)
        cpu.append(spent.cpu)
        if any(_seen(space, number) for number in range(first, last)):
            raise NotVisible(f"deletion {call}: turns are still found")
    space.index.fold(force=True)  # deleting drops the snapshot
    return Written(TURNS, calls, Spread.of(wall), Spread.of(cpu), None)


def _seen(space: Namespace, number: int) -> bool:
    """True when the word of that round is found."""
    return bool(space.index.current().lexical(terms(MARK.format(number=number))).any())
