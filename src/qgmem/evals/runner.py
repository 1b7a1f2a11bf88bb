"""One pass of one system over one dataset: build each conversation, ask its questions, score the turns.

A question that the system or the scorer fails on is kept with its error and scores 0 in every metric,
and a conversation that cannot be built fails all its questions: nothing leaves the denominator.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from qgmem.errors import InvalidInput, MissingExtra, QgmemError

from .datasets.dialogue import Conversation, Dataset, Question
from .metrics.turn_ids import turn_ids_at
from .progress import progress
from .protocol import EvidenceSystem, SystemFactory

Scorer = Callable[[Question, Sequence[str]], Mapping[str, float]]
"""(question, distinct turn ids in rank order) → metric → score of this question."""

# What a broken system may raise at run time. A mistake in the calling code (TypeError, AttributeError,
# AssertionError) is none of these and ends the run.
FAILURES = (QgmemError, OSError, ValueError, LookupError, ArithmeticError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Row:
    """One question's outcome. `latency_ms` covers `search` alone and is None if it never returned."""

    question: Question
    found: tuple[str, ...]
    scores: Mapping[str, float]
    latency_ms: float | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Ingest:
    """Totals of building; `seconds` is wall time, `failed` one text a message that was not stored."""

    conversations: int = 0
    turns: int = 0
    stored: int = 0
    deduplicated: int = 0
    failed: tuple[str, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Rows in dataset order, one a question, and what building took."""

    rows: tuple[Row, ...]
    ingest: Ingest


def run(
    dataset: Dataset,
    factory: SystemFactory,
    scorer: Scorer,
    names: Sequence[str],
    depth: int,
    *,
    show_progress: bool = True,
    clock: Callable[[], float] = time.perf_counter,
) -> Outcome:
    """Runs every question of `dataset`.

    `names` are the metrics that `scorer` returns, `depth` how many distinct turns are retrieved.
    Raises InvalidInput if there is nothing to ask, and MissingExtra at once: what is not installed was not measured.
    """
    if not dataset.questions:
        raise InvalidInput("data", f"{dataset.name} has no question to ask")
    rows: dict[str, Row] = {}
    ingest = Ingest()
    with progress(dataset.name, len(dataset.questions), show_progress) as bar:
        for conversation in dataset.conversations:
            questions = dataset.questions_of(conversation.id)
            if not questions:
                continue
            try:
                system = factory(conversation.id)
            except MissingExtra:
                raise
            except FAILURES as error:
                rows |= {q.id: _failed(q, names, f"open: {_told(error)}") for q in questions}
                continue
            try:
                ingest = _build(system, conversation, ingest, clock)
                for question in questions:
                    rows[question.id] = _ask(system, question, scorer, names, depth, clock)
                    bar.advance()
            except _BuildFailed as error:
                rows |= {q.id: _failed(q, names, str(error)) for q in questions}
                bar.advance(len(questions))
            finally:
                system.close()
    return Outcome(tuple(rows[q.id] for q in dataset.questions), ingest)


class _BuildFailed(QgmemError):
    """A conversation could not be taken in."""


def _build(system: EvidenceSystem, conversation: Conversation, so_far: Ingest, clock: Callable[[], float]) -> Ingest:
    started = clock()
    try:
        built = system.build(conversation)
    except MissingExtra:
        raise
    except FAILURES as error:
        raise _BuildFailed(f"build: {_told(error)}") from error
    return replace(
        so_far,
        conversations=so_far.conversations + 1,
        turns=so_far.turns + len(conversation.turn_ids),
        stored=so_far.stored + built.stored,
        deduplicated=so_far.deduplicated + built.deduplicated,
        failed=(*so_far.failed, *(f"{conversation.id}: {why}" for why in built.failed)),
        seconds=so_far.seconds + clock() - started,
    )


def _ask(
    system: EvidenceSystem,
    question: Question,
    scorer: Scorer,
    names: Sequence[str],
    depth: int,
    clock: Callable[[], float],
) -> Row:
    started = clock()
    try:
        hits = system.search(question.text, depth)
    except MissingExtra:
        raise
    except FAILURES as error:
        return _failed(question, names, f"search: {_told(error)}")
    latency_ms = 1000 * (clock() - started)
    found = tuple(turn_ids_at(hits, depth))
    try:
        scores = dict(scorer(question, found))
    except MissingExtra:
        raise
    except FAILURES as error:
        return replace(_failed(question, names, f"score: {_told(error)}"), found=found, latency_ms=latency_ms)
    if list(scores) != list(names):
        raise InvalidInput("scorer", f"returned {list(scores)}, announced {list(names)}")
    return Row(question, found, scores, latency_ms)


def _failed(question: Question, names: Sequence[str], why: str) -> Row:
    return Row(question, (), dict.fromkeys(names, 0.0), failure=why)


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
