"""Filling one namespace with simulated lives, in batches, going on where an interrupted run stopped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from zlib import crc32

import numpy as np

from qgmem.construction.timex import fact_times
from qgmem.construction.verbatim import embedding_texts
from qgmem.namespace import Namespace
from qgmem.protocols import AttributeExtractor, Embedder
from qgmem.stores.reading import phrase_text
from qgmem.stores.records import NewTurn
from qgmem.synthetic import Message, load_turns
from qgmem.types import Attributes

from ..progress import progress
from .measure import Spent, Stopwatch

BATCH = 5000  # turns a transaction
READ_UP_TO = 100_000  # turns; a larger load takes the attributes of its first `POOL` turns again and again
POOL = 20_000
SEED = 7


class Reader:
    """Turns with their attributes, read as ingestion reads them; a text that repeats is read once.

    With a `pool`, a turn gets the attributes of one of these turns instead: reading takes two thirds of ingestion.
    """

    def __init__(self, extractor: AttributeExtractor, pool: Iterable[Message] = ()) -> None:
        self._extractor = extractor
        self._known: dict[tuple[str, str], Attributes] = {}
        self._pool = [self._read(message) for message in pool]

    def turn(self, message: Message) -> NewTurn:
        """A message of the load as the store takes it, without vectors."""
        drawn = crc32(message.id.encode()) % len(self._pool) if self._pool else None
        return NewTurn(
            id=message.id,
            session_id=message.session_id,
            speaker=message.name,
            role=message.role,
            text=message.content,
            utterance_time=message.timestamp,
            caption=message.caption,
            caption_query=message.caption_query,
            attributes=self._read(message) if drawn is None else self._pool[drawn],
        )

    def _read(self, message: Message) -> Attributes:
        said = (message.content, message.name)
        if said not in self._known:
            self._known[said] = self._extractor.extract(*said)
        times = fact_times(message.content, message.timestamp)
        return replace(self._known[said], fact_times=times)


def fill(space: Namespace, n: int, embedder: Embedder, extractor: AttributeExtractor, *, show: bool = True) -> Spent:
    """Bring the namespace to the first `n` turns of the load and its index to disk; what this run spent on that."""
    space.store.use_embedder(embedder.id, embedder.dimension)
    watch = Stopwatch()
    there = space.store.stats().turns
    reader = Reader(extractor, load_turns(POOL, SEED) if n > READ_UP_TO else ())
    rest = islice(load_turns(n, SEED), there, None)
    with progress(f"ingest {n:,}", n, show) as bar:
        bar.advance(there)
        while batch := [reader.turn(message) for message in islice(rest, BATCH)]:
            _store(space, batch, embedder)
            bar.advance(len(batch))
    if there < n:
        space.index.fold(force=True)
    return watch.read()


def _store(space: Namespace, batch: list[NewTurn], embedder: Embedder) -> None:
    texts = [embedding_texts(turn.speaker, turn.text, turn.caption) for turn in batch]
    flat = iter(embedder.embed([text for pieces in texts for text in pieces]))
    named = [entity.text for turn in batch for entity in turn.attributes.entities]
    named += [place for turn in batch for place in turn.attributes.locations]
    phrases = space.store.unembedded(list(dict.fromkeys(map(phrase_text, named))))
    made = [
        replace(turn, vectors=np.stack([next(flat) for _ in pieces]))
        for turn, pieces in zip(batch, texts, strict=True)
    ]
    space.store.add(made, dict(zip(phrases, embedder.embed(phrases), strict=True)) if phrases else {})
