"""Each format's malformed twin: every fault named by file, record and field, everything else kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgmem.errors import InvalidInput
from qgmem.interchange import READERS, read
from qgmem.types import ImportProblem, ImportRecord

DATA = Path(__file__).parent / "interchange_data"

# file, format, texts that survive, (place within the file, field) of each problem in order
TWINS: list[tuple[str, str, list[str], list[tuple[str, str]]]] = [
    (
        "messages_bad.json", "messages",
        ["before", "odd key", "time is a list", "after"],
        [
            (" record [1]", "role"), (" record [2]", "content"), (" record [3]", "content"),
            (" record [4]", "mood"), (" record [5]", "message"), (" record [6]", "timestamp"),
            (" record [7]", "name"),
        ],
    ),
    (
        "messages_bad.jsonl", "jsonl",
        ["before", "after"],
        [(" line 2", "line"), (" line 3", "message"), (" line 4", "line")],
    ),
    (
        "transcript_bad.txt", "transcript",
        ["hello", "still here"],
        [(" line 1", "name"), (" line 3", "line")],
    ),
    (
        "locomo_bad.json", "locomo",
        ["fine", "fine too", "last"],
        [
            (" record [0] (pair-1)", "session_1_date_time"),
            (" record [0] (pair-1) session_1[1]", "text"),
            (" record [0] (pair-1) session_1[2]", "speaker"),
            (" record [0] (pair-1) session_1[3]", "dia_id"),
            (" record [0] (pair-1)", "session_2"),
            (" record [1]", "sample_id"),
            (" record [2] (pair-3)", "conversation"),
        ],
    ),
    (
        "beam_bad.json", "beam",
        ["fine", "last"],
        [
            (" record [0] turns[0][0]", "time_anchor"),
            (" record [0] turns[0][1]", "role"),
            (" record [0] turns[0][2]", "id"),
            (" record [0] turns[0][3]", "message"),
            (" record [0] turns[1]", "turns"),
            (" record [1]", "batch_number"),
            (" record [2]", "turns"),
        ],
    ),
    (
        "longmemeval_bad.json", "longmemeval",
        ["fine", "undated", "last"],
        [
            (" record [0] (q1) haystack_sessions[0][1]", "content"),
            (" record [0] (q1) haystack_sessions[0][2]", "turn"),
            (" record [0] (q1) haystack_sessions[1]", "haystack_session_ids"),
            (" record [0] (q1) haystack_sessions[2]", "haystack_dates"),
            (" record [0] (q1) haystack_sessions[2]", "haystack_sessions"),
            (" record [1] (q2)", "haystack_dates"),
            (" record [2] (q3)", "haystack_session_ids"),
            (" record [3] (q4)", "haystack_session_ids"),
        ],
    ),
    (
        "chatgpt_bad.json", "chatgpt",
        ["first", "second", "kept", "fine", "last"],
        [
            (" record [0] (loop)", "mapping"),
            (" record [0] (loop) mapping[b]", "create_time"),
            (" record [1] (gap)", "current_node"),
            (" record [1] (gap)", "mapping"),
            (" record [1] (gap) mapping[x]", "create_time"),
            (" record [2] (odd) mapping[a]", "parts"),
            (" record [2] (odd) mapping[b]", "author"),
            (" record [3]", "id"),
            (" record [4] (flat)", "mapping"),
        ],
    ),
    (
        "mem0_bad.json", "mem0",
        ["fine", "bad time", "last"],
        [
            (" record [1]", "memory"), (" record [2]", "memory"), (" record [3]", "created_at"),
            (" record [4]", "metadata"), (" record [5]", "memory"),
        ],
    ),
    (
        "export_bad.jsonl", "qgmem",
        ["fine", "last"],
        [
            (" line 3", "sequence"), (" line 4", "utterance_time"), (" line 5", "unit_kind"),
            (" line 6", "kind"), ("", "end"),
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "format", "texts", "faults"), TWINS, ids=[twin[0] for twin in TWINS])
def test_twin_names_each_fault_and_keeps_the_rest(
    name: str, format: str, texts: list[str], faults: list[tuple[str, str]]
) -> None:
    path = DATA / name
    entries = list(read(path))
    assert entries == list(READERS[format](path))  # detection does not trip over the faults
    kept = [entry.message["content"] for entry in entries if isinstance(entry, ImportRecord)]
    problems = [entry for entry in entries if isinstance(entry, ImportProblem)]
    assert kept == texts
    assert [(p.where.removeprefix(str(path)), p.field) for p in problems] == faults
    assert all(p.where.startswith(str(path)) and p.reason for p in problems)


def test_every_format_has_a_twin() -> None:
    assert {twin[1] for twin in TWINS} == set(READERS)


def test_a_time_of_the_wrong_type_costs_the_time_and_never_becomes_now() -> None:
    entries = list(read(DATA / "messages_bad.json"))
    (turn,) = (
        entry for entry in entries if isinstance(entry, ImportRecord) and entry.message["content"] == "time is a list"
    )
    assert "timestamp" not in turn.message


@pytest.mark.parametrize("format", sorted(READERS))
def test_a_missing_file_is_a_typed_error(format: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"path: cannot read .*No such file"):
        list(READERS[format](tmp_path / "absent"))


@pytest.mark.parametrize("format", sorted(READERS))
def test_a_folder_is_a_typed_error(format: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="path: cannot read"):
        list(READERS[format](tmp_path))


def test_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="format: unknown format 'csv'; one of messages, jsonl,"):
        read(DATA / "messages.json", format="csv")
