"""One unit in two places: which words stand, and what its history has to gain so that none are lost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from .errors import InvalidInput
from .stores.records import HistoryEvent

OLDER = "has newer words here, which stay; those of the file are in its history"
PARTED = "was changed both here and in the file; the later words stay, the others are in its history"


@dataclass(frozen=True, slots=True)
class Wordings:
    """What a unit says now, and its former words, oldest first. `said`: its words as they were first said."""

    text: str
    events: tuple[HistoryEvent, ...] = ()
    said: str | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """`text`: new words for the unit, None to leave it alone. `events`: what its history has to hold."""

    text: str | None
    events: tuple[HistoryEvent, ...] = ()
    note: str | None = None


def merged(unit_id: str, here: Wordings, brought: Wordings) -> Merged:
    """The unit as it is here, with what a file brings of it.

    Whoever knows all that the other knows is newer. Where each was changed without the other, the later change
    counts, and the words that give way enter the history at its time. Doing it twice adds nothing.

    Raises InvalidInput where no time tells which is later.
    """
    fresh = tuple(event for event in brought.events if event not in here.events)
    ours, theirs = _former(here), _former(brought)
    if here.text == brought.text:
        return Merged(brought.text if fresh and not here.events else None, fresh)
    if not fresh and brought.text in ours:
        return Merged(None, (), OLDER)
    untouched = not here.events and here.text == here.said
    if untouched or (here.text in theirs and set(here.events) <= set(brought.events)):
        return Merged(brought.text, fresh)
    latest = max((*here.events, *brought.events), key=lambda event: moment(event.recorded_at), default=None)
    if latest is None:
        raise InvalidInput("text", "differs from the words here, and no time tells which is newer", "use update")
    wins = latest not in here.events
    loser = here if wins else brought
    kept = HistoryEvent(unit_id, "update", loser.text, latest.recorded_at)
    lost = () if loser.text in ours | theirs else (kept,)
    return Merged(brought.text if wins else None, fresh + lost, PARTED)


def moment(text: str) -> datetime:
    """When an event was recorded; without an offset in UTC. Raises InvalidInput."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError as error:
        raise InvalidInput("recorded_at", f"not an ISO 8601 time: {text[:40]!r}") from error
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _former(wordings: Wordings) -> set[str]:
    return {event.text for event in wordings.events}
