"""Word pieces: kept small, compared piece by piece, and gone with their unit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from qgmem import Memory
from qgmem.activation.piece_match import NAMES, PieceMatch, piece_features
from qgmem.doctor import diagnose
from qgmem.models.onnx import MiniLM
from qgmem.models.scripted import HashEmbedder
from qgmem.pieces import MOST, WIDTH, AskedPieces, Pieces, codes_of, joined, packed, unpacked


def axes(*which: int) -> np.ndarray:
    return np.eye(WIDTH, dtype=np.float32)[list(which)]


def pieces(*ids: int) -> Pieces:
    return Pieces(np.array(ids, np.int64), packed(axes(*(one % WIDTH for one in ids))))


class TestCodes:
    def test_directions_survive_four_bits(self) -> None:
        """A number is kept to a fourteenth of the largest: of 64 normal ones the cosine stays above .98."""
        vectors = np.random.default_rng(3).standard_normal((500, WIDTH)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        kept = unpacked(packed(vectors))
        assert packed(vectors).shape == (500, WIDTH // 2)
        assert np.allclose(np.linalg.norm(kept, axis=1), 1, atol=1e-5)
        assert np.einsum("td,td->t", vectors, kept).min() > 0.98

    def test_joined_parts_hold_each_piece_once_and_no_more_than_the_bound(self) -> None:
        whole = codes_of(joined([pieces(5, 7), pieces(7, 9)]))
        assert unpacked(whole).argmax(axis=1).tolist() == [5, 7, 9]
        assert len(codes_of(joined([pieces(*range(100, 100 + 2 * MOST))]))) == MOST
        assert joined([]) == joined([pieces()]) == b""


def match(asked: Sequence[int], kept: dict[int, bytes | None], content: Sequence[bool] | None = None) -> PieceMatch:
    means = np.array(content if content is not None else [True] * len(asked))
    return PieceMatch(axes(*asked), means, lambda rows: [kept.get(int(row)) for row in rows])


class TestMatch:
    def test_each_piece_counts_its_best_like(self) -> None:
        """Row 4 holds pieces 1 and 2, row 6 none, row 9 piece 2: asked for 1 and 2, it is (1, 1), nothing, (0, 1)."""
        found, there = match([1, 2], {4: joined([pieces(1, 2)]), 9: joined([pieces(2)])}).similarities(
            np.array([4, 6, 9])
        )
        assert np.allclose(found, [[1, 1], [0, 0], [0, 1]], atol=1e-6)
        assert there.tolist() == [True, False, True]

    def test_names_are_not_looked_for_unless_nothing_else_is_asked(self) -> None:
        asked = AskedPieces(axes(1, 2, 3), ("ana", "bought", "the"), np.array([True, True, False]))
        others = PieceMatch.of(asked, lambda word: word == "ana", lambda _: [])
        assert others.vectors.argmax(axis=1).tolist() == [2, 3]
        assert others.content.tolist() == [True, False]
        only = PieceMatch.of(asked, lambda word: word in ("ana", "bought"), lambda _: [])
        assert only.vectors.argmax(axis=1).tolist() == [1, 2, 3]

    def test_columns_of_units_and_of_those_beside_them(self) -> None:
        """Rows 0, 1, 2 in one session; asked for pieces 1 and 2. Row 0 has piece 1, row 1 piece 2, row 2 neither.

        Mean: .5, .5, 0. Telling weights: best of five = mean of all three, so the excess is 0 for both, and all of
        told is 0. With 1 and 2 in row 0 alone among eight rows, the five best have mean .2 and all .125: both pieces
        weigh a half, row 0 is told 1, row 1, after it, sees 1 before.
        """
        near = np.array([[-1, 1], [0, 2], [1, -1]])
        rows = np.arange(3)
        kept = {0: joined([pieces(1)]), 1: joined([pieces(2)]), 2: joined([pieces(3)])}
        columns = piece_features(match([1, 2], kept), rows, rows, near)
        assert tuple(columns) == NAMES
        assert np.allclose(columns["pieces"], [0.5, 0.5, 0], atol=1e-6)
        assert np.allclose(columns["pieces_telling"], 0, atol=1e-6)
        rows = np.arange(8)
        near = np.stack([rows - 1, np.where(rows < 7, rows + 1, -1)], axis=1)
        kept = {row: joined([pieces(1, 2)] if row == 0 else [pieces(3)]) for row in range(8)}
        columns = piece_features(match([1, 2], kept), rows, rows, near)
        assert np.allclose(columns["pieces_telling"], [1, *[0] * 7], atol=1e-6)
        assert np.allclose(columns["pieces_before"], [0, 1, *[0] * 6], atol=1e-6)
        assert np.allclose(columns["pieces_window"], [1, 1, *[0] * 6], atol=1e-6)
        assert np.allclose(columns["pieces_worst"], columns["pieces_content"], atol=1e-6)  # both are met, or none

    def test_what_is_not_read_counts_as_the_least(self) -> None:
        """Row 3 is not among the first, row 1 has no pieces: both get the least of what rows 0 and 2 have."""
        kept = {0: joined([pieces(1)]), 2: joined([pieces(1, 2)]), 3: joined([pieces(1, 2)])}
        near = np.full((4, 2), -1)
        columns = piece_features(match([1, 2], kept), np.arange(4), np.array([2, 0, 1]), near)
        assert np.allclose(columns["pieces"], [0.5, 0.5, 1, 0.5], atol=1e-6)

    def test_no_columns_without_pieces(self) -> None:
        assert piece_features(match([1], {}), np.arange(2), np.arange(2), np.full((2, 2), -1)) == {}


class TestMiniLM:
    def test_vectors_are_those_of_embed_and_function_words_are_dropped(self) -> None:
        model = MiniLM(threads=1)
        texts = ["Ana: I moved to the old lighthouse, the lighthouse!", "Ben: ok"]
        vectors, found = model.embed_pieces(texts)
        assert np.array_equal(vectors, model.embed(texts))
        vocabulary = model._tokenizer.get_vocab()
        names = {row: piece for piece, row in vocabulary.items()}
        assert [names[row] for row in found[0].ids.tolist()] == ["ana", "moved", "old", "lighthouse"]
        assert [len(one.ids) for one in found] == [len(one.codes) for one in found]

    def test_a_question_keeps_all_its_pieces_with_their_words(self) -> None:
        vectors, asked = MiniLM(threads=1).embed_question("Where did Kenzaburo move?")
        assert np.array_equal(vectors, MiniLM(threads=1).embed(["Where did Kenzaburo move?"]))
        assert asked.words[:2] == ("where", "did")
        assert set(asked.words[2:-2]) == {"kenzaburo"}  # a rare name is several pieces of one word
        assert asked.content.tolist() == [False, False, *[True] * (len(asked.words) - 4), True, False]
        assert np.allclose(np.linalg.norm(asked.vectors, axis=1), 1, atol=1e-5)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Memory:
    memory = Memory.open(tmp_path_factory.mktemp("told"))
    memory.add(
        [
            {"name": "Ana", "role": "user", "content": "We rented a lighthouse keeper's cottage", "id": "a"},
            {"name": "Ben", "role": "user", "content": "The of and to", "id": "b"},
        ],
        user_id="u",
    )
    return memory


class TestStored:
    def test_a_turn_comes_with_its_pieces(self, told: Memory) -> None:
        """Ana, rented, lighthouse, keeper, cottage: five; Ben alone: one."""
        kept = told._space("u").store.pieces([1, 2])
        assert [len(codes_of(kept[key])) for key in (1, 2)] == [5, 1]

    def test_they_follow_an_update_and_a_deletion(self, tmp_path: Path) -> None:
        with Memory.open(tmp_path) as memory:
            memory.add([{"name": "Ana", "role": "user", "content": "one lighthouse", "id": "a"}], user_id="u")
            (unit,) = memory.get_all(user_id="u")
            memory.update(unit.id, "a cottage and a boat", user_id="u")
            assert len(codes_of(memory._space("u").store.pieces([1])[1])) == 3  # ana, cottage, boat
            memory.delete(unit.id, user_id="u")
            assert memory._space("u").store.pieces([1]) == {}

    def test_reembedding_makes_those_that_are_missing(self, tmp_path: Path) -> None:
        """A memory from before pieces were kept: `reembed` makes them, and only them that are missing."""
        with Memory.open(tmp_path) as memory:
            memory.add([{"name": "Ana", "role": "user", "content": f"boat {n}"} for n in range(3)], user_id="u")
            store = memory._space("u").store
            with store._changing() as (connection, _):  # type: ignore[attr-defined]
                connection.execute("UPDATE unit_vectors SET pieces = NULL WHERE unit < 3")
            assert sorted(store.pieces([1, 2, 3])) == [3]
            assert memory.search("which boat?", user_id="u")  # the plain network ranks
            (health,) = diagnose(tmp_path)
            assert ["2 units were stored before word pieces were kept" in note for note in health.notes] == [True]
            assert memory.reembed(user_id="u") == 2
            assert sorted(store.pieces([1, 2, 3])) == [1, 2, 3]
            assert memory.reembed(user_id="u") == 0
            assert next(iter(diagnose(tmp_path))).notes == []

    def test_deleted_means_gone_from_the_bytes(self, tmp_path: Path) -> None:
        with Memory.open(tmp_path) as memory:
            memory.add([{"name": "Ana", "role": "user", "content": "a secret harbour", "id": "a"}], user_id="u")
            kept = memory._space("u").store.pieces([1])[1]
            files = [path for path in tmp_path.rglob("*") if path.is_file()]
            assert any(kept in path.read_bytes() for path in files)
            memory.delete(memory.get_all(user_id="u")[0].id, user_id="u")
            assert not any(kept in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    @pytest.mark.parametrize("wrong", ["fewer", "narrow"])
    def test_pieces_that_do_not_fit_cost_no_turn(self, tmp_path: Path, wrong: str) -> None:
        """An embedder that shows too few pieces, or of another width: the turn is kept, and waits for its vectors."""

        class Wrong(HashEmbedder):
            def embed_pieces(self, texts: Sequence[str]) -> tuple[np.ndarray, list[Pieces]]:
                one = pieces(1) if wrong == "fewer" else Pieces(np.array([1]), np.zeros((1, 7), np.uint8))
                return self.embed(texts), [one] * (len(texts) - (wrong == "fewer"))

            def embed_question(self, text: str) -> tuple[np.ndarray, AskedPieces]:
                return self.embed([text]), AskedPieces(axes(1, 2), ("one",), np.array([True]))

        with Memory.open(tmp_path, embedder=Wrong(16)) as memory:
            report = memory.add([{"name": "Ana", "role": "user", "content": "one boat"}], user_id="u")
            assert report.count("stored") == 1
            assert "expected pieces of 1 texts" in str(report.pending)
            (hit,) = memory.search("which boat?", user_id="u")
            assert hit.text == "one boat"
            assert "expected pieces (1, 64)" in hit.flags[0]

    def test_the_doctor_sees_pieces_of_a_wrong_length(self, tmp_path: Path) -> None:
        with Memory.open(tmp_path) as memory:
            memory.add([{"name": "Ana", "role": "user", "content": "one boat"}], user_id="u")
            with memory._space("u").store._changing() as (connection, _):  # type: ignore[attr-defined]
                connection.execute("UPDATE unit_vectors SET pieces = x'0102'")
        assert "1 word pieces of a wrong length" in str(next(iter(diagnose(tmp_path))).problems)

    def test_an_embedder_without_pieces_is_ranked_without(self, tmp_path: Path) -> None:
        with Memory.open(tmp_path, embedder=HashEmbedder(16)) as memory:
            memory.add([{"name": "Ana", "role": "user", "content": f"boat {n}"} for n in range(3)], user_id="u")
            assert memory._space("u").store.pieces([1, 2, 3]) == {}
            assert not any("not-reranked" in flag for hit in memory.search("boat", user_id="u") for flag in hit.flags)


@pytest.mark.parametrize("embedder", ["minilm", HashEmbedder(16)])
def test_a_memorys_embedder_serves_another_memory(tmp_path: Path, embedder: str | HashEmbedder) -> None:
    """With pieces and without: the second memory finds what the first does, with the same scores."""
    with (
        Memory.open(tmp_path / "a", embedder=embedder) as first,
        Memory.open(tmp_path / "b", embedder=first.embedder) as second,
    ):
        found = []
        for memory in (first, second):
            memory.add(["I live in Oslo.", "The cat is asleep."], user_id="ana")
            found.append([(hit.text, hit.score) for hit in memory.search("Where do I live?", user_id="ana")])
        assert found[0] == found[1]
        assert first.embedder.shows_pieces == second.embedder.shows_pieces == (embedder == "minilm")
