"""Filters as a tree, and the SQL of random trees against a filter that is evaluated in plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qgmem.stores.filters import All, Comparison, Condition, Not, Some, parse_filters
from qgmem.stores.records import NewTurn
from qgmem.stores.sqlite import SqliteStore
from qgmem.types import MemoryUnit


def test_trees() -> None:
    assert parse_filters(None) is None
    assert parse_filters({}) is None
    assert parse_filters({"speaker": "Ana"}) == Comparison("speaker", "speaker", "eq", "Ana")
    assert parse_filters({"metadata.speaker": "Ana"}) == Comparison(None, "speaker", "eq", "Ana")
    assert parse_filters({"session": 3}) == Comparison("session_id", "session_id", "eq", "3")
    assert parse_filters({"n": {"gt": 1, "ne": 4}}) == All(
        (Comparison(None, "n", "gt", 1), Not(Comparison(None, "n", "eq", 4)))
    )
    assert parse_filters({"NOT": [{"a": 1}, {"b": {"nin": [1]}}]}) == Not(
        Some((Comparison(None, "a", "eq", 1), Not(Comparison(None, "b", "in", [1]))))
    )
    assert parse_filters({"utterance_time": "2024-05-01"}) == Comparison(
        "utterance_time", "utterance_time", "eq", date(2024, 5, 1)
    )
    assert parse_filters({"fact_time": {"in": ["2024-05-01T09:00", None]}}) == Some(
        (
            Comparison("fact_time", "fact_time", "eq", datetime(2024, 5, 1, 9)),
            Comparison("fact_time", "fact_time", "eq", None),
        )
    )


# ---- random trees

VALUES = (None, True, False, 0, 1, 2, -1.5, 2.0, "", "a", "A", "ab", "1", "é", "'; --", '"')
METADATA: tuple[dict[str, Any], ...] = (
    {},
    {"k": None},
    *({"k": value} for value in VALUES[1:]),
    {"k": ["a", 1, True, None]},
    {"k": []},
    {"k": {"deep": 1}},
    {"other": "a"},
)


def holds(condition: Condition, unit: MemoryUnit) -> bool:
    """The meaning that filters.py states."""
    if isinstance(condition, All):
        return all(holds(part, unit) for part in condition.parts)
    if isinstance(condition, Some):
        return any(holds(part, unit) for part in condition.parts)
    if isinstance(condition, Not):
        return not holds(condition.part, unit)
    value = getattr(unit, condition.field) if condition.field else unit.metadata.get(condition.key)
    if condition.operator == "in":
        return any(equal(value, one) for one in condition.operand)
    if condition.operator == "eq":
        return equal(value, condition.operand)
    if condition.operator == "contains":
        if isinstance(value, str):
            return isinstance(condition.operand, str) and condition.operand in value
        return isinstance(value, list) and any(equal(one, condition.operand) for one in value)
    if kind(value) != kind(condition.operand) or kind(value) not in ("text", "number"):
        return False
    left, right = (
        (value.encode(), condition.operand.encode()) if isinstance(value, str) else (value, condition.operand)
    )
    return {"gt": left > right, "gte": left >= right, "lt": left < right, "lte": left <= right}[condition.operator]


def kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value)
    return "number" if isinstance(value, int | float) else "text" if isinstance(value, str) else "other"


def equal(left: Any, right: Any) -> bool:
    return kind(left) == kind(right) != "other" and left == right


own = st.sampled_from(["speaker", "role", "session_id", "agent_id", "id"])
texts = st.sampled_from([value for value in VALUES if isinstance(value, str)] + ["Ana", "Bob", "user", "s1"])
plain = st.sampled_from(VALUES)
ordered = st.sampled_from([value for value in VALUES if kind(value) in ("text", "number")])
tests = st.one_of(
    st.tuples(own, texts | st.none()).map(lambda pair: {pair[0]: pair[1]}),
    st.tuples(own, st.sampled_from(["gt", "gte", "lt", "lte", "contains"]), texts).map(
        lambda three: {three[0]: {three[1]: three[2]}}
    ),
    st.tuples(own, st.sampled_from(["in", "nin"]), st.lists(texts | st.none(), max_size=3)).map(
        lambda three: {three[0]: {three[1]: three[2]}}
    ),
    st.tuples(st.sampled_from(["eq", "ne"]), plain).map(lambda pair: {"k": {pair[0]: pair[1]}}),
    st.tuples(st.sampled_from(["gt", "gte", "lt", "lte"]), ordered).map(lambda pair: {"k": {pair[0]: pair[1]}}),
    st.sampled_from(VALUES[1:]).map(lambda value: {"k": {"contains": value}}),
    st.tuples(st.sampled_from(["in", "nin"]), st.lists(plain, max_size=4)).map(
        lambda pair: {"k": {pair[0]: pair[1]}}
    ),
)
trees = st.recursive(
    tests,
    lambda inner: st.tuples(st.sampled_from(["AND", "OR", "NOT"]), st.lists(inner, max_size=3)).map(
        lambda pair: {pair[0]: pair[1]}
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path_factory.mktemp("filters") / "n", "ana")
    store.add(
        [
            NewTurn(
                f"t{place}",
                ("s1", "é", "1")[place % 3],
                ("Ana", "Bob", "a")[place % 3],
                ("user", "assistant")[place % 2],  # type: ignore[arg-type]
                "words",
                metadata=metadata,
                agent_id=(None, "a", "ab")[place % 3],
            )
            for place, metadata in enumerate(METADATA)
        ]
    )
    yield store
    store.close()


@given(filters=trees)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_sql_means_what_the_tree_means(store: SqliteStore, filters: dict[str, Any]) -> None:
    condition = parse_filters(filters)
    expected = [unit.id for unit in store.scan() if condition is None or holds(condition, unit)]
    assert [unit.id for unit in store.scan(filters)] == expected
    assert len(store.keys(filters)) == len(expected)


def test_a_value_is_never_read_as_sql(store: SqliteStore) -> None:
    for text in ("' OR 1=1 --", '" OR ""="', "%", "_", "\\", "a' AND 'a'='a"):
        for filters in (
            {"speaker": text},
            {"k": text},
            {text: "a"},
            {"k": {"contains": text}},
            {"id": {"in": [text]}},
        ):
            assert list(store.scan(filters)) == []
