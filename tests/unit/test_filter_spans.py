"""Months and years alone in filters, and the list that somebody writes where `in` is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from qgmem import Memory
from qgmem.errors import InvalidInput
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.filters import OPERATORS, OWN, TIMES

DAYS = ("2024-01-31", "2024-02-01", "2024-02-29", "2024-03-01", "2025-01-01")


@pytest.mark.parametrize(
    ("operator", "operand", "found"),
    [
        ("eq", "2024-02", DAYS[1:3]),
        ("lt", "2024-02", DAYS[:1]),
        ("lte", "2024-02", DAYS[:3]),
        ("gt", "2024-02", DAYS[3:]),
        ("gte", "2024-02", DAYS[1:]),
        ("ne", "2024-02", (*DAYS[:1], *DAYS[3:])),
        ("in", ["2024-02", "2025"], (*DAYS[1:3], DAYS[4])),
        ("eq", "2024", DAYS[:4]),
        ("gt", "2024", DAYS[4:]),
    ],
)
def test_a_month_or_a_year_is_all_its_days(
    tmp_path: Path, operator: str, operand: object, found: tuple[str, ...]
) -> None:
    with Memory.open(tmp_path, embedder=HashEmbedder(16)) as memory:
        memory.add([{"role": "user", "content": f"said {day}", "timestamp": f"{day}T12:00"} for day in DAYS])
        units = memory.get_all(filters={"utterance_time": {operator: operand}})
    assert [unit.text.removeprefix("said ") for unit in units] == list(found)


def test_one_interval_of_a_unit_has_to_meet_the_month(tmp_path: Path) -> None:
    """2023 lies before February 2024 and May 2024 after it: neither happened in it."""
    with Memory.open(tmp_path, embedder=HashEmbedder(16)) as memory:
        memory.add("We met in 2023 and again in May 2024.", timestamp="2024-06-01", session_id="a")
        memory.add("We met on 20 February 2024.", timestamp="2024-06-01", session_id="b")
        assert [len(unit.fact_times) for unit in memory.get_all()] == [2, 1]
        found = [unit.session_id for unit in memory.get_all(filters={"fact_time": "2024-02"})]
        year = [unit.session_id for unit in memory.get_all(filters={"fact_time": "2024"})]
    assert (found, year) == (["b"], ["a", "b"])


def test_the_page_names_every_field_and_operator() -> None:
    root = Path(__file__).resolve().parents[2]
    page = (root / "docs" / "filters.md").read_text(encoding="utf-8")
    names = (*OWN, *TIMES, *OPERATORS, "AND", "OR", "NOT")
    assert [name for name in names if f"`{name}`" not in page] == []
    assert "(docs/filters.md)" in (root / "README.md").read_text(encoding="utf-8")
    assert "docs/filters.md" in str(Memory.search.__doc__)


def test_a_list_gets_the_hint_to_use_in(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=HashEmbedder(16)) as memory, pytest.raises(InvalidInput) as refused:
        memory.search("x", filters={"speaker": ["Ana", "Cy"]})
    assert refused.value.field == "filters.speaker"
    assert '{"in": [' in refused.value.hint
