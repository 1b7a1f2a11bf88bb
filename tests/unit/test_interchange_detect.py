"""Formats are told by content; what cannot be told is an error that lists them."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgmem.errors import InvalidInput
from qgmem.interchange import READERS, detect
from qgmem.interchange.detect import FORMATS
from qgmem.interchange.headings import heading_time
from qgmem.interchange.transcript import turn_start

DATA = Path(__file__).parent / "interchange_data"
KNOWN = {
    "messages.json": "messages",
    "messages.jsonl": "jsonl",
    "transcript.txt": "transcript",
    "locomo.json": "locomo",
    "beam.json": "beam",
    "longmemeval.json": "longmemeval",
    "chatgpt.json": "chatgpt",
    "mem0.json": "mem0",
    "export.jsonl": "qgmem",
}


def test_readers_and_detection_know_the_same_formats() -> None:
    assert tuple(READERS) == FORMATS
    assert set(KNOWN.values()) == set(FORMATS)


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_content_decides_not_the_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / "misleading.csv"
    path.write_bytes(b"\n \n" * 400_000 + (DATA / name).read_bytes())
    if name.endswith((".json", ".jsonl")):
        assert detect(DATA / name) == detect(path) == KNOWN[name]
    assert detect(DATA / name) == KNOWN[name]


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"a,b,c\n1,2,3\n", b'{"a": 1}', b"[]", b"[1, 2]", b'"text"', b"\x00\x01\x02", b"\xff\xfe\x00",
     b"Dear diary, nothing happened.\nMum: hello\n", b"{", b"[{"],
)  # fmt: skip
def test_unclear_content_is_an_error_that_lists_the_formats(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match="name one of messages, jsonl, transcript, locomo, beam"):
        detect(path)


@pytest.mark.parametrize(
    ("line", "time"),
    [
        ("2024-05-08", "2024-05-08"),
        ("2024-05-08T18:30:00+02:00", "2024-05-08T18:30:00+02:00"),
        ("--- 2024/5/8 18:30 ---", "2024-05-08T18:30:00"),
        ("# 8 May 2024", "2024-05-08"),
        ("**May 8th, 2024**", "2024-05-08"),
        ("Date: Wed, 8 May 2024", "2024-05-08"),
        ("Session 3 - May 8, 2024, 12:05 am", "2024-05-08T00:05:00"),
        ("1:56 pm on 8 May, 2023", "2023-05-08T13:56:00"),
        ("12:00 pm, Sept 1 2023", "2023-09-01T12:00:00"),
        ("March-15-2024", "2024-03-15"),
        ("30 February 2024", None),
        ("8 Maybe 2024", None),
        ("13:56 pm on 8 May, 2023", None),
        ("25:00 on 8 May, 2023", None),
        ("3/4/2023", None),
        ("2024", None),
        ("Ada: 8 May 2024", None),
        ("We met on 8 May 2024", None),
        ("", None),
    ],
)
def test_date_headings(line: str, time: str | None) -> None:
    assert heading_time(line) == time


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("Ada: hi", "Ada"),
        ("marco: hi", "marco"),
        ("Dr. No: hi", "Dr. No"),
        ("O'Brien-Smith: hi", "O'Brien-Smith"),
        ("Ada:", "Ada"),
        ("王小明：你好", "王小明"),
        ("नेहा: नमस्ते", "नेहा"),
        ("two things: a, b", None),
        ("  Ada: indented", None),
        ("https://example.org: hm", None),
        ("at 10:30", None),
        ("Yes, but: no", None),
        ("One Two Three Four Five: hi", None),
        (f"{'x' * 41}: hi", None),
        ("hello", None),
    ],
)
def test_turn_starts(line: str, name: str | None) -> None:
    found = turn_start(line)
    assert (found and found[0]) == name
