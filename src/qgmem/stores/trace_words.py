"""Vectors and neighbours of claims that are compared by cosine, in the namespace's own file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from . import reading
from .trace_records import Compared
from .trace_tables import TraceTables

Vectors = NDArray[np.float32]
Lists = Mapping[int, Sequence[tuple[int, float]]]  # claim → (claim, product), nearest first
LISTED = np.dtype([("triple", "<i8"), ("product", "<f8")])
PART = 2_000  # units whose vectors are asked for together
_ACTIVE = "(SELECT key FROM embedders WHERE active = 1)"
_VECTOR = f"SELECT 1 FROM unit_vectors v WHERE v.unit = c.unit AND v.embedder = {_ACTIVE}"


def embedder_id(tables: TraceTables) -> str | None:
    """The embedder whose vectors lie here."""
    embedder = reading.active_embedder(tables.connection)
    return None if embedder is None else embedder.id


def compared(tables: TraceTables) -> list[Compared]:
    """All claims that can be compared: made by an extractor, with a vector, and not set apart."""
    sql = (
        "SELECT c.key, u.id, c.place, c.unit, c.atom, a.subject, a.relation, p.shown, c.predicate, c.sure "
        "FROM triples c JOIN atoms a ON a.key = c.atom JOIN people p ON p.key = c.person "
        f"JOIN units u ON u.key = c.unit WHERE c.compared = 1 AND a.apart = 0 AND EXISTS ({_VECTOR})"
    )
    found = []
    for key, unit_id, place, unit, atom, subject, relation, name, predicate, sure in tables.connection.execute(sql):
        claim = unit_id if place == 0 else f"{unit_id}#{place}"
        found.append(Compared(key, claim, unit, atom, subject, relation, name, predicate, bool(sure)))
    return found


def incomparable(tables: TraceTables) -> bool:
    """True if a claim waits for its vector."""
    sql = f"SELECT 1 FROM triples c WHERE c.compared = 1 AND NOT EXISTS ({_VECTOR}) LIMIT 1"
    return tables.connection.execute(sql).fetchone() is not None


def unit_vectors(tables: TraceTables, units: Sequence[int]) -> dict[int, Vectors]:
    """(d,) of length 1 by unit: the mean of a long text's pieces; zeros where nothing has a direction."""
    pieces: dict[int, list[Vectors]] = defaultdict(list)
    for start in range(0, len(units), PART):
        marks = ",".join(map(str, units[start : start + PART]))
        sql = f"SELECT unit, vector FROM unit_vectors WHERE unit IN ({marks}) AND embedder = {_ACTIVE}"
        for unit, vector in tables.connection.execute(f"{sql} ORDER BY unit, chunk"):
            pieces[unit].append(_read(vector))
    return {unit: _unit_length(np.sum(found, axis=0, dtype=np.float32)) for unit, found in pieces.items()}


def words(tables: TraceTables, texts: Iterable[str]) -> dict[str, Vectors]:
    """Vectors (d,) of those of these texts that have one."""
    found: dict[str, Vectors] = {}
    for text in texts:
        row = tables.connection.execute("SELECT vector FROM claim_words WHERE text = ?", (text,)).fetchone()
        if row is not None:
            found[text] = _unit_length(_read(row[0]))
    return found


def put_words(tables: TraceTables, vectors: Mapping[str, Vectors]) -> None:
    """Keep vectors (d,) of texts as float16."""
    rows = [(text, vector.astype(np.float16).tobytes()) for text, vector in vectors.items()]
    tables.connection.executemany("INSERT OR REPLACE INTO claim_words VALUES (?, ?)", rows)


def nearest(tables: TraceTables) -> dict[int, list[tuple[int, float]]]:
    """The stored lists."""
    rows = tables.connection.execute("SELECT triple, listed FROM nearest")
    return {triple: np.frombuffer(listed, LISTED).tolist() for triple, listed in rows}


def put_nearest(tables: TraceTables, lists: Lists) -> None:
    """Keep lists of claims."""
    rows = [(triple, np.array(list(listed), LISTED).tobytes()) for triple, listed in lists.items()]
    tables.connection.executemany("INSERT OR REPLACE INTO nearest VALUES (?, ?)", rows)


def forget_words(tables: TraceTables) -> None:
    """Drop all vectors and lists: they were another embedder's."""
    tables.connection.execute("DELETE FROM claim_words")
    tables.connection.execute("DELETE FROM nearest")


def together(tables: TraceTables) -> dict[int, int | None]:
    """Atom → trace, of atoms whose claims are compared."""
    sql = "SELECT key, trace FROM atoms WHERE key IN (SELECT DISTINCT atom FROM triples WHERE compared = 1)"
    return dict(tables.connection.execute(sql).fetchall())


def _read(vector: bytes) -> Vectors:
    return np.frombuffer(vector, np.float16).astype(np.float32)


def _unit_length(vector: Vectors) -> Vectors:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 1e-6 else np.zeros_like(vector)
