"""A small life written by hand, with every expected state derived in the docstring that asks for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import permutations

import pytest

from qgmem.errors import InvalidInput
from qgmem.synthetic.records import Claim, ClaimKind
from qgmem.synthetic.truth import State, Truth, with_ends
from qgmem.types import Granularity, Interval


def claim(
    number: int,
    kind: ClaimKind,
    value: str,
    said: str | None,
    fact: tuple[str, str, Granularity] | None = None,
    *,
    relation: str = "home",
    functional: bool = True,
    subject: str = "ana",
) -> Claim:
    """One claim in the turn `number`, said at noon of a day."""
    stamp = datetime.fromisoformat(f"{said}T12:00") if said else None
    interval = Interval(date.fromisoformat(fact[0]), date.fromisoformat(fact[1]), fact[2]) if fact else None
    start = interval.start if interval else date.fromisoformat(said or "")
    return Claim(
        f"c{number}", "case", subject, "Ana", relation, value, functional, kind, f"t{number}", (number, 0), stamp,
        interval, start,
    )  # fmt: skip


YEAR_2021 = ("2021-01-01", "2021-12-31", Granularity.YEAR)
MARCH_2024 = ("2024-03-01", "2024-03-31", Granularity.MONTH)
# 1 "I live in Turin" (Jan 2023); 2 "I moved to Porto in March" (Apr 2024); 3 "I've moved to Lagos" (June 2024);
# 4 "forget Lagos, I was wrong" (July 2024); 5 "back in 2021 I lived in Oslo" (Aug 2024); 6 "still in Porto" (Sep);
# 7 "I left Porto on 1 Nov and live out of a suitcase" (Dec 2024).
HOME = [
    claim(1, "state", "Turin", "2023-01-10"),
    claim(2, "update", "Porto", "2024-04-05", MARCH_2024),
    claim(3, "update", "Lagos", "2024-06-01"),
    claim(4, "retraction", "Lagos", "2024-07-01"),
    claim(5, "late", "Oslo", "2024-08-01", YEAR_2021),
    claim(6, "repeat", "Porto", "2024-09-01"),
    claim(7, "end", "Porto", "2024-12-01", ("2024-11-01", "2024-11-01", Granularity.DAY)),
]


def home(as_of: str, known: str | int | None = None) -> frozenset[str]:
    """Home of Ana by the claims above."""
    known_at = datetime.fromisoformat(known) if isinstance(known, str) else known
    return Truth(HOME).state("ana", "home", date.fromisoformat(as_of), known_at)


def test_functional_states_at_both_times() -> None:
    """Turin from 2023-01-10, Porto from 2024-03-01 (start of March as said), nothing from 2024-11-01.

    Before anybody said Porto (April), the reader believes Turin even about March; Lagos only between 1 June, when
    it was said, and 1 July, when it was taken back, and then never; Oslo from 2021-01-01 once it was said in August.
    """
    assert home("2024-03-15") == {"Porto"}
    assert home("2024-03-15", "2024-04-01") == {"Turin"}
    assert home("2024-06-15", "2024-06-20") == {"Lagos"}
    assert home("2024-05-31", "2024-06-20") == {"Porto"}
    assert home("2024-06-15", "2024-07-02") == {"Porto"}
    assert home("2021-06-01") == {"Oslo"}
    assert home("2022-06-01") == {"Oslo"}, "a state lasts until the next begins"
    assert home("2021-06-01", "2024-07-31") == frozenset()
    assert home("2020-12-31") == frozenset()
    assert home("2024-10-31") == {"Porto"}
    assert home("2024-11-01") == frozenset()
    assert home("2024-11-15", "2024-11-20") == {"Porto"}, "the end was not said yet"


def test_late_report_does_not_displace_the_current_state() -> None:
    """After turn 5 the current home is still Porto (turn 2)."""
    assert home("2024-08-02", "2024-08-02") == {"Porto"}


def test_known_at_accepts_a_sequence_number() -> None:
    """Turn 3 claims Lagos, turn 4 takes it back; both ends of known_at are included."""
    assert home("2024-06-15", 2) == {"Porto"}
    assert home("2024-06-15", 3) == {"Lagos"}
    assert home("2024-06-15", 4) == {"Porto"}


def test_history_is_oldest_first_with_open_and_closed_ends() -> None:
    """Oslo 2021-01-01..2023-01-10, Turin ..2024-03-01, Porto ..2024-11-01; Lagos never held."""
    assert Truth(HOME).history("ana", "home") == [
        State("Oslo", date(2021, 1, 1), date(2023, 1, 10), "c5"),
        State("Turin", date(2023, 1, 10), date(2024, 3, 1), "c1"),
        State("Porto", date(2024, 3, 1), date(2024, 11, 1), "c2"),
    ]


def test_order_of_delivery_is_irrelevant() -> None:
    """Truth depends on what was said when, not on the order in which claims reach it."""
    expected = Truth(HOME).history("ana", "home")
    for order in list(permutations(HOME))[::97]:
        assert Truth(order).history("ana", "home") == expected


def test_several_values_live_side_by_side_and_end_alone() -> None:
    """Chess and judo from their own days; judo ends on 1 June, chess stays. Rugby was taken back."""
    hobby = [
        claim(1, "state", "chess", "2024-01-01", relation="hobby", functional=False),
        claim(2, "coexist", "judo", "2024-02-01", relation="hobby", functional=False),
        claim(3, "coexist", "rugby", "2024-03-01", relation="hobby", functional=False),
        claim(4, "retraction", "rugby", "2024-04-01", relation="hobby", functional=False),
        claim(5, "end", "judo", "2024-06-01", relation="hobby", functional=False),
    ]
    truth = Truth(hobby)
    assert truth.state("ana", "hobby", date(2024, 1, 15)) == {"chess"}
    assert truth.state("ana", "hobby", date(2024, 3, 15)) == {"chess", "judo"}
    assert truth.state("ana", "hobby", date(2024, 3, 15), 3) == {"chess", "judo", "rugby"}
    assert truth.state("ana", "hobby", date(2024, 6, 1)) == {"chess"}


def test_namesakes_do_not_mix() -> None:
    """Two subjects, one name: each id has its own states."""
    truth = Truth([claim(1, "state", "Turin", "2024-01-01"), claim(2, "state", "Graz", "2024-02-01", subject="ana2")])
    assert truth.state("ana", "home", date(2024, 3, 1)) == {"Turin"}
    assert truth.state("ana2", "home", date(2024, 3, 1)) == {"Graz"}


def test_turn_without_time_is_known_at_every_datetime_and_placed_by_sequence() -> None:
    """It has no moment of saying that could be later than `known_at`; its sequence is 2."""
    truth = Truth([claim(1, "state", "Turin", "2024-01-01"), claim(2, "late", "Oslo", None, YEAR_2021)])
    assert truth.state("ana", "home", date(2021, 5, 1), datetime(2023, 1, 1)) == {"Oslo"}
    assert truth.state("ana", "home", date(2021, 5, 1), 1) == frozenset()


def test_naive_and_aware_times_are_refused() -> None:
    """The dialogue's times have no offset here."""
    with pytest.raises(InvalidInput, match="known_at"):
        Truth(HOME).state("ana", "home", date(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC))


def test_claims_carry_the_day_on_which_the_next_state_begins() -> None:
    """As in the history above; a claim that was taken back ends where it began; repeats and ends have none."""
    ends = {c.id: c.valid_to for c in with_ends(HOME, Truth(HOME))}
    assert ends == {
        "c1": date(2024, 3, 1), "c2": date(2024, 11, 1), "c3": date(2024, 6, 1), "c4": None,
        "c5": date(2023, 1, 10), "c6": None, "c7": None,
    }  # fmt: skip


def test_a_value_that_returns_opens_a_second_state() -> None:
    """Turin, Porto, Turin again: three states, not a merged one."""
    again = [claim(1, "state", "Turin", "2023-01-01"), claim(2, "update", "Porto", "2023-06-01"),
             claim(3, "update", "Turin", "2024-01-01")]  # fmt: skip
    assert [s.object for s in Truth(again).history("ana", "home")] == ["Turin", "Porto", "Turin"]
    confirmed = [*again, replace(again[2], id="c4", turn_id="t4", position=(4, 0), valid_from=date(2024, 5, 1))]
    assert len(Truth(confirmed).history("ana", "home")) == 3
