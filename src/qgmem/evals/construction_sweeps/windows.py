"""Window width and overlap: what is lost by reading a session in pieces, and what it costs (SPEC §2.1).

No model takes part, so nothing is said of how well one reads. What is measured bounds every model: a claim can be
read only in the window where its turn is new, and only if that window shows all turns that the claim needs. Those are

- the turn itself and, for a two-word answer, the question before it (known from the simulation);
- the nearest turn up to it that names the claim's subject, unless its speaker is the subject;
- the nearest turn up to it that has the value, unless the turn itself has it.

A claim whose needs the session does not meet at all is out of reach of any window, and counted apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from qgmem.construction.attributes_llm import VERSION as ATTRIBUTES
from qgmem.construction.forecast import ATTRIBUTE_TOKENS, UNIT_TOKENS
from qgmem.construction.prompts import load
from qgmem.construction.units import Draft, said, unit_request
from qgmem.construction.validate import Passed, validate
from qgmem.construction.windows import Window, plan, sessions
from qgmem.models.chat import estimate_tokens
from qgmem.synthetic import Claim, Life
from qgmem.types import Turn

WIDTHS = (2, 4, 6, 8, 12, 16, 24)
OVERLAPS = (0, 1, 2, 3, 4, 6)


@dataclass(frozen=True, slots=True)
class Need:
    """A claim and the turns it needs, as places in its session; `reach`: how far back the first of them lies."""

    claim: Claim
    place: int
    needed: frozenset[int]
    kind: str  # alone | answer | reference

    @property
    def reach(self) -> int:
        """Turns from the first that is needed to the claim's own."""
        return self.place - min(self.needed)


@dataclass(frozen=True, slots=True)
class Cut:
    """One width and overlap. Shares of claims, [0, 1], higher is better; calls and tokens a turn, lower is better.

    `readable`: all that is needed lies in the window. `several`: the same of claims that need several turns.
    `passed`: the truth about the claim passes our checks against that window. `tokens_in`: estimated from characters.
    """

    width: int
    overlap: int
    readable: float
    several: float
    passed: float
    calls: float
    tokens_in: float


def needs(life: Life) -> tuple[list[tuple[list[Turn], list[Need]]], int]:
    """(sessions with the needs of the claims said in them, number of claims whose needs no session meets)."""
    turns = [
        Turn(m.id, m.session_id, m.sequence, m.name, m.role, m.content, m.timestamp, m.caption)
        for m in life.dialogue.messages()
    ]
    by_turn: dict[str, list[Claim]] = {}
    for claim in life.claims:
        by_turn.setdefault(claim.turn_id, []).append(claim)
    found: list[tuple[list[Turn], list[Need]]] = []
    unmet = 0
    for session in sessions(turns).values():
        places = {turn.id: place for place, turn in enumerate(session)}
        mine: list[Need] = []
        for place, turn in enumerate(session):
            for claim in by_turn.get(turn.id, []):
                need = _need(claim, place, session, places)
                unmet += need is None
                mine += [need] if need else []
        found.append((session, mine))
    return found, unmet


def _need(claim: Claim, place: int, session: Sequence[Turn], places: dict[str, int]) -> Need | None:
    needed = {place, *(places[turn] for turn in claim.support if turn in places)}
    kind = "answer" if len(needed) > 1 else "alone"
    first_name = claim.subject_name.split(" ")[0]
    wanted = [] if session[place].speaker == claim.subject_name else [first_name]
    wanted += [claim.object] if claim.object else []
    for words in wanted:
        at = _nearest(words, place, session)
        if at is None:
            return None
        if at not in needed:
            needed.add(at)
            kind = "reference"
    return Need(claim, place, frozenset(needed), kind)


def _nearest(words: str, place: int, session: Sequence[Turn]) -> int | None:
    """The last turn up to a place that has these words, or is spoken by that name."""
    pattern = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE)
    for at in range(place, -1, -1):
        if pattern.search(f"{session[at].speaker}: {session[at].text}"):
            return at
    return None


def sweep(
    lives: Sequence[Life], widths: Sequence[int] = WIDTHS, overlaps: Sequence[int] = OVERLAPS
) -> tuple[list[Cut], dict[str, int]]:
    """Every width with every overlap that leaves at least half of the window new; and claims by what they need."""
    read = [needs(life) for life in lives]
    told = [one for found, _ in read for one in found]
    counts = {"unmet": sum(unmet for _, unmet in read)}
    for _, mine in told:
        for need in mine:
            name = need.kind if need.kind == "alone" else f"{need.kind}, {need.reach} back"
            counts[name] = counts.get(name, 0) + 1
    grid = [(w, o) for w in widths for o in overlaps if 2 * o <= w]
    return [_cut(told, width, overlap) for width, overlap in grid], counts


def _cut(told: Sequence[tuple[list[Turn], list[Need]]], width: int, overlap: int) -> Cut:
    readable: list[bool] = []
    several: list[bool] = []
    passed: list[bool] = []
    windows = tokens = turns = 0
    for session, mine in told:
        turns += len(session)
        cut = plan(session, width=width, overlap=overlap).windows
        windows += len(cut)
        tokens += sum(_tokens_in(window) for window in cut)
        shown = dict(_shown(cut))
        for need in mine:
            window, first = shown[need.place]
            whole = min(need.needed) >= first
            readable.append(whole)
            several += [whole] if len(need.needed) > 1 else []
            passed.append(_passes(need, window, first))
    return Cut(width, overlap, fmean(readable), fmean(several), fmean(passed), 2 * windows / turns, tokens / turns)


def _shown(windows: Sequence[Window]) -> Iterator[tuple[int, tuple[Window, int]]]:
    """Place in the session → the window in which it is new, and the place of that window's first turn."""
    place = 0
    for window in windows:
        first = place - window.overlap
        for _ in window.new:
            yield place, (window, first)
            place += 1


def _passes(need: Need, window: Window, first: int) -> bool:
    """Does the truth about the claim, said in its own words, pass the checks against what the window shows?

    It is what an extractor writes that knows everything: subject and value, citing the turns that are shown.
    """
    claim = need.claim
    start, end = max(0, min(need.needed) - first), need.place - first
    text = f"{claim.subject_name.split(' ')[0]}: {claim.object or window.turns[end].text}"
    draft = Draft(text, start, end, labelled=True, quote=window.turns[end].text, triple=None, partial=False)
    return isinstance(validate(draft, window), Passed)


def _tokens_in(window: Window) -> int:
    """Both prompts of a window, as the forecast counts them."""
    request = unit_request(window, 1)
    evidence = sum(estimate_tokens(said(turn)) for turn in window.new)
    index = load("attributes", ATTRIBUTES).system
    read = estimate_tokens(request.system) + estimate_tokens(request.user)
    return read + estimate_tokens(index) + evidence + len(window.new) * UNIT_TOKENS


TOKENS_OUT = UNIT_TOKENS + ATTRIBUTE_TOKENS  # a turn, whatever the width
