"""What stands exactly in a question is found exactly, whatever resembles it."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgmem import Memory, Settings
from qgmem.activation.codes import codes
from qgmem.models.scripted import HashEmbedder


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What is the status of the pump report for ZX-4471 from 2023?", ["ZX-4471"]),
        ("Did order KL-20817-B arrive?", ["KL-20817-B"]),
        ("Who has gate code A1B2C3, and ticket 1234567?", ["A1B2C3", "1234567"]),
        ("What happened in the 90s, on the 23rd, at 3pm, on 2023-05-08, in room 12?", []),
        ("Who ran 10km on a 10-minute break?", []),
    ],
)
def test_codes_are_told_from_numbers(question: str, found: list[str]) -> None:
    assert codes(question) == found


@pytest.mark.parametrize("rerank", ["learned", "none"])
def test_a_code_among_look_alikes_is_first(tmp_path: Path, rerank: str) -> None:
    """Hundreds of near neighbours share every other word of the question, and support each other."""
    with Memory.open(tmp_path, embedder=HashEmbedder(32), settings=Settings(rerank=rerank)) as memory:
        memory.add([f"the status of the pump device report for n{n}" for n in range(600)], session_id="close")
        memory.add("somebody mentioned that ZX-4471 leaks oil on cold mornings", session_id="far")
        hits = memory.search("what is the status of the pump device report for ZX-4471", explain=True)
    assert "ZX-4471" in hits[0].text
    assert sum(hits[0].contributions.values()) == pytest.approx(hits[0].score, abs=1e-3)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_a_filter_holds_for_codes_too(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=HashEmbedder(32)) as memory:
        memory.add({"role": "user", "name": "Ana", "content": "ZX-4471 is mine"})
        memory.add({"role": "user", "name": "Ben", "content": "nobody owns the pumps"})
        hits = memory.search("who owns ZX-4471?", filters={"speaker": "Ben"})
    assert [hit.speaker for hit in hits] == ["Ben"]
