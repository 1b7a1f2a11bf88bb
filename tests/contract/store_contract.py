"""The promises of `qgmem.stores.protocol.Store`, for every backend.

A backend's test subclasses `StoreContract` and gives `store_at(user_id)`: a new handle on that user's namespace, as
another process would open it. Expected values are written by hand.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

from qgmem.errors import EmbedderMismatch, InvalidInput, NotFound
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.protocol import Store
from qgmem.stores.records import HistoryEvent, NewTurn
from qgmem.types import Attributes, Entity, Granularity, Interval, MemoryUnit, Turn

EMBEDDER = HashEmbedder(8)
DAY = Interval(date(2024, 5, 1), date(2024, 5, 1), Granularity.DAY)
MARCH = Interval(date(2024, 3, 1), date(2024, 3, 31), Granularity.MONTH)


def turn(id: str, text: str = "words", **fields: Any) -> NewTurn:
    """A turn with its vector."""
    values = {"session_id": "s1", "speaker": "Ana", "role": "user"} | fields
    return NewTurn(id=id, text=text, vectors=EMBEDDER.embed([text]), **values)


def about(*names: str, places: Sequence[str] = (), times: Sequence[Interval] = ()) -> Attributes:
    """Attributes with entities of these names."""
    return Attributes(tuple(Entity(name, "Who") for name in names), tuple(places), tuple(times))


def phrases(*texts: str) -> dict[str, Any]:
    """Vectors by phrase text."""
    return dict(zip(texts, EMBEDDER.embed(texts), strict=True))


def words(unit: MemoryUnit, _: Turn) -> list[str]:
    """An analyser."""
    return unit.text.split()


def ids(units: Any) -> list[str]:
    return [unit.id for unit in units]


class StoreContract:
    """Subclass me and give `store_at`."""

    @pytest.fixture
    def store_at(self) -> Callable[[str], Store]:
        raise NotImplementedError

    @pytest.fixture
    def store(self, store_at: Callable[[str], Store]) -> Store:
        store = store_at("ana")
        store.use_embedder(EMBEDDER.id, EMBEDDER.dimension)
        return store

    # ---- adding and reading back

    def test_what_was_added_comes_back_as_it_was(self, store: Store) -> None:
        said = datetime(2024, 5, 2, 23, 50, 1, 7, timezone(timedelta(hours=9)))
        entities = (Entity("Bob Ray", "Who", 4, 11), Entity("tea", "What"))
        given = turn(
            "t1",
            "See Bob Ray 東京 😀",
            session_id="s9",
            speaker="Zoë",
            role="assistant",
            utterance_time=said,
            caption="a cup",
            caption_query="tea cup",
            metadata={"a": [1, {"b": None}], "ü": True, 'q"': 1.5},
            agent_id="agent",
            run_id="run",
            attributes=Attributes(entities, ("Oslo",), (DAY, MARCH)),
        )
        assert store.add([given]) == [1]
        found = store.turn("t1")
        for name in ("id", "session_id", "speaker", "role", "text", "caption", "caption_query", "metadata"):
            assert getattr(found, name) == getattr(given, name)
        assert (found.agent_id, found.run_id, found.sequence) == ("agent", "run", 1)
        assert found.utterance_time == said
        assert found.utterance_time.utcoffset() == timedelta(hours=9)
        (unit,) = store.units(["t1"])
        assert (unit.text, unit.span.quote, unit.span.first_turn, unit.span.last_turn) == (
            given.text,
            given.text,
            "t1",
            "t1",
        )
        assert (unit.entities, unit.locations, unit.fact_times) == (entities, ("Oslo",), (DAY, MARCH))
        assert (unit.kind, unit.speaker, unit.utterance_time, unit.metadata) == (
            "verbatim",
            "Zoë",
            said,
            given.metadata,
        )

    def test_unknown_and_naive_times_stay_so(self, store: Store) -> None:
        naive = datetime(2024, 5, 2, 9)
        store.add([turn("unknown"), turn("naive", utterance_time=naive)])
        assert store.turn("unknown").utterance_time is None
        assert store.turn("naive").utterance_time == naive
        assert store.turn("naive").utterance_time.tzinfo is None

    def test_order_is_that_of_ingestion(self, store: Store) -> None:
        store.add([turn("b"), turn("a", session_id="s2")])
        store.add([turn("c")])
        assert ids(store.turns()) == ids(store.scan()) == ["b", "a", "c"]
        assert ids(store.turns("s1")) == ["b", "c"]
        assert ids(store.scan(limit=2)) == ["b", "a"]
        assert ids(store.units(["c", "gone", "b"])) == ["c", "b"]

    def test_words_are_read_by_key_alone(self, store: Store) -> None:
        """A key that is nobody's is left out."""
        store.add([turn("b", "one"), turn("a", "two")])
        keys = store.keys({}).tolist()
        assert store.texts([*keys, max(keys) + 1]) == dict(zip(keys, ["one", "two"], strict=True))

    def test_iterators_cross_their_pages(self, store: Store) -> None:
        names = [f"t{n:04}" for n in range(2105)]
        store.add([turn(name) for name in names])
        assert ids(store.scan()) == ids(store.turns()) == names

    def test_an_id_that_is_taken_changes_nothing(self, store: Store) -> None:
        store.add([turn("a", "first")])
        assert store.add([turn("a", "second", speaker="Nobody", session_id="other"), turn("b")]) == [None, 2]
        assert store.turn("a").text == "first"
        assert "Nobody" not in store.speakers().values()

    def test_a_batch_is_stored_whole_or_not_at_all(self, store: Store) -> None:
        store.add([turn("a")])
        before = store.change
        with pytest.raises(TypeError):
            store.add([turn("b"), turn("c", metadata={"bad": object()})])
        assert ids(store.turns()) == ["a"]
        assert store.change == before

    def test_a_lone_surrogate_is_refused_by_name(self, store: Store) -> None:
        with pytest.raises(InvalidInput):
            store.add([turn("a", session_id="\ud83d")])
        assert ids(store.turns()) == []

    def test_wanted_places_are_kept_where_they_are_free(self, store: Store) -> None:
        assert store.add([turn("a", sequence=7), turn("b", sequence=5), turn("c", sequence=1 << 50)]) == [7, 8, 9]

    def test_missing_turns_are_told(self, store: Store) -> None:
        assert store.known(["x"]) == {}
        with pytest.raises(NotFound, match="x"):
            store.turn("x")

    def test_the_change_number_grows_with_every_write(self, store: Store) -> None:
        seen = [store.change]
        for write in (
            lambda: store.add([turn("a"), turn("b")]),
            lambda: store.update("a", turn("a", "new"), "now"),
            lambda: store.delete(["b"]),
        ):
            write()
            seen.append(store.change)
        assert seen == sorted(set(seen))

    def test_another_handle_sees_a_write_at_once(self, store: Store, store_at: Callable[[str], Store]) -> None:
        other = store_at("ana")
        store.add([turn("a")])
        assert ids(other.scan()) == ["a"]
        other.delete(["a"])
        assert ids(store.scan()) == []
        assert store.change == other.change

    def test_namespaces_share_nothing(self, store: Store, store_at: Callable[[str], Store]) -> None:
        bob = store_at("bob")
        bob.use_embedder(EMBEDDER.id, EMBEDDER.dimension)
        store.add([turn("a")])
        assert ids(bob.scan()) == []
        bob.add([turn("a", "bob's")])
        store.delete_all()
        assert bob.turn("a").text == "bob's"
        assert (store.user_id, bob.user_id) == ("ana", "bob")

    def test_a_closed_store_still_answers(self, store: Store) -> None:
        store.add([turn("a")])
        store.close()
        store.close()
        assert ids(store.scan()) == ["a"]
        store.add([turn("b")])
        assert store.stats().turns == 2

    def test_threads_may_share_a_store(self, store: Store) -> None:
        failures: list[BaseException] = []

        def work(name: int) -> None:
            try:
                for n in range(10):
                    store.add([turn(f"{name}-{n}", f"thread {name}", attributes=about("Bob"))])
                    assert f"{name}-{n}" in store.known([f"{name}-{n}"])
            except BaseException as error:
                failures.append(error)
                raise

        threads = [threading.Thread(target=work, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        stats = store.stats()
        assert (stats.turns, stats.units, stats.phrases) == (80, 80, 1)

    # ---- embedder and vectors

    def test_another_embedder_is_refused_naming_both(self, store: Store, store_at: Callable[[str], Store]) -> None:
        with pytest.raises(EmbedderMismatch, match=r"hash-8 \(8 dim.*other \(16 dim"):
            store_at("ana").use_embedder("other", 16)
        store.use_embedder(EMBEDDER.id, EMBEDDER.dimension)

    def test_what_has_no_vector_waits(self, store: Store) -> None:
        bare = NewTurn("a", "s1", "Ana", "user", "words", attributes=about("Bob", "Eve"))
        store.add([bare, turn("b", attributes=about("Bob"))], phrases("bob"))
        waiting = store.pending_units(EMBEDDER.id, 10)
        assert [unit_id for _, unit_id in waiting] == ["a"]
        assert store.pending_units(EMBEDDER.id, 10, waiting[0][0]) == []
        assert [text for _, text in store.pending_phrases(EMBEDDER.id, 10)] == ["eve"]
        assert store.unembedded(["BOB", "Eve", "eve's", "new"]) == ["eve", "new"]
        assert (store.stats().pending_units, store.stats().pending_phrases) == (1, 1)
        store.put_unit_vectors({waiting[0][0]: EMBEDDER.embed(["words", "more"])}, EMBEDDER.id)
        ((key, _),) = store.pending_phrases(EMBEDDER.id, 10)
        store.put_phrase_vectors({key: EMBEDDER.embed(["eve"])[0]}, EMBEDDER.id)
        assert (store.stats().pending_units, store.stats().pending_phrases, store.stats().vectors) == (0, 0, 3)

    def test_vectors_of_an_unknown_embedder_or_unit_are_not_kept(self, store: Store) -> None:
        with pytest.raises(InvalidInput, match="stranger"):
            store.put_unit_vectors({1: EMBEDDER.embed(["x"])}, "stranger")
        store.put_unit_vectors({99: EMBEDDER.embed(["x"])}, EMBEDDER.id)
        store.put_phrase_vectors({99: EMBEDDER.embed(["x"])[0]}, EMBEDDER.id)
        assert store.stats().vectors == 0
        assert store.check() == []

    def test_reembedding_switches_only_when_it_is_complete(
        self, store: Store, store_at: Callable[[str], Store]
    ) -> None:
        store.add([turn("a", attributes=about("Bob")), turn("b")], phrases("bob"))
        wide = HashEmbedder(16)
        store.begin_reembed(wide.id, 16)
        (first, second) = store.pending_units(wide.id, 10)
        store.put_unit_vectors({first[0]: wide.embed(["words"])}, wide.id)
        assert store.finish_reembed(wide.id) is False
        store.use_embedder(EMBEDDER.id, EMBEDDER.dimension)  # the former one still answers
        page = store.index_page(0, 0, words, EMBEDDER.id)
        assert [len(row.vectors[0]) for row in page.rows] == [16, 16]  # bytes of 8 float16
        store.begin_reembed(wide.id, 16)  # taken up again
        assert store.pending_units(wide.id, 10) == [second]
        store.put_unit_vectors({second[0]: wide.embed(["words"])}, wide.id)
        assert store.finish_reembed(wide.id) is True
        store.use_embedder(wide.id, 16)
        with pytest.raises(EmbedderMismatch):
            store_at("ana").use_embedder(EMBEDDER.id, EMBEDDER.dimension)
        with pytest.raises(EmbedderMismatch):
            store.index_page(0, 0, words, EMBEDDER.id)
        assert [len(row.vectors[0]) for row in store.index_page(0, 0, words, wide.id).rows] == [32, 32]

    # ---- updating

    def test_an_update_keeps_the_former_words_in_the_history(self, store: Store) -> None:
        store.add([turn("a", "tea", attributes=about("Bob", times=[DAY]))], phrases("bob"))
        store.update("a", turn("a", "coffee", attributes=about("Eve", places=["Oslo"])), "monday", phrases("eve"))
        store.update("a", turn("a", "water"), "tuesday")
        store.update("a", turn("a", "wine"), None)  # recorded elsewhere
        (unit,) = store.units(["a"])
        assert (unit.text, unit.span.quote, unit.entities, unit.fact_times) == ("wine", "tea", (), ())
        assert store.turn("a").text == "tea"
        assert store.history("a") == [
            HistoryEvent("a", "update", "tea", "monday"),
            HistoryEvent("a", "update", "coffee", "tuesday"),
        ]
        assert (ids(store.edited()), store.stats().phrases) == (["a"], 0)
        with pytest.raises(NotFound, match="gone"):
            store.update("gone", turn("gone"), "now")

    def test_history_of_an_import_is_put_back_once(self, store: Store) -> None:
        store.add([turn("a")])
        events = [HistoryEvent("a", "update", "old", "monday"), HistoryEvent("gone", "update", "x", "monday")]
        store.add_history(events)
        store.add_history(events)
        assert store.history() == events[:1]

    # ---- deleting

    def test_deleting_takes_all_that_rests_on_a_unit_and_nothing_else(self, store: Store) -> None:
        store.add(
            [
                turn("a", attributes=about("Bob", "Eve"), session_id="only-a", speaker="Ann"),
                turn("b", attributes=about("Bob")),
            ],
            phrases("bob", "eve"),
        )
        store.update("a", turn("a", "new", attributes=about("Bob", "Eve")), "now", phrases("eve"))
        receipt = store.delete(["a"])
        assert (receipt.unit_ids, receipt.turns, receipt.units) == (("a",), 1, 1)
        assert (receipt.phrases, receipt.vectors, receipt.history) == (1, 1, 1)
        assert ids(store.turns()) == ids(store.scan()) == ["b"]
        assert store.history() == []
        assert list(store.speakers().values()) == ["Ana"]
        assert (store.stats().phrases, store.stats().sessions) == (1, 1)
        assert store.check() == []
        assert store.add([turn("a", "again")]) == [3]  # a place is never given twice

    def test_nothing_is_deleted_when_one_id_is_unknown(self, store: Store) -> None:
        store.add([turn("a")])
        with pytest.raises(NotFound, match="gone"):
            store.delete(["a", "gone"])
        assert ids(store.scan()) == ["a"]

    def test_delete_all_leaves_an_empty_memory_that_works(self, store: Store) -> None:
        store.add([turn("a", attributes=about("Bob")), turn("b")], phrases("bob"))
        receipt = store.delete_all()
        assert (receipt.unit_ids, receipt.turns, receipt.units, receipt.phrases) == (("a", "b"), 2, 2, 1)
        assert (ids(store.turns()), ids(store.scan()), store.history()) == ([], [], [])
        store.use_embedder(EMBEDDER.id, EMBEDDER.dimension)
        store.add([turn("c")])
        assert ids(store.scan()) == ["c"]

    # ---- filters; what each means stands in filters.py

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

    # ---- for the derived index

    def test_the_index_is_told_what_came_after_a_change(self, store: Store) -> None:
        store.add([turn("a", "red tea", attributes=about("Bob", places=["Oslo"], times=[MARCH]))], phrases("bob"))
        store.add([turn("b", "tea", session_id="s2")])
        page = store.index_page(0, 0, words, EMBEDDER.id)
        assert [(row.id, list(row.terms)) for row in page.rows] == [("a", ["red", "tea"]), ("b", ["tea"])]
        assert (page.change, list(page.gone), page.more) == (store.change, [], False)
        assert [(text, vector is not None) for _, text, vector in page.phrases] == [("bob", True), ("oslo", False)]
        first, second = page.rows
        assert (first.chain >> 40) != (second.chain >> 40)
        assert [first.chain & 0xFF, second.chain & 0xFF] == [1, 2]
        assert first.intervals == [(MARCH.start.toordinal(), MARCH.end.toordinal())]
        assert first.valid_from == MARCH.start.toordinal()
        assert np.frombuffer(first.vectors[0], np.float16).shape == (8,)
        assert store.written_after(0) == 2
        seen = page.change
        store.update("a", turn("a", "green"), "now")
        store.delete(["b"])
        page = store.index_page(seen, 0, words, EMBEDDER.id)
        assert [(row.id, list(row.terms)) for row in page.rows] == [("a", ["green"])]
        assert list(page.gone) == [second.key]
        assert store.written_after(seen) == 1
        assert list(store.index_page(page.change, 0, words, EMBEDDER.id).rows) == []

    def test_a_snapshot_belongs_to_one_store(self, store: Store, store_at: Callable[[str], Store]) -> None:
        for name in ("one", "two", "three"):
            store.mark_index(name)
        assert [store_at("ana").knows_index(name) for name in ("one", "two", "three")] == [False, True, True]
        assert store_at("bob").knows_index("three") is False

    # ---- health

    def test_counts(self, store: Store) -> None:
        store.add([turn("a", attributes=about("Bob")), turn("b", session_id="s2")])
        store.update("a", turn("a", "new", attributes=about("Bob")), "now")
        stats = store.stats()
        assert (stats.turns, stats.units, stats.sessions, stats.phrases, stats.history) == (2, 2, 2, 1, 1)
        assert (stats.embedder, stats.dimension, stats.change) == ("hash-8", 8, store.change)
        assert stats.bytes > 0
        assert store.check() == []
