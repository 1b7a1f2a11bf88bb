"""Rerankers that run here: late interaction by hand, cross-encoder and Qwen3 with stand-ins for their libraries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from qgmem import Memory, Settings
from qgmem.errors import InvalidInput, ModelMisbehaved
from qgmem.models.rerankers.cross_encoder import CrossEncoderReranker
from qgmem.models.rerankers.late_interaction import LateInteraction, maxsim
from qgmem.models.rerankers.qwen3 import AFTER, BATCH, BEFORE, MAX_TOKENS, Qwen3Reranker, YesOrNo, user_turn
from qgmem.models.scripted import HashEmbedder
from qgmem.protocols import Reranker, TokenEmbedder, Vectors

# ---- late interaction


class Words(HashEmbedder):
    """A token embedder whose tokens are words: a word is like itself and, almost, like nothing else."""

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        found = [[self._word(word) for word in text.casefold().split()] for text in texts]
        return [np.stack(rows) if rows else np.empty((0, self.dimension), np.float32) for rows in found]


def unit(*degrees: float) -> Vectors:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_maxsim_by_hand() -> None:
    """Question at 0° and 90°. Text at 0° and 60°: best 1 and cos 30° → .933. At 180°: −1 and 0 → −.5. Nothing → 0."""
    scores = maxsim(unit(0, 90), [unit(0, 60), unit(180), np.empty((0, 2), np.float32)])
    assert scores == pytest.approx([(1 + np.cos(np.pi / 6)) / 2, -0.5, 0], abs=1e-6)
    assert maxsim(np.empty((0, 2), np.float32), [unit(0)]) == [0.0]
    assert maxsim(unit(0), []) == []


def test_maxsim_does_not_reward_length() -> None:
    """A text that says it once is as good as one that says it ten times."""
    assert maxsim(unit(0), [unit(0), unit(*[0] * 10)]) == [1.0, 1.0]


def test_late_interaction_over_an_embedder() -> None:
    model = LateInteraction(Words(64))
    scores = model.score("my red kite", ["my red kite flies", "my red coat", "tax form", ""])
    assert scores[0] == pytest.approx(1, abs=1e-5)
    assert scores[0] > scores[1] > scores[2]
    assert scores[3] == 0
    assert model.score("q", []) == []
    assert (model.id, isinstance(model, Reranker)) == ("late-hash-64", True)


def test_late_interaction_needs_token_vectors() -> None:
    assert isinstance(Words(8), TokenEmbedder)
    with pytest.raises(InvalidInput, match="hash-8"):
        LateInteraction(HashEmbedder(8))


def test_late_interaction_checks_its_embedder() -> None:
    class Short(Words):
        def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
            return super().embed_tokens(texts)[:1]

    with pytest.raises(ModelMisbehaved, match="2 texts"):
        LateInteraction(Short(8)).score("q", ["a", "b"])


def test_late_reads_speaker_and_words_and_is_half_trusted(tmp_path: Path) -> None:
    """`rerank="late"`: by name, on the memory's own embedder, half its score and half the fusion's."""
    read: list[str] = []

    class Watched(Words):
        def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
            read.extend(texts)
            return super().embed_tokens(texts)

    found = {}
    for name in ("none", "late"):
        settings = Settings(rerank=name, rerank_seconds=20)
        with Memory.open(tmp_path, embedder=Watched(64), settings=settings) as memory:
            for text in ("the kite is red", "a kite", "red paint everywhere on the wall"):
                memory.add({"role": "user", "name": "Ana", "content": text}, session_id=text)
            found[name] = memory.search("is the kite red", explain=True)
    assert read[0] == "is the kite red"
    assert set(read[1:]) == {"Ana: the kite is red", "Ana: a kite", "Ana: red paint everywhere on the wall"}
    assert all(hit.flags == () for hit in found["late"])
    documents = [f"{hit.speaker}: {hit.text}" for hit in found["none"]]
    late = np.array(LateInteraction(Words(64)).score("is the kite red", documents))
    fused = np.array([hit.score for hit in found["none"]])
    wanted = 0.5 * (fused - fused.mean()) / (fused.std() + 1e-3) + 0.5 * (late - late.mean()) / (late.std() + 1e-3)
    assert {hit.id: hit.score for hit in found["late"]} == pytest.approx(
        dict(zip([hit.id for hit in found["none"]], wanted, strict=True)), abs=1e-4
    )


def test_the_default_embedder_shows_token_vectors() -> None:
    """A real question finds its paraphrase before an unrelated text, with the embedded model."""
    from qgmem.models.onnx import MiniLM

    model = LateInteraction(MiniLM(1))
    near, far = model.score(
        "Where does Ana live?", ["Ana: I moved to Lisbon last year.", "Ana: The soup was too salty."]
    )
    assert near > far + 0.05
    assert -1 <= far <= near <= 1


# ---- cross-encoder


def test_a_cross_encoder_sees_pairs_in_order() -> None:
    seen: list[Any] = []

    def predict(pairs: list[tuple[str, str]]) -> Any:
        seen.append(pairs)
        return np.array([len(document) for _, document in pairs])

    model = CrossEncoderReranker("models/ms-marco-tiny", predict=predict)
    assert model.score("q", ["aaa", "b"]) == [3.0, 1.0]
    assert seen == [[("q", "aaa"), ("q", "b")]]
    assert model.id == "cross-encoder-ms-marco-tiny"
    assert isinstance(model, Reranker)
    assert model.score("q", []) == []
    assert len(seen) == 1


@pytest.mark.parametrize("answer", [np.ones((2, 3)), np.ones(3), np.float32(1)])
def test_a_model_of_several_labels_is_no_reranker(answer: Any) -> None:
    with pytest.raises(ModelMisbehaved, match="expected 2 scores"):
        CrossEncoderReranker("m", predict=lambda _: answer).score("q", ["a", "b"])


def test_one_label_in_a_column_is_fine() -> None:
    assert CrossEncoderReranker("m", predict=lambda pairs: np.ones((len(pairs), 1))).score("q", ["a"]) == [1.0]  # type: ignore[arg-type,return-value]


# ---- Qwen3


def test_qwen3_scores_are_log_odds_of_yes() -> None:
    """Logits of no and yes (1, 3) → 2, (2, −1) → −3."""
    turns: list[str] = []

    def judge(asked: Sequence[str]) -> Vectors:
        turns.extend(asked)
        return np.array([[1, 3], [2, -1]], np.float32)

    model = Qwen3Reranker("Qwen/Qwen3-Reranker-0.6B", judge=judge)
    assert model.score("Where?", ["Oslo", "tea"]) == [2.0, -3.0]
    assert turns == [user_turn(model.instruction, "Where?", "Oslo"), user_turn(model.instruction, "Where?", "tea")]
    assert turns[0].splitlines()[1:] == ["<Query>: Where?", "<Document>: Oslo"]
    assert turns[0].startswith("<Instruct>: ")
    assert model.id == "qwen3-Qwen3-Reranker-0.6B"
    assert isinstance(model, Reranker)


def test_qwen3_checks_the_shape_of_its_logits() -> None:
    with pytest.raises(ModelMisbehaved, match=r"expected \(2, 2\) logits"):
        Qwen3Reranker("m", judge=lambda _: np.ones((2, 3), np.float32)).score("q", ["a", "b"])


class Tensor(np.ndarray):
    """An array with the two methods of a tensor that are used."""

    def float(self) -> Tensor:
        return self.astype(np.float32)

    def cpu(self) -> Tensor:
        return self


class Batch(dict[str, Any]):
    """What a tokenizer's `pad` returns."""

    def to(self, device: str) -> Batch:
        assert device == "cpu"
        return self


class Letters:
    """A tokenizer of one token a character; `yes` and `no` are tokens of their own. Pads on the left with 0."""

    words = ("no", "yes")

    def encode(self, text: str, add_special_tokens: bool) -> list[int]:
        assert add_special_tokens is False
        if text in self.words:
            return [self.words.index(text) + 1]
        return [ord(letter) + 10 for letter in text]

    def pad(self, rows: dict[str, list[list[int]]], return_tensors: str) -> Batch:
        assert return_tensors == "pt"
        longest = max(len(row) for row in rows["input_ids"])
        ids = np.array([[0] * (longest - len(row)) + row for row in rows["input_ids"]])
        return Batch(input_ids=ids, attention_mask=(ids > 0).astype(int))


class Counts:
    """A causal model whose last logits say how many letters of each kind its input holds: yes = x's, no = y's."""

    device = "cpu"

    def __init__(self) -> None:
        self.batches: list[Any] = []

    def __call__(self, input_ids: Any, attention_mask: Any) -> Any:
        assert ((input_ids > 0) == (attention_mask > 0)).all()
        self.batches.append(input_ids)
        logits = np.zeros((*input_ids.shape, 5))
        logits[:, -1, 2] = (input_ids == ord("x") + 10).sum(axis=1)
        logits[:, -1, 1] = (input_ids == ord("y") + 10).sum(axis=1)
        return SimpleNamespace(logits=logits.view(Tensor))


def test_yes_or_no_frames_pads_and_keeps_the_order() -> None:
    """Six turns in two batches, the longest first; the frame stands around each; logits come back in order."""
    model = Counts()
    frame = YesOrNo(Letters(), model)([""])[0]
    turns = ["x", "xy" * 30, "y" * 7, "xxx", "", "yx"]
    logits = YesOrNo(Letters(), model)(turns)
    expected = [[frame[0] + turn.count("y"), frame[1] + turn.count("x")] for turn in turns]
    assert logits.tolist() == expected
    assert [len(batch) for batch in model.batches[1:]] == [BATCH, 2]
    before, after = ([ord(letter) + 10 for letter in text] for text in (BEFORE, AFTER))
    for batch in model.batches[1:]:
        for ids in batch.tolist():
            inside = [number for number in ids if number]
            assert inside[: len(before)] == before
            assert ids[-len(after) :] == after


def test_a_long_document_is_cut_and_the_frame_is_not() -> None:
    model = Counts()
    logits = YesOrNo(Letters(), model)(["x" * (MAX_TOKENS + 500), ""])
    assert logits[0, 1] - logits[1, 1] == MAX_TOKENS
    assert model.batches[0].shape[1] == len(BEFORE) + MAX_TOKENS + len(AFTER)
    assert model.batches[0][0].tolist()[-len(AFTER) :] == [ord(letter) + 10 for letter in AFTER]


def test_a_tokenizer_without_the_two_words_is_refused() -> None:
    class Other(Letters):
        words = ("no", "oui")

    with pytest.raises(ModelMisbehaved, match="yes and no"):
        YesOrNo(Other(), Counts())
