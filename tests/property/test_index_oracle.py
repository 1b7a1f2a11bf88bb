"""Random adding, updating, deleting, reopening and folding, against an oracle that keeps a plain list.

The oracle knows BM25, cosine, neighbours, TimeMatch and SemMatch by their definitions alone, over Python floats; it
shares no code with the index.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from qgmem.models.scripted import HashEmbedder
from qgmem.stores import dense, derived
from qgmem.stores.derived import DerivedIndex
from qgmem.stores.index import Index
from qgmem.stores.records import NewTurn
from qgmem.stores.segment import term_hash
from qgmem.stores.sqlite import SqliteStore
from qgmem.types import Attributes, Entity, Granularity, Interval

K1, B = 1.2, 0.75
WORDS = ("red", "kite", "tax", "form", "sea", "tea")
NAMES = ("Bob", "Eve", "Ann Lee")
EMBEDDER = HashEmbedder(12)
FIRST = date(2024, 1, 1)

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
spans = st.tuples(st.integers(0, 40), st.integers(0, 20)).map(
    lambda pair: Interval(FIRST + timedelta(days=pair[0]), FIRST + timedelta(days=pair[0] + pair[1]), Granularity.DAY)
)
turns = st.fixed_dictionaries(
    {
        "text": texts,
        "session": st.sampled_from(["s1", "s2"]),
        "names": st.lists(st.sampled_from(NAMES), max_size=2, unique=True),
        "places": st.lists(st.sampled_from(NAMES[:2]), max_size=1),
        "times": st.lists(spans, max_size=2),
        "said": st.none() | st.integers(0, 40).map(lambda day: datetime(2024, 1, 1) + timedelta(days=day)),
        "pieces": st.integers(0, 2),
    }
)


def analyse(unit: Any, _: Any) -> list[str]:
    return str(unit.text).split()


def half(vectors: Any) -> Any:
    """What a store keeps of vectors."""
    return np.asarray(vectors, np.float16).astype(np.float64)


class Oracle:
    """Units as dictionaries in ingestion order, and every score by its definition."""

    def __init__(self) -> None:
        self.units: list[dict[str, Any]] = []

    def bm25(self, terms: list[str]) -> dict[str, float]:
        lengths = [len(unit["text"].split()) for unit in self.units]
        mean = sum(lengths) / len(lengths)
        scores = {}
        for unit, length in zip(self.units, lengths, strict=True):
            score = 0.0
            for term in terms:
                count = unit["text"].split().count(term)
                holding = sum(term in other["text"].split() for other in self.units)
                idf = math.log(1 + (len(self.units) - holding + 0.5) / (holding + 0.5))
                score += idf * count / (count + K1 * (1 - B + B * length / mean))
            scores[unit["id"]] = score
        return scores

    def cosines(self, query: Any) -> dict[str, float]:
        return {
            unit["id"]: max(float(vector @ query.astype(np.float64)) for vector in half(unit["vectors"]))
            for unit in self.units
            if len(unit["vectors"])
        }

    def beside(self, unit_id: str, step: int) -> str | None:
        unit = next(unit for unit in self.units if unit["id"] == unit_id)
        session = [other["id"] for other in self.units if other["session"] == unit["session"]]
        place = session.index(unit_id) + step
        return session[place] if 0 <= place < len(session) else None

    def time_match(self, low: date, high: date, *, uttered: bool) -> dict[str, float]:
        scores = {}
        for unit in self.units:
            if uttered:
                pairs = [(unit["said"].date(), unit["said"].date())] if unit["said"] else []
            else:
                pairs = [(interval.start, interval.end) for interval in unit["times"]]
            best = 0.0
            for start, end in pairs:
                shared = (min(end, high) - max(start, low)).days + 1
                shorter = min((end - start).days + 1, (high - low).days + 1)
                best = max(best, shared / shorter)
            if best > 0:
                scores[unit["id"]] = best
        return scores

    def sem_match(self, constraints: list[str], threshold: float, kind: str) -> dict[str, float]:
        scores = {}
        for unit in self.units:
            total = 0.0
            for constraint in constraints:
                best = 0.0
                for name in unit[kind]:
                    cosine = float(half(EMBEDDER.embed([name.lower()]))[0] @ EMBEDDER.embed([constraint])[0])
                    best = max(best, 1.0 if name.lower() == constraint else cosine if cosine >= threshold else 0.0)
                total += best
            if total:
                scores[unit["id"]] = total / len(constraints)
        return scores


class IndexAgainstOracle(RuleBasedStateMachine):
    """Two handles on one namespace, as two processes have them; both must always say what the oracle says."""

    merged_up_to = 0  # rows: keeps many small segments side by side

    @initialize()
    def begin(self) -> None:
        self.small, derived.SMALL = derived.SMALL, self.merged_up_to
        self.folder = Path(tempfile.mkdtemp())
        self.oracle, self.count = Oracle(), 0
        self.handles = [self.opened(), self.opened()]

    def teardown(self) -> None:
        derived.SMALL = getattr(self, "small", derived.SMALL)
        for store, _ in getattr(self, "handles", []):
            store.close()
        shutil.rmtree(getattr(self, "folder", "/nonexistent"), ignore_errors=True)

    def opened(self) -> tuple[SqliteStore, DerivedIndex]:
        store = SqliteStore(self.folder, "ana")
        store.use_embedder(EMBEDDER.id, EMBEDDER.dimension)
        index = DerivedIndex(store, self.folder, analyse, "recipe", EMBEDDER.id, EMBEDDER.dimension, K1, B)
        return store, index

    def made(self, unit_id: str, drawn: dict[str, Any]) -> tuple[NewTurn, dict[str, Any]]:
        """The turn for the store, and what the oracle remembers."""
        words = drawn["text"].split()
        pieces = [drawn["text"], " ".join(reversed(words[:1])), "tea"][: drawn["pieces"] + 1]
        vectors = EMBEDDER.embed(pieces) if drawn["pieces"] else np.empty((0, 12), np.float32)
        attributes = Attributes(
            tuple(Entity(name, "Who") for name in drawn["names"]), tuple(drawn["places"]), tuple(drawn["times"])
        )
        turn = NewTurn(
            unit_id,
            drawn["session"],
            "Ana",
            "user",
            drawn["text"],
            utterance_time=drawn["said"],
            attributes=attributes,
            vectors=vectors if len(vectors) else None,
        )
        return turn, {"id": unit_id, "vectors": vectors} | drawn

    @rule(drawn=st.lists(turns, min_size=1, max_size=5), which=st.integers(0, 1))
    def add(self, drawn: list[dict[str, Any]], which: int) -> None:
        made = [self.made(f"u{(self.count + n) * 7919 % 1000:03}", one) for n, one in enumerate(drawn)]
        self.count += len(drawn)
        vectors = {name.lower(): EMBEDDER.embed([name.lower()])[0] for name in NAMES}
        assert None not in self.handles[which][0].add([turn for turn, _ in made], vectors)
        self.oracle.units += [unit for _, unit in made]

    @precondition(lambda self: self.oracle.units)
    @rule(place=st.integers(0, 10**6), drawn=turns, which=st.integers(0, 1))
    def update(self, place: int, drawn: dict[str, Any], which: int) -> None:
        old = self.oracle.units[place % len(self.oracle.units)]
        kept = {name: old[name] for name in ("session", "said")}
        turn, new = self.made(old["id"], drawn | kept)
        vectors = {name.lower(): EMBEDDER.embed([name.lower()])[0] for name in NAMES}
        self.handles[which][0].update(old["id"], turn, "now", vectors)
        old.update(new)

    @precondition(lambda self: self.oracle.units)
    @rule(places=st.sets(st.integers(0, 10**6), min_size=1, max_size=3), which=st.integers(0, 1))
    def delete(self, places: set[int], which: int) -> None:
        gone = {self.oracle.units[place % len(self.oracle.units)]["id"] for place in places}
        store, index = self.handles[which]
        assert set(store.delete(sorted(gone)).unit_ids) == gone
        index.unbase()
        self.oracle.units = [unit for unit in self.oracle.units if unit["id"] not in gone]

    @rule(which=st.integers(0, 1))
    def fold(self, which: int) -> None:
        assert self.handles[which][1].fold(force=True) == bool(self.oracle.units)

    @rule(which=st.integers(0, 1))
    def reopen(self, which: int) -> None:
        self.handles[which][0].close()
        self.handles[which] = self.opened()

    @rule(which=st.integers(0, 1))
    def forget(self, which: int) -> None:
        self.handles[which][1].forget()

    @rule(which=st.integers(0, 1))
    def look(self, which: int) -> None:
        """So that handles differ in how far they have come."""
        self.handles[which][1].current()

    @precondition(lambda self: self.oracle.units)
    @rule(
        which=st.integers(0, 1),
        terms=st.lists(st.sampled_from((*WORDS, "absent")), min_size=1, max_size=4),
        low=st.integers(0, 45),
        days=st.integers(0, 30),
        n=st.integers(1, 8),
    )
    def compare(self, which: int, terms: list[str], low: int, days: int, n: int) -> None:
        index = self.handles[which][1].current()
        names = index.ids(np.arange(index.rows))
        living = index.alive if index.alive is not None else np.ones(index.rows, bool)
        row_of = {name: row for row, (name, lives) in enumerate(zip(names, living, strict=True)) if lives}
        assert set(row_of) == {unit["id"] for unit in self.oracle.units}
        assert index.size == len(self.oracle.units)
        self.compare_words(index, row_of, names, terms, n)
        self.compare_vectors(index, row_of, names, terms, n)
        start, end = FIRST + timedelta(days=low), FIRST + timedelta(days=low + days)
        for uttered in (False, True):
            rows, scores = index.time_matches([(start.toordinal(), end.toordinal())], uttered)
            expected = self.oracle.time_match(start, end, uttered=uttered)
            same({names[row]: score for row, score in zip(rows, scores, strict=True)}, expected)
        constraints = ["bob", "ann"]
        vectors, hashes = EMBEDDER.embed(constraints), [term_hash(text) for text in constraints]
        for kind, locations in (("names", False), ("places", True)):
            rows, scores = index.phrase_matches(vectors, hashes, 0.3, locations)
            expected = self.oracle.sem_match(constraints, 0.3, kind)
            same({names[row]: score for row, score in zip(rows, scores, strict=True)}, expected)
        rows_asked = np.array(sorted(row_of.values()))
        around = index.around(rows_asked, 2)
        for row, (before, after, second_before, second_after) in zip(rows_asked, around, strict=True):
            found = [names[at] if at >= 0 else None for at in (second_before, before, after, second_after)]
            assert found == [self.oracle.beside(names[row], step) for step in (-2, -1, 1, 2)]

    def compare_words(self, index: Index, row_of: dict[str, int], names: list[str], terms: list[str], n: int) -> None:
        scores, expected = index.lexical(terms), self.oracle.bm25(terms)
        same({name: float(scores[row]) for name, row in row_of.items()}, expected)
        dead = set(range(index.rows)) - set(row_of.values())
        assert not scores[sorted(dead)].any()
        rows = np.flatnonzero(scores)
        best, values = index.top(rows, scores[rows], n)
        ranked = sorted((-float(scores[row]), names[row]) for row in rows)[:n]
        assert [(-float(value), names[row]) for row, value in zip(best, values, strict=True)] == ranked

    def compare_vectors(
        self, index: Index, row_of: dict[str, int], names: list[str], terms: list[str], n: int
    ) -> None:
        query = EMBEDDER.embed([" ".join(terms)])[0]
        expected = self.oracle.cosines(query)
        rows, cosines = index.semantic(query, n)
        assert len(rows) == min(n, len(expected))
        assert len({names[row] for row in rows}) == len(rows)
        for row, cosine, best in zip(rows, cosines, sorted(expected.values(), reverse=True), strict=False):
            assert math.isclose(cosine, expected[names[row]], abs_tol=1e-5)
            assert math.isclose(cosine, best, abs_tol=1e-5)
        asked = np.array(sorted(row_of.values()))
        for row, cosine in zip(asked, index.cosines(query, asked), strict=True):
            assert math.isclose(cosine, expected.get(names[row], 0.0), abs_tol=1e-5)

    @invariant()
    def stores_agree(self) -> None:
        if hasattr(self, "handles"):
            assert self.handles[0][0].change == self.handles[1][0].change


def same(found: dict[str, float], expected: dict[str, float]) -> None:
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert math.isclose(found[name], value, rel_tol=1e-4, abs_tol=1e-5), (name, found[name], value)


class QuantisedIndexAgainstOracle(IndexAgainstOracle):
    """The same with the int8 scan of large namespaces from the first vector on, and segments merged as usual."""

    merged_up_to = derived.SMALL

    @initialize()
    def begin(self) -> None:
        self.scan_from = dense.SCAN_FROM
        dense.SCAN_FROM = 1
        super().begin()

    def teardown(self) -> None:
        dense.SCAN_FROM = self.scan_from
        super().teardown()


RUN = settings(
    max_examples=20,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
IndexAgainstOracle.TestCase.settings = QuantisedIndexAgainstOracle.TestCase.settings = RUN
TestIndexAgainstOracle = IndexAgainstOracle.TestCase
TestQuantisedIndexAgainstOracle = QuantisedIndexAgainstOracle.TestCase
