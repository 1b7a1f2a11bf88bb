"""What any store of a namespace must offer; `tests/contract/` holds the promises that go with it.

A store keeps the truth of one user. Writes are atomic: a batch is there whole or not at all, and durable when the
call returns; readers see whole batches only. Deleting leaves no byte of the content. Every method may be called from
any thread. Every failure is a StoreError, every bad value an InvalidInput; nothing fails silently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..types import LedgerRow, MemoryUnit, Turn
from .index_reading import IndexPage
from .records import (
    Forgotten,
    HistoryEvent,
    NewTurn,
    Quarantined,
    Receipt,
    StoreStats,
    UnitRecord,
    WindowOutcome,
    WindowRecord,
)
from .trace_reading import TraceReading
from .trace_tables import TraceTables
from .trace_texts import TrajectoryText

Filters = Mapping[str, Any]  # see filters.py
Analyse = Callable[[MemoryUnit, Turn], Sequence[str]]  # the terms by which a unit is found
Renew = Callable[[TraceTables], None]


class Store(Protocol):
    """One namespace."""

    @property
    def user_id(self) -> str:
        """Whose memory this is."""

    @property
    def change(self) -> int:
        """Number of the last write; grows with every write, never repeats."""

    @property
    def moved(self) -> bool:
        """True if what this was opened on is no longer what lies there; open it anew then."""

    # ---- embedder

    def use_embedder(self, embedder_id: str, dimension: int) -> None:
        """Bind the namespace to an embedder. Raises EmbedderMismatch when its vectors are another's."""

    def begin_reembed(self, embedder_id: str, dimension: int) -> None:
        """Make room for another embedder's vectors; the active one answers until `finish_reembed`."""

    def finish_reembed(self, embedder_id: str) -> bool:
        """Switch to that embedder and drop every other's vectors; False, and nothing done, if some are missing."""

    def pending_units(
        self, embedder_id: str, limit: int, after: int = 0, *, pieces: bool = False
    ) -> list[tuple[int, str]]:
        """(key, id) of units after a key that this embedder has no vector, or no pieces, of, oldest first."""

    def pieces(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Pieces of units by key, of the embedder that answers searches; units without any are left out."""

    def pending_phrases(self, embedder_id: str, limit: int, after: int = 0) -> list[tuple[int, str]]:
        """(key, text) of phrases after a key that this embedder has no vector of."""

    def unembedded(self, phrases: Sequence[str]) -> list[str]:
        """Those of these phrases, in the form they are told apart by, that have no vector yet; each once."""

    def put_unit_vectors(
        self,
        vectors: Mapping[int, NDArray[np.float32]],
        embedder_id: str,
        pieces: Mapping[int, bytes] | None = None,
    ) -> None:
        """Vectors (chunks, d) and pieces of units by key, for an embedder that is active or being built."""

    def put_phrase_vectors(self, vectors: Mapping[int, NDArray[np.float32]], embedder_id: str) -> None:
        """Vectors (d,) of phrases by key."""

    # ---- writing

    def add(
        self, turns: Sequence[NewTurn], phrase_vectors: Mapping[str, NDArray[np.float32]] | None = None
    ) -> list[int | None]:
        """Store turns with their verbatim units, and vectors (d,) of phrases by text, as one batch.

        Returns each one's sequence, or None where a turn of that id was there already (nothing is changed then).
        """

    def update(
        self,
        unit_id: str,
        turn: NewTurn,
        recorded_at: str | None,
        phrase_vectors: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> None:
        """Give a unit new words; the former ones go to its history unless `recorded_at` is None.

        `turn` carries the new words, attributes and vectors; the stored turn stays as said. Raises NotFound.
        """

    def add_history(self, events: Sequence[HistoryEvent]) -> None:
        """Put events of an imported memory back; those already here are left alone."""

    def delete(self, unit_ids: Sequence[str], renew: Renew | None = None) -> Receipt:
        """Remove units, the turns a verbatim one stands for, and all that rests on them, down to the bytes.

        That is every unit whose span holds a turn, and every window of construction that shows one, with its units,
        answers and quarantine. With an extracted unit alone go the answers that its window was read from. `renew`
        works out traces again inside the same transaction; without it they are forgotten until they are asked for.

        Raises NotFound, before anything is removed, if an id is not here.
        """

    def delete_all(self) -> Receipt:
        """Remove everything of the namespace."""

    # ---- construction by a language model

    @property
    def log(self) -> ConstructionLog:
        """What construction by a language model has recorded; its units are found like all others."""

    def tracing(self) -> AbstractContextManager[TraceTables]:
        """The tables of traces, for writing, in one transaction."""

    def traced(self) -> AbstractContextManager[TraceReading]:
        """The tables of traces, for reading, as of one moment."""

    @property
    def trace_texts(self) -> TrajectoryTexts:
        """Trajectory texts that a language model wrote."""

    # ---- reading

    def known(self, turn_ids: Sequence[str]) -> dict[str, Turn]:
        """Those of the turns that are here, by id."""

    def turn(self, turn_id: str) -> Turn:
        """One turn. Raises NotFound."""

    def turns(self, session_id: str | None = None) -> Iterator[Turn]:
        """All turns, or a session's, in ingestion order."""

    def units(self, ids: Sequence[str]) -> list[MemoryUnit]:
        """Units in the order of their ids; ids that are not here are left out."""

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """The words of units by key, and nothing else of them; keys that are not here are left out."""

    def scan(self, filters: Filters | None = None, limit: int | None = None) -> Iterator[MemoryUnit]:
        """Units in ingestion order that pass the filters. Raises InvalidInput at once."""

    def keys(self, filters: Filters) -> NDArray[np.int64]:
        """Keys of the units that pass, ascending. Raises InvalidInput."""

    def keys_of(self, unit_ids: Sequence[str]) -> list[int]:
        """The key of each of these units; 0 for one that is not here."""

    def edited(self) -> Iterator[MemoryUnit]:
        """Verbatim units whose words were changed."""

    def history(self, unit_id: str | None = None) -> list[HistoryEvent]:
        """Events of one unit, or of all, oldest first."""

    def speakers(self) -> dict[int, str]:
        """Speakers' names by the code that the index knows them by."""

    def stats(self) -> StoreStats:
        """Counts and sizes."""

    def check(self) -> list[str]:
        """What is wrong with what is stored; empty when nothing is."""

    def close(self) -> None:
        """Let go of files and connections; a later call opens them for itself alone."""

    # ---- for the derived index

    def index_page(self, after: int, after_key: int, analyse: Analyse, embedder_id: str) -> IndexPage:
        """What was written after a change, from a key on. Raises EmbedderMismatch."""

    def written_after(self, change: int) -> int:
        """Number of units written after a change."""

    def mark_index(self, name: str) -> None:
        """Remember a snapshot of this store by name, before it is put in place; the last two are known."""

    def knows_index(self, name: str) -> bool:
        """True for a snapshot that belongs to this very store: not to another, nor to a later state of a copy."""


class ConstructionLog(Protocol):
    """One namespace's log. Every write is one transaction, durable when it returns; any thread may call.

    It is the cache of answers and the ledger of `models` as well.
    """

    # ---- answers and charges

    def cached(self, owner: str, key: str) -> str | None:
        """The answer kept for this window under this key."""

    def cache(self, owner: str, key: str, answer: str) -> None:
        """Keep an answer, unless its window was forgotten meanwhile."""

    def charge(self, row: LedgerRow) -> None:
        """Add to the sums of the row's key."""

    def ledger(self) -> list[LedgerRow]:
        """All sums, by key."""

    # ---- windows

    def windows(self, session_id: str | None = None) -> list[WindowRecord]:
        """All windows, or a session's, in the order in which they were opened."""

    def open(self, windows: Sequence[WindowRecord]) -> None:
        """Add windows as pending; those that are here already stay as they are."""

    def finish(self, outcome: WindowOutcome) -> None:
        """Record a window's outcome in place of any former one, units and quarantine included.

        A window that was forgotten meanwhile stays forgotten: nothing is recorded then.
        """

    def units(self, window_id: str | None = None) -> list[UnitRecord]:
        """Units of all windows in the order in which they were opened, or of one."""

    def quarantine(self, window_id: str | None = None) -> list[Quarantined]:
        """What was set apart."""

    def drop(self, window_ids: Iterable[str]) -> Forgotten:
        """Forget windows with their answers, units and quarantine."""

    def forget_turns(self, turn_ids: Iterable[str]) -> Forgotten:
        """Forget every window that shows one of these turns, also as background."""


class TrajectoryTexts(Protocol):
    """Texts that a language model wrote about traces; gone with the trace, and with every unit it rests on."""

    def put_trajectory_text(self, text: TrajectoryText) -> None:
        """Keep a text in place of any former one of its trace; not, if the trace is gone meanwhile."""

    def trajectory_text(self, trace_id: str) -> TrajectoryText | None:
        """The text of a trace, whatever states it was written from; None if there is none."""

    def set_apart(self, unit_ids: Sequence[str]) -> None:
        """What these units claim is off the traces that cosines brought it into: it stands alone from now on."""
