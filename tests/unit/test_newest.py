"""The last step of the order: versions of one claim newest first, wording between equal words, the past behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgmem import Memory, Settings
from qgmem.activation.newest import Statement, newest_first, worded_first
from qgmem.activation.versions import Question, words
from qgmem.activation.wording import Wording
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.analyser import terms


def told(*texts: str) -> list[Statement]:
    """Statements that hold the same words of the question, each newer than the one before it."""
    return [Statement(words(text), 1, (0, place)) for place, text in enumerate(texts)]


def order(question: str, *texts: str) -> list[int]:
    return newest_first(Question.of(question, terms, terms(question)), told(*texts))


def test_versions_of_a_claim_change_places_among_themselves_only() -> None:
    """Places 0 and 2 state one claim; the newer, at 2, takes place 0; the stranger at 1 stays."""
    assert order(
        "Who is the club chaired by?",
        "The club is chaired by Ana.",
        "Ana likes clubs.",
        "The club is chaired by Ben.",
    ) == [2, 1, 0]


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("Who is the club chaired by?", "The club is chaired by Ana.", "The club was founded by Ben."),
        (
            "Who is the chess club chaired by?",
            "The chess club is chaired by Ana.",
            "The bridge club is chaired by Bo.",
        ),
        ("Who wrote Dune?", "The author of Dune is Ana Lopes.", "The author of Dune Messiah is Ben Okri."),
        ("Did Ana chair the club?", "The club is chaired by Ana.", "The club is chaired by Ben."),
        ("Where was The Unit made?", "The Unit was made in the United States.", "Nu was made in the United States."),
        ("Where is Oslo?", "Thanks a lot, dear Ana.", "Thanks a lot, dear Ben."),
        (
            "What does Ana Lopes do?",
            "As for Ana Lopes: she sells old maps.",
            "As for Ana Lopes: her cat is called Tom.",
        ),
    ],
    ids=["relation", "subject", "namesake", "value asked for", "stem", "nothing asked", "subject alone agrees"],
)
def test_what_differs_in_what_is_asked_is_no_version(question: str, one: str, other: str) -> None:
    assert order(question, one, other) == [0, 1]


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("Which university did Ana attend?", "Ana did attend University of Oslo.", "Ana did attend the Sorbonne."),
        ("Who is Rand al'Thor made by?", "Rand al'Thor was made by Ana.", "Rand al'Thor was made by Ben Okri."),
        ("Who leads Ana's club?", "Ana Lopes leads Ana's little club.", "Ben leads Ana's little club."),
        ("谁是俱乐部主席", "俱乐部主席是安娜", "俱乐部主席是本"),
    ],
    ids=["kind of answer", "apostrophe", "value repeats a word", "no spaces"],
)
def test_a_value_may_be_of_any_kind(question: str, one: str, other: str) -> None:
    assert order(question, one, other) == [1, 0]


def test_what_two_people_say_of_themselves_are_two_claims() -> None:
    one, other = told("I live in the old town of Oslo.", "I live in the old town of Rome.")
    question = Question.of("Who does live in an old town?", terms, terms("live old town"))
    apart = [one, Statement(other.words, other.held, other.age, voice=7)]
    assert newest_first(question, [one, other]) == [1, 0]
    assert newest_first(question, apart) == [0, 1]


def marks(question: str, *texts: str) -> list[float]:
    return Wording.of(question, terms).marks([words(text) for text in texts])


def test_words_in_the_order_of_the_question_come_before_the_same_words_apart() -> None:
    """The first holds one of the question's pairs, old bridge; the second two, the old and old bridge."""
    assert marks("the old bridge", "Old bridge, the.", "By the old bridge.") == [0.5, 1.0]


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("He worked at a mill.", -1),
        ("He works at a mill.", 0),
        ("He has worked at a mill.", 0),
        ("He's worked at a mill.", 0),
        ("He is employed.", 0),
    ],
)
def test_a_question_in_the_present_tense_is_not_answered_by_the_simple_past(text: str, mark: float) -> None:
    """The question's verb is work. A perfect reaches into the present; a verb that was not asked for is let be."""
    assert marks("Where does Ana work?", text) == [mark]
    assert marks("Where did Ana work?", text) == [0]


def test_wording_moves_a_statement_only_a_tenth_of_the_spread() -> None:
    """Scores spread from 1 to 0, so the pair that only the second holds is worth 0.1: over 0.05, below 0.2."""
    statements = [Statement(words(text), 1) for text in ("bridge, old", "an old bridge", "nothing")]
    wording = Wording.of("old bridge", terms)
    assert worded_first(wording, statements, [1.0, 0.95, 0.0]) == [1, 0, 2]
    assert worded_first(wording, statements, [1.0, 0.8, 0.0]) == [0, 1, 2]


def test_wording_decides_only_between_statements_that_hold_the_same_words() -> None:
    statements = [Statement(words("bridge, old"), 3), Statement(words("an old bridge"), 1)]
    assert worded_first(Wording.of("old bridge", terms), statements, [1.0, 0.99]) == [0, 1]


@pytest.mark.parametrize("rerank", ["learned", "none"])
def test_the_newest_value_answers_now_and_the_former_answers_then(tmp_path: Path, rerank: str) -> None:
    with Memory.open(tmp_path, embedder=HashEmbedder(64), settings=Settings(rerank=rerank)) as memory:
        memory.add("The chess club is chaired by Ana Lopes.", timestamp="2021-01-10", session_id="a")
        memory.add("The chess club is chaired by Ben Okri.", timestamp="2023-05-02", session_id="b")
        now = memory.search("Who is the chess club chaired by?", explain=True)
        then = memory.search("Who is the chess club chaired by?", as_of="2022-01-01")
    assert ["Ben Okri" in hit.text for hit in now] == [True, False]
    assert [hit.score for hit in now] == sorted((hit.score for hit in now), reverse=True)
    assert sum(now[0].contributions.values()) == pytest.approx(now[0].score, abs=1e-4)
    assert ["Ana Lopes" in hit.text for hit in then] == [True]


@pytest.mark.parametrize("rerank", ["learned", "none"])
def test_a_story_of_the_past_does_not_answer_now(tmp_path: Path, rerank: str) -> None:
    """Told on one day: where she lived in 2016, in the very words of the question, and where she moved last week."""
    with Memory.open(tmp_path, embedder=HashEmbedder(64), settings=Settings(rerank=rerank)) as memory:
        memory.add("Wren does live well, she says: in the winter of 2016 I lived in Oslo.", timestamp="2024-02-07")
        memory.add("Last week I moved to a boat, to live there for good.", timestamp="2024-02-07", session_id="b")
        now = memory.search("Where does Wren live now?", explain=True)
        plain = memory.search("Where does Wren live in winter?")
    assert "boat" in now[0].text
    assert "Oslo" in plain[0].text
    assert [hit.score for hit in now] == sorted((hit.score for hit in now), reverse=True)
    assert sum(now[0].contributions.values()) == pytest.approx(now[0].score, abs=1e-4)
