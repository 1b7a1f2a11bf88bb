"""Files without sessions or ids: every file is a conversation of its own, and no turn of it counts as another's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qgmem import Memory
from qgmem.models.scripted import HashEmbedder


def loaded(memory: Memory, *files: Path) -> list[tuple[int, int, int]]:
    """(stored, deduplicated, failed) of each file."""
    counts = []
    for file in files:
        reports = list(memory.import_(file))
        stored, known, failed = (sum(r.count(s) for r in reports) for s in ("stored", "deduplicated", "failed"))
        counts.append((stored, known, failed))
    return counts


def opened(path: Path) -> Memory:
    return Memory.open(path / "memories", embedder=HashEmbedder(16))


def written(folder: Path, name: str, said: list[tuple[str, str]], kind: str) -> Path:
    """The same talk as a transcript, a JSON array or JSON Lines."""
    messages = [{"role": "user", "name": who, "content": words} for who, words in said]
    text = {
        "txt": "".join(f"{who}: {words}\n" for who, words in said),
        "json": json.dumps(messages),
        "jsonl": "".join(json.dumps(each) + "\n" for each in messages),
    }[kind]
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.{kind}").write_text(text)
    return folder / f"{name}.{kind}"


@pytest.mark.parametrize("kind", ["txt", "json", "jsonl"])
def test_two_files_are_two_conversations_and_a_file_read_twice_is_one(tmp_path: Path, kind: str) -> None:
    """ "Ana: yes" stands in both: four turns, two sessions named after the files, and nothing new the second time."""
    one = written(tmp_path, "d1", [("Ben", "Did you move?"), ("Ana", "yes")], kind)
    two = written(tmp_path, "d2", [("Ben", "Did you quit?"), ("Ana", "yes")], kind)
    same_name = written(tmp_path / "other", "d1", [("Ben", "Did you sleep?"), ("Ana", "yes")], kind)
    with opened(tmp_path) as memory:
        assert loaded(memory, one, two, same_name) == [(2, 0, 0)] * 3
        assert loaded(memory, two, one, same_name) == [(0, 2, 0)] * 3
        sessions = [unit.session_id for unit in memory.get_all()]
    assert len(set(sessions)) == 3
    assert [session[:3] for session in sessions] == ["d1-", "d1-", "d2-", "d2-", "d1-", "d1-"]


def test_a_dated_file_that_has_grown_adds_only_what_is_new(tmp_path: Path) -> None:
    """Its first message carries a time, and names the sessions however long the file becomes."""
    chat = tmp_path / "chat.txt"
    chat.write_text("[2024-05-01 10:00] Ana: Hello\n")
    with opened(tmp_path) as memory:
        assert loaded(memory, chat) == [(1, 0, 0)]
        chat.write_text("[2024-05-01 10:00] Ana: Hello\n[2024-05-02 09:00] Ben: Hello\n")
        assert loaded(memory, chat) == [(1, 1, 0)]


def test_turns_with_ids_stay_as_they_are(tmp_path: Path) -> None:
    """An id tells turns apart by itself: under another file name the same turn is known, not taken."""
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text('[{"role": "user", "content": "yes", "id": "m1"}]')
    with opened(tmp_path) as memory:
        assert loaded(memory, tmp_path / "a.json", tmp_path / "b.json") == [(1, 0, 0), (0, 1, 0)]
        assert memory.get_all()[0].session_id == "default"


@pytest.mark.parametrize("kind", ["txt", "json"])
def test_the_same_words_in_a_later_batch_of_a_file_are_not_known_already(tmp_path: Path, kind: str) -> None:
    """300 questions, each answered "yes": 600 turns, though a transaction takes 256 of them at most."""
    said = [pair for n in range(300) for pair in (("Ben", f"Question {n}?"), ("Ana", "yes"))]
    file = written(tmp_path, "long", said, kind)
    with opened(tmp_path) as memory:
        assert loaded(memory, file, file) == [(600, 0, 0), (0, 600, 0)]


def test_what_is_kept_is_noted_and_not_counted_as_failed(tmp_path: Path) -> None:
    """A time that is no time costs the time alone, whatever it is written as; a strange key costs that key."""
    said = [
        {"role": "user", "content": "one", "timestamp": 1e18},
        {"role": "user", "content": "two", "timestamp": "31/31/2024"},
        {"role": "user", "content": "three", "timestamp": [2024]},
        {"role": "user", "content": "four", "tool_calls": [{"id": "c"}]},
    ]
    (tmp_path / "m.json").write_text(json.dumps(said))
    with opened(tmp_path) as memory:
        reports = list(memory.import_(tmp_path / "m.json"))
        assert [unit.text for unit in memory.get_all()] == ["one", "two", "three", "four"]
    assert sum(report.count("failed") for report in reports) == 0
    notes = [
        note for report in reports for note in (*report.notes, *(item.note for item in report.items if item.note))
    ]
    assert sorted(note.rpartition("[")[2][:12] for note in notes if "record" in note) == [
        "0]: timestam", "2]: timestam", "3]: tool_cal",
    ]  # fmt: skip
    assert len(notes) == 4
