"""A life from a seed: its cast, its story, its dialogue, its questions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from ..errors import InvalidInput
from . import pools
from .cast import cast
from .compose import Composer
from .questions import ask
from .records import Dialogue, DialogueKind, Life
from .seeds import Draw, derive
from .story import Meeting, Mention, plan
from .truth import Truth, with_ends


def simulate(
    people: int,
    years: float,
    seed: int,
    *,
    sessions_per_year: int = 18,
    turns_per_session: int = 20,
    others: int = 5,
    questions: int = 5,
    untimed: float = 0.03,
) -> Iterator[Life]:
    """`people` lives of `years` years, one at a time as they are read; the same arguments give the same bytes.

    Life number i depends on (seed, i) and the settings alone, so a larger run begins with the smaller one.
    Odd lives are two friends talking, even ones a user with an assistant. `turns_per_session` is a mean;
    `others`: people told about, at most; `questions`: at most so many of each type and life;
    `untimed`: share of sessions whose turns carry no time. Raises InvalidInput at once, before a life is read.
    """
    if people < 1:
        raise InvalidInput("people", f"must be at least 1, got {people}")
    if not 0.1 <= years <= 80:
        raise InvalidInput("years", f"must be between 0.1 and 80, got {years}")
    if sessions_per_year < 2 or sessions_per_year > 120:
        raise InvalidInput("sessions_per_year", f"must be between 2 and 120, got {sessions_per_year}")
    if turns_per_session < 6:
        raise InvalidInput("turns_per_session", f"must be at least 6, got {turns_per_session}")
    return (
        life(
            number, years, seed, sessions_per_year=sessions_per_year, turns_per_session=turns_per_session,
            others=others, questions=questions, untimed=untimed,
        )
        for number in range(people)
    )  # fmt: skip


def life(
    number: int, years: float, seed: int, *, sessions_per_year: int = 18, turns_per_session: int = 20,
    others: int = 5, questions: int = 5, untimed: float = 0.03,
) -> Life:  # fmt: skip
    """Life number `number` of a simulation; arguments as for `simulate`, unchecked."""
    turns = turns_per_session
    draw = Draw(derive(seed, "life", number))
    case = f"life-{seed}-{number}"
    kind: DialogueKind = "friends" if number % 2 else "assistant"
    crew = cast(draw, case, kind, others)
    start = date(draw.between(2016, 2022), 1, 1) + timedelta(days=draw.between(0, 360))
    end = start + timedelta(days=int(365 * years))
    meetings = _meetings(draw, start, end, max(2, round(sessions_per_year * years)), untimed)
    by_session: dict[int, list[Mention]] = {}
    for mention in plan(draw, crew, meetings, start, end):
        by_session.setdefault(mention.session, []).append(mention)
    zone = pools.city(draw) if draw.chance(0.5) else None
    composer = Composer(case, crew, draw, zone)
    sessions = tuple(
        composer.session(m, by_session.get(m.number, []), draw.between(turns - turns // 2, turns + turns // 2))
        for m in meetings
    )
    dialogue = Dialogue(case, case, kind, crew.speakers, sessions)
    truth = Truth(composer.claims)
    claims = with_ends(composer.claims, truth)
    asked = ask(
        Draw(derive(seed, "questions", number)),
        dialogue,
        crew,
        claims,
        truth,
        composer.introductions,
        questions,
    )
    return Life(case, dialogue, tuple(m.person for m in crew.members), claims, asked, truth)


def _meetings(draw: Draw, start: date, end: date, count: int, untimed: float) -> list[Meeting]:
    """Days of the sessions, at least two days apart, so that no change of clock reorders them."""
    span = (end - start).days
    days = sorted(draw.sample(range(0, max(1, span // 2)), count))
    return [Meeting(i, start + timedelta(days=2 * offset), not draw.chance(untimed)) for i, offset in enumerate(days)]
