"""Windows over a session: the pieces of dialogue that a language model reads at once ([Q] appendix A1).

6 turns wide, 2 of them seen before (SPEC §6). A window never crosses its session's border, and every turn is new in
exactly one window, so that windows can be read in any order, side by side, and again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import groupby

from ..errors import InvalidInput
from ..types import Turn

WIDTH = 6  # turns
OVERLAP = 2


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive turns of one session; the first `overlap` of them are background, the others are new."""

    turns: tuple[Turn, ...]
    overlap: int

    @property
    def id(self) -> str:
        """The same for the same turns in the same roles, wherever and whenever it is cut.

        It is made of turn ids alone, so that it tells nothing of what was said.
        """
        parts = [self.session_id, str(self.overlap), *(turn.id for turn in self.turns)]
        return "w-" + sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()[:24]

    @property
    def session_id(self) -> str:
        """Whose session it is."""
        return self.turns[0].session_id

    @property
    def new(self) -> tuple[Turn, ...]:
        """The turns that units may rest on."""
        return self.turns[self.overlap :]

    @property
    def turn_ids(self) -> tuple[str, ...]:
        """Of all its turns, in order."""
        return tuple(turn.id for turn in self.turns)


@dataclass(frozen=True, slots=True)
class Cover:
    """A window that was read before, by its turn ids."""

    id: str
    turn_ids: tuple[str, ...]
    overlap: int


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """Windows of a session in order. `stale` ids are to be dropped: their turns are gone, or others have followed."""

    windows: tuple[Window, ...]
    stale: tuple[str, ...]


def sessions(turns: Iterable[Turn]) -> dict[str, list[Turn]]:
    """Turns by session, each in ingestion order."""
    found: dict[str, list[Turn]] = {}
    for turn in sorted(turns, key=lambda turn: turn.sequence):
        found.setdefault(turn.session_id, []).append(turn)
    return found


def plan(
    turns: Sequence[Turn], read: Iterable[Cover] = (), *, width: int = WIDTH, overlap: int = OVERLAP
) -> SessionPlan:
    """The windows of one session, given those that exist already.

    A full window stays as it is. One that was cut short by the session's end gives way when the session has grown,
    so the outcome does not depend on how the history was cut into calls. Turns in no window, as after a deletion, get
    new ones. Raises InvalidInput for a width and overlap that leave nothing new.
    """
    if not 0 <= overlap < width:
        raise InvalidInput("overlap", f"is {overlap} of {width} turns", "leave at least one new turn")
    if len({turn.session_id for turn in turns}) > 1:
        raise InvalidInput("turns", "belong to several sessions", "plan one session at a time")
    place = {turn.id: n for n, turn in enumerate(turns)}
    known: list[Cover] = []
    stale: list[str] = []
    for cover in read:
        whole = all(turn_id in place for turn_id in cover.turn_ids)
        if whole:
            known.append(cover)
        else:
            stale.append(cover.id)
    covered: dict[int, Cover] = {}
    for cover in known:
        covered.update((place[turn_id], cover) for turn_id in cover.turn_ids[cover.overlap :])
    for cover in known:
        last = place[cover.turn_ids[-1]]
        if len(cover.turn_ids) < width and last + 1 < len(turns) and last + 1 not in covered:
            stale.append(cover.id)
            covered = {n: owner for n, owner in covered.items() if owner is not cover}
    windows: list[Window] = []
    for owner, run in groupby(range(len(turns)), key=lambda n: covered.get(n)):
        places = list(run)
        if owner is not None:
            first = place[owner.turn_ids[0]]
            windows.append(Window(tuple(turns[first : places[-1] + 1]), owner.overlap))
            continue
        windows += _cut(turns, places[0], places[-1] + 1, width, overlap)
    return SessionPlan(tuple(windows), tuple(stale))


def _cut(turns: Sequence[Turn], start: int, end: int, width: int, overlap: int) -> Iterable[Window]:
    """Windows in which turns [start, end) are new, each once. The overlap may reach before `start`."""
    while start < end:
        first = max(0, start - overlap)
        stop = min(end, first + width)
        yield Window(tuple(turns[first:stop]), start - first)
        start = stop
