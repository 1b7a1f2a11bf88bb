"""Each reader on a small file in the true format; expected values are read off the file by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qgmem.interchange import READERS, detect, read
from qgmem.types import ImportProblem, ImportRecord

DATA = Path(__file__).parent / "interchange_data"


def records(name: str) -> list[ImportRecord]:
    entries = list(read(DATA / name))
    problems = [entry for entry in entries if isinstance(entry, ImportProblem)]
    assert problems == []
    return [entry for entry in entries if isinstance(entry, ImportRecord)]


def test_messages_keep_every_key_and_their_scope() -> None:
    first, second, third = records("messages.json")
    assert first.message == {
        "role": "user",
        "name": "Ada",
        "content": "I moved to Lisbon yesterday.",
        "timestamp": "2024-03-02T09:15:00+00:00",
        "id": "m1",
    }
    assert (first.session_id, first.user_id) == ("spring", "ada")
    assert first.where == f"{DATA / 'messages.json'} record [0]"
    assert second.message["metadata"] == {"tag": ["home"]}
    assert third.message["caption"] == "a photo of a yellow tram"
    assert third.message["caption_query"] == "yellow tram Lisbon"
    assert third.message["id"] == "3"
    assert (third.session_id, third.user_id, "timestamp" in third.message) == (None, None, False)


def test_messages_may_stand_in_an_object(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('{"messages": [{"role": "user", "content": "hi"}], "title": "x"}')
    assert detect(path) == "messages"
    record, problem = read(path)
    assert isinstance(record, ImportRecord)
    assert record.message["content"] == "hi"
    assert problem == ImportProblem(str(path), "title", "unknown member; only `messages` is read", kept=True)


def test_unix_seconds_are_a_time(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('[{"role": "user", "content": "hi", "timestamp": 1709370900.5}]')
    (record,) = read(path)
    assert isinstance(record, ImportRecord)
    assert record.message["timestamp"] == 1709370900.5


def test_content_parts_of_chat_apis_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    parts = '[{"type": "text", "text": "look"}, "here"]'
    image = '[{"type": "image_url", "image_url": {"url": "x"}}]'
    path.write_text(f'[{{"role": "user", "content": {parts}}}, {{"role": "user", "content": {image}}}]')
    record, problem = read(path)
    assert isinstance(record, ImportRecord)
    assert isinstance(problem, ImportProblem)
    assert record.message["content"] == "look\nhere"
    assert (problem.where, problem.field, problem.kept) == (f"{path} record [1]", "content[0]", True)


def test_messages_of_openai_keep_their_words(tmp_path: Path) -> None:
    """Calls, ids of calls, annotations and pictures are named in notes; every word that was said is kept.

    A message that only calls a tool says nothing, so it is left out; nothing counts as lost.
    """
    call = [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}]
    picture = {"type": "image_url", "image_url": {"url": "data:"}}
    said: list[dict[str, object]] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Where is this?"}, picture]},
        {"role": "assistant", "content": None, "tool_calls": call, "refusal": None, "annotations": []},
        {"role": "tool", "tool_call_id": "c1", "content": "Porto"},
        {"role": "function", "name": "find", "content": "Porto again"},
        {"role": "assistant", "content": "Let me see.", "tool_calls": call, "function_call": {"name": "find"}},
        {"role": "assistant", "content": "In Porto.", "annotations": [{"type": "url_citation"}], "audio": None},
        {"role": "assistant", "content": None, "refusal": "I cannot say."},
        {"role": "assistant", "content": None, "audio": {"id": "a", "transcript": "By the river."}},
        {"role": "user", "content": "late", "timestamp": 1e18},
    ]
    path = tmp_path / "m.json"
    path.write_text(json.dumps(said))
    found = list(read(path))
    kept = [each.message for each in found if isinstance(each, ImportRecord)]
    notes = [each for each in found if isinstance(each, ImportProblem)]
    assert [(each["role"], each["content"]) for each in kept] == [
        ("system", "Be brief."), ("user", "Where is this?"), ("tool", "Porto"), ("tool", "Porto again"),
        ("assistant", "Let me see."), ("assistant", "In Porto."), ("assistant", "I cannot say."),
        ("assistant", "By the river."), ("user", "late"),
    ]  # fmt: skip
    assert "timestamp" not in kept[-1]
    assert all(each.kept for each in notes)
    assert [(each.where.rpartition(" ")[2], each.field) for each in notes] == [
        ("[1]", "content[1]"), ("[2]", "tool_calls"), ("[3]", "tool_call_id"), ("[5]", "function_call"),
        ("[5]", "tool_calls"), ("[6]", "annotations"), ("[8]", "audio"), ("[9]", "timestamp"),
    ]  # fmt: skip


def test_jsonl_reads_a_message_a_line() -> None:
    first, second = records("messages.jsonl")
    assert (first.message["content"], first.message["id"]) == ("東京に住んでいる", "j1")
    assert (second.message["content"], second.session_id) == ("いいですね", "s")
    assert second.where.endswith("messages.jsonl line 3")


def test_transcript_names_continuations_headings() -> None:
    """Lines 2 to 6 are one turn: two continuations, one of them indented, and a paragraph."""
    got = [
        (r.session_id, r.message["role"], r.message.get("name"), r.message.get("timestamp"))
        for r in records("transcript.txt")
    ]
    assert got == [
        ("session_1", "user", "Ana María", None),
        ("session_1", "user", "Ben", None),
        ("session_2", "user", "Ana María", "2024-05-08T18:30:00"),
        ("session_2", "assistant", None, "2024-05-08T18:30:00"),
        ("session_3", "user", "田中", "2024-05-09T13:56:00"),
    ]
    contents = [record.message["content"] for record in records("transcript.txt")]
    assert contents[0] == "Bom dia! See you at 10:30."
    assert contents[1] == (
        "I could not come,\nthe bridge was closed.\n    Note: bring the map\n\nTwo minutes later it opened."
    )
    assert contents[2:] == ["Back again.", "Welcome back.", "はい"]


def test_locomo_sessions_in_number_order_with_dates_as_written() -> None:
    """Session 11 has a date and no turns, session 3 has turns and no date."""
    got = [
        (r.user_id, r.session_id, r.message["id"], r.message["name"], r.message.get("timestamp"))
        for r in records("locomo.json")
    ]
    assert got == [
        ("pair-1", "session_2", "D2:1", "Mina", "1:56 pm on 8 May, 2023"),
        ("pair-1", "session_2", "D2:2", "Otto", "1:56 pm on 8 May, 2023"),
        ("pair-1", "session_3", "D3:1", "Mina", None),
        ("pair-1", "session_10", "D10:1", "Otto", "10:05 am on 2 July, 2023"),
    ]
    kite, ladder = records("locomo.json")[:2]
    assert (kite.message["caption"], kite.message["caption_query"]) == (
        "a photo of a red kite in a tree",
        "kite stuck in tree",
    )
    assert "caption_query" not in ladder.message


def test_locomo_gold_never_reaches_a_message() -> None:
    assert all(r.message["content"] != "in the tree" for r in records("locomo.json"))
    allowed = {"role", "name", "content", "id", "timestamp", "caption", "caption_query"}
    assert all(set(r.message) <= allowed for r in records("locomo.json"))


def test_beam_marks_are_cut_from_user_text_only_and_anchors_last_for_the_batch() -> None:
    got = [
        (r.session_id, r.message["id"], r.message["content"], r.message.get("timestamp"))
        for r in records("beam.json")
    ]
    anchor = "March-15-2024"
    assert got == [
        ("batch_1", "0", "Plan my garden.", anchor),
        ("batch_1", "1", "Start with peas -> they like cold soil. ->-> 1,1", anchor),
        ("batch_1", "2", "And the beans?", anchor),
        ("batch_1", "3", "In May.", anchor),
        ("batch_1", "4", "I wrote a ->-> b in my notes", anchor),
        ("batch_2", "5", "No anchor here", None),
    ]


def test_longmemeval_ids_dates_and_a_session_that_repeats() -> None:
    got = [
        (r.user_id, r.session_id, r.message["id"], r.message["role"], r.message.get("timestamp"))
        for r in records("longmemeval.json")
    ]
    assert got == [
        ("q_001_abs", "answer_7", "answer_7_1", "user", "2023-05-20T02:21"),
        ("q_001_abs", "answer_7", "answer_7_2", "assistant", "2023-05-20T02:21"),
        ("q_001_abs", "share_2", "share_2_1", "user", "2023-05-21"),
        ("q_001_abs", "share_2~2", "share_2~2_1", "user", "some day"),
    ]
    assert all("has_answer" not in r.message for r in records("longmemeval.json"))


def test_chatgpt_follows_the_current_branch_and_keeps_words_and_times() -> None:
    """1709370900 is 2024-03-02 09:15:00 UTC. n3 was regenerated away, n4 and n5 are a tool call."""
    got = [
        (r.session_id, r.message["id"], r.message["role"], r.message["content"], r.message.get("timestamp"))
        for r in records("chatgpt.json")
    ]
    assert got == [
        ("conv-1", "n2", "user", "Why is my bread flat?", "2024-03-02T09:15:01.500000+00:00"),
        ("conv-1", "n6", "assistant", "Let it rise longer.", "2024-03-02T09:15:10+00:00"),
        ("conv-1", "n7", "user", "Like this?\nIt took all night.", "2024-03-02T09:16:00+00:00"),
        ("conv-1", "n8", "assistant", "Beautiful.", None),
        ("conv-2", "a", "user", "Hi", "1970-01-01T00:00:10+00:00"),
        ("conv-2", "c", "assistant", "newer", "1970-01-01T00:00:12+00:00"),
    ]


def test_mem0_keeps_ids_times_and_everything_else_as_metadata() -> None:
    first, second = records("mem0.json")
    assert first.message == {
        "role": "user",
        "content": "Loves Chinese food",
        "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8e",
        "metadata": {"source": "chat", "hash": "abc", "categories": ["food"]},
        "timestamp": "2024-01-05T10:00:00.123456-07:00",
    }
    assert (first.user_id, first.session_id) == ("dev", None)
    assert (second.session_id, second.message["role"], second.message["name"]) == ("trip", "assistant", "Bo")
    assert second.message["metadata"] == {"updated_at": "2024-05-06T10:00:00-07:00"}


@pytest.mark.parametrize("name", ["locomo.json", "chatgpt.json", "longmemeval.json"])
def test_a_single_record_without_its_array_is_read_too(name: str, tmp_path: Path) -> None:
    import json

    alone = json.loads((DATA / name).read_text("utf-8"))[0]
    path = tmp_path / name
    path.write_text(json.dumps(alone, indent=1))
    in_array = [r.message for r in records(name) if "record [0]" in r.where]
    assert [entry.message for entry in read(path) if isinstance(entry, ImportRecord)] == in_array


def test_every_reader_streams_lazily() -> None:
    """A reader is an iterator: nothing is read before it is asked for."""
    assert all(iter(reader(DATA / "x")) is not None for reader in READERS.values())
