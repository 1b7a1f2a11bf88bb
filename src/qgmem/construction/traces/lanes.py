"""Claims laid end to end: one lane where one value holds at a time, else one for each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from .claims import Claim, instant
from .matching import the_match
from .relations import relation_of, value_key

Said = tuple[int, int, str]
Place = tuple[date, bool, datetime, Said]


@dataclass(slots=True)
class Entry:
    """A value from the claim that opens it to the claim that closes it. `valid_to` None: open, or unknown."""

    value: str
    key: str
    opening: Claim
    repeats: list[Claim] = field(default_factory=list)
    closed_by: Claim | None = None
    valid_to: date | None = None
    until: datetime | None = None  # exactly, where an utterance gave the day


@dataclass(frozen=True, slots=True)
class Laid:
    """The lanes, and (unit id, reason) of ends that close nothing."""

    lanes: tuple[tuple[Entry, ...], ...]
    ignored: tuple[tuple[str, str], ...]


def lanes(standing: Sequence[Claim], one: bool, place: Mapping[Said, Place]) -> Laid:
    """Lay claims in order of their places. `standing`: in the order said, without what was taken back."""
    ignored: list[tuple[str, str]] = []
    if one:
        lane = _lane(sorted(standing, key=lambda c: place[c.said]), ignored)
        return Laid((tuple(lane),), tuple(ignored))
    keyed: dict[str, list[Claim]] = {}
    for claim in standing:
        if claim.kind != "end":
            keyed.setdefault(_value(claim)[1], []).append(claim)
    for claim in standing:
        if claim.kind == "end":
            key = _ended(claim, keyed)
            if key is None:
                ignored.append((claim.unit_id, "ends what was never said"))
            else:
                keyed[key].append(claim)
    laid = [_lane(sorted(each, key=lambda c: place[c.said]), ignored, several=True) for each in keyed.values()]
    return Laid(tuple(map(tuple, laid)), tuple(ignored))


def _ended(claim: Claim, keyed: dict[str, list[Claim]]) -> str | None:
    """Which lane an end means; without a value the only one there is."""
    if not claim.object.strip():
        return next(iter(keyed)) if len(keyed) == 1 else None
    return the_match(_value(claim)[1], keyed)


def places(claims: Sequence[Claim]) -> dict[Said, Place]:
    """Where each claim stands: by its first day; ties: hearsay before first hand, which then decides; then as said.

    As said is by the time of the utterances, and by their order where that is the same. One without any time stands
    after all that had been said before it.
    """
    found: dict[Said, Place] = {}
    latest = date.min
    moment = datetime.min.replace(tzinfo=UTC)
    for claim in sorted(claims, key=lambda c: c.said):
        begin = claim.valid_from
        at = moment if claim.utterance_time is None else instant(claim.utterance_time)
        moment = max(moment, at)
        found[claim.said] = (latest if begin is None else begin, claim.source is None, at, claim.said)
        spoken = claim.utterance_time.date() if claim.utterance_time else begin
        latest = max(latest, spoken or date.min)
    return found


def _lane(claims: Sequence[Claim], ignored: list[tuple[str, str]], *, several: bool = False) -> list[Entry]:
    lane: list[Entry] = []
    keys = {_value(claim)[1] for claim in claims if claim.kind != "end"}
    for claim in claims:
        last = lane[-1] if lane and lane[-1].closed_by is None else None
        value, key = _value(claim)
        if claim.kind == "end":
            named = key if several or not claim.object.strip() else the_match(key, keys)
            if last is None or not (several or not claim.object.strip() or named == last.key):
                ignored.append((claim.unit_id, "ends what did not hold then"))
            else:
                _close(lane, claim)
        elif last is not None and last.key == key:
            last.repeats.append(claim)
        else:
            if last is not None:
                _close(lane, claim)
            lane.append(Entry(value, key, claim))
    return lane


def _close(lane: list[Entry], claim: Claim) -> None:
    """End what holds on the first day of `claim`; states of unknown end before it get that bound too."""
    lane[-1].closed_by = claim
    for entry in reversed(lane):
        if entry.valid_to is not None or claim.valid_from is None:
            break
        entry.valid_to, entry.until = claim.valid_from, claim.since


def _value(claim: Claim) -> tuple[str, str]:
    value = relation_of(claim.predicate, claim.object).value
    return value, value_key(value)
