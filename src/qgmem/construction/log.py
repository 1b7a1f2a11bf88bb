"""What construction by a language model has to remember between runs, and a memory of it that lasts one process.

The log is the whole state of a build: which windows there are and how each ended, the answers that were paid for, the
units that passed, the drafts that did not, and the account. `docs/design/llm-construction.md` has its tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from threading import RLock

from ..models.ledger import MemoryLedger
from ..stores.protocol import ConstructionLog
from ..stores.records import Forgotten, Quarantined, Status, UnitRecord, WindowOutcome, WindowRecord

__all__ = [
    "ConstructionLog",
    "Forgotten",
    "MemoryLog",
    "Quarantined",
    "Status",
    "UnitRecord",
    "WindowOutcome",
    "WindowRecord",
]


class MemoryLog(MemoryLedger):
    """A `ConstructionLog` in memory."""

    def __init__(self) -> None:
        super().__init__()
        self._windows: dict[str, WindowRecord] = {}
        self._outcomes: dict[str, WindowOutcome] = {}
        self._answers: dict[str, dict[str, str]] = {}
        self._guard = RLock()

    def windows(self, session_id: str | None = None) -> list[WindowRecord]:
        """All windows, or a session's, in the order in which they were opened."""
        with self._guard:
            return [one for one in self._windows.values() if session_id in (None, one.session_id)]

    def open(self, windows: Sequence[WindowRecord]) -> None:
        """Add windows as pending; those that are here already stay as they are."""
        with self._guard:
            for window in windows:
                self._windows.setdefault(window.id, replace(window, status="pending", reason=None, attempts=0))

    def finish(self, outcome: WindowOutcome) -> None:
        """Record a window's outcome in place of any former one."""
        with self._guard:
            window = self._windows.get(outcome.window_id)
            if window is None:
                return
            self._windows[window.id] = replace(
                window, status=outcome.status, reason=outcome.reason, attempts=window.attempts + 1
            )
            self._outcomes[window.id] = outcome

    def units(self, window_id: str | None = None) -> list[UnitRecord]:
        """Units of all windows in the order in which they were opened, or of one."""
        return [unit for outcome in self._of(window_id) for unit in outcome.units]

    def quarantine(self, window_id: str | None = None) -> list[Quarantined]:
        """What was set apart."""
        return [one for outcome in self._of(window_id) for one in outcome.quarantined]

    def drop(self, window_ids: Iterable[str]) -> Forgotten:
        """Forget windows with their answers, units and quarantine."""
        units: list[str] = []
        windows = cached = quarantined = 0
        with self._guard:
            for window_id in window_ids:
                windows += self._windows.pop(window_id, None) is not None
                cached += len(self._answers.pop(window_id, {}))
                outcome = self._outcomes.pop(window_id, None)
                if outcome is not None:
                    units += [record.unit.id for record in outcome.units]
                    quarantined += len(outcome.quarantined)
        return Forgotten(tuple(units), windows, cached, quarantined)

    def forget_turns(self, turn_ids: Iterable[str]) -> Forgotten:
        """Forget every window that shows one of these turns, also as background."""
        gone = set(turn_ids)
        with self._guard:
            return self.drop([one.id for one in self._windows.values() if gone.intersection(one.turn_ids)])

    def cached(self, owner: str, key: str) -> str | None:
        """The answer kept for this window under this key."""
        with self._guard:
            return self._answers.get(owner, {}).get(key)

    def cache(self, owner: str, key: str, answer: str) -> None:
        """Keep an answer, unless its window was forgotten meanwhile."""
        with self._guard:
            if owner in self._windows:
                self._answers.setdefault(owner, {})[key] = answer

    def _of(self, window_id: str | None) -> list[WindowOutcome]:
        with self._guard:
            names = list(self._windows) if window_id is None else [window_id]
            return [self._outcomes[name] for name in names if name in self._outcomes]
