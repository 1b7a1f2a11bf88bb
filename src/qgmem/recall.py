"""The way out: question → activation → hits with text, times, source and reasons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .activation import newest_state
from .activation.activate import Activation, Asked, Surroundings, activate
from .activation.piece_match import PieceMatch
from .activation.query import parse_query
from .activation.query_llm import Parsed, QueryModel
from .activation.question_terms import question_terms
from .activation.rerank import PoolReranker
from .activation.time_box import boxed
from .construction.redaction import Redactor
from .construction.timex import find_times
from .errors import InvalidInput
from .generation.serialise import unit_document
from .hiding import Texts, sources
from .models.checked import CheckedEmbedder
from .moments import Moment as Moment
from .moments import asked_at, exact_moment, last_day, last_moment, serial
from .namespace import Namespace
from .owner import named_user
from .pieces import AskedPieces
from .protocols import AttributeExtractor
from .settings import Settings
from .stores.analyser import terms
from .stores.filters import parse_filters
from .stores.index import Index, Mask, Rows
from .stores.reading import time_number
from .stores.segment import FACT_TIME, NO_DAY, NO_TIME
from .text import clean
from .types import Hit, Interval, MemoryUnit, UnitKind

Keys = NDArray[np.int64]
Passes = Callable[[Keys], Mask]  # (n,) keys of units → (n,) which of them the filter lets through
SEQUENCE = (1 << 40) - 1  # the turn's part of a chain key
WORDS = 1 << 14  # whose terms are remembered between searches


class Standing(Protocol):
    """Keys of units, ascending: states all over by then; states that may have held, their time being unknown; the
    first to say something that held.
    """

    @property
    def over(self) -> Keys: ...
    @property
    def vague(self) -> Keys: ...
    @property
    def opens(self) -> Keys: ...


class Sides(Protocol):
    """Keys of units that say what is asked for, and of those that say only what held at other times."""

    @property
    def current(self) -> Sequence[int]: ...
    @property
    def superseded(self) -> Sequence[int]: ...


class Traces(Protocol):
    """What a search asks of traces."""

    def standing(self, space: Namespace, as_of: Moment, known_at: Moment, passes: Passes | None = None) -> Standing:
        """Units whose states were over by then, as far as was known; only units that pass may end a state."""

    def sides(
        self,
        space: Namespace,
        question: str,
        times: Sequence[Interval] = (),
        question_time: Moment = None,
        known_at: Moment = None,
        passes: Passes | None = None,
    ) -> Sides | None:
        """What held when it is asked for, and what did not, where the relation asked for has a trace."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a search may see: a filter, what was true by `as_of`, what had been said by `known_at`."""

    filters: Mapping[str, Any] = field(default_factory=dict)
    as_of: Moment = None
    known_at: Moment = None

    def check(self) -> None:
        """Raises InvalidInput for what cannot be understood, also where there is nothing yet to search."""
        parse_filters(self.filters)
        if self.as_of is not None:
            last_day(self.as_of)
        if self.known_at is not None and serial(self.known_at) is None:
            last_moment(self.known_at)

    @property
    def timed(self) -> bool:
        """True when time decides about visibility."""
        return self.as_of is not None or self.known_at is not None


def scoped(
    filters: Mapping[str, Any] | None, user_id: str, as_of: Moment, known_at: Moment, **also: str | None
) -> tuple[str, Scope]:
    """Whose memory is searched, and what of it may be seen; `also` adds conditions. Raises InvalidInput."""
    user_id, chosen = named_user(filters, user_id)
    more = given(**also)
    both = {"AND": [chosen, more]} if chosen.keys() & more else chosen | more  # neither replaces the other
    scope = Scope(both, as_of, known_at)
    scope.check()
    return user_id, scope


def given(**values: str | None) -> dict[str, str]:
    """Those that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def how_many(limit: int | None, top_k: int | None, default: int) -> int:
    """The number of units wanted, under either name. Raises InvalidInput."""
    if limit is not None and top_k is not None and limit != top_k:
        raise InvalidInput("limit", f"is {limit!r} and top_k is {top_k!r}", "give one of them")
    wanted = next((n for n in (limit, top_k) if n is not None), default)
    if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted < 1:
        raise InvalidInput("limit", f"expected a whole number of at least 1, got {wanted!r}")
    return wanted


def readable(question: object) -> str:
    """The question as text that can be searched for. Raises InvalidInput."""
    if not isinstance(question, str):
        raise InvalidInput("query", f"expected text, got {type(question).__name__}")
    cleaned = clean(question)
    if not cleaned.strip():
        raise InvalidInput("query", "is empty")
    return cleaned


class Recall:
    """Searches one namespace at a time. Holds no state of its own but the thread of a reranker that overran."""

    def __init__(
        self,
        embedder: CheckedEmbedder,
        extractor: AttributeExtractor,
        reranker: PoolReranker | None,
        settings: Settings,
        redactor: Redactor | None = None,
        query_model: QueryModel | None = None,
        traces: Traces | None = None,
    ) -> None:
        self._query_model, self._traces = query_model, traces
        self._embedder, self._extractor, self._settings = embedder, extractor, settings
        self._redactor = redactor  # of what is shown
        self._reranker = None if reranker is None else boxed(reranker)
        self._terms = lru_cache(WORDS)(lambda text: tuple(terms(text, settings.language)))

    def search(
        self, space: Namespace, question: str, limit: int, scope: Scope, question_time: Moment, *, explain: bool
    ) -> list[Hit]:
        """At most `limit` hits, best first."""
        index, found, standing = self._activated(space, question, limit, scope, question_time)
        hits = _hits(space, index, found, limit, scope, explain=explain)
        space.index.stay_small()
        if standing is not None:
            hits = _flagged(space, hits, standing.vague)
        if self._redactor is None:
            return hits
        beside = sources(space.store, [hit.unit for hit in hits])
        return [_blacked_out(hit, beside[hit.id], self._redactor.fresh()) for hit in hits]

    def passes(self, space: Namespace, scope: Scope) -> Passes | None:
        """Which units the scope's filter lets through, by key; None where it has none."""
        index = space.index.current()
        return _passes(index, scope, _passing(space, index, scope))

    def activation(
        self, space: Namespace, question: str, limit: int, scope: Scope, question_time: Moment
    ) -> tuple[Index, Activation]:
        """The index and the pool of candidates, for whoever wants to see them whole."""
        return self._activated(space, question, limit, scope, question_time)[:2]

    def _activated(
        self, space: Namespace, question: str, limit: int, scope: Scope, question_time: Moment
    ) -> tuple[Index, Activation, Standing | None]:
        question = readable(question)
        index = space.index.current()
        asked = self._asked(space, index, question, question_time)
        passing = _passing(space, index, scope)
        passes = _passes(index, scope, passing)
        standing = None
        if self._traces is not None and scope.as_of is not None:
            standing = self._traces.standing(space, scope.as_of, scope.known_at, passes)
        allowed = _allowed(index, scope, passing, standing)
        if scope.known_at is not None:
            index = index.as_known(_known(index, scope.known_at))
        wanted = limit if _plain(index, limit, self._settings.pool) else 2 * limit  # half may be repeats
        settings = self._settings
        if wanted > min(settings.pool, settings.n):
            wider = {"pool": max(settings.pool, wanted), "n": max(settings.n, wanted)}
            settings = settings.model_copy(update=wider)
        looking = _Looking(self._embedder)
        around = Surroundings(
            embed=looking.embed,
            embed_phrases=self._embedder.phrases,
            terms=self._terms,
            threshold=settings.sem_match_threshold or self._embedder.sem_match_threshold,
            graph=space.entity_graph,
            documents=lambda rows: [unit_document(unit) for unit in space.store.units(index.ids(rows))],
            reranker=self._reranker,
            texts=lambda rows: [f"{unit.speaker}: {unit.text}" for unit in space.store.units(index.ids(rows))],
            words=lambda rows: _words(space, index, rows),
            pieces=lambda: looking.match(space, index, self._terms),
        )
        found = activate(index, asked, around, settings, allowed)
        if self._traces is not None and scope.as_of is None and not asked.query.constraints.utterance_times:
            times = asked.query.constraints.fact_times
            sides = self._traces.sides(space, question, times, question_time, scope.known_at, passes)
            found = _asked_first(index, found, sides)
        return index, found, standing

    def _asked(self, space: Namespace, index: Index, question: str, question_time: Moment) -> Asked:
        when = asked_at(question_time)
        parsed = Parsed(parse_query(question, when, self._extractor, find_times))
        if self._query_model is not None:
            times = find_times(question, when)
            parsed = self._query_model.parse(parsed.query, times, space.store.log, space.store.user_id)
        words = question_terms(question, self._settings.language)
        return Asked(parsed.query, words, space.named(index, words), parsed.notes)


class _Looking:
    """A question's vector and, of the same run of the embedder, what is looked for in units piece by piece."""

    def __init__(self, embedder: CheckedEmbedder) -> None:
        self._embedder = embedder
        self._asked: AskedPieces | None = None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """(1, d) of the one text. Raises ModelError."""
        vectors, self._asked = self._embedder.embed_question(texts[0])
        return vectors

    def match(self, space: Namespace, index: Index, terms_of: Callable[[str], Sequence[str]]) -> PieceMatch | None:
        """None before a question was embedded, and from an embedder that shows no pieces."""
        if self._asked is None:
            return None

        def kept(rows: Rows) -> list[bytes | None]:
            keys = np.asarray(index.gather("key", rows)).tolist()
            found = space.store.pieces(keys)
            return [found.get(key) for key in keys]

        return PieceMatch.of(self._asked, lambda word: bool(space.named(index, terms_of(word))), kept)


def _words(space: Namespace, index: Index, rows: Rows) -> list[str]:
    """The words of these units in order, without those that were deleted since the index was read."""
    keys = np.asarray(index.gather("key", rows)).tolist()
    found = space.store.texts(keys)
    return [found[key] for key in keys if key in found]


def _asked_first(index: Index, found: Activation, sides: Sides | None) -> Activation:
    """What holds, or held at the time that is asked about, before what did not."""
    if sides is None:
        return found
    current = index.rows_of(np.array(sides.current, np.int64))
    superseded = index.rows_of(np.array(sides.superseded, np.int64))
    return newest_state.reorder(found, current, superseded)


def _passing(space: Namespace, index: Index, scope: Scope) -> Mask | None:
    """(rows,) what lives and passes the filter; None for everything."""
    if not scope.filters:
        return index.alive
    passing = np.zeros(index.rows, np.bool_)
    passing[index.rows_of(space.store.keys(scope.filters))] = True
    return passing


def _passes(index: Index, scope: Scope, passing: Mask | None) -> Passes | None:
    """The same for keys of units, None without a filter; one that the index does not know yet does not pass."""
    if not scope.filters or passing is None:
        return None
    keys = np.asarray(index.column("key"))[passing]
    return lambda units: np.isin(units, keys)


def _allowed(index: Index, scope: Scope, passing: Mask | None, standing: Standing | None) -> Mask | None:
    """(rows,) what the scope lets through; None for everything.

    What says a state that held is let through even where its own time is later: it may speak of several times. So
    nothing is left out for the sake of a state that is not shown itself.
    """
    if not scope.timed:
        return passing
    allowed = np.ones(index.rows, np.bool_) if passing is None else passing.copy()
    if scope.as_of is not None:
        begun = _begun(index, scope.as_of)
        if standing is not None:
            begun[index.rows_of(standing.opens)] = True
            begun[index.rows_of(standing.over)] = False
        allowed &= begun
    if scope.known_at is not None:
        allowed &= _known(index, scope.known_at)
    return allowed


def _begun(index: Index, as_of: Moment) -> Mask:
    """Units whose own time had come, or is unknown: by day, or by the moment said where that is all that is known."""
    start, day, moment = np.asarray(index.column("valid_from")), last_day(as_of).toordinal(), exact_moment(as_of)
    begun = (start == NO_DAY) | (start <= day)
    if moment is not None:
        said, traits = np.asarray(index.column("utterance_us")), np.asarray(index.column("traits"))
        exact = ((traits & FACT_TIME) == 0) & (said != NO_TIME)
        begun = np.where(exact, said <= time_number(moment), begun)
    return np.asarray(begun)


def _known(index: Index, known_at: Moment) -> Mask:
    """Units said by then; those of unknown time are let through, to be flagged."""
    number = serial(known_at)
    if number is not None:
        sequence = np.asarray(index.column("chain")) & SEQUENCE
        return np.asarray(sequence <= number)
    said = np.asarray(index.column("utterance_us"))
    return np.asarray((said == NO_TIME) | (said <= time_number(last_moment(known_at))))


def _plain(index: Index, limit: int, pool: int) -> bool:
    """True when the pool holds enough for sure: it is large, or every unit is a turn of its own."""
    return 2 * limit <= pool or bool(np.asarray(index.column("verbatim")).all())


def _hits(space: Namespace, index: Index, found: Activation, limit: int, scope: Scope, *, explain: bool) -> list[Hit]:
    """The best `limit` of the pool, none of which shows the evidence of a better one again."""
    hits: list[Hit] = []
    evidence = Evidence()
    for start in range(0, len(found.rows), limit):
        rows = found.rows[start : start + limit]
        ids = index.ids(rows)
        units = {unit.id: unit for unit in space.store.units(ids)}
        channels = found.channels(rows)
        for place, unit_id in enumerate(ids, start):
            unit = units.get(unit_id)
            # none: deleted by another process since the index was read
            if unit is None or evidence.repeats(unit) or len(hits) == limit:
                continue
            known = unit.utterance_time is not None or (scope.known_at is None and bool(unit.fact_times))
            hits.append(
                Hit(
                    unit=unit,
                    rank=len(hits) + 1,
                    score=float(found.scores[place]),
                    channels=channels[place - start],
                    contributions={n: float(v[place]) for n, v in found.parts.items()} if explain else {},
                    flags=(("time-unknown",) if scope.timed and not known else ()) + found.notes,
                )
            )
        if len(hits) == limit:
            break
    return hits


def _flagged(space: Namespace, hits: list[Hit], vague: Keys) -> list[Hit]:
    """Hits of which nobody knows whether their state had begun, or had ended, say so."""
    if not len(vague):
        return hits
    keys = space.store.keys_of([hit.id for hit in hits])
    return [
        replace(hit, flags=(*hit.flags, "state-time-unknown")) if key in vague else hit
        for hit, key in zip(hits, keys, strict=True)
    ]


class Evidence:
    """Which turns were shown as they are, and which as claims.

    A turn and a claim that rests on that turn alone are one piece of evidence: whichever ranks better is kept, and
    holds the other's words in its quote or its text. Several claims of a turn are different facts, and so is a claim
    that needs several turns.
    """

    def __init__(self) -> None:
        self._shown: dict[str, UnitKind] = {}

    def repeats(self, unit: MemoryUnit) -> bool:
        """True if a unit of the other kind has shown the same single turn; else the turn counts as shown."""
        turns = unit.span.turn_ids
        return len(turns) == 1 and self._shown.setdefault(turns[0], unit.kind) != unit.kind


def _blacked_out(hit: Hit, beside: Texts, redactor: Redactor) -> Hit:
    """The hit without secrets, flagged with the patterns that found some."""
    unit = redactor.unit(hit.unit, *beside)
    flags = tuple(f"redacted: {name}" for name in sorted(redactor.counts))
    return replace(hit, unit=unit, flags=hit.flags + flags) if flags else hit
