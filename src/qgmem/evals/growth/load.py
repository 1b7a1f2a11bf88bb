"""Filling one namespace with simulated lives, in batches, going on where an interrupted run stopped."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

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
SEED = 7


class Reader:
    """Turns with their attributes, read as ingestion reads them; a text that repeats is read once."""

    def __init__(self, extractor: AttributeExtractor) -> None:
        self._extractor = extractor
        self._known: dict[tuple[str, str], Attributes] = {}

    def turn(self, message: Message) -> NewTurn:
        """A message of the load as the store takes it, without vectors."""
        said = (message.content, message.name)
        if said not in self._known:
            self._known[said] = self._extractor.extract(*said)
        found = self._known[said]
        times = fact_times(message.content, message.timestamp)
        return NewTurn(
            id=message.id,
            session_id=message.session_id,
            speaker=message.name,
            role=message.role,
            text=message.content,
            utterance_time=message.timestamp,
            caption=message.caption,
            caption_query=message.caption_query,
            attributes=Attributes(found.entities, found.locations, times),
        )


def fill(space: Namespace, n: int, embedder: Embedder, extractor: AttributeExtractor, *, show: bool = True) -> Spent:
    """Bring the namespace to the first `n` turns of the load and its index to disk; what this run spent on that."""
    space.store.use_embedder(embedder.id, embedder.dimension)
    watch = Stopwatch()
    there = space.store.stats().turns
    reader = Reader(extractor)
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
