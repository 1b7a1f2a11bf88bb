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


def compared(tables: TraceTables, since: int, waiting: Sequence[int] = ()) -> list[Compared]:
    """Claims of extractors that came or moved at a change or later, and those of `waiting` that are still here."""
    sql = (
        "SELECT c.key, u.id, c.place, c.unit, c.atom, a.subject, a.relation, p.shown, c.predicate, c.sure, "
        f"a.apart = 0, EXISTS ({_VECTOR}) FROM triples c JOIN atoms a ON a.key = c.atom "
        "JOIN people p ON p.key = c.person JOIN units u ON u.key = c.unit "
    )
    rows = tables.connection.execute(f"{sql} WHERE c.compared >= ? AND c.compared > 0", (since,)).fetchall()
    for start in range(0, len(waiting), PART):
        marks = ",".join(map(str, waiting[start : start + PART]))
        rows += tables.connection.execute(f"{sql} WHERE c.key IN ({marks}) AND c.compared < ?", (since,)).fetchall()
    found = []
    for key, unit_id, place, unit, atom, subject, relation, name, predicate, sure, joins, embedded in rows:
        claim = unit_id if place == 0 else f"{unit_id}#{place}"
        ready = bool(joins) and bool(embedded)
        found.append(Compared(key, claim, unit, atom, subject, relation, name, predicate, bool(sure), ready))
    return found


def how_many(tables: TraceTables) -> int:
    """Number of claims that are compared, or wait for it."""
    return int(tables.connection.execute("SELECT count(*) FROM triples WHERE compared > 0").fetchone()[0])


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


def together(tables: TraceTables, atoms: Iterable[int]) -> dict[int, tuple[int, ...] | None]:
    """Atom → the atoms of its trace whose claims are compared; None for one without a trace."""
    found: dict[int, tuple[int, ...] | None] = {}
    members = (
        "SELECT b.key FROM atoms b WHERE b.trace = ? AND EXISTS "
        "(SELECT 1 FROM triples c WHERE c.atom = b.key AND c.compared > 0) ORDER BY b.key"
    )
    for atom in atoms:
        if atom in found:
            continue
        row = tables.connection.execute("SELECT trace FROM atoms WHERE key = ?", (atom,)).fetchone()
        if row is None:
            continue
        if row[0] is None:
            found[atom] = None
        else:
            group = tuple(int(each[0]) for each in tables.connection.execute(members, row))
            found |= dict.fromkeys((atom, *group), group)
    return found


def _read(vector: bytes) -> Vectors:
    return np.frombuffer(vector, np.float16).astype(np.float32)


def _unit_length(vector: Vectors) -> Vectors:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if length > 1e-6 else np.zeros_like(vector)
