"""The sweeps on small files in the official formats: what is measured, once, over memories that are built once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qgmem.evals.sweeps import (
    K_VALUES,
    Remembered,
    benches,
    built,
    fusion_rows,
    k_table,
    measured,
    n_rows,
    page,
    rerank_rows,
)
from qgmem.models.scripted import HashEmbedder
from qgmem.protocols import Vectors
from qgmem.settings import Settings


class Counting(HashEmbedder):
    """A token embedder that counts the texts it was given."""

    def __init__(self) -> None:
        super().__init__(32)
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        return super().embed(texts)

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        return [np.stack([self._word(word) for word in text.split() or [""]]) for text in texts]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """LoCoMo: one conversation of twelve turns, two questions. BEAM: chat 1, fitted on, and chat 15."""
    folder = tmp_path / "data"
    (folder / "locomo").mkdir(parents=True)
    words = "tea kite goat soup moon lamp coat drum fern gate hill iron".split()
    session = [
        {"speaker": "AB"[n % 2], "dia_id": f"D1:{n + 1}", "text": f"There is a {word} here."}
        for n, word in enumerate(words)
    ]
    conversation: dict[str, Any] = {
        "sample_id": "conv-1",
        "conversation": {"session_1": session, "session_1_date_time": "1:56 pm on 8 May, 2023"},
        "qa": [
            {"question": "Where is the goat?", "answer": "here", "evidence": ["D1:3"], "category": 4},
            {"question": "And the drum?", "answer": "here", "evidence": ["D1:8", "D9:9"], "category": 1},
        ],
    }
    (folder / "locomo" / "locomo10.json").write_text(json.dumps([conversation]))
    for chat in ("1", "15"):
        there = folder / "beam" / "100K" / chat
        (there / "probing_questions").mkdir(parents=True)
        turns = [{"role": "user", "id": n, "content": f"I saw a {word}. ->-> 1,1"} for n, word in enumerate(words)]
        (there / "chat.json").write_text(
            json.dumps([{"batch_number": 1, "time_anchor": "March-15-2024", "turns": [turns]}])
        )
        probe = {
            "question": f"Did I see a fern in {chat}?",
            "answer": "yes",
            "rubric": ["yes"],
            "source_chat_ids": [8],
        }
        none = {"question": "Is my cat well?", "ideal_response": "unknown", "rubric": ["unknown"]}
        (there / "probing_questions" / "probing_questions.json").write_text(
            json.dumps({"information_extraction": [probe], "abstention": [none]})
        )
    return folder


def test_memories_are_built_once_and_questions_embedded_once(data: Path, tmp_path: Path) -> None:
    inner = Counting()
    locomo, beam = benches(data, tmp_path / "cache")
    for bench in (locomo, beam):
        built(bench, inner)
    assert any("goat" in text for text in inner.embedded)
    inner.embedded.clear()
    embedder = Remembered(inner)
    for bench in (locomo, beam):
        built(bench, inner)
        for _ in range(2):
            measured(bench, Settings(rerank="none"), embedder)
    assert len(inner.embedded) == len(set(inner.embedded))
    assert not any(text.startswith(("There is", "I saw")) for text in inner.embedded)


def test_measured_by_hand(data: Path, tmp_path: Path) -> None:
    """The goat is found first of its question; of the drum's two entries one names no turn, so it counts half.

    Mean over both: (1 + .5) / 2 at every k. BEAM asks one question a chat, of which the abstention is none.
    """
    locomo, beam = benches(data, tmp_path / "cache")
    for bench in (locomo, beam):
        built(bench, Counting())
    found = measured(locomo, Settings(rerank="none"), Counting())["LoCoMo"]
    assert found.questions == 2
    assert found.recall == dict.fromkeys(K_VALUES, 0.75)
    assert found.tokens[1] == 6  # "There is a goat here.": five words are estimated at four thirds of them
    assert found.tokens[2] == 12
    assert found.not_reranked == 0
    groups = measured(beam, Settings(rerank="none"), Counting())
    assert [group.questions for group in groups.values()] == [1, 1]
    assert all(group.recall[1] == 1 for group in groups.values())
    off = measured(locomo, Settings(channels=("lexical",)), Counting())["LoCoMo"]
    assert off.not_reranked == 2


def test_remembered_gives_what_its_embedder_gives() -> None:
    embedder, inner = Remembered(Counting()), Counting()
    texts = ["a red kite", "tea", "a red kite"]
    np.testing.assert_array_equal(embedder.embed(texts), inner.embed(texts))
    for one, other in zip(embedder.embed_tokens(texts), inner.embed_tokens(texts), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-3)
    assert embedder.inner.embedded == ["a red kite", "tea"]  # type: ignore[attr-defined]


def test_the_plan_switches_one_thing_a_row() -> None:
    fusions = {tuple(names): settings for names, settings in fusion_rows()}
    assert len(fusions) == 13
    assert fusions["default", "without semantic"].channels == ("lexical", "event_attributes")
    assert fusions["rrf", "lexical alone"].channels == ("lexical",)
    assert {settings.rerank for settings in fusions.values()} == {"none"}
    assert [settings.n for _, settings in n_rows()] == [10, 50, 100, 200] * 2
    assert [settings.rerank for _, settings in rerank_rows(["none", "late"])] == ["none", "late"] * 3


def test_the_page_holds_every_table_and_no_path(data: Path, tmp_path: Path) -> None:
    text = page(data, tmp_path / "cache", Counting(), ["none", "learned", "late"])
    assert text.count("### Fusions and channels") == 3
    assert text.count("### Candidates a channel") == 3
    assert text.count("| default | late |") == 3
    assert "## LoCoMo: 2 questions" in text
    assert "| default | all | 75.00 | 75.00 | 75.00 | 75.00 |" in text
    assert "## BEAM-100K, chats 15–20: 1 questions" in text
    assert "not reranked" not in text
    assert str(tmp_path) not in text
    assert json.loads(text.split("```json")[1].split("```")[0])["data_sha256"]


def test_the_k_table_has_a_row_for_every_k(data: Path, tmp_path: Path) -> None:
    locomo = benches(data, tmp_path / "cache")[0]
    built(locomo, Counting())
    lines = k_table({"none": measured(locomo, Settings(rerank="none"), Counting())["LoCoMo"]}).splitlines()
    assert lines[0] == "| k | none: recall | none: tokens |"
    assert [line.split("|")[1].strip() for line in lines[2:]] == [str(k) for k in K_VALUES]
