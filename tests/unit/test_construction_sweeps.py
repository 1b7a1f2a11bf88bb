"""Sweeps of windows and τ: what is counted as needed, what a cut shows, and what pairs count."""

from __future__ import annotations

from datetime import date, datetime

import numpy as np
import pytest

from qgmem.evals.construction_sweeps.tau import curve
from qgmem.evals.construction_sweeps.windows import sweep
from qgmem.synthetic import Claim, Dialogue, Life, Message, Session
from qgmem.synthetic.phrases import Fact

SAID = datetime(2024, 1, 1, 12)


def life() -> Life:
    """Six turns: a claim in t1 that stands alone, an answer in t4 to t3, and one of t6 whose Bea was named in t2."""
    texts = [
        ("Ana", "I live in Oslo."), ("Ana", "Bea called."), ("Bot", "What do you drive?"), ("Ana", "A Corsa."),
        ("Bot", "I see."), ("Ana", "She lives in Porto."),
    ]  # fmt: skip
    messages = tuple(
        Message(f"t{n}", "s", n, "user" if name == "Ana" else "assistant", name, text, SAID)
        for n, (name, text) in enumerate(texts, 1)
    )

    def claim(turn: int, subject: str, value: str, support: tuple[str, ...] = ()) -> Claim:
        return Claim(f"c{turn}", "case", subject.lower(), subject, "home", value, True, "state", f"t{turn}",
                     (turn, 0), SAID, None, date(2024, 1, 1), support=support)  # fmt: skip

    claims = (claim(1, "Ana", "Oslo"), claim(4, "Ana", "Corsa", ("t3",)), claim(6, "Bea", "Porto"))
    dialogue = Dialogue("n", "case", "assistant", ("Ana", "Bot"), (Session("s", SAID, messages),))
    return Life("case", dialogue, (), claims, (), None)  # type: ignore[arg-type]


def test_needs_are_the_turn_its_question_and_the_last_naming() -> None:
    """t1 alone; t4 with the question before it; t6 with t2, four turns back."""
    _, counts = sweep([life()], (2,), (0,))
    assert counts == {"unmet": 0, "alone": 1, "answer, 1 back": 1, "reference, 4 back": 1}


@pytest.mark.parametrize(
    ("width", "overlap", "readable"),
    [(2, 0, 2), (3, 0, 1), (3, 1, 2), (6, 0, 3), (4, 2, 2)],
)
def test_claim_is_readable_where_its_window_shows_all_it_needs(width: int, overlap: int, readable: int) -> None:
    """Widths of 2: t3+t4 lie together, t2 and t6 do not. Of 3: t1–t3 | t4–t6 part t3 from t4; an overlap of 1 brings
    t3 back (t1–t3 | t3–t5 | t5–t6). Six turns show all. 4 with 2: t1–t4 | t3–t6, where t2 is out of sight.
    """
    [cut] = sweep([life()], (width,), (overlap,))[0]
    assert cut.readable == pytest.approx(readable / 3)


def test_calls_are_two_a_window() -> None:
    """Six turns in windows of two: three windows, six calls, one a turn."""
    [cut] = sweep([life()], (2,), (0,))[0]
    assert cut.calls == 1.0


def test_overlaps_of_more_than_half_are_left_out() -> None:
    """A window of four may overlap two, not three."""
    assert [(cut.width, cut.overlap) for cut in sweep([life()], (4,), (2, 3))[0]] == [(4, 2)]


def test_window_of_the_whole_session_shows_all() -> None:
    """Six turns in a window of 24: every claim, those of several turns too."""
    [cut] = sweep([life()], (24,), (0,))[0]
    assert (cut.readable, cut.several) == (1.0, 1.0)


class Letters:
    """A text as counts of its letters a to d."""

    id, dimension = "letters", 4

    def embed(self, texts: list[str]) -> np.ndarray:  # type: ignore[type-arg]
        rows = np.array([[text.count(letter) for letter in "abcd"] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_pairs_of_one_life_make_f1() -> None:
    """Two pairs of equal facts, of which one pair is really of two relations: joined 2, right 1, related 1."""
    facts = [
        Fact("aa", "a", "a", ("x", "r")), Fact("aa", "a", "a", ("x", "r")),
        Fact("bb", "b", "b", ("y", "r")), Fact("bb", "b", "b", ("y", "s")),
    ]  # fmt: skip
    [point] = curve(Letters(), [facts], "cosines", (0.9,))
    assert (point.precision, point.recall) == (0.5, 1.0)
    assert point.f1 == pytest.approx(2 / 3)
