"""What may become a turn, what is cleaned, and what is refused with the name of the field."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest

from qgmem.construction.messages import checked_metadata, clean, identifier, read_message, read_time
from qgmem.errors import InvalidInput


def message(**fields: Any) -> dict[str, Any]:
    return {"role": "user", "content": "words"} | fields


def test_a_string_is_the_user_speaking() -> None:
    read = read_message("words")
    assert (read.role, read.speaker, read.content, read.time, read.id) == ("user", "user", "words", None, None)


def test_every_field_is_read() -> None:
    read = read_message(
        message(
            role="assistant",
            name=" Zoë ",
            timestamp="2024-05-02T09:00:00+02:00",
            id=7,
            caption=" a cup ",
            caption_query="cup",
            metadata={"a": [1, {"b": None}]},
            session_id="s",
        )
    )
    assert (read.role, read.speaker, read.id, read.session_id) == ("assistant", "Zoë", "7", "s")
    assert (read.caption, read.caption_query, read.metadata) == ("a cup", "cup", {"a": [1, {"b": None}]})
    assert read.time == datetime(2024, 5, 2, 9, tzinfo=timezone(timedelta(hours=2)))
    assert read.note is None


@pytest.mark.parametrize(
    ("given", "cleaned"),
    [
        ("a\ud83db", "a\ufffdb"),
        ("a\0b", "ab"),
        ("😀", "😀"),
        ("  kept as it is\n", "  kept as it is\n"),
        ("e\u0301", "e\u0301"),
        ([{"type": "text", "text": "one"}, "two"], "one\ntwo"),
    ],
)
def test_content_is_kept_but_for_what_no_file_can_hold(given: Any, cleaned: str) -> None:
    assert read_message(message(content=given)).content == cleaned


def test_a_caption_may_stand_alone() -> None:
    assert read_message(message(content="", caption="a dog")).content == ""
    assert read_message(message(content=None, caption="a dog")).caption == "a dog"


@pytest.mark.parametrize(
    ("item", "field"),
    [
        (None, "message"),
        (3, "message"),
        ([], "message"),
        (message(rolle="user"), "message.rolle"),
        ({1: 2}, "message.1"),
        (message(role="robot"), "message.role"),
        (message(role=None), "message.role"),
        (message(role=["user"]), "message.role"),
        (message(content=None), "message.content"),
        (message(content=3), "message.content"),
        (message(content=b"bytes"), "message.content"),
        (message(content=""), "message.content"),
        (message(content=" \n\t"), "message.content"),
        (message(content="\0"), "message.content"),
        (message(content=" " * 1_000_000), "message.content"),
        (message(content=[{"type": "image"}]), "message.content[0]"),
        (message(content="", caption="  "), "message.content"),
        (message(name=3), "message.name"),
        (message(caption=["a"]), "message.caption"),
        (message(id=""), "message.id"),
        (message(id=True), "message.id"),
        (message(id=1.5), "message.id"),
        (message(id=10**5000), "message.id"),
        (message(session_id=[]), "message.session_id"),
        (message(metadata="x"), "message.metadata"),
        (message(metadata=0), "message.metadata"),
        (message(metadata={"a": {"b": object()}}), "message.metadata.a.b"),
        (message(metadata={"a": [1, float("inf")]}), "message.metadata.a[1]"),
        (message(metadata={"a": 1 << 70}), "message.metadata.a"),
        (message(timestamp=True), "message.timestamp"),
        (message(timestamp=[2024]), "message.timestamp"),
        (message(timestamp=float("nan")), "message.timestamp"),
        (message(timestamp=1e20), "message.timestamp"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("message") else "",
)
def test_what_cannot_be_a_turn_is_refused_by_field(item: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_message(item)
    assert caught.value.field == field
    assert len(str(caught.value)) < 300


def test_metadata_without_end_is_refused() -> None:
    nested: dict[str, Any] = {}
    inner = nested
    for _ in range(3000):
        inner["a"] = {}
        inner = inner["a"]
    with pytest.raises(InvalidInput, match="nested more than 50"):
        checked_metadata(nested, "metadata")
    assert checked_metadata(None, "metadata") == {}
    assert checked_metadata({1: "a\0", "b\ud83d": (1, 2)}, "metadata") == {"1": "a", "b\ufffd": [1, 2]}


class TestTimes:
    def test_a_text_that_is_no_time_is_noted_and_the_time_unknown(self) -> None:
        read = read_message(message(timestamp="last tuesday-ish"))
        assert read.time is None
        assert read.note == "timestamp: cannot read 'last tuesday-ish'; stored with its time unknown"

    def test_the_calls_time_does_not_stand_in_for_one_that_cannot_be_read(self) -> None:
        read = read_message(message(timestamp="???"), timestamp="2024-05-02")
        assert (read.time, read.unread_time) == (None, "???")

    def test_the_calls_time_stands_in_for_one_that_is_not_there(self) -> None:
        assert read_message(message(), timestamp="2024-05-02").time == datetime(2024, 5, 2)
        assert read_message(message(timestamp=None), timestamp=date(2024, 5, 2)).time == datetime(2024, 5, 2)
        assert read_message(message(), timestamp="never").note is not None

    def test_long_texts_are_cut_in_the_note(self) -> None:
        note = read_message(message(timestamp="x" * 10_000 + "\ud83d")).note
        assert note is not None
        assert len(note) < 150

    def test_read_time(self) -> None:
        assert read_time(None, None) == (None, None)
        assert read_time(0, None) == (datetime(1970, 1, 1, tzinfo=UTC), None)
        assert read_time("", None) == (None, "")
        with pytest.raises(InvalidInput, match="time_zone"):
            read_time("2024-05-02", "Mars/Olympus")
        with pytest.raises(InvalidInput, match=r"^when: "):
            read_time(object(), None, "when")


def test_identifiers() -> None:
    assert [identifier(value, "id") for value in (None, "a", 5, -5, " a ")] == [None, "a", "5", "-5", " a "]
    assert clean("a\0\udfff") == "a\ufffd"
