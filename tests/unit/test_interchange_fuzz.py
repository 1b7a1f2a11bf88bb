"""Whatever the bytes, a reader yields records and problems or raises InvalidInput: nothing else."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qgmem.errors import InvalidInput
from qgmem.interchange import READERS, detect, read_export
from qgmem.types import ImportProblem, ImportRecord

DATA = Path(__file__).parent / "interchange_data"
SEEDS = [path.read_bytes() for path in sorted(DATA.iterdir())]
WORDS = [
    "role", "user", "content", "timestamp", "messages", "results", "memory", "mapping", "current_node", "parent",
    "message", "author", "parts", "content_type", "text", "create_time", "conversation", "sample_id", "session_1",
    "session_1_date_time", "speaker", "dia_id", "blip_caption", "batch_number", "turns", "id", "time_anchor",
    "question_id", "haystack_sessions", "haystack_session_ids", "haystack_dates", "qgmem", "kind", "turn", "unit",
    "span", "sequence", "fact_times", "entities", "metadata",
]  # fmt: skip

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(WORDS)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=6),
    max_leaves=25,
)


@contextmanager
def file_of(data: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(data)
        yield path


def every_reader_copes(data: bytes) -> None:
    with file_of(data) as path:
        for reader in READERS.values():
            for entry in reader(path):
                assert isinstance(entry, ImportRecord | ImportProblem)
                if isinstance(entry, ImportRecord):
                    assert entry.message["role"] in ("user", "assistant", "system", "tool")
                    assert isinstance(entry.message["content"], str)
        list(read_export(path))
        with suppress(InvalidInput):
            assert detect(path) in READERS


@given(st.binary(max_size=300))
@settings(max_examples=150, deadline=None)
def test_garbage_bytes(data: bytes) -> None:
    every_reader_copes(data)


@given(values, st.booleans())
@settings(max_examples=200, deadline=None)
def test_json_of_any_shape(value: object, one_line: bool) -> None:
    text = json.dumps(value, indent=None if one_line else 1)
    every_reader_copes(text.encode("utf-8"))


@given(st.sampled_from(SEEDS), st.data())
@settings(max_examples=150, deadline=None)
def test_true_files_with_bytes_changed_or_cut(seed: bytes, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(seed)))
    end = data.draw(st.integers(start, min(len(seed), start + 40)))
    every_reader_copes(seed[:start] + data.draw(st.binary(max_size=6)) + seed[end:])


@pytest.mark.parametrize("data", [b"\xff\xfe", b"\xff\xfe\x00\x00", b"\xef\xbb\xbf", b"\xfe\xff\xd8", b"\n" * 9])
def test_marks_without_text(data: bytes) -> None:
    every_reader_copes(data)
