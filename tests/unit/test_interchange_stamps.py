"""Chats whose lines begin with a time: what chat programs and WhatsApp export, and what looks like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgmem import Memory
from qgmem.interchange import detect, read
from qgmem.models.scripted import HashEmbedder
from qgmem.types import ImportProblem, ImportRecord

Turn = tuple[str | None, object, object, object]  # session, name, timestamp, content


def turns(tmp_path: Path, text: str) -> tuple[list[Turn], list[str]]:
    """Turns and problems of a file that has to be told by its content."""
    path = tmp_path / "chat"
    path.write_text(text, encoding="utf-8")
    assert detect(path) == "transcript"
    found = list(read(path, "transcript"))
    said: list[Turn] = [
        (each.session_id, each.message.get("name"), each.message.get("timestamp"), each.message["content"])
        for each in found
        if isinstance(each, ImportRecord)
    ]
    return said, [each.field for each in found if isinstance(each, ImportProblem)]


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("[2024-05-01 10:00] Ana: Hello", "2024-05-01T10:00:00"),
        ("2024-05-01 10:00 Ana: Hello", "2024-05-01T10:00:00"),
        ("2024-05-01T10:00:07+02:00 Ana: Hello", "2024-05-01T10:00:07+02:00"),
        ("[2024-05-01 10:00:07.250Z] Ana: Hello", "2024-05-01T10:00:07.250Z"),
        ("[2024-05-01] Ana: Hello", "2024-05-01"),
        ("2024-05-01 10:00 - Ana: Hello", "2024-05-01T10:00:00"),
        ("12/05/2024, 21:10 - Ana: Hello", "2024-05-12T21:10:00"),
        ("[12/05/2024, 21:10:05] Ana: Hello", "2024-05-12T21:10:05"),
        ("\u200e[12/05/2024, 21:10:05] Ana: Hello", "2024-05-12T21:10:05"),
        ("12.05.24, 21:10 - Ana: Hello", "2024-05-12T21:10:00"),
        ("5/13/24, 9:10\u202fPM - Ana: Hello", "2024-05-13T21:10:00"),
        ("2024/05/12, 21:10 - Ana: Hello", "2024-05-12T21:10:00"),
    ],
)
def test_a_time_in_front_of_a_name_is_the_turns_time(tmp_path: Path, line: str, time: str) -> None:
    assert turns(tmp_path, line + "\n") == ([("session_1", "Ana", time, "Hello")], [])


@pytest.mark.parametrize("shape", ["{}, 21:10 - Ana: x", "[{}, 21:10:05] Ana: x"])
def test_day_or_month_first_is_one_decision_a_file(tmp_path: Path, shape: str) -> None:
    """05/06 is 5 June, unless another line of the file, as 05/13, can only be a month and a day."""
    days = [("05/06/2024", "05/07/2024"), ("05/06/2024", "05/13/2024"), ("05/06/2024", "13/06/2024")]
    read_as = [
        [str(turn[2])[:10] for turn in turns(tmp_path, "\n".join(shape.format(day) for day in pair))[0]]
        for pair in days
    ]
    assert read_as == [["2024-06-05", "2024-07-05"], ["2024-05-06", "2024-05-13"], ["2024-06-05", "2024-06-13"]]


WHATSAPP = """\
12/05/2024, 21:09 - Messages and calls are end-to-end encrypted. Learn more.
12/05/2024, 21:10 - Ana: Shopping list
Milk: two
2024-05-20
12/05/2024, 21:11 - +44 7700 900123: <Media omitted>
12/05/2024, 21:12 - Ben joined
and a second line of it
12/05/2024, 21:13 - An announcement of more than five words: read this
13/05/2024, 08:00 - ana maria \N{HEAVY BLACK HEART}: Morning!
"""


def test_a_whatsapp_export(tmp_path: Path) -> None:
    """Lines without a time continue the turn, also those that look like one; the program's own words are no turns."""
    said, problems = turns(tmp_path, WHATSAPP)
    assert said == [
        ("session_1", "Ana", "2024-05-12T21:10:00", "Shopping list\nMilk: two\n2024-05-20"),
        ("session_1", "+44 7700 900123", "2024-05-12T21:11:00", "<Media omitted>"),
        ("session_2", "ana maria \N{HEAVY BLACK HEART}", "2024-05-13T08:00:00", "Morning!"),
    ]
    assert problems == ["name"]


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("[2024-13-01 10:00] Ana: Hello", "2024-13-01 10:00"),
        ("[31/02/2024, 21:10:05] Ana: Hello", "31/02/2024, 21:10:05"),
        ("12/05/2024, 25:10 - Ana: Hello", "12/05/2024, 25:10"),
        ("40/40/2024, 21:10 - Ana: Hello", "40/40/2024, 21:10"),
        ("5/13/24, 13:10 PM - Ana: Hello", "5/13/24, 13:10 PM"),
    ],
)
def test_words_are_not_lost_for_a_bad_time(tmp_path: Path, line: str, time: str) -> None:
    """Stored with its time unknown, and the report says which text was no time."""
    assert turns(tmp_path, line + "\n") == ([("session_1", "Ana", time, "Hello")], [])
    with Memory.open(tmp_path / "m", embedder=HashEmbedder(16)) as memory:
        [report] = memory.import_(tmp_path / "chat")
        [unit] = memory.get_all()
    assert (unit.text, unit.utterance_time) == ("Hello", None)
    assert "cannot read" in str(report.items[0].note)


def test_what_only_looks_like_a_time_stays_text(tmp_path: Path) -> None:
    text = "Ana: The plan\n2024-05-01 10:00 is the deadline\n12/05 - call Ben: urgent\n3/4, 10:00 - no year\n"
    said, problems = turns(tmp_path, text)
    assert [turn[3] for turn in said] == [text.removeprefix("Ana: ").rstrip()]
    assert problems == []


def test_a_title_with_a_time_costs_no_turn_of_a_plain_transcript(tmp_path: Path) -> None:
    text = "[2024-05-01 10:00] Notes of the meeting\nAna: Hello\n[2024-05-01 10:05] break\nBen: Back\n"
    said, problems = turns(tmp_path, text)
    assert [turn[3] for turn in said] == ["Hello\n[2024-05-01 10:05] break", "Back"]
    assert problems == []


def test_a_list_of_numbers_is_no_transcript(tmp_path: Path) -> None:
    from qgmem.errors import InvalidInput

    (tmp_path / "numbers").write_text("[2024, 5, 1]")
    with pytest.raises(InvalidInput, match="none of the known formats"):
        detect(tmp_path / "numbers")
