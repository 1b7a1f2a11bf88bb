"""An export comes back whole, or what of it was refused changes nothing and is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from qgmem import Memory
from qgmem.models.scripted import HashEmbedder
from qgmem.models.scripted_chat import ScriptedChat, one_unit_a_turn
from qgmem.types import AddItem

Line = dict[str, Any]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory whose clock goes on by an hour at every look."""
    hours = iter(range(1000))
    with Memory.open(
        tmp_path / "memories",
        embedder=HashEmbedder(16),
        clock=lambda: datetime(2024, 5, 1, tzinfo=UTC) + timedelta(hours=next(hours)),
    ) as opened:
        yield opened


def say(memory: Memory, text: str, user: str, name: str | None = None) -> None:
    memory.add({"content": text, "id": "m1", **({"name": name} if name else {})}, user_id=user)


def brought(memory: Memory, path: Path, user: str) -> list[AddItem]:
    return [item for report in memory.import_(path, user_id=user) for item in report.items]


def former(memory: Memory, user: str, unit_id: str = "m1") -> list[str]:
    return [event.text for event in memory.history(unit_id, user_id=user) if event.event == "update"]


def changed(path: Path, change: Callable[[list[Line]], list[Line]]) -> Path:
    """The export with other lines between its first and its last, whose count is set right."""
    head, *lines, end = [json.loads(line) for line in path.read_text().splitlines()]
    lines = change(lines)
    whole = [head, *lines, {**end, "records": len(lines)}]
    path.write_text("".join(json.dumps(line) + "\n" for line in whole))
    return path


def test_what_rests_on_a_refused_turn_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    """m1 is another's turn here: the turn, its edit and its history are three failures, and all stays as it was."""
    say(memory, "My pin is CEDAR4471.", "carl", "Carl")
    memory.update("m1", "My pin is BIRCH9902.", user_id="carl")
    memory.export(tmp_path / "carl.jsonl", user_id="carl")
    say(memory, "I play the oboe.", "dora", "Dora")
    memory.export(tmp_path / "before.jsonl", user_id="dora")
    items = brought(memory, tmp_path / "carl.jsonl", "dora")
    assert [item.status for item in items] == ["failed"] * 3
    assert "line 3: id: 'm1' was not taken in" in (items[1].reason or "")
    assert "line 4: id: 'm1' was not taken in" in (items[2].reason or "")
    memory.export(tmp_path / "after.jsonl", user_id="dora")
    assert (tmp_path / "after.jsonl").read_bytes() == (tmp_path / "before.jsonl").read_bytes()


def test_an_edit_without_its_turn_in_the_file_changes_nothing(memory: Memory, tmp_path: Path) -> None:
    """The turn's line cannot be read, so nobody knows whose words the edit belongs to."""
    say(memory, "My pin is CEDAR4471.", "carl")
    memory.update("m1", "My pin is BIRCH9902.", user_id="carl")
    memory.export(tmp_path / "out.jsonl", user_id="carl")
    changed(tmp_path / "out.jsonl", lambda lines: [{**lines[0], "role": "nobody"}, *lines[1:]])
    say(memory, "I play the oboe.", "dora")
    assert [item.status for item in brought(memory, tmp_path / "out.jsonl", "dora")] == ["failed"] * 3
    assert memory.get("m1", user_id="dora").text == "I play the oboe."
    assert former(memory, "dora") == []


def test_an_older_export_does_not_undo_a_newer_update(memory: Memory, tmp_path: Path) -> None:
    """The file says 222 after 111; here 333 has followed 222 since, so there is nothing to add."""
    say(memory, "My phone is 111.", "ana")
    memory.update("m1", "My phone is 222.", user_id="ana")
    memory.export(tmp_path / "old.jsonl", user_id="ana")
    memory.update("m1", "My phone is 333 MAPLE.", user_id="ana")
    for _ in range(2):
        items = brought(memory, tmp_path / "old.jsonl", "ana")
        assert [item.status for item in items] == ["deduplicated", "deduplicated"]
        assert items[1].note == "m1: has newer words here, which stay; those of the file are in its history"
        assert memory.get("m1", user_id="ana").text == "My phone is 333 MAPLE."
        assert former(memory, "ana") == ["My phone is 111.", "My phone is 222."]


def test_a_newer_export_brings_its_update(memory: Memory, tmp_path: Path) -> None:
    """ben stands at 222; ana's file goes on from there to 333, and ben's 222 becomes a former wording once."""
    say(memory, "My phone is 111.", "ana")
    memory.update("m1", "My phone is 222.", user_id="ana")
    memory.export(tmp_path / "old.jsonl", user_id="ana")
    memory.update("m1", "My phone is 333 MAPLE.", user_id="ana")
    memory.export(tmp_path / "new.jsonl", user_id="ana")
    brought(memory, tmp_path / "old.jsonl", "ben")
    assert memory.get("m1", user_id="ben").text == "My phone is 222."
    for _ in range(2):
        assert [item.note for item in brought(memory, tmp_path / "new.jsonl", "ben")] == [None]
        assert memory.get("m1", user_id="ben").text == "My phone is 333 MAPLE."
        assert former(memory, "ben") == ["My phone is 111.", "My phone is 222."]


@pytest.mark.parametrize("later", ["file", "here"])
def test_two_updates_apart_lose_no_words_and_the_later_stands(memory: Memory, tmp_path: Path, later: str) -> None:
    """Both go on from 111, to FILE and to HERE: the later is what m1 says, the other a former wording of it."""
    for user in ("ana", "ben"):
        say(memory, "My phone is 111.", user)
    first, second = ("ben", "ana") if later == "file" else ("ana", "ben")
    words = {"ana": "My phone is FILE.", "ben": "My phone is HERE."}
    memory.update("m1", words[first], user_id=first)
    memory.update("m1", words[second], user_id=second)
    memory.export(tmp_path / "ana.jsonl", user_id="ana")
    for _ in range(2):
        brought(memory, tmp_path / "ana.jsonl", "ben")
        assert memory.get("m1", user_id="ben").text == words[second]
        assert set(former(memory, "ben")) == {"My phone is 111.", words[first]}
        assert len(former(memory, "ben")) == 3  # 111 gave way twice
    memory.export(tmp_path / "ben.jsonl", user_id="ben")
    brought(memory, tmp_path / "ben.jsonl", "ana")
    assert memory.get("m1", user_id="ana").text == words[second]
    assert memory.history("m1", user_id="ana") == memory.history("m1", user_id="ben")


def test_words_that_went_back_to_the_first_come_back_byte_for_byte(memory: Memory, tmp_path: Path) -> None:
    say(memory, "tea", "ana")
    memory.update("m1", "coffee", user_id="ana")
    memory.update("m1", "tea", user_id="ana")
    memory.export(tmp_path / "ana.jsonl", user_id="ana")
    brought(memory, tmp_path / "ana.jsonl", "ben")
    memory.export(tmp_path / "ben.jsonl", user_id="ben")
    ours, theirs = ((tmp_path / name).read_bytes().splitlines()[1:] for name in ("ana.jsonl", "ben.jsonl"))
    assert ours == theirs


def test_a_record_that_cannot_be_used_is_named_and_the_rest_comes_in(memory: Memory, tmp_path: Path) -> None:
    """Every kind of record after the turn is wrong in some field; each is one failure and the turn is stored."""
    say(memory, "tea", "ana")
    memory.export(tmp_path / "out.jsonl", user_id="ana")
    wrong: list[Line] = [
        {"kind": "edit", "id": "m1", "text": 7},
        {"kind": "history", "id": "m1", "event": "update", "text": "x", "recorded_at": "monday"},
        {"kind": "history", "id": "m1", "event": "update", "recorded_at": "2024-05-01"},
        {"kind": "window", "id": "w", "session_id": "default", "turns": "m1", "overlap": 0, "status": "done"},
        {"kind": "window", "id": "w", "session_id": "default", "turns": ["m1"], "overlap": 0, "status": "odd"},
        {"kind": "wish", "id": "m1"},
        {"kind": "edit", "id": "m1", "text": " "},
    ]
    changed(tmp_path / "out.jsonl", lambda lines: lines + wrong)
    items = brought(memory, tmp_path / "out.jsonl", "ben")
    assert sorted(item.status for item in items) == ["failed"] * 7 + ["stored"]
    reasons = " ".join(item.reason or "" for item in items)
    for field in ("text:", "recorded_at:", "turns:", "status:", "kind:", "message.content:"):
        assert field in reasons
    assert (memory.get("m1", user_id="ben").text, former(memory, "ben")) == ("tea", [])


def windowed(memory: Memory, path: Path) -> str:
    """Two turns of ana's in one window with a claim on each, exported; the id of the claim on m1."""
    said = [{"content": f"I saw {place}.", "id": f"m{n}", "name": "Ana"} for n, place in ((1, "Oslo"), (2, "Rome"))]
    memory.add(said, user_id="ana")
    memory.build(user_id="ana", chat=ScriptedChat({"units": one_unit_a_turn}))
    memory.export(path, user_id="ana")
    claim = next(unit for unit in memory.get_all(user_id="ana", filters={"kind": "extracted"}) if unit.sequence == 1)
    return claim.id


def claims(memory: Memory, user: str) -> list[str]:
    return [unit.text for unit in memory.get_all(user_id=user, filters={"kind": "extracted"})]


def test_a_window_on_a_refused_turn_is_left_out_with_its_claims(memory: Memory, tmp_path: Path) -> None:
    windowed(memory, tmp_path / "ana.jsonl")
    say(memory, "I play the oboe.", "dora", "Dora")
    items = brought(memory, tmp_path / "ana.jsonl", "dora")
    assert [item.status for item in items] == ["failed", "stored", "failed"]
    assert "turns: 'm1' was not taken in from this file; its 2 units" in (items[2].reason or "")
    assert (claims(memory, "dora"), memory.windows(user_id="dora")) == ([], [])


def test_a_window_with_a_broken_claim_waits_for_a_whole_file(memory: Memory, tmp_path: Path) -> None:
    """Half a window that counts as read would never be read again."""
    windowed(memory, tmp_path / "ana.jsonl")
    (tmp_path / "broken.jsonl").write_bytes((tmp_path / "ana.jsonl").read_bytes())
    changed(tmp_path / "broken.jsonl", lambda lines: [*lines[:-1], {**lines[-1], "role": "nobody"}])
    assert [item.status for item in brought(memory, tmp_path / "broken.jsonl", "ben")].count("failed") == 2
    assert claims(memory, "ben") == []
    brought(memory, tmp_path / "ana.jsonl", "ben")
    assert claims(memory, "ben") == claims(memory, "ana")
    assert len(claims(memory, "ben")) == 2


def test_a_claim_cannot_take_the_place_of_a_turn(memory: Memory, tmp_path: Path) -> None:
    """A turn of ben's bears the id of ana's claim; it stays."""
    claim = windowed(memory, tmp_path / "ana.jsonl")
    memory.add({"content": "Mine.", "id": claim}, user_id="ben")
    items = brought(memory, tmp_path / "ana.jsonl", "ben")
    assert f"units: {claim!r} is taken by another unit here" in (items[-1].reason or "")
    assert memory.get(claim, user_id="ben").text == "Mine."


def test_updates_of_claims_are_merged_like_those_of_turns(memory: Memory, tmp_path: Path) -> None:
    """ben has the claim as it was read; the later file brings its update, the earlier one does not undo it."""
    claim = windowed(memory, tmp_path / "old.jsonl")
    read = memory.get(claim, user_id="ana").text
    brought(memory, tmp_path / "old.jsonl", "ben")
    memory.update(claim, "Ana saw Bergen.", user_id="ana")
    memory.export(tmp_path / "new.jsonl", user_id="ana")
    for name in ("new.jsonl", "old.jsonl", "new.jsonl"):
        assert not any(item.status == "failed" for item in brought(memory, tmp_path / name, "ben"))
        assert memory.get(claim, user_id="ben").text == "Ana saw Bergen."
        assert former(memory, "ben", claim) == [read]
