"""The readers on the real benchmark files: nothing lost, nothing doubted."""

from __future__ import annotations

from pathlib import Path

from qgmem.interchange import detect, read
from qgmem.types import ImportProblem, ImportRecord


def _records(path: Path) -> list[ImportRecord]:
    entries = list(read(path))
    assert [entry for entry in entries if isinstance(entry, ImportProblem)] == []
    return [entry for entry in entries if isinstance(entry, ImportRecord)]


def test_locomo_is_read_whole(bench_data: Path) -> None:
    """10 conversations, 272 sessions, 5,882 turns; 1,226 captions and 888 image queries stand in the file."""
    path = bench_data / "locomo" / "locomo10.json"
    assert detect(path) == "locomo"
    records = _records(path)
    assert len(records) == 5882
    assert len({record.user_id for record in records}) == 10
    assert len({(record.user_id, record.session_id) for record in records}) == 272
    assert len({(record.user_id, record.message["id"]) for record in records}) == 5882
    assert sum("caption" in record.message for record in records) == 1226
    assert sum("caption_query" in record.message for record in records) == 888
    assert all("timestamp" in record.message for record in records)


def test_beam_is_read_whole(bench_data: Path) -> None:
    """22 chats of 102 batches and 6,770 messages, each batch dated by its anchor, no mark left in user text."""
    total, batches = 0, 0
    for path in sorted((bench_data / "beam").glob("*/*/chat.json")):
        assert detect(path) == "beam"
        records = _records(path)
        total += len(records)
        batches += len({record.session_id for record in records})
        assert len({record.message["id"] for record in records}) == len(records)
        assert all("timestamp" in record.message for record in records)
        said = [str(record.message["content"]) for record in records if record.message["role"] == "user"]
        assert not any("->->" in content for content in said)
    assert (total, batches) == (6770, 102)
