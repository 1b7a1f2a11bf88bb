"""Of two statements of one claim the newer stands first, unless the question is about an earlier time."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgmem import Memory, Settings
from qgmem.activation.newest import newest_first
from qgmem.models.scripted import HashEmbedder


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def test_versions_of_a_claim_change_places_among_themselves_only() -> None:
    """Places 0 and 2 state one claim; the newer, at 2, takes place 0; the stranger at 1 stays."""
    statements = [words("club chaired by ana"), words("ana likes clubs"), words("club chaired by ben")]
    assert newest_first(words("club chaired"), statements, [(1, 0), (5, 0), (3, 0)]) == [2, 1, 0]


def test_statements_that_match_the_question_otherwise_are_other_claims() -> None:
    statements = [words("club chaired by ana"), words("club founded by ben")]
    assert newest_first(words("club chaired"), statements, [(1, 0), (3, 0)]) == [0, 1]


def test_nothing_asked_nothing_moved() -> None:
    statements = [words("thanks a lot ana"), words("thanks a lot ben")]
    assert newest_first(words("oslo"), statements, [(1, 0), (3, 0)]) == [0, 1]


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
