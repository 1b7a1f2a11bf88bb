"""States of traces written by hand, each expected value derived where it is asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import permutations

import pytest

from qgmem.construction.traces import Claim, ClaimKind, Trace, relation_of, state_at, states, trajectory, value_key
from qgmem.errors import InvalidInput
from qgmem.types import Granularity, Interval

YEAR_2021 = Interval(date(2021, 1, 1), date(2021, 12, 31), Granularity.YEAR)
MARCH_2024 = Interval(date(2024, 3, 1), date(2024, 3, 31), Granularity.MONTH)
NOV_1_2024 = Interval(date(2024, 11, 1), date(2024, 11, 1), Granularity.DAY)


def claim(
    number: int,
    value: str,
    said: str | None,
    kind: ClaimKind = "state",
    fact: Interval | None = None,
    *,
    predicate: str = "lives in",
    text: str = "",
    source: str | None = None,
) -> Claim:
    """One claim of the unit u<number>, said at noon of a day."""
    stamp = datetime.fromisoformat(f"{said}T12:00") if said else None
    return Claim(f"u{number}", "ana", "Ana", predicate, value, kind, fact, stamp, number, text=text, source=source)


HOME = [
    claim(1, "Turin", "2023-01-10"),
    claim(2, "Porto", "2024-04-05", fact=MARCH_2024, predicate="moved to"),
    claim(3, "Lagos", "2024-06-01", predicate="moved to"),
    claim(4, "Lagos", "2024-07-01", "retraction", predicate="moved to"),
    claim(5, "Oslo", "2024-08-01", fact=YEAR_2021),
    claim(6, "porto.", "2024-09-01"),
    claim(7, "Porto", "2024-12-01", "end", NOV_1_2024),
]


def values(trace: Trace, as_of: str | None = None, known_at: datetime | int | None = None) -> list[str]:
    """Values at a day."""
    return [s.value for s in state_at(trace, date.fromisoformat(as_of) if as_of else None, known_at)]


def test_states_of_a_life_in_order_with_reasons() -> None:
    """Oslo from 2021 until Turin (said 10 Jan 2023) until Porto (1 March, as said) until the end on 1 November.

    u6 repeats Porto; Lagos was taken back by u4 and never held, so it stands with no days.
    """
    trace = states(HOME)
    rows = [(s.value, s.valid_from, s.valid_to, s.status, s.reason, s.repeats) for s in trace.states]
    assert rows == [
        ("Oslo", date(2021, 1, 1), date(2023, 1, 10), "superseded", "superseded by u1", ()),
        ("Turin", date(2023, 1, 10), date(2024, 3, 1), "superseded", "superseded by u2", ()),
        ("Porto", date(2024, 3, 1), date(2024, 11, 1), "superseded", "ended by u7", ("u6",)),
        ("Lagos", date(2024, 6, 1), date(2024, 6, 1), "retracted", "taken back by u4", ()),
    ]
    assert trace.one
    assert trace.relation == "home"
    assert trace.current == ()


def test_every_order_of_delivery_gives_the_same_trace() -> None:
    """`states` is a function of the set."""
    expected = states(HOME)
    assert all(states(order) == expected for order in list(permutations(HOME))[::61])


def test_both_times_are_exact() -> None:
    """On 15 June: Lagos for who had heard up to turn 3, Porto after the retraction; Oslo only once it was said."""
    trace = states(HOME)
    assert values(trace, "2024-06-15", 3) == ["Lagos"]
    assert values(trace, "2024-06-15", 4) == ["Porto"]
    assert values(trace, "2024-06-15") == ["Porto"]
    assert values(trace, "2024-03-15", datetime(2024, 4, 1)) == ["Turin"]
    assert values(trace, "2021-06-01", datetime(2024, 7, 31)) == []
    assert values(trace, "2021-06-01", datetime(2024, 8, 1, 12)) == ["Oslo"]
    assert values(trace, "2024-10-31") == ["Porto"]
    assert values(trace, "2024-11-01") == []
    assert values(trace, "2024-11-15", 6) == ["Porto"]


def test_late_arrival_does_not_displace_current_state() -> None:
    """CASES 10: the move is ingested first, the year 2021 later; now is the move, 2021 is Oslo."""
    trace = states(
        [claim(1, "Porto", "2024-03-05", predicate="moved to"), claim(2, "Oslo", "2024-05-01", fact=YEAR_2021)]
    )
    assert values(trace) == ["Porto"]
    assert values(trace, "2021-07-01") == ["Oslo"]


def test_moving_makes_one_trajectory_of_two_states() -> None:
    """CASES 8: "lives in" and "moved to" are one relation."""
    kiran = [claim(1, "Whitefield", "2024-01-01"), claim(2, "Electronic City", "2024-06-01", predicate="moved to")]
    trace = states(kiran)
    assert [(s.value, s.status) for s in trace.states] == [
        ("Whitefield", "superseded"),
        ("Electronic City", "current"),
    ]


def test_feelings_about_one_thing_supersede() -> None:
    """CASES 6: loves in January, hates in May; both are about Chinese food, and both stay with their units."""
    trace = states(
        [
            claim(1, "Chinese food", "2024-01-10", predicate="loves"),
            claim(2, "Chinese food", "2024-05-10", predicate="hates"),
        ]
    )
    assert trace.relation == "feeling about chinese food"
    assert values(trace) == ["hates Chinese food"]
    assert values(trace, "2024-02-15") == ["loves Chinese food"]
    assert [s.unit_id for s in trace.states] == ["u1", "u2"]


def test_compatible_facts_coexist() -> None:
    """CASES 9, were both put into one trace: unknown predicates take nothing away from each other."""
    trace = states(
        [
            claim(1, "Acme", "2024-01-10", predicate="is CTO at"),
            claim(2, "Acme's GitHub organisation", "2024-05-10", predicate="administers"),
        ]
    )
    assert values(trace) == ["Acme", "Acme's GitHub organisation"]
    assert {s.status for s in trace.states} == {"coexisting"}


@pytest.mark.parametrize(
    ("predicate", "kinds", "texts", "one"),
    [
        ("speaks", ("state", "state"), ("", ""), False),
        ("lives in", ("state", "state"), ("also", ""), True),
        ("waters", ("state", "state"), ("", ""), False),
        ("waters", ("state", "update"), ("", ""), True),
        ("waters", ("update", "coexist"), ("", ""), False),
        ("waters", ("state", "state"), ("", "She waters the roses instead."), True),
        ("waters", ("state", "state"), ("", "She also waters the roses instead."), False),
        ("favourite colour is", ("state", "state"), ("", ""), True),
        ("capital of", ("state", "state"), ("", ""), True),
    ],
)
def test_one_or_several(
    predicate: str, kinds: tuple[ClaimKind, ClaimKind], texts: tuple[str, str], one: bool
) -> None:
    """The order of evidence in functional.py: table, kinds, words, form of the predicate, else several."""
    pair = [claim(i + 1, f"v{i}", f"2024-0{i + 1}-01", kinds[i], predicate=predicate, text=texts[i]) for i in (0, 1)]
    assert states(pair).one is one
    assert states([replace(c, functional=not one) for c in pair]).one is not one, "the extractor's word goes first"


def test_retraction_reopens_what_it_had_closed() -> None:
    """Porto closed Turin on 1 June; taken back on 1 July, Turin is current again, with no end."""
    claims = [
        claim(1, "Turin", "2023-01-01"),
        claim(2, "Porto", "2024-06-01"),
        claim(3, "Porto", "2024-07-01", "retraction"),
    ]
    assert [(s.value, s.valid_to) for s in states(claims[:2]).states] == [
        ("Turin", date(2024, 6, 1)),
        ("Porto", None),
    ]
    assert [(s.value, s.valid_to) for s in states(claims).current] == [("Turin", None)]
    again = states([*claims, claim(4, "Porto", "2024-09-01")])
    assert values(again) == ["Porto"], "said anew after the retraction it counts"
    assert values(again, "2024-08-31") == ["Turin"]


def test_retraction_and_end_without_a_value() -> None:
    """They mean what was said last, and what holds."""
    claims = [claim(1, "Turin", "2023-01-01"), claim(2, "Porto", "2024-06-01")]
    assert values(states([*claims, claim(3, "", "2024-07-01", "retraction")])) == ["Turin"]
    assert values(states([*claims, claim(3, "", "2024-07-01", "end")])) == []


def test_ends_and_retractions_of_other_values_change_nothing_and_say_so() -> None:
    """An end closes only what holds then; "miso" means the only value with that word."""
    base = [claim(1, "Turin", "2023-01-01"), claim(2, "Porto", "2024-06-01")]
    trace = states([*base, claim(3, "Turin", "2024-07-01", "end"), claim(4, "Rome", "2024-07-02", "retraction")])
    assert values(trace) == ["Porto"]
    assert trace.ignored == (("u3", "ends what did not hold then"), ("u4", "takes back what was never said"))
    pets = [
        claim(1, "cat named Miso", "2023-01-01", predicate="has pet"),
        claim(2, "dog named Rex", "2023-02-01", predicate="has pet"),
        claim(3, "Miso", "2024-01-01", "end", predicate="has pet"),
        claim(4, "", "2024-01-01", "end", predicate="has pet"),
    ]
    kept = states(pets)
    assert values(kept) == ["dog named Rex"]
    assert kept.ignored == (("u4", "ends what was never said"),)


def test_hearsay_is_flagged_and_yields_to_first_hand_on_the_same_day() -> None:
    """Both say where she lives since March; what she says herself decides, though it was said first."""
    own = claim(1, "Porto", "2024-03-05", fact=MARCH_2024)
    told = claim(2, "Faro", "2024-03-09", fact=MARCH_2024, source="Rhys")
    trace = states([own, told])
    assert values(trace) == ["Porto"]
    first = trace.states[0]
    assert (first.value, first.flags, first.source) == ("Faro", ("hearsay",), "Rhys")
    confirmed = states([told, claim(3, "Faro", "2024-05-01")])
    assert confirmed.states[0].flags == (), "once she says so herself it is hearsay no more"


def test_unknown_times_are_shown_and_flagged() -> None:
    """CASES 22: no time at all. The larger sequence is newer; on a day, nothing of unknown time can be ruled out."""
    undated = states([claim(7, "Oslo", None), claim(3, "Rome", None)])
    assert [(s.value, s.status, s.flags) for s in undated.states] == [
        ("Rome", "superseded", ("time-unknown", "end-unknown")),
        ("Oslo", "current", ("time-unknown",)),
    ]
    assert values(undated, known_at=5) == ["Rome"]
    assert values(undated, "2024-01-01") == ["Rome", "Oslo"]

    mixed = states([claim(1, "Turin", "2023-01-01"), claim(2, "Oslo", None), claim(3, "Porto", "2024-06-01")])
    assert [(s.value, s.valid_to, s.flags) for s in mixed.states] == [
        ("Turin", date(2024, 6, 1), ()),
        ("Oslo", date(2024, 6, 1), ("time-unknown",)),
        ("Porto", None, ()),
    ]
    assert values(mixed, "2023-06-01") == ["Turin", "Oslo"]
    assert values(mixed) == ["Porto"]


def test_offsets_are_kept_and_naive_times_read_as_utc() -> None:
    """23:50 in Tokyo is 14:50 UTC: the day is the speaker's own, what is known follows the instant (CASES 12)."""
    tokyo = datetime(2024, 6, 1, 23, 50, tzinfo=timezone(timedelta(hours=9)))
    trace = states([replace(claim(1, "Tokyo", None), utterance_time=tokyo)])
    assert trace.states[0].valid_from == date(2024, 6, 1)
    assert trace.states[0].known_from == tokyo
    assert values(trace, known_at=datetime(2024, 6, 1, 14, 50)) == ["Tokyo"]
    assert values(trace, known_at=datetime(2024, 6, 1, 14, 49, tzinfo=UTC)) == []


def test_trajectory_runs_from_oldest_to_what_holds_now() -> None:
    """Every line names its units; the last one says what holds."""
    assert trajectory(states(HOME)).splitlines() == [
        "Ana · home",
        "from 2021-01-01 to 2023-01-10: Oslo, said 2024-08-01 [u5]",
        "from 2023-01-10 to 2024-03-01: Turin, said 2023-01-10 [u1]",
        "from 2024-03-01 to 2024-11-01: Porto, said 2024-04-05 [u2; again u6]",
        "never: Lagos, said 2024-06-01; taken back by u4 [u3]",
        "now: none, since 2024-11-01",
    ]
    assert trajectory(states(HOME[:6])).splitlines()[-1] == "now: Porto [u2]"
    serial = trajectory(states([claim(7, "Oslo", None)]))
    assert "from an unknown time: Oslo, said at an unknown time (serial-7) [u7]" in serial


def test_words_of_a_value_and_a_predicate_that_do_not_count() -> None:
    """Case, article, punctuation, auxiliaries; a predicate that is in no table keeps its words."""
    assert value_key(" The Blue  bike. ") == value_key("blue bike")
    assert value_key("a") == "a"
    assert relation_of("Has moved to", "Oslo").name == "home"
    assert relation_of("was waiting for", "rain").name == "waiting for"
    assert relation_of("was waiting for", "rain").one is None


def test_nothing_and_twice_the_same_claim_are_refused() -> None:
    """A trace needs claims; a unit's second claim needs a place of its own."""
    with pytest.raises(InvalidInput, match="claims"):
        states([])
    with pytest.raises(InvalidInput, match="place"):
        states([HOME[0], HOME[0]])
    two = states([HOME[0], replace(HOME[0], place=1, object="Rome")])
    assert len(two.states) == 2
