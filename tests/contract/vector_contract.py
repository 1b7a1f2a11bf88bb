"""The promises about vectors and word pieces: what waits for them, whose they are, and how they are exchanged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from store_material import EMBEDDER, about, phrases, turn, words

from qgmem.errors import EmbedderMismatch, InvalidInput
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.protocol import Store
from qgmem.stores.records import NewTurn


class VectorContract:
    """Tests of `StoreContract`, which gives `store` and `store_at`."""

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

    def test_pieces_are_those_of_the_embedder_that_answers(self, store: Store) -> None:
        """a comes with pieces, b with none, c with none that mean anything, which is not the same as not made."""
        store.add([replace(turn("a"), pieces=b"abcd"), turn("b"), replace(turn("c"), pieces=b"")])
        assert store.pieces([1, 2, 3, 99]) == {1: b"abcd", 3: b""}
        assert store.pending_units(EMBEDDER.id, 10) == []
        assert store.pending_units(EMBEDDER.id, 10, pieces=True) == [(2, "b")]
        assert store.stats().without_pieces == 1
        store.put_unit_vectors({2: EMBEDDER.embed(["b"])}, EMBEDDER.id, {2: b"efgh"})
        assert store.pieces([2]) == {2: b"efgh"}
        wide = HashEmbedder(16)
        store.begin_reembed(wide.id, 16)
        store.put_unit_vectors({key: wide.embed(["w"]) for key in (1, 2, 3)}, wide.id, {1: b"new."})
        assert store.pieces([1]) == {1: b"abcd"}
        assert store.finish_reembed(wide.id) is True
        assert store.pieces([1, 2, 3]) == {1: b"new."}
        store.delete(["a"])
        assert store.pieces([1]) == {}
