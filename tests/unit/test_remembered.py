"""Vectors of phrases are kept, the latest of them; batches are cut where padding and runs cost least."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from qgmem import Memory
from qgmem.errors import ModelUnavailable
from qgmem.evals.growth.drawn import DrawnEmbedder
from qgmem.models.onnx import BATCH_TOKENS, RUN_TOKENS, cut
from qgmem.models.remembered import Remembered
from qgmem.protocols import Vectors


class Asked:
    """Answers with the length of a text and keeps what it was asked."""

    def __init__(self) -> None:
        self.texts: list[list[str]] = []

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.texts.append(list(texts))
        return np.array([[len(text), 1] for text in texts], np.float32).reshape(-1, 2)


def test_a_phrase_is_asked_for_once_and_answers_keep_their_order() -> None:
    asked = Asked()
    remembered = Remembered(asked)
    assert remembered(["ab", "c"]).tolist() == [[2, 1], [1, 1]]
    assert remembered(["def", "c", "def"]).tolist() == [[3, 1], [1, 1], [3, 1]]
    assert asked.texts == [["ab", "c"], ["def"]]
    remembered.forget()
    remembered(["c"])
    assert asked.texts[-1] == ["c"]


def test_the_phrases_longest_unused_are_let_go() -> None:
    """Of a, b and then a again and c, with room for two, b was unused longest."""
    asked = Asked()
    remembered = Remembered(asked, most=2)
    for phrase in ("a", "b", "a", "c", "a", "b"):
        remembered([phrase])
    assert asked.texts == [["a"], ["b"], ["c"], ["b"]]


def test_a_failure_is_not_remembered() -> None:
    def broken(texts: Sequence[str]) -> Vectors:
        raise ModelUnavailable(f"down, and {len(texts)} were asked")

    with pytest.raises(ModelUnavailable):
        Remembered(broken)(["a"])


def test_deleting_forgets_the_phrases(tmp_path: Path) -> None:
    """What was deleted is in no cache either."""
    with Memory.open(tmp_path, embedder=DrawnEmbedder()) as memory:
        memory.add({"content": "We met Ottoline in Trieste.", "id": "t"})
        phrases = memory.embedder.phrases._known
        assert any("ottoline" in phrase.lower() for phrase in phrases)
        memory.delete("t")
        assert not phrases


def test_turns_are_read_while_a_concurrent_embedder_works(tmp_path: Path) -> None:
    """The embedder ends the turn's text only after the phrases have been asked for, which takes reading the turn."""
    phrases = Event()

    class Waiting(DrawnEmbedder):
        concurrent = True

        def embed(self, texts: Sequence[str]) -> Vectors:
            if any("Trieste." in text for text in texts):
                assert phrases.wait(10), "nothing happened meanwhile"
            else:
                phrases.set()
            return super().embed(texts)

    with Memory.open(tmp_path, embedder=Waiting()) as memory:
        report = memory.add({"content": "We met Ottoline in Trieste."})
        assert report.count("stored") == 1
        assert report.pending is None


def cost(lengths: Sequence[int], batches: Sequence[tuple[int, int]]) -> int:
    return sum(RUN_TOKENS + (stop - start) * lengths[stop - 1] for start, stop in batches)


@pytest.mark.parametrize("lengths", [[3], [4, 4, 4, 30], [3, 5, 9, 17, 33, 65, 129], [200, 250, 256], [2] * 7 + [9]])
def test_no_other_cut_costs_less(lengths: list[int]) -> None:
    """All ways to cut so few texts are tried; each batch holds at most BATCH_TOKENS with its padding, or one text."""
    found = cut(lengths)
    assert [place for batch in found for place in range(*batch)] == list(range(len(lengths)))
    allowed = []
    for size in range(len(lengths)):
        for inner in combinations(range(1, len(lengths)), size):
            edges = [0, *inner, len(lengths)]
            batches = list(pairwise(edges))
            if all(
                stop - start == 1 or (stop - start) * lengths[stop - 1] <= BATCH_TOKENS for start, stop in batches
            ):
                allowed.append(cost(lengths, batches))
    assert cost(lengths, found) == min(allowed)
