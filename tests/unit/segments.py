"""Index pieces for tests, made without a store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from qgmem.stores.dense import VectorBlock
from qgmem.stores.index import Index
from qgmem.stores.part import Part
from qgmem.stores.segment import NO_DAY, NO_TIME, IndexRow, build


def row(key: int, **given: Any) -> IndexRow:
    """An index row with an id of its own and nothing else."""
    values: dict[str, Any] = {
        "id": f"u{key:06}",
        "chain": key,
        "speaker": 1,
        "traits": 0,
        "verbatim": True,
        "terms": [],
        "utterance_day": NO_DAY,
        "utterance_us": NO_TIME,
        "valid_from": NO_DAY,
        "intervals": [],
        "entities": [],
        "locations": [],
        "vectors": [],
    }
    return IndexRow(key=key, **(values | given))


def index_of_terms(parts: Sequence[Sequence[Sequence[str]]], ids: Sequence[str] | None = None) -> Index:
    """An index of documents given as terms, one segment a part."""
    made, key = [], 0
    for documents in parts:
        rows = []
        for document in documents:
            names = {"id": ids[key]} if ids else {}
            rows.append(row(key + 1, terms=list(document), **names))
            key += 1
        made.append(Part.of(build(rows, 4)))
    return Index(made, [], 1, 1.2, 0.75)


def index_of_vectors(vectors: np.ndarray, owners: Sequence[int] | None = None) -> Index:
    """An index of (n, d) vectors, one a unit, or of the unit that `owners` names."""
    halves = vectors.astype(np.float16)
    owners = range(len(vectors)) if owners is None else owners
    pieces: dict[int, list[bytes]] = {}
    for owner, vector in zip(owners, halves, strict=True):
        pieces.setdefault(owner, []).append(vector.tobytes())
    segment = build([row(owner + 1, vectors=found) for owner, found in pieces.items()], vectors.shape[1])
    return Index([Part.of(segment, VectorBlock.of(segment.vector))], [], 1, 1.2, 0.75)
