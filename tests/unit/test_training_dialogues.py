"""The written dialogues' format, and that every shipped dialogue keeps to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgmem.errors import InvalidInput
from qgmem.training.dialogues import load_dialogues, read_dialogue

SHIPPED = Path(__file__).parents[2] / "training-data" / "dialogues"
TEXT = """# Two friends | friends
== 2023-04-02 18:30
Mara: I bought a kayak ^p1
Jon: nice [photo: a red kayak on a car roof] ^p2
== 2023-05-01
Jon: still paddling?
== questions
? single | What did Mara buy? | a kayak | p1
? several | What does the kayak look like? | red | p1 p2
"""


def test_a_dialogue_is_read() -> None:
    """Turn ids count from 1 in each session; marks and photos leave the words."""
    dialogue = read_dialogue("d", TEXT)
    assert [(at, when, len(messages)) for at, when, messages in dialogue.sessions] == [
        ("1", "2023-04-02T18:30", 2),
        ("2", "2023-05-01", 1),
    ]
    assert dialogue.sessions[0][2][0]["content"] == "I bought a kayak"
    assert dialogue.sessions[0][2][1] == {
        "role": "user",
        "name": "Jon",
        "id": "1:2",
        "content": "nice",
        "caption": "a red kayak on a car roof",
    }
    assert dialogue.speakers == ("Jon", "Mara")
    assert [(q.kind, q.answer, sorted(q.evidence)) for q in dialogue.questions] == [
        ("single", "a kayak", ["1:1"]),
        ("several", "red", ["1:1", "1:2"]),
    ]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (TEXT.replace("p1 p2", "p1 p9"), "p9"),
        (TEXT.replace("Jon: still", "Jon still"), "Name"),
        (TEXT.replace("| p1\n", "\n"), "expected"),
        (TEXT.replace("paddling?", "paddling? ^p1"), "second turn"),
        (TEXT.replace("== 2023-04-02 18:30\n", ""), "first session"),
    ],
)
def test_a_line_that_does_not_fit_is_named(wrong: str, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read_dialogue("d", wrong)


def test_a_folder_without_dialogues_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no dialogue"):
        load_dialogues(tmp_path)


def test_the_shipped_dialogues_can_be_read() -> None:
    """Each has two speakers and questions whose evidence was said."""
    for dialogue in load_dialogues(SHIPPED):
        said = {message["id"] for _, _, messages in dialogue.sessions for message in messages}
        assert len(dialogue.speakers) == 2, dialogue.id
        assert len(dialogue.questions) >= 30, dialogue.id
        assert all(question.evidence <= said for question in dialogue.questions), dialogue.id
