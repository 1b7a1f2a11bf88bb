"""The promises of `qgmem.stores.protocol.Store`, for every backend.

A backend's test subclasses `StoreContract` and gives `store_at(user_id)`: a new handle on that user's namespace, as
another process would open it. Expected values are written by hand.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from filter_contract import FilterContract
from store_material import DAY, EMBEDDER, MARCH, about, ids, phrases, turn, words
from vector_contract import VectorContract

from qgmem.errors import InvalidInput, NotFound
from qgmem.stores.protocol import Store
from qgmem.stores.records import HistoryEvent
from qgmem.types import Attributes, Entity


class StoreContract(VectorContract, FilterContract):
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
