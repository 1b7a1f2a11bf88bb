"""The checks on simulated lives: what was said passes, what was not is turned away, by the hundred."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cache

import pytest

from qgmem.construction.clause_check import contradicted_by_clause, flat_triple
from qgmem.construction.triples import SessionReader
from qgmem.construction.triples.readings import Reading
from qgmem.construction.units import Draft
from qgmem.construction.validate import Passed, validate
from qgmem.construction.windows import Window, plan, sessions
from qgmem.synthetic.life import simulate
from qgmem.synthetic.records import Claim
from qgmem.types import Triple, Turn

Case = tuple[Claim, Window, int, str]  # a claim, its window, the place of its turn, another value of the relation


@cache
def _cases() -> tuple[Case, ...]:
    return tuple(_told())


def _told() -> Iterator[Case]:
    for life in simulate(4, 2, 31):
        said = [
            Turn(m.id, m.session_id, m.sequence, m.name, m.role, m.content, m.timestamp, m.caption)
            for m in life.dialogue.messages()
        ]
        where = {
            window.turns[place].id: (window, place)
            for turns in sessions(said).values()
            for window in plan(turns).windows
            for place in range(window.overlap, len(window.turns))
        }
        values: dict[str, list[str]] = {}
        for claim in life.claims:
            values.setdefault(claim.predicate, []).append(claim.object)
        for claim in life.claims:
            window, place = where[claim.turn_id]
            shown = _words(" ".join(turn.text for turn in window.turns))
            others = [value for value in values[claim.predicate] if not _words(value) & shown]
            if claim.object in window.turns[place].text and others:
                yield claim, window, place, others[0]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _outcomes(made: Callable[[Case, str], Draft]) -> Counter[str]:
    found: Counter[str] = Counter()
    for case in _cases():
        _, window, place, _ = case
        result = validate(made(case, window.turns[place].text), window)
        found["passed" if isinstance(result, Passed) else result] += 1
    return found


def _draft(case: Case, text: str, subject: str, value: str, quote: str) -> Draft:
    _, _, place, _ = case
    return Draft(f"{subject} says: {text}", place, place, True, quote, Triple(subject, "says about", value), False)


def _speaker(case: Case) -> str:
    return case[1].turns[case[2]].speaker


def test_own_words_pass() -> None:
    found = _outcomes(lambda case, said: _draft(case, said, _speaker(case), case[0].object, said))
    assert found.total() > 300
    assert found["passed"] / found.total() > 0.97
    assert set(found) <= {"passed", "question-is-no-deed"}, "a turn that also asks may be taken for a question"


@pytest.mark.parametrize("false", ["value", "person", "date", "quote"])
def test_what_nobody_said_is_turned_away(false: str) -> None:
    def made(case: Case, said: str) -> Draft:
        claim, _, _, other = case
        speaker = _speaker(case)
        if false == "value":
            return _draft(case, said.replace(claim.object, other), speaker, other, said)
        if false == "person":
            return _draft(case, said, "Zelda Quint", claim.object, said)
        if false == "date":
            when = (claim.utterance_time.date() if claim.utterance_time else date(2020, 1, 1)) - timedelta(days=777)
            return _draft(case, f"{said} On {when:%d %B %Y}.", speaker, claim.object, said)
        return _draft(case, said, speaker, claim.object, f"{said} honestly")

    found = _outcomes(made)
    assert found.total() > 300
    assert found["passed"] == 0, found


@cache
def _read_by_rules() -> tuple[tuple[Reading, Turn, Window], ...]:
    """States that the rules read off single turns, which stand for a model's good triples."""
    found = []
    for window, place in {(id(window), place): (window, place) for _, window, place, _ in _cases()}.values():
        turn = window.turns[place]
        readings = SessionReader().read(turn.text, turn.speaker, turn.role, turn.utterance_time)
        found += [(one, turn, window) for one in readings if one.kind == "state" and one.source is None]
    return tuple(found)


def _judged(reading: Reading, turn: Turn, window: Window, subject: str) -> str | None:
    triple = Triple(subject, reading.predicate, reading.object)
    return contradicted_by_clause(flat_triple(triple), triple, reading.quote, turn, window.turns, "english")


def test_right_claims_are_not_turned_away_for_their_clause() -> None:
    reasons = [_judged(*one, one[0].subject.shown) for one in _read_by_rules()]
    assert len(reasons) > 100
    assert sum(reason is None for reason in reasons) / len(reasons) >= 0.98


def test_what_is_said_of_another_is_turned_away_where_the_speaker_gets_it() -> None:
    """The rest is worded so that the rules see no verb of the claim's beside the value, and is kept."""
    others = [one for one in _read_by_rules() if one[0].subject.shown != one[1].speaker]
    reasons = [_judged(*one, one[1].speaker) for one in others]
    assert len(reasons) > 50
    assert sum(reason == "other-subject" for reason in reasons) / len(reasons) > 0.8
