"""Parts of the study: text forms, cosines without a place, families with known statistics."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from qgmem.evals.datasets.dialogue import Conversation, Session
from qgmem.evals.study.conditions import CONDITIONS, CUTOFFS
from qgmem.evals.study.families import Cell, Family, Finding, Scores, compare_all, families
from qgmem.evals.study.published import DIFFERENCES, PRINTED_NOT_SUPPORTED
from qgmem.evals.study.ranking import cosines
from qgmem.evals.study.texts import calendar, memory_texts, resolve
from qgmem.models.scripted import HashEmbedder
from qgmem.types import Granularity, Interval

SAID = "1:56 pm on 8 May, 2023"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("I ran yesterday.", "I ran yesterday [7 May 2023]."),
        ("On 3 May 2022 I ran.", "On 3 May 2022 I ran."),  # says its own date
        ("Last month, then in 2021.", "Last month [April 2023], then in 2021."),
        ("Last week I swam", "Last week [1 May 2023 to 7 May 2023] I swam"),
        ("Nothing dated here", "Nothing dated here"),
    ],
)
def test_only_what_needs_the_day_gets_a_date(words: str, expected: str) -> None:
    assert resolve(words, SAID) == expected


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        (Interval(date(2024, 1, 1), date(2024, 12, 31), Granularity.YEAR), "2024"),
        (Interval(date(2023, 1, 1), date(2024, 12, 31), Granularity.YEAR), "1 January 2023 to 31 December 2024"),
        (Interval(date(2024, 2, 1), date(2024, 2, 29), Granularity.MONTH), "February 2024"),
        (Interval(date(2024, 6, 1), date(2024, 8, 31), Granularity.MONTH), "1 June 2024 to 31 August 2024"),
    ],
)
def test_dates_are_written_as_precisely_as_they_are_known(interval: Interval, expected: str) -> None:
    assert calendar(interval) == expected


def test_the_three_forms_of_a_turn() -> None:
    turn = {"id": "D1:1", "name": "Ann", "content": "I ran yesterday", "caption": "a shoe", "caption_query": "no"}
    undated = Session("session_2", None, ({**turn, "id": "D2:1"},))
    one = Conversation("c", (Session("session_1", SAID, (turn,)), undated))
    assert memory_texts(one, "raw") == dict.fromkeys(("D1:1", "D2:1"), "Ann: I ran yesterday [a shoe]")
    assert memory_texts(one, "resolved")["D1:1"] == "Ann: I ran yesterday [7 May 2023] [a shoe]"
    assert memory_texts(one, "stamped") == {
        "D1:1": f"({SAID}) Ann: I ran yesterday [a shoe]",
        "D2:1": "Ann: I ran yesterday [a shoe]",  # no date to put in front
    }


@pytest.mark.parametrize("n", [1, 7, 130])
def test_a_cosine_does_not_depend_on_where_its_row_stands(n: int) -> None:
    """To the last bit, or ties between equal texts would break by position."""
    memories = HashEmbedder(384).embed([f"word{i} and {i % 5}" for i in range(n)])
    questions = HashEmbedder(384).embed(["word1 and 2", "and 4"])
    order = np.random.default_rng(0).permutation(n)
    assert (cosines(memories, questions)[:, order] == cosines(memories[order], questions)).all()
    assert cosines(memories, questions) == pytest.approx(questions @ memories.T, abs=1e-6)


def _family(values: dict[str, list[float]], clusters: list[str], name: str = "components") -> dict[str, Finding]:
    """Findings of one family; `values`: condition → recall, "B" among them; others not named equal B."""
    cell = Cell("e", "stored", "resolved")
    complete = np.asarray(values["B"])
    scores: Scores = {
        cell: {c: dict.fromkeys(CUTOFFS, np.asarray(values.get(c, complete))) for c in ("A", *CONDITIONS)}
    }
    wanted: list[Family] = [f for f in families(["e"], ["stored"], [cell]) if f.name == name]
    assert len(wanted) == 1
    found = compare_all(wanted, scores, clusters, resamples=2000, show_progress=False)
    return {finding.contrast.name: finding for finding in found}


def test_supported_needs_both_bootstraps() -> None:
    """Eight conversations of ten questions.

    Without sequence loses 10 points everywhere: no spread, p = 2/2001 both ways, times five for the family of five.
    Entity-only loses 100 in one conversation of eight: resampling questions sees ten of eighty differ and is
    sure; resampling conversations misses that one with (7/8)^8 = .34, so p is about .69.
    """
    clusters = [f"c{i}" for i in range(8) for _ in range(10)]
    complete = [100.0] * 80
    found = _family(
        {
            "B": complete,
            "B without sequence": [90.0] * 80,
            "B entity-only": [0.0 if c == "c3" else 100.0 for c in clusters],
        },
        clusters,
    )
    sure = found["B - B without sequence"].comparison
    assert (sure.by_question.difference, sure.by_question.low, sure.by_conversation.high) == (10, 10, 10)
    assert sure.holm_by_question == pytest.approx(5 * 2 / 2001)
    assert sure.supported
    one = found["B - B entity-only"].comparison
    assert one.by_question.difference == 12.5
    assert one.holm_by_question < 0.05
    assert one.by_conversation.p == pytest.approx(2 * (7 / 8) ** 8, abs=0.08)
    assert not one.supported
    same = found["B - B without speaker links"].comparison
    assert (same.by_question.p, same.by_conversation.p, same.supported) == (1, 1, False)


def test_five_conversations_cannot_support_what_six_do() -> None:
    for conversations, supported in ((5, False), (6, True)):
        clusters = [f"c{i}" for i in range(conversations) for _ in range(4)]
        n = len(clusters)
        found = _family({"B": [100.0] * n, "B without sequence": [50.0] * n}, clusters)
        assert found["B - B without sequence"].comparison.supported is supported


def test_every_ablation_is_asked_about_once() -> None:
    cells = [Cell("e", "stored", form) for form in ("raw", "resolved", "stamped")]  # type: ignore[arg-type]
    names = [c.name for f in families(["e"], ["stored"], cells) for c in f.contrasts]
    assert len(names) == len(set(names)) == 4 + 5 + 4 + 2 + 2
    assert {f"B - {condition}" for condition in CONDITIONS if condition != "B"} <= set(names)
    assert set(DIFFERENCES) | PRINTED_NOT_SUPPORTED == set(CONDITIONS) - {"B"}


def test_embedders_and_graphs_are_compared_across() -> None:
    cells = [Cell(e, g, "resolved") for e in ("small", "large") for g in ("stored", "rules")]
    found = {(f.name, f.embedder, f.graph): [c.name for c in f.contrasts]
             for f in families(["small", "large"], ["stored", "rules"], cells)}  # fmt: skip
    assert found["embedder", "", "rules"] == ["small - large"]
    assert found["graph", "large", ""] == ["stored - rules graph"]
    assert ("input", "small", "stored") not in found  # one text form only
