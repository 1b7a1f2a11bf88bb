"""The truth of random lives against a reader who knows nothing of kinds but "retraction" and "end"."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from qgmem.synthetic import Claim, Life, simulate

LIVES = 24


@cache
def lives(seed: int) -> list[Life]:
    """Simulated once for each seed."""
    return list(simulate(LIVES, 3, seed, questions=0))


def read_functional(claims: list[Claim], as_of: date, known: int) -> set[str]:
    """Hear claims in order; a value that already holds on its first day is old news, any other opens a state."""
    marks: list[tuple[date, int, str | None]] = []

    def value(day: date) -> str | None:
        past = [m for m in marks if m[0] <= day]
        return max(past, key=lambda m: (m[0], m[1]))[2] if past else None

    for number, c in enumerate(sorted(claims, key=lambda c: c.position)):
        if c.position[0] > known:
            break
        if c.kind == "retraction":
            marks = [m for m in marks if m[2] != c.object]
        elif c.kind == "end":
            marks.append((c.valid_from, number, None))
        elif value(c.valid_from) != c.object:
            marks.append((c.valid_from, number, c.object))
    held = value(as_of)
    return {held} if held else set()


def read_several(claims: list[Claim], as_of: date, known: int) -> set[str]:
    """The same for each object by itself."""
    objects = {c.object for c in claims}
    return {o for o in objects if read_functional([c for c in claims if c.object == o], as_of, known)}


@settings(max_examples=60, deadline=None)
@given(seed=st.sampled_from((1, 2)), number=st.integers(0, LIVES - 1), data=st.data())
def test_a_reader_without_kinds_arrives_at_the_truth(seed: int, number: int, data: st.DataObject) -> None:
    """For any day, any point of the dialogue, any subject and relation: what was said is enough to know."""
    life = lives(seed)[number]
    grouped: dict[tuple[str, str], list[Claim]] = {}
    for claim in life.claims:
        grouped.setdefault((claim.subject_id, claim.predicate), []).append(claim)
    last = life.claims[-1].position[0]
    first_day = min(c.valid_from for c in life.claims) - timedelta(days=30)
    span = (max(c.valid_from for c in life.claims) - first_day).days + 60
    known = data.draw(st.integers(1, last + 1))
    as_of = first_day + timedelta(days=data.draw(st.integers(0, span)))
    for (subject, relation), claims in grouped.items():
        read = read_functional if claims[0].functional else read_several
        assert life.truth.state(subject, relation, as_of, known) == read(claims, as_of, known), (subject, relation)


@settings(max_examples=40, deadline=None)
@given(number=st.integers(0, LIVES - 1), data=st.data())
def test_knowing_by_clock_and_by_sequence_agree(number: int, data: st.DataObject) -> None:
    """Up to a timed turn both name the same claims, but for turns without time, which the clock cannot place."""
    life = lives(1)[number]
    turns = [m for m in life.dialogue.messages() if m.timestamp]
    turn = data.draw(st.sampled_from(turns))
    as_of = turn.timestamp.date() if turn.timestamp else date.min
    untimed = {(c.subject_id, c.predicate) for c in life.claims if c.utterance_time is None}
    for subject, relation in life.truth.subjects():
        if (subject, relation) not in untimed:
            by_clock = life.truth.state(subject, relation, as_of, turn.timestamp)
            assert by_clock == life.truth.state(subject, relation, as_of, turn.sequence)
