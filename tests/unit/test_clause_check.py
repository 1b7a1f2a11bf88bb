"""Claims that say otherwise than the clause that they quote, and claims that only look so."""

from __future__ import annotations

from datetime import datetime

import pytest

from qgmem.construction.clause_check import contradicted_by_clause
from qgmem.construction.predications import Predication, predications, segments
from qgmem.construction.units import Draft
from qgmem.construction.validate import REASONS, Passed, validate
from qgmem.construction.windows import Window
from qgmem.types import Triple, Turn

SAID = datetime(2024, 5, 5)


def _turn(text: str, speaker: str = "Mara", n: int = 0) -> Turn:
    return Turn(f"t{n}", "s", n, speaker, "user", text, SAID)


def _reason(said: str, claim: str, bare: bool = False) -> str | None:
    """`claim` as "subject | predicate | object"; `bare`: without a triple."""
    turn = _turn(said)
    subject, predicate, thing = (part.strip() for part in claim.split("|"))
    triple = None if bare else Triple(subject, predicate, thing)
    return contradicted_by_clause(f"{subject} {predicate} {thing}.", triple, said, turn, [turn], "english")


@pytest.mark.parametrize(
    ("said", "claim", "reason"),
    [
        ("I might move to Berlin next year.", "Mara | moved to | Berlin", "hedge-lost"),
        ("I might move to Berlin next year.", "Mara | lives in | Berlin", "hedge-lost"),
        ("I want to buy a cello.", "Mara | bought | a cello", "hedge-lost"),
        ("I'd love to visit Kyoto.", "Mara | visited | Kyoto", "hedge-lost"),
        ("We're planning to adopt a greyhound.", "Mara | adopted | a greyhound", "hedge-lost"),
        ("Maybe I could join the choir.", "Mara | joined | the choir", "hedge-lost"),
        ("If I move to Berlin, I'll sell the car.", "Mara | moved to | Berlin", "hedge-lost"),
        ("If I move to Berlin, I'll sell the car.", "Mara | sold | the car", "hedge-lost"),
        ("I have never been to Kyoto.", "Mara | has been to | Kyoto", "negation-lost"),
        ("We talked, and in the end I didn't buy the cello at all.", "Mara | bought | the cello", "negation-lost"),
        ("I'm not a nurse.", "Mara | is | a nurse", "negation-lost"),
        ("My sister Ida lives in Oslo.", "Mara | lives in | Oslo", "other-subject"),
        ("I hear that Ida works at Acme.", "Mara | works at | Acme", "other-subject"),
        ("She works at Acme now.", "Mara | works at | Acme", "other-subject"),
        ("My brother is a nurse.", "Mara | is | a nurse", "other-subject"),
        ("Ida gets by in Ukrainian.", "Mara | speaks | Ukrainian", "other-subject"),
        ("I sold the viola. The cello stays.", "Mara | sold | the cello", "parts-apart"),
        ("I sold the viola, but the cello stays.", "Mara | sold | the cello", "parts-apart"),
        ("I proposed to Lena on Sunday.", "Lena | proposed to | Mara", "roles-swapped"),
        ("Lena proposed to me on Sunday.", "Mara | proposed to | Lena", "roles-swapped"),
        ("Pedro gave me his old boat.", "Mara | gave | Pedro", "roles-swapped"),
    ],
)
def test_a_claim_that_its_clause_contradicts(said: str, claim: str, reason: str) -> None:
    assert _reason(said, claim) == reason
    assert reason in REASONS


def test_a_claim_without_a_triple_is_judged_by_its_first_verb() -> None:
    assert _reason("I'm thinking about moving to Berlin.", "Mara | moved to | Berlin", bare=True) == "hedge-lost"


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("I might move to Berlin.", "Mara | might move to | Berlin"),
        ("I want to buy a cello.", "Mara | wants to buy | a cello"),
        ("I no longer live in Oslo.", "Mara | no longer lives in | Oslo"),
        ("I never thought I'd move to Berlin, but I moved to Berlin in May.", "Mara | moved to | Berlin"),
        ("I didn't move to Berlin until May.", "Mara | moved to | Berlin"),
        ("I can't wait to move to Berlin.", "Mara | is moving to | Berlin"),
        ("I could see the sea from there.", "Mara | saw | the sea"),
        ("My sister and I live in Oslo.", "Mara | lives in | Oslo"),
        ("Ida moved to Oslo last year. I followed and moved to Oslo too.", "Mara | moved to | Oslo"),
        ("My sister lives in Oslo.", "Mara's sister | lives in | Oslo"),
        ("My sister gave me a bike.", "Mara | received | a bike from her sister"),
        ("I told Pedro that I love the cello.", "Mara | loves | the cello"),
        ("I bought it yesterday. The cello sounds great.", "Mara | bought | the cello"),
        ("I moved! Porto is lovely.", "Mara | moved to | Porto"),
        ("I met Pedro at the gym.", "Pedro | met | Mara"),
        ("I helped Lena, and later Lena helped me.", "Lena | helped | Mara"),
        ("May is when I moved to Berlin.", "Mara | moved to | Berlin"),
        ("Ik verhuis misschien naar Berlijn.", "Mara | moved to | Berlin"),
    ],
)
def test_a_claim_that_its_clause_bears_out_or_that_cannot_be_judged_is_kept(said: str, claim: str) -> None:
    assert _reason(said, claim) is None


def test_a_plain_statement_elsewhere_in_the_window_counts() -> None:
    """What was planned in one turn is told as done in the next, by the same speaker; another's word is no witness."""
    plan, done = _turn("I want to buy a cello."), _turn("So I bought the cello!", n=1)
    other = _turn("I bought the cello!", "Ben", n=2)
    triple = Triple("Mara", "bought", "a cello")
    judged = [
        contradicted_by_clause("Mara bought a cello.", triple, plan.text, plan, window, "english")
        for window in ([plan, done], [plan, other])
    ]
    assert judged == [None, "hedge-lost"]


def test_a_flat_triple_of_a_hedged_claim_is_dropped_and_the_unit_stays() -> None:
    """The text keeps its "wants to"; a triple "Mara, bought, a cello" would become a state."""
    window = Window((_turn("I want to buy a cello."),), overlap=0)
    draft = Draft(
        "Mara wants to buy a cello.", 0, 0, True, "I want to buy", Triple("Mara", "bought", "a cello"), False
    )
    found = validate(draft, window)
    assert isinstance(found, Passed)
    assert (found.unit.triple, found.triple_dropped) == (None, True)


def test_segments_and_predications_are_what_was_said_of_whom() -> None:
    """Two clauses; in the second "sister" does not go, and "will" is no fact yet."""
    first, second = segments("I can't swim, but my sister Ida will teach me.")
    assert list(predications(first)) == [Predication("self", "I", "swim", 10, False, False, True)]
    assert list(predications(second)) == [
        Predication("other", "my sister Ida", "teach", second.index("teach"), False, True, False)
    ]
