"""Against exact search over the same vectors and words: how much is found, and what the plain programs take.

Dense: a float32 matrix times the question, whole, in numpy. Words: bm25s over the same terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from qgmem.activation.question_terms import question_terms
from qgmem.construction.verbatim import lexical_text
from qgmem.errors import MissingExtra
from qgmem.namespace import Namespace
from qgmem.protocols import Vectors
from qgmem.settings import Settings
from qgmem.stores.analyser import terms
from qgmem.stores.index import Index
from qgmem.types import JsonValue, MemoryUnit

from .measure import Spread, Stopwatch

DEPTH = 100  # a channel's list
EQUAL = {"cosine": 1e-5, "bm25": 1e-3}  # scores nearer than that are the same: float32 sums in another order

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Compared:
    """Mean share of the exact hundred best that the index gives, and CPU milliseconds of the plain program.

    A unit counts as found when its own exact score reaches that of the hundredth: among equals any will do.
    """

    recall: float
    least: float  # of one question
    plain: Spread
    plain_bytes: int

    def to_json(self) -> JsonValue:
        """The content as plain values."""
        return asdict(self)


def dense(index: Index, vectors: Vectors) -> Compared:
    """`vectors`: (q, d) of the questions."""
    stored = np.concatenate([part.segment.vector for part in index.parts]).astype(np.float32)
    owner = np.concatenate(
        [part.segment.vector_row + start for part, start in zip(index.parts, _starts(index), strict=True)]
    )
    recalls, seconds = [], []
    for vector in vectors:
        watch = Stopwatch()
        cosines = stored @ vector
        _best(cosines)
        seconds.append(watch.read().cpu)
        by_unit = cosines
        if len(owner) != index.rows:  # a long text has several pieces
            by_unit = np.full(index.rows, -2, np.float32)
            np.maximum.at(by_unit, owner, cosines)
        rows, _ = index.semantic(vector, DEPTH)
        recalls.append(_recall(by_unit, rows, EQUAL["cosine"]))
    return Compared(float(np.mean(recalls)), min(recalls), Spread.of(seconds), stored.nbytes)


def words(space: Namespace, index: Index, asked: Sequence[str]) -> Compared:
    """Raises MissingExtra without bm25s."""
    try:
        import bm25s
    except ModuleNotFoundError as error:
        raise MissingExtra("the BM25 baseline (bm25s)", "eval") from error
    settings = Settings()
    corpus = _corpus(space, settings)
    plain = bm25s.BM25(method="lucene", k1=settings.bm25_k1, b=settings.bm25_b)
    plain.index(corpus, show_progress=False)
    row_of = np.asarray(index.rows_of(np.asarray(sorted(np.asarray(index.column("key"))), np.int64)))
    recalls, seconds = [], []
    for question in asked:
        found = question_terms(question, settings.language)
        known = [term for term in found if term in plain.vocab_dict]
        if not known:
            continue
        watch = Stopwatch()
        scores = np.asarray(plain.get_scores(known), np.float32)
        _best(scores)
        seconds.append(watch.read().cpu)
        by_row = np.zeros(index.rows, np.float32)
        by_row[row_of] = scores
        ours = index.lexical(found)
        rows, _ = index.top(np.flatnonzero(ours), ours[ours > 0], DEPTH)
        recalls.append(_recall(by_row, rows, EQUAL["bm25"]))
    held = sum(array.nbytes for array in plain.scores.values() if isinstance(array, np.ndarray))
    return Compared(float(np.mean(recalls)), min(recalls), Spread.of(seconds), held)


def _corpus(space: Namespace, settings: Settings) -> list[list[str]]:
    """Terms of every unit, in key order."""
    found: list[list[str]] = []
    batch: list[MemoryUnit] = []

    def flush() -> None:
        turns = space.store.known([unit.span.first_turn for unit in batch])
        for unit in batch:
            text = lexical_text(unit, turns[unit.span.first_turn], caption_query=settings.index_caption_query)
            found.append(terms(text, settings.language))
        batch.clear()

    for unit in space.store.scan():
        batch.append(unit)
        if len(batch) == 1000:
            flush()
    flush()
    return found


def _best(scores: Floats) -> NDArray[np.intp]:
    """The hundred best, best first, as a plain program takes them."""
    n = min(DEPTH, len(scores))
    kept = np.argpartition(scores, len(scores) - n)[len(scores) - n :]
    return kept[np.argsort(-scores[kept])]


def _recall(exact: Floats, rows: NDArray[np.intp], equal: float) -> float:
    """Share of the exact best, down to the hundredth or to the last above zero, that `rows` holds."""
    wanted = min(DEPTH, int((exact > 0).sum()))
    if wanted == 0:
        return 1.0
    edge = np.partition(exact, len(exact) - wanted)[len(exact) - wanted]
    return float(min((exact[rows[:wanted]] >= edge - equal).sum(), wanted) / wanted)


def _starts(index: Index) -> NDArray[np.int64]:
    lengths = [len(part.segment) for part in index.parts]
    return np.cumsum([0, *lengths])[:-1]
