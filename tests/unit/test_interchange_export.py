"""Our own export: what goes in comes out, byte for byte."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qgmem.errors import InvalidInput
from qgmem.interchange import ExportHeader, ExportRecord, read, read_export, write_export
from qgmem.interchange.export_codec import turn_from_json, turn_to_json, unit_from_json, unit_to_json
from qgmem.types import (
    Entity,
    Granularity,
    ImportProblem,
    ImportRecord,
    Interval,
    JsonValue,
    MemoryUnit,
    SourceSpan,
    Triple,
    Turn,
)

DATA = Path(__file__).parent / "interchange_data"

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
name = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
times = st.none() | st.datetimes(
    timezones=st.none()
    | st.integers(-24 * 60 + 1, 24 * 60 - 1).map(lambda minutes: timezone(timedelta(minutes=minutes)))
)
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
metadata = st.dictionaries(text, json_values, max_size=3)
roles = st.sampled_from(["user", "assistant", "system", "tool"])
turns = st.builds(
    Turn, id=name, session_id=text, sequence=st.integers(0), speaker=text, role=roles, text=text,
    utterance_time=times, caption=st.none() | text, caption_query=st.none() | text, metadata=metadata,
    agent_id=st.none() | text, run_id=st.none() | text,
)  # fmt: skip
intervals = st.tuples(st.dates(), st.dates(), st.sampled_from(list(Granularity))).map(
    lambda parts: Interval(min(parts[:2]), max(parts[:2]), parts[2])
)
units = st.builds(
    MemoryUnit, id=name, kind=st.sampled_from(["verbatim", "extracted"]), text=text,
    span=st.builds(SourceSpan, text, text, text), session_id=text, sequence=st.integers(0), speaker=text,
    role=roles, utterance_time=times,
    entities=st.lists(
        st.builds(Entity, text, st.sampled_from(["Who", "How much"]), st.none() | st.integers(0)), max_size=2
    ).map(tuple),
    locations=st.lists(text, max_size=2).map(tuple), fact_times=st.lists(intervals, max_size=2).map(tuple),
    triple=st.none() | st.builds(Triple, text, text, text), metadata=metadata,
    agent_id=st.none() | text, run_id=st.none() | text,
)  # fmt: skip


def rewrite(path: Path) -> bytes:
    """Read an export and write it again from the decoded values."""
    header, *entries = read_export(path)
    assert isinstance(header, ExportHeader)

    def again() -> Iterator[ExportRecord]:
        for entry in entries:
            assert isinstance(entry, ExportRecord)
            if entry.kind == "turn":
                yield ExportRecord.of_turn(entry.turn())
            elif entry.kind == "unit":
                yield ExportRecord.of_unit(entry.unit())
            else:
                yield ExportRecord(entry.kind, entry.body)

    buffer = io.BytesIO()
    assert write_export(again(), buffer, header) == len(entries)
    return buffer.getvalue()


def test_export_import_export_is_byte_identical() -> None:
    path = DATA / "export.jsonl"
    assert rewrite(path) == path.read_bytes()


@given(turns)
def test_a_turn_survives_with_every_field(turn: Turn) -> None:
    again = turn_from_json(turn_to_json(turn))
    assert again == turn
    assert turn_to_json(again) == turn_to_json(turn)
    if turn.utterance_time is not None:
        assert again.utterance_time is not None
        assert again.utterance_time.isoformat() == turn.utterance_time.isoformat()


@given(units)
def test_a_unit_survives_with_every_field(unit: MemoryUnit) -> None:
    assert unit_from_json(unit_to_json(unit)) == unit


@given(st.lists(turns, max_size=3), st.lists(units, max_size=3), metadata)
def test_any_export_rewrites_to_the_same_bytes(
    some_turns: list[Turn], some_units: list[MemoryUnit], history: dict[str, JsonValue]
) -> None:
    import tempfile

    history.pop("kind", None)
    records = [*map(ExportRecord.of_turn, some_turns), *map(ExportRecord.of_unit, some_units)]
    buffer = io.BytesIO()
    write_export([*records, ExportRecord("history", history)], buffer, ExportHeader("é\n🌊", {"z": 1, "a": [2]}))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "e.jsonl"
        path.write_bytes(buffer.getvalue())
        assert rewrite(path) == buffer.getvalue()


def test_equal_metadata_in_another_order_gives_the_same_bytes() -> None:
    base = {"id": "t", "session_id": "s", "sequence": 1, "speaker": "A", "text": "x"}
    one = Turn(**base, role="user", metadata={"a": 1, "b": {"c": 1, "d": 2}})  # type: ignore[arg-type]
    two = Turn(**base, role="user", metadata={"b": {"d": 2, "c": 1}, "a": 1})  # type: ignore[arg-type]
    first, second = io.BytesIO(), io.BytesIO()
    write_export([ExportRecord.of_turn(one)], first)
    write_export([ExportRecord.of_turn(two)], second)
    assert first.getvalue() == second.getvalue()


def test_decoded_values_are_what_the_file_says() -> None:
    header, first, second, unit, history = read_export(DATA / "export.jsonl")
    assert header == ExportHeader("ada")
    assert isinstance(first, ExportRecord)
    assert isinstance(second, ExportRecord)
    assert isinstance(unit, ExportRecord)
    assert isinstance(history, ExportRecord)
    offset = timezone(timedelta(hours=5, minutes=45))
    assert first.turn() == Turn(
        "t1", "s", 1, "Ada", "user", "Olá 🌊", datetime(2024, 3, 2, 9, 15, 0, 1, offset),
        metadata={"a": [1, None, 2.5], "b": {"c": True, "d": "x"}}, agent_id="agent", run_id="run",
    )  # fmt: skip
    assert second.turn().utterance_time == datetime(2024, 3, 2, 9, 15)  # no offset was given, none is made up
    assert unit.unit().fact_times == (Interval(date(2024, 3, 1), date(2024, 3, 31), Granularity.MONTH),)
    assert (history.kind, history.body["version"]) == ("history", 1)


def test_turns_of_an_export_read_as_plain_messages() -> None:
    """The generic reader gives turns only; units and history need `read_export`."""
    first, second = read(DATA / "export.jsonl")
    assert isinstance(first, ImportRecord)
    assert isinstance(second, ImportRecord)
    assert (first.user_id, first.session_id, first.message["id"]) == ("ada", "s", "t1")
    assert first.message["timestamp"] == datetime(2024, 3, 2, 9, 15, 0, 1, timezone(timedelta(hours=5, minutes=45)))
    assert second.message["caption_query"] == "wave"


@pytest.mark.parametrize("lines", range(1, 6))
def test_a_shortened_export_is_noticed(lines: int, tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text("".join((DATA / "export.jsonl").read_text("utf-8").splitlines(True)[:lines]), "utf-8")
    *before, last = read_export(path)
    assert len(before) == lines
    assert isinstance(last, ImportProblem)
    assert last == ImportProblem(str(path), "end", f"the file was cut short: no end line after {lines - 1} records")


def test_a_line_lost_in_the_middle_is_noticed(tmp_path: Path) -> None:
    kept = (DATA / "export.jsonl").read_text("utf-8").splitlines(True)
    path = tmp_path / "e.jsonl"
    path.write_text("".join(kept[:2] + kept[3:]), "utf-8")
    assert ImportProblem(f"{path} line 5", "records", "3 lines came before the end line") in read_export(path)


@pytest.mark.parametrize(
    ("head", "field"),
    [('{"qgmem":2}', "qgmem"), ('{"qgmem":true}', "qgmem"), ("[]", "header"), ('{"a":1}', "qgmem"),
     ('{"qgmem":1,"user_id":5}', "user_id"), ("{", "line"), ("", "header")],
)  # fmt: skip
def test_nothing_follows_a_wrong_header(head: str, field: str, tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text(f'{head}\n{{"kind":"end","records":0}}\n' if head else "")
    (only,) = read_export(path)
    assert isinstance(only, ImportProblem)
    assert (only.where, only.field) == (f"{path} line 1", field)


def test_lone_surrogates_do_not_stop_an_export(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    with path.open("wb") as handle:
        write_export([ExportRecord("note", {"text": "cut \ud83d here"})], handle)
    _, note = read_export(path)
    assert isinstance(note, ExportRecord)
    assert note.body["text"] == "cut \ud83d here"
    assert rewrite(path) == path.read_bytes()


@pytest.mark.parametrize(
    "metadata", [{"when": datetime(2024, 1, 1, tzinfo=UTC)}, {"x": float("nan")}, {"x": [float("inf")]}, {1: "x"}]
)
def test_metadata_that_json_cannot_hold_is_refused_by_name(metadata: dict[str, JsonValue]) -> None:
    with pytest.raises(InvalidInput, match="metadata"):
        ExportRecord.of_turn(Turn("t", "s", 1, "A", "user", "x", metadata=metadata))


@pytest.mark.parametrize("record", [ExportRecord("end", {}), ExportRecord("x", {"kind": "y"})])
def test_reserved_words_are_refused(record: ExportRecord) -> None:
    with pytest.raises(InvalidInput, match="kind"):
        write_export([record], io.BytesIO())
