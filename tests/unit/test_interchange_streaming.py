"""Files far larger than the memory used to read them.

A record is held at a time, so the peak depends on the largest record, never on the file. The 200 MB run
takes minutes and is done by hand: QGMEM_LARGE_FILES=1.
"""

from __future__ import annotations

import io
import json
import os
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qgmem.interchange import ExportRecord, detect, read, write_export
from qgmem.types import ImportRecord, Turn

MEGABYTE = 1 << 20
WORDS = "the quick brown fox jumps over the lazy dog, again and again and again; naïve 東京. "


def _join(records: Iterator[str], head: str, between: str, tail: str) -> Iterator[str]:
    for index, record in enumerate(records):
        yield (between if index else head) + record
    yield tail


def _messages(count: int) -> Iterator[str]:
    for index in range(count):
        yield json.dumps({"role": "user", "content": WORDS * 10, "id": str(index)}, ensure_ascii=False)


def _locomo(count: int) -> Iterator[str]:
    turns = [{"speaker": "A", "dia_id": f"D1:{i}", "text": WORDS * 10} for i in range(100)]
    for index in range(count // 100):
        yield json.dumps({"sample_id": str(index), "conversation": {"session_1": turns}})


def _chatgpt(count: int) -> Iterator[str]:
    for index in range(count // 100):
        mapping: dict[str, object] = {}
        for i in range(100):
            message = {"author": {"role": "user"}, "create_time": i, "content": {"parts": [WORDS * 10]}}
            mapping[f"n{i}"] = {"parent": f"n{i - 1}" if i else None, "message": message}
        yield json.dumps({"id": f"c{index}", "current_node": "n99", "mapping": mapping})


def _longmemeval(count: int) -> Iterator[str]:
    session = [{"role": "user", "content": WORDS * 10}] * 100
    for index in range(count // 100):
        row = {
            "question_id": f"q{index}",
            "haystack_session_ids": ["s"],
            "haystack_dates": ["2023/05/20 (Sat) 02:21"],
            "haystack_sessions": [session],
        }
        yield json.dumps(row)


def _beam(count: int) -> Iterator[str]:
    group = [{"role": "user", "id": i, "content": WORDS * 10 + "->-> 1,1"} for i in range(100)]
    for index in range(count // 100):
        yield json.dumps({"batch_number": index, "turns": [group]})


def _mem0(count: int) -> Iterator[str]:
    for index in range(count):
        yield json.dumps({"id": str(index), "memory": WORDS * 10, "user_id": "u", "created_at": "2024-01-01"})


def _transcript(count: int) -> Iterator[str]:
    for _ in range(count):
        yield f"Ada: {WORDS * 5}\n{WORDS * 5}\n"


def _export(count: int) -> Iterator[str]:
    for index in range(count):
        buffer = io.BytesIO()
        write_export([ExportRecord.of_turn(Turn(str(index), "s", index, "A", "user", WORDS * 10))], buffer)
        yield buffer.getvalue().decode().splitlines()[1]
    yield json.dumps({"kind": "end", "records": count})


Maker = Callable[[int], Iterator[str]]
FORMATS: dict[str, tuple[Maker, str, str, str]] = {
    "messages": (_messages, "[", ",\n", "]"),
    "jsonl": (_messages, "", "\n", "\n"),
    "transcript": (_transcript, "", "", ""),
    "locomo": (_locomo, "[", ",", "]"),
    "beam": (_beam, "[", ",", "]"),
    "longmemeval": (_longmemeval, "[", ",", "]"),
    "chatgpt": (_chatgpt, "[", ", ", "]"),
    "mem0": (_mem0, '{"results": [', ",", '], "count": 1}'),
    "qgmem": (_export, '{"qgmem":1}\n', "\n", "\n"),
}
SIZES = [30, 200] if os.environ.get("QGMEM_LARGE_FILES") == "1" else [30]


def _write(path: Path, format: str, count: int) -> None:
    maker, head, between, tail = FORMATS[format]
    with path.open("w", encoding="utf-8") as handle:
        handle.writelines(_join(maker(count), head, between, tail))


@pytest.mark.parametrize("megabytes", SIZES)
@pytest.mark.parametrize("format", sorted(FORMATS))
def test_a_large_file_streams_in_bounded_memory(format: str, megabytes: int, tmp_path: Path) -> None:
    """A record of the array formats is about 90 kB here; 8 MB is far below any of the files."""
    per_turn = len((WORDS * 10).encode())
    count = megabytes * MEGABYTE // per_turn // 100 * 100 + 100
    path = tmp_path / "large"
    _write(path, format, count)
    assert path.stat().st_size > megabytes * MEGABYTE
    tracemalloc.start()
    try:
        assert detect(path) == format
        found = sum(isinstance(entry, ImportRecord) for entry in read(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    print(f"{format}: {path.stat().st_size / MEGABYTE:.0f} MB, {found} turns, peak {peak / MEGABYTE:.1f} MB")
    assert found == count
    assert peak < 8 * MEGABYTE
    path.unlink()
