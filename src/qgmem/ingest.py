"""The way in: messages → turns → units with attributes and vectors → store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from datetime import tzinfo
from typing import Any

import numpy as np

from .construction.identity import Seen, turn_ids
from .construction.messages import Message, Timestamp, checked_metadata, identifier, read_message
from .construction.redaction import Redactor
from .construction.verbatim import attributes, chunks, embedding_texts
from .errors import InvalidInput, ModelError
from .models.checked import CheckedEmbedder
from .namespace import Namespace
from .pieces import joined
from .protocols import AttributeExtractor
from .settings import Settings
from .stores.records import NewTurn
from .types import AddItem, AddReport, JsonValue, MemoryUnit, Turn

DEFAULT_SESSION = "default"
EMBED_BATCH = 256

Messages = str | Mapping[str, Any] | Sequence[str | Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Shared:
    """What all messages of one call have in common."""

    session_id: str | None = None
    timestamp: Timestamp = None
    time_zone: str | tzinfo | None = None
    metadata: Mapping[str, JsonValue] | None = None
    agent_id: str | None = None
    run_id: str | None = None


class Ingest:
    """Construction without a language model, then storage. Holds no state of its own."""

    def __init__(
        self,
        embedder: CheckedEmbedder,
        extractor: AttributeExtractor,
        settings: Settings,
        redactor: Redactor | None = None,
        after: Callable[[Namespace], object] = lambda _: None,
    ) -> None:
        """`after` is called with every namespace that was written to."""
        self._after = after
        self._embedder, self._extractor, self._settings = embedder, extractor, settings
        self._redactor = redactor  # of what is written

    def add(self, space: Namespace, messages: Messages, shared: Shared, seen: Seen | None = None) -> AddReport:
        """Store what can be stored, in one transaction, and say of each message what became of it.

        `seen`: what the earlier batches of the same file held, so that a repeated message is told apart in all of it.
        """
        items = [messages] if isinstance(messages, str | Mapping) else list(messages)
        shared = replace(
            shared,
            session_id=identifier(shared.session_id, "session_id"),
            agent_id=identifier(shared.agent_id, "agent_id"),
            run_id=identifier(shared.run_id, "run_id"),
        )
        metadata = checked_metadata(shared.metadata, "metadata")
        redactor = self._redactor and self._redactor.fresh()
        if redactor:
            metadata = {redactor.text(key): redactor.json(value) for key, value in metadata.items()}
        report: dict[int, AddItem] = {}
        read: dict[int, Message] = {}
        for place, item in enumerate(items):
            try:
                message = read_message(item, timestamp=shared.timestamp, time_zone=shared.time_zone)
                read[place] = message if redactor is None else _blacked_out(message, redactor)  # before ids are made
            except InvalidInput as error:
                report[place] = AddItem("failed", None, str(error))
        sessions = [message.session_id or shared.session_id or DEFAULT_SESSION for message in read.values()]
        ids = turn_ids(list(read.values()), space.store.user_id, sessions, seen)
        turns = {
            place: _turn(message, turn_id, session, metadata, shared)
            for (place, message), turn_id, session in zip(read.items(), ids, sessions, strict=True)
        }
        pending = self._store(space, turns, report)
        for place, message in read.items():
            report[place] = replace(report[place], note=message.note)
        redacted = dict(redactor.counts) if redactor else {}
        return AddReport(tuple(report[place] for place in range(len(items))), pending, redacted)

    def _store(self, space: Namespace, turns: Mapping[int, NewTurn], report: dict[int, AddItem]) -> str | None:
        """Put the new turns into the store, fill in the report; says why vectors are missing, if they are."""
        known: dict[str, Turn | NewTurn] = dict(space.store.known([turn.id for turn in turns.values()]))
        fresh: dict[int, NewTurn] = {}
        for place, turn in turns.items():
            report[place] = _compared(turn, known.get(turn.id))
            if turn.id not in known:
                known[turn.id] = fresh[place] = turn
        if not fresh:
            return None
        made, phrases, pending = self._made(space, list(fresh.values()))
        for place, stored in zip(fresh, space.store.add(made, phrases), strict=True):
            if stored is None:  # another process was first
                turn = fresh[place]
                report[place] = _compared(turn, space.store.turn(turn.id))
        self._after(space)
        return pending

    def put(self, space: Namespace, turns: Sequence[Turn]) -> AddReport:
        """Store turns of an export with the ids and, where it is free, the sequence that they had."""
        report: dict[int, AddItem] = {}
        redactor = self._redactor and self._redactor.fresh()
        if redactor:
            turns = [redactor.turn(turn) for turn in turns]
        fields = [field.name for field in dataclass_fields(Turn)]
        new = [NewTurn(**{name: getattr(turn, name) for name in fields}) for turn in turns]
        pending = self._store(space, dict(enumerate(new)), report)
        redacted = dict(redactor.counts) if redactor else {}
        return AddReport(tuple(report[place] for place in range(len(turns))), pending, redacted)

    def constructed(self, turn: NewTurn) -> NewTurn:
        """The turn with what the rules read off it."""
        found = attributes(
            turn.text,
            turn.caption,
            turn.speaker,
            turn.utterance_time,
            self._extractor,
            day_first=self._settings.day_first,
        )
        return replace(turn, attributes=found)

    def _made(self, space: Namespace, turns: Sequence[NewTurn]) -> tuple[list[NewTurn], dict[str, Any], str | None]:
        """The turns with attributes and vectors, vectors of new phrases, and why there are no vectors, if so.

        Embedding takes most of the time, so an embedder that can do with it begins before the turns are read.
        """
        parts = [embedding_texts(turn.speaker, turn.text, turn.caption) for turn in turns]
        with ThreadPoolExecutor(1, thread_name_prefix="qgmem-ahead") as ahead:
            begun = ahead.submit(self._embedded, parts) if self._embedder.concurrent else None
            made = [self.constructed(turn) for turn in turns]
            try:
                phrases = self._phrase_vectors(space, made)
                vectors = self._embedded(parts) if begun is None else begun.result()
            except ModelError as error:
                return made, {}, str(error)
        whole = zip(made, vectors, strict=True)
        return [replace(turn, vectors=own, pieces=pieces) for turn, (own, pieces) in whole], phrases, None

    def _phrase_vectors(self, space: Namespace, turns: Sequence[NewTurn]) -> dict[str, Any]:
        """Vectors of the phrases of these turns that have none yet. Raises ModelError."""
        if not self._settings.phrase_vectors:
            return {}
        found = [turn.attributes for turn in turns]
        named = [entity.text for one in found for entity in one.entities]
        phrases = space.store.unembedded(named + [place for one in found for place in one.locations])
        return dict(zip(phrases, self._embedder.phrases(phrases), strict=True)) if phrases else {}

    def _embedded(self, parts: Sequence[Sequence[str]]) -> list[tuple[Any, bytes | None]]:
        """One (chunks, d) array an entry, and its word pieces if the embedder shows them; all embedded together."""
        flat, pieces = self._embedder.embed_pieces([text for texts in parts for text in texts])
        ends = np.cumsum([len(texts) for texts in parts]).tolist()
        return [
            (flat[start:end], None if pieces is None else joined(pieces[start:end]))
            for start, end in zip([0, *ends], ends, strict=False)
        ]

    def update(self, space: Namespace, unit: MemoryUnit, text: str, recorded_at: str | None) -> None:
        """New words for a unit; the former ones enter the history unless `recorded_at` is None.

        When the embedder fails, the vectors wait for `embed_pending`.
        """
        if not isinstance(text, str):
            raise InvalidInput("text", f"expected text, got {type(text).__name__}")
        content = read_message(text).content
        content = content if self._redactor is None else self._redactor.fresh().text(content)
        bare = NewTurn(unit.id, unit.session_id, unit.speaker, unit.role, content, unit.utterance_time)
        (turn,), phrases, _ = self._made(space, [bare])
        space.store.update(unit.id, turn, recorded_at, phrases)
        self._after(space)

    def embed_new(self, space: Namespace) -> str | None:
        """The same as `embed_pending`; a failure of the embedder is told, not raised, since nothing is lost."""
        try:
            self.embed_pending(space)
        except ModelError as error:
            return str(error)
        return None

    def embed_pending(self, space: Namespace, *, pieces: bool = False) -> int:
        """Vectors for all units and phrases that have none of this embedder; how many units. Raises ModelError.

        `pieces`: also for units that have vectors and no word pieces, of an embedder that shows them.
        """
        count = after = 0
        pieces = pieces and self._embedder.shows_pieces
        while waiting := space.store.pending_units(self._embedder.id, EMBED_BATCH, after, pieces=pieces):
            after = waiting[-1][0]
            units = {unit.id: unit for unit in space.store.units([unit_id for _, unit_id in waiting])}
            turns = space.store.known([unit.span.first_turn for unit in units.values()])
            made = self._embedded([_unit_texts(units[unit_id], turns) for _, unit_id in waiting])
            found = dict(zip([key for key, _ in waiting], made, strict=True))
            kept = {key: shown for key, (_, shown) in found.items() if shown is not None}
            space.store.put_unit_vectors({key: own for key, (own, _) in found.items()}, self._embedder.id, kept)
            count += len(waiting)
        if self._settings.phrase_vectors:
            self._embed_phrases(space)
        self._after(space)
        return count

    def reembed(self, space: Namespace) -> int:
        """All vectors anew; a run that was interrupted goes on where it stopped."""
        space.store.begin_reembed(self._embedder.id, self._embedder.dimension)
        count = self.embed_pending(space, pieces=True)
        while not space.store.finish_reembed(self._embedder.id):
            count += self.embed_pending(space)  # what was written meanwhile
        space.index.forget()
        return count

    def _embed_phrases(self, space: Namespace) -> None:
        after = 0
        while waiting := space.store.pending_phrases(self._embedder.id, 1024, after):
            after = waiting[-1][0]
            vectors = self._embedder.embed([text for _, text in waiting])
            named = {key: vector for (key, _), vector in zip(waiting, vectors, strict=True)}
            space.store.put_phrase_vectors(named, self._embedder.id)


def _turn(
    message: Message, turn_id: str, session_id: str, metadata: Mapping[str, JsonValue], shared: Shared
) -> NewTurn:
    return NewTurn(
        id=turn_id,
        session_id=session_id,
        speaker=message.speaker,
        role=message.role,
        text=message.content,
        utterance_time=message.time,
        caption=message.caption,
        caption_query=message.caption_query,
        metadata={**metadata, **message.metadata},
        agent_id=shared.agent_id,
        run_id=shared.run_id,
    )


def _compared(turn: NewTurn, before: Turn | NewTurn | None) -> AddItem:
    """Stored, if nothing of that id was there; deduplicated, if it was the same; failed, if it was not."""
    if before is None:
        return AddItem("stored", turn.id)
    same = (before.text, before.speaker, before.session_id) == (turn.text, turn.speaker, turn.session_id)
    if same and before.utterance_time == turn.utterance_time:
        return AddItem("deduplicated", turn.id)
    return AddItem(
        "failed",
        turn.id,
        f"message.id: {turn.id!r} is taken by a turn with other words, speaker, session or time; "
        "leave the id out, or use update",
    )


def _blacked_out(message: Message, redactor: Redactor) -> Message:
    """The message without secrets."""
    known = redactor.beside(message.content, message.caption, message.caption_query)
    return replace(
        message,
        content=known.text(message.content),
        speaker=redactor.text(message.speaker),
        caption=known.maybe(message.caption),
        caption_query=known.maybe(message.caption_query),
        metadata={known.text(key): known.json(value) for key, value in message.metadata.items()},
    )


def _unit_texts(unit: MemoryUnit, turns: Mapping[str, Turn]) -> list[str]:
    """What is embedded for a unit; a claim names its people itself, so no speaker stands before it."""
    if unit.kind == "extracted":
        return chunks(unit.text)
    turn = turns[unit.span.first_turn]
    return embedding_texts(unit.speaker, unit.text, turn.caption if unit.text == turn.text else None)
