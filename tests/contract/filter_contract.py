"""The promises about filters; what each means stands in `stores/filters.py`."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest
from store_material import DAY, MARCH, about, ids, turn

from qgmem.errors import InvalidInput
from qgmem.stores.protocol import Store


class FilterContract:
    """Tests of `StoreContract`, which gives `store`."""

    FILTERED: tuple[tuple[dict[str, Any], str], ...] = (
        ({}, "a b c d"),
        ({"speaker": "Ana"}, "a c"),
        ({"speaker": "ana"}, ""),
        ({"speaker": {"ne": "Ana"}}, "b d"),
        ({"speaker": {"in": ["Bob", "Nobody"]}}, "b d"),
        ({"speaker": {"nin": ["Bob"]}}, "a c"),
        ({"speaker": {"in": []}}, ""),
        ({"speaker": {"contains": "o"}}, "b d"),
        ({"speaker": {"gt": "Ana"}}, "b d"),
        ({"speaker": {"lte": "Ana"}}, "a c"),
        ({"role": "assistant"}, "b"),
        ({"session_id": "s2"}, "c d"),
        ({"session": "s2", "speaker": "Ana"}, "c"),
        ({"kind": "verbatim"}, "a b c d"),
        ({"id": {"in": ["a", "d", "x"]}}, "a d"),
        ({"agent_id": "g"}, "b"),
        ({"agent_id": None}, "a c d"),
        ({"agent_id": {"ne": "g"}}, "a c d"),
        ({"agent_id": {"in": [None, "x"]}}, "a c d"),
        ({"city": "Oslo"}, "a"),
        ({"metadata.city": "Oslo"}, "a"),
        ({"city": {"ne": "Oslo"}}, "b c d"),
        ({"city": {"in": ["Oslo", "Bergen", 3]}}, "a b"),
        ({"city": {"contains": "erg"}}, "b"),
        ({"city": None}, "c d"),
        ({"n": 3}, "a"),
        ({"n": 3.0}, "a"),
        ({"n": "3"}, "b"),
        ({"n": {"gte": 3}}, "a c"),
        ({"n": {"gt": 3}}, "c"),
        ({"n": {"lt": 4, "gt": 2}}, "a"),
        ({"n": {"gt": "0"}}, "b"),
        ({"n": {"in": [3, None]}}, "a d"),
        ({"ok": True}, "a"),
        ({"ok": False}, "b"),
        ({"ok": 1}, ""),
        ({"ok": {"in": [True, False]}}, "a b"),
        ({"tags": {"contains": "x"}}, "a"),
        ({"tags": {"contains": 2}}, "b"),
        ({"tags": {"contains": True}}, ""),
        ({'odd " key': 1}, "d"),
        ({"odd.key": 1}, "d"),
        ({"OR": [{"city": "Oslo"}, {"agent_id": "g"}]}, "a b"),
        ({"OR": []}, ""),
        ({"AND": [{"speaker": "Bob"}, {"session_id": "s2"}]}, "d"),
        ({"AND": []}, "a b c d"),
        ({"NOT": [{"city": "Oslo"}, {"session_id": "s2"}]}, "b"),
        ({"NOT": {"speaker": "Ana"}}, "b d"),
        ({"speaker": "Ana", "OR": [{"n": 3}, {"n": 9}]}, "a"),
        ({"utterance_time": "2024-05-01"}, "a"),  # b was said at 00:35 UTC on 2 May
        ({"utterance_time": {"gt": "2024-05-01"}}, "b"),
        ({"utterance_time": {"gte": date(2024, 5, 1)}}, "a b"),
        ({"utterance_time": {"lt": "2024-05-02T00:36:00+00:00"}}, "a b"),
        ({"utterance_time": {"lte": datetime(2024, 5, 1, 8)}}, "a"),
        ({"utterance_time": None}, "c d"),
        ({"fact_time": "2024-03-15"}, "c"),
        ({"fact_time": {"gt": "2024-03-31"}}, "a"),
        ({"fact_time": {"gte": "2024-03-31"}}, "a c"),
        ({"fact_time": {"lt": "2024-03-02"}}, "c"),
        ({"fact_time": {"lte": "2024-02-29"}}, ""),
        ({"fact_time": None}, "b d"),
        ({"fact_time": {"ne": None}}, "a c"),
    )

    @pytest.fixture
    def filtered(self, store: Store) -> Store:
        store.add(
            [
                turn(
                    "a",
                    metadata={"city": "Oslo", "n": 3, "ok": True, "tags": ["x", "y"]},
                    utterance_time=datetime(2024, 5, 1, 8),
                    attributes=about(times=[DAY]),
                ),
                turn(
                    "b",
                    speaker="Bob",
                    role="assistant",
                    agent_id="g",
                    metadata={"city": "Bergen", "n": "3", "ok": False, "tags": [1, 2]},
                    utterance_time=datetime(2024, 5, 1, 22, 30, tzinfo=timezone(timedelta(hours=-2, minutes=-5))),
                ),
                turn("c", session_id="s2", metadata={"n": 4.5, "ok": None}, attributes=about(times=[MARCH])),
                turn("d", session_id="s2", speaker="Bob", metadata={'odd " key': 1, "odd.key": 1}),
            ]
        )
        return store

    @pytest.mark.parametrize(("filters", "expected"), FILTERED, ids=[str(filters) for filters, _ in FILTERED])
    def test_filters(self, filtered: Store, filters: dict[str, Any], expected: str) -> None:
        assert ids(filtered.scan(filters)) == expected.split()
        every = {unit.id: key for key, unit in enumerate(filtered.scan(), 1)}
        assert filtered.keys(filters).tolist() == [every[name] for name in expected.split()]

    def test_a_long_list_of_values_is_fine(self, filtered: Store) -> None:
        values = [f"v{n}" for n in range(9_999)]
        for name, last in (("city", "Oslo"), ("id", "a"), ("speaker", "Ana")):
            assert ids(filtered.scan({name: {"in": [*values, last]}}))[0] == "a"

    @pytest.mark.parametrize(
        ("filters", "where"),
        [
            ({"n": {"near": 3}}, "filters.n.near"),
            ({"n": {}}, "filters.n"),
            ({"n": {"in": "abc"}}, "filters.n.in"),
            ({"n": {"gt": True}}, "filters.n.gt"),
            ({"n": {"gt": None}}, "filters.n.gt"),
            ({"n": 1 << 70}, "filters.n.eq"),
            ({"n": float("nan")}, "filters.n.eq"),
            ({"n": date}, "filters.n.eq"),
            ({"speaker": 1.5}, "filters.speaker.eq"),
            ({"utterance_time": "yesterday"}, "filters.utterance_time.eq"),
            ({"utterance_time": {"contains": "2"}}, "filters.utterance_time.contains"),
            ({"OR": [{"n": {"x": 1}}]}, r"filters.OR\[0\].n.x"),
            ({"OR": [3]}, r"filters.OR\[0\]"),
            ({3: 1}, "filters"),
            ([], "filters"),
            ({"n": {"in": list(range(10_001))}}, "filters.n.in"),
            ({"OR": [{"n": n} for n in range(501)]}, "filters"),
        ],
        ids=str,
    )
    def test_filters_that_mean_nothing_are_refused_by_their_path(
        self, store: Store, filters: Any, where: str
    ) -> None:
        with pytest.raises(InvalidInput, match=where):
            store.scan(filters)
        with pytest.raises(InvalidInput, match=where):
            store.keys(filters)

    def test_filters_nested_without_end_are_refused(self, store: Store) -> None:
        filters: dict[str, Any] = {"n": 1}
        for _ in range(5000):
            filters = {"NOT": filters}
        with pytest.raises(InvalidInput, match="nested"):
            store.scan(filters)
