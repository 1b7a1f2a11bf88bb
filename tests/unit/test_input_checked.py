"""Values that a caller hands in and that cannot be used: a typed error that names the argument, never a bare one."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from qgmem import Memory
from qgmem.construction.timestamps import parse_timestamp
from qgmem.errors import InvalidInput
from qgmem.moments import asked_at, last_day
from qgmem.protocols import Vectors


class Ones:
    """The same vector for every text: what is found is found by its words."""

    id, dimension = "ones", 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.full((len(texts), 2), 2**-0.5, np.float32)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "m", embedder=Ones()) as opened:
        opened.add("We moved to Oslo.", timestamp="2024-05-08", session_id="s")
        yield opened


CALLS: dict[str, tuple[str, Callable[[Memory], Any]]] = {
    "filters that are text": ("filters", lambda m: m.search("Oslo", filters=cast(Any, "x"))),
    "filters that are a list": ("filters", lambda m: m.search("Oslo", filters=cast(Any, ["x"]))),
    "filters that are 0": ("filters", lambda m: m.search("Oslo", filters=cast(Any, 0))),
    "filters of get_all": ("filters", lambda m: m.get_all(filters=cast(Any, "x"))),
    "no budget": ("budget_tokens", lambda m: m.context("Oslo", budget_tokens=cast(Any, None))),
    "a budget in words": ("budget_tokens", lambda m: m.context("Oslo", budget_tokens=cast(Any, "700"))),
    "a budget of True": ("budget_tokens", lambda m: m.context("Oslo", budget_tokens=True)),
    "two limits": ("limit", lambda m: m.search("Oslo", limit=3, top_k=4)),
    "no question": ("query", lambda m: m.search(cast(Any, None))),
    "a NUL for a question": ("query", lambda m: m.search("\0")),
    "as_of in words": ("as_of", lambda m: m.search("Oslo", as_of="teatime")),
    "as_of in the order of arrival": ("as_of", lambda m: m.search("Oslo", as_of="serial-1")),
    "known_at in words": ("known_at", lambda m: m.search("Oslo", known_at="teatime")),
    "known_at of a 13th month": ("known_at", lambda m: m.search("Oslo", known_at="2024-13")),
    "question_time in words": ("question_time", lambda m: m.search("Oslo", question_time="teatime")),
    "question_time of a wrong type": ("question_time", lambda m: m.search("Oslo", question_time=cast(Any, []))),
    "export to nowhere": ("path", lambda m: m.export("/nonexistent/x")),
    "export to no path": ("path", lambda m: m.export(cast(Any, None))),
    "import of no path": ("path", lambda m: list(m.import_(cast(Any, 7)))),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_value_that_cannot_be_used_is_named(memory: Memory, name: str) -> None:
    field, call = CALLS[name]
    with pytest.raises(InvalidInput) as refused:
        call(memory)
    assert refused.value.field == field


@pytest.mark.parametrize("name", [name for name in CALLS if "port" not in name])
def test_it_is_named_where_there_is_no_memory_yet(tmp_path: Path, name: str) -> None:
    """A mistake must not pass for "nothing found" on the first day."""
    field, call = CALLS[name]
    with Memory.open(tmp_path / "empty", embedder=Ones()) as memory, pytest.raises(InvalidInput) as refused:
        call(memory)
    assert refused.value.field == field


def test_a_lone_surrogate_in_a_question_is_no_error(memory: Memory) -> None:
    assert memory.search("\ud83d Oslo")[0].text == "We moved to Oslo."
    assert memory.search("\ud83d") is not None


def test_two_limits_that_agree_are_one(memory: Memory) -> None:
    assert len(memory.search("Oslo", limit=1, top_k=1)) == 1


def _with(**parts: Any) -> object:
    return type("Own", (), {"id": "own", "dimension": 2, "embed": Ones.embed, **parts})()


@pytest.mark.parametrize(
    ("options", "field", "said"),
    [
        ({"path": None}, "path", "NoneType"),
        ({"path": 3}, "path", "int"),
        ({"path": ""}, "path", "is empty"),
        ({"path": "a\0b"}, "path", "NUL"),
        ({"embedder": None}, "embedder", "id and no dimension and no embed"),
        ({"embedder": object()}, "embedder", "id and no dimension and no embed"),
        ({"embedder": _with(embed=None)}, "embedder", "no embed"),
        ({"embedder": _with(embed="x")}, "embedder.embed", "called"),
        ({"embedder": _with(dimension="2")}, "embedder.dimension", "'2'"),
        ({"embedder": _with(dimension=0)}, "embedder.dimension", "0"),
        ({"embedder": _with(id=7)}, "embedder.id", "7"),
        ({"embedder": Ones}, "embedder", "is a class"),
        ({"settings": {}}, "settings", "dict"),
        ({"clock": 7}, "clock", "int"),
    ],
)
def test_a_memory_is_not_opened_with_what_it_cannot_use(
    tmp_path: Path, options: dict[str, Any], field: str, said: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        Memory.open(**{"path": tmp_path, "embedder": Ones(), **options})
    assert (refused.value.field, said in refused.value.problem) == (field, True)


def test_a_year_or_a_month_is_a_moment_everywhere(memory: Memory) -> None:
    """As of, and known at, the end of it; asked on its last day."""
    for moment in ("2024", "2024-05"):
        found = [memory.search("Oslo", **{name: moment}) for name in ("as_of", "known_at", "question_time")]
        assert [len(hits) for hits in found] == [1, 1, 1]
    assert memory.search("Oslo", known_at="2024-04") == []
    assert asked_at("2024-02") == datetime(2024, 2, 29)
    assert str(last_day("2023")) == "2023-12-31"


def test_digits_as_text_are_unix_seconds() -> None:
    """1714550000 s after the epoch is 2024-05-01 07:53:20 UTC, whether text or number."""
    expected = datetime(2024, 5, 1, 7, 53, 20, tzinfo=UTC)
    assert parse_timestamp("1714550000") == parse_timestamp(1714550000) == expected
    assert parse_timestamp("1714550000.5") == expected.replace(microsecond=500_000)
    in_tokyo = parse_timestamp(" 1714550000 ", time_zone="Asia/Tokyo")
    assert in_tokyo == expected
    assert in_tokyo.isoformat() == "2024-05-01T16:53:20+09:00"
    assert parse_timestamp("20240501") == datetime(2024, 5, 1)
    with pytest.raises(InvalidInput, match="milliseconds"):
        parse_timestamp("1714550000000")


def test_an_export_is_whole_and_its_owners_alone(memory: Memory, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("former")
    target.chmod(0o644)
    assert memory.export(target) == 1
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "out.jsonl"]


def test_an_export_that_cannot_be_written_leaves_nothing(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"path: cannot write .*m: Is a directory"):
        memory.export(tmp_path / "m")
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_an_export_may_go_into_a_pipe(memory: Memory, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    assert memory.export(pipe) == 1
    assert os.read(reader, 100).startswith(b'{"qgmem":1')
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
