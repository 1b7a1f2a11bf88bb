"""Redaction on recall (CASES 21): whatever is shown of a memory, no part of a secret is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgmem import Memory
from qgmem.construction.redaction import Redactor
from qgmem.models.scripted import HashEmbedder
from qgmem.settings import Settings

EMBEDDER = HashEmbedder(32)
HIDDEN = Settings(redaction="recall")


def everything(memory: Memory) -> str:
    """All that a caller can read, in one text."""
    hits = memory.search("password", explain=True)
    units = memory.get_all()
    parts: list[object] = [
        hits,
        units,
        memory.search("password", as_of="2030"),
        [memory.get(unit.id) for unit in units],
        [memory.turn(turn_id) for unit in units for turn_id in unit.span.turn_ids],
        [memory.history(unit.id) for unit in units],
        memory.context("password"),
        memory.ask("What is the password?"),
    ]
    for each in memory.trajectory("Ana"):
        parts += each, each.trace, each.timeline(), each.svg()
    return " ".join(map(repr, parts)).casefold()


@pytest.mark.parametrize(
    ("said", "pieces"),
    [
        ("My password is Pelican", "pelican"),
        ("The password is Barcelona and I live in Barcelona.", "barcelona"),
        ("My password is Lisbon. I live in Lisbon.", "lisbon"),
        ("My password is 'Grandma Moses'.", "grandma moses"),
        ("password: Rosebud77", "rosebud"),
        ("My wifi password is hunter2!", "hunter"),
        ("The code word is Leeds, and Leeds is my password, I live in Leeds77; Leeds77 is my password", "leeds77"),
    ],
)
def test_no_part_of_a_secret_is_shown_anywhere(tmp_path: Path, said: str, pieces: str) -> None:
    """Entities, places, claims, states and drawings are cut out of the words; each of them would name it alone."""
    with Memory.open(tmp_path, embedder=EMBEDDER) as memory:
        memory.add({"role": "user", "name": "Ana", "content": "I live in Turin.", "id": "a"})
        memory.add({"role": "user", "name": "Ana", "content": said, "id": "b"})
        stored = everything(memory)
    with Memory.open(tmp_path, embedder=EMBEDDER, settings=HIDDEN) as memory:
        shown = everything(memory)
    for piece in pieces.split():
        assert piece in stored
        assert piece not in shown
    assert "turin" in shown


def test_a_secret_in_a_caption_or_in_former_words_is_hidden_too(tmp_path: Path) -> None:
    """The place stands in the caption alone, the name in words that were changed since."""
    with Memory.open(tmp_path, embedder=EMBEDDER) as memory:
        said = {
            "role": "user",
            "name": "Ana",
            "content": "Look at this note",
            "caption": "the password is Oslo, Oslo!",
        }
        memory.add({**said, "id": "a"})
        memory.add({"role": "user", "name": "Ana", "content": "My password is Pelican", "id": "b"})
        memory.update("b", "Pelican is a bird that Ana knows")
        assert "oslo" in repr(memory.get("a")).casefold()
    with Memory.open(tmp_path, embedder=EMBEDDER, settings=HIDDEN) as memory:
        shown = everything(memory)
        assert memory.get("b").text == "[redacted:password] is a bird that Ana knows"
    assert "oslo" not in shown
    assert "pelican" not in shown


def test_names_that_are_near_are_not_listed(tmp_path: Path) -> None:
    """The message for an unknown subject would name those that were spoken of."""
    with Memory.open(tmp_path, embedder=EMBEDDER) as memory:
        memory.add(
            {"role": "user", "name": "Ana", "content": "My password is Rex77. Rex77 lives in Turin.", "id": "a"}
        )
    with (
        Memory.open(tmp_path, embedder=EMBEDDER, settings=HIDDEN) as memory,
        pytest.raises(LookupError) as refused,
    ):
        memory.trajectory("Rexy")
    assert "Rex77" not in str(refused.value)


def test_a_secret_is_hidden_wherever_its_text_names_it_and_nowhere_else() -> None:
    """The second Pelican is the password too; pelicans are birds, and another text's Pelican is anybody's."""
    redactor = Redactor()
    assert redactor.text("My password is Pelican. Pelican! No pelicans.") == (
        "My password is [redacted:password]. [redacted:password]! No pelicans."
    )
    assert redactor.text("Pelican") == "Pelican"
    assert redactor.counts == {"password": 2}


def test_on_writing_a_caption_is_read_beside_the_words(tmp_path: Path) -> None:
    """Words and caption are one message: what the one announces is a secret in the other."""
    with Memory.open(tmp_path, embedder=EMBEDDER, settings=Settings(redaction="write")) as memory:
        memory.add({"role": "user", "content": "My password is Pelican", "caption": "Pelican on a note", "id": "a"})
        assert memory.turn("a").caption == "[redacted:password] on a note"
        assert "pelican" not in repr(memory.get("a")).casefold()
