"""BEAM as published: sizes, odd evidence, and the text that is cut from user messages."""

from __future__ import annotations

from pathlib import Path

from qgmem.evals.datasets.beam import ABILITIES, load_beam


def test_the_files_are_read_whole(bench_data: Path) -> None:
    data = load_beam(bench_data / "beam")
    chats = [c.id for c in data.conversations]
    assert chats == [*(f"100K/{n}" for n in range(1, 21)), "500K/1", "500K/2"]
    assert {a: sum(q.category == a for q in data.questions) for a in ABILITIES} == dict.fromkeys(ABILITIES, 44)
    assert data.malformed == ()
    # 44 abstention questions and six others name no message.
    assert data.notes["questions_without_evidence"] == 50
    assert all(session.timestamp for c in data.conversations for session in c.sessions)


def test_no_planning_mark_is_left_in_user_text(bench_data: Path) -> None:
    data = load_beam(bench_data / "beam")
    users = [m for c in data.conversations for s in c.sessions for m in s.messages if m["role"] == "user"]
    assert len(users) > 3000
    assert not [m["id"] for m in users if "->->" in str(m["content"])]
    assert all(str(m["content"]).strip() for m in users)


def test_evidence_is_found_where_it_is_nested_or_grouped(bench_data: Path) -> None:
    questions = {q.id: q for q in load_beam(bench_data / "beam").questions}
    assert questions["100K/1:temporal_reasoning:0"].evidence == ("2", "0")  # an object of lists
    assert questions["100K/1:event_ordering:0"].evidence == ("4", "60", "116")
    nested = [q for q in questions.values() if q.id.startswith("100K/13:event_ordering")]
    assert any({"70", "72", "74", "174", "176"} <= set(q.evidence) for q in nested)


def test_one_size_and_one_chat_can_be_read_alone(bench_data: Path) -> None:
    assert [c.id for c in load_beam(bench_data / "beam" / "500K").conversations] == ["500K/1", "500K/2"]
    chat = load_beam(bench_data / "beam" / "100K", chats=frozenset({"100K/7"}))
    assert [c.id for c in chat.conversations] == ["100K/7"]
    assert len(chat.questions) == 20
