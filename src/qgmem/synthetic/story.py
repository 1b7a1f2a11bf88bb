"""What happens to the people of a life, and in which session each thing is told.

Everything is planned so that hearing the dialogue is enough to know: a value is only confirmed while it holds, a
date as said never reaches back past an earlier state, an unsaid stretch is told late and only about the past.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from .cast import Cast, Member
from .records import ClaimKind
from .relation import Relation
from .relations import RELATIONS
from .seeds import Draw

# Relations of people who are only told about; the rest would be odd to know of a neighbour.
TOLD = (
    "home",
    "employer",
    "role",
    "health",
    "favourite_food",
    "car",
    "hobby",
    "pet",
    "plan",
    "allergy",
    "language",
)


@dataclass(frozen=True, slots=True)
class Meeting:
    """One session to be: its day, and whether its turns carry a time."""

    number: int
    day: date
    timed: bool


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing to be said. `happened` is the day in the world; fact times as said must begin after `floor`.

    `lane` groups what must keep its order (subject, relation and, if multi-valued, object); `rank` is the place
    of the spell in its lane. `replaces` is the value before, where there is one.
    """

    session: int
    member: Member
    relation: Relation
    kind: ClaimKind
    object: str
    happened: date
    floor: date | None
    rank: float
    replaces: str = ""

    @property
    def lane(self) -> tuple[str, str, str]:
        """Key of the order that dates as said must respect."""
        return self.member.person.id, self.relation.name, "" if self.relation.functional else self.object


@dataclass(frozen=True, slots=True)
class Spell:
    """A value that holds from `start` up to `end` (the next spell, or an end without successor)."""

    object: str
    start: date
    stop: date
    ends: bool


def plan(draw: Draw, people: Cast, meetings: list[Meeting], start: date, end: date) -> list[Mention]:
    """All mentions of a life, in no particular order."""
    out: list[Mention] = []
    for member in people.members:
        speaks = member.person.first_name == people.speakers[member.teller]
        for relation in RELATIONS.values():
            if member.namesake and relation.name == "employer":
                continue  # the firm is what tells namesakes apart
            if not draw.chance(relation.held if speaks else _told_chance(relation, member)):
                continue
            if relation.functional:
                out += _functional(draw, member, relation, meetings, start, end, _partner(people, member, relation))
            else:
                out += _several(draw, member, relation, meetings, start, end)
    return out


def _told_chance(relation: Relation, member: Member) -> float:
    if relation.name not in TOLD:
        return 0.0
    return max(relation.others, 0.7) if member.partner and relation.functional else 0.75 * relation.others


def _partner(people: Cast, member: Member, relation: Relation) -> str:
    """A speaker's partner is a member of the cast, so that questions can reach through to them."""
    if relation.name != "partner":
        return ""
    return next((m.person.name for m in people.members if m.partner and m.teller == member.teller), "")


def _days_after(draw: Draw, yearly: float) -> timedelta:
    """Time to the next change: half fixed, half spread, so that spells are neither regular nor tiny."""
    mean = 365 / yearly
    return timedelta(days=20 + int(mean * (0.5 + draw.random())))


def _spells(draw: Draw, relation: Relation, start: date, end: date, first: str) -> list[Spell]:
    """Consecutive values of a functional relation; some lie before the first session."""
    spells: list[Spell] = []
    at = start - timedelta(days=draw.between(30, min(1400, int(365 / relation.yearly))))
    used: set[str] = set()
    if draw.chance(0.35):
        at -= timedelta(days=draw.between(200, 900))
        first_is_past = True
    else:
        first_is_past = False
    while at < end:
        value = relation.value(draw)
        if first and (len(spells) == int(first_is_past)):
            value = first
        if value in used or (value == first and len(spells) != int(first_is_past)):
            continue
        used.add(value)
        stop = at + _days_after(draw, relation.yearly)
        if first_is_past and not spells:
            stop = min(stop, start - timedelta(days=draw.between(5, 40)))
        ends = bool(relation.end) and stop < end and stop > start and draw.chance(0.3)
        spells.append(Spell(value, at, stop, ends))
        at = stop + timedelta(days=draw.between(40, 160) if ends else 0)
    return spells


def _functional(
    draw: Draw,
    member: Member,
    relation: Relation,
    meetings: list[Meeting],
    start: date,
    end: date,
    first: str,
) -> list[Mention]:
    spells = _spells(draw, relation, start, end, first)
    used = {s.object for s in spells}
    out: list[Mention] = []
    told: list[int] = []  # ranks of spells that were told so far
    untold: list[int] = []
    for rank, spell in enumerate(spells):
        upto = spell.stop
        before = spells[rank - 1].start if rank else None
        replaces = spells[told[-1]].object if told else ""
        inside = [m for m in meetings if m.timed and spell.start < m.day < upto]
        if not inside or (told and draw.chance(0.16)):
            untold.append(rank)
            continue
        at = inside[0] if told else inside[draw.between(0, (len(inside) - 1) // 3)]
        kind: ClaimKind = "update" if told else "state"
        out.append(Mention(at.number, member, relation, kind, spell.object, spell.start, before, rank, replaces))
        told.append(rank)
        after = [m for m in inside if m.number > at.number]
        out += _aftermath(draw, member, relation, spell, after, rank, used)
        if spell.ends:
            following = spells[rank + 1].start if rank + 1 < len(spells) else end
            told_end = [m for m in meetings if m.timed and spell.stop < m.day < following]
            if told_end:
                out.append(
                    Mention(
                        told_end[0].number,
                        member,
                        relation,
                        "end",
                        spell.object,
                        spell.stop,
                        spell.start,
                        rank + 0.5,
                    )
                )
        later = [m for m in meetings if m.number > at.number]
        for past in untold:
            if later and draw.chance(0.7):
                floor = spells[past - 1].start if past else None
                session = later[min(len(later) - 1, draw.between(0, 6))].number
                out.append(
                    Mention(
                        session,
                        member,
                        relation,
                        "late",
                        spells[past].object,
                        spells[past].start,
                        floor,
                        past,
                    )
                )
        untold = []
    return out


def _aftermath(
    draw: Draw,
    member: Member,
    relation: Relation,
    spell: Spell,
    after: list[Meeting],
    rank: float,
    used: set[str],
) -> list[Mention]:
    """Repeats of a spell that was told, and now and then a false report that is taken back."""
    out: list[Mention] = []
    wrong: tuple[int, int] | None = None
    if len(after) >= 2 and draw.chance(0.08):
        first = draw.between(0, len(after) - 2)
        value = relation.value(draw)
        if value not in used:
            used.add(value)
            wrong = after[first].number, after[first + 1].number
            kind: ClaimKind = "update" if relation.functional else "coexist"
            happened = after[first].day - timedelta(days=1)
            floor = spell.start
            told = Mention(wrong[0], member, relation, kind, value, happened, floor, rank + 0.25, spell.object)
            out += [
                told,
                Mention(wrong[1], member, relation, "retraction", value, happened, None, rank + 0.25),
            ]
    repeats = draw.sample(after, draw.between(1, 2) if draw.chance(0.55) else 0)
    for meeting in repeats:
        if wrong is None or not wrong[0] <= meeting.number <= wrong[1]:
            out.append(Mention(meeting.number, member, relation, "repeat", spell.object, spell.start, None, rank))
    return out


def _several(
    draw: Draw, member: Member, relation: Relation, meetings: list[Meeting], start: date, end: date
) -> list[Mention]:
    """A multi-valued relation: each value comes, is spoken of, and may go."""
    starts = [start - timedelta(days=draw.between(100, 2000)) for _ in range(draw.between(0, relation.initial))]
    at = start + _days_after(draw, relation.yearly)
    while at < end:
        starts.append(at)
        at += _days_after(draw, relation.yearly)
    out: list[Mention] = []
    used: set[str] = set()
    for begun in starts:
        value = relation.value(draw)
        if value in used:
            continue
        used.add(value)
        ends = bool(relation.end) and draw.chance(0.35)
        stop = max(begun, start) + timedelta(days=draw.between(120, 700)) if ends else end
        out += _one_value(
            draw, member, relation, meetings, Spell(value, begun, min(stop, end), stop < end), used, not out
        )
    return out


def _one_value(
    draw: Draw,
    member: Member,
    relation: Relation,
    meetings: list[Meeting],
    spell: Spell,
    used: set[str],
    first: bool,
) -> list[Mention]:
    inside = [m for m in meetings if m.timed and spell.start < m.day < spell.stop]
    if not inside:
        return []
    late = len(inside) > 6 and draw.chance(0.15)
    if late:
        at = inside[draw.between(4, 6)]
    elif spell.start < meetings[0].day:  # held all along: comes up at some time
        at = inside[draw.between(0, (len(inside) - 1) // 2)]
    else:
        at = inside[min(len(inside) - 1, draw.between(0, 1))]
    kind: ClaimKind = "late" if late else "state" if first else "coexist"
    out = [Mention(at.number, member, relation, kind, spell.object, spell.start, None, 0)]
    after = [m for m in inside if m.number > at.number]
    lane = _aftermath(draw, member, relation, spell, after, 0, used)
    out += lane
    if spell.ends:
        told_end = [m for m in meetings if m.timed and m.day > spell.stop]
        if told_end:
            out.append(Mention(told_end[0].number, member, relation, "end", spell.object, spell.stop, spell.start, 1))
    return out
