"""Systems under test: the adapter of the facade, and the baselines on a dialogue small enough to rank by eye."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from qgmem.errors import InvalidInput, MissingExtra
from qgmem.evals.baselines import Baselines
from qgmem.evals.datasets.dialogue import Conversation, Dataset, Question, Session
from qgmem.evals.metrics.turn_ids import HasTurnIds, turn_ids_at
from qgmem.evals.protocol import Ingested
from qgmem.evals.runner import run
from qgmem.evals.systems import NAMES, MemorySystem, open_system
from qgmem.protocols import Vectors
from qgmem.types import AddItem, AddReport, JsonValue

DIALOGUE = Conversation(
    "c1",
    (
        Session(
            "s1",
            "1:56 pm on 8 May, 2023",
            (
                {"role": "user", "name": "Ann", "content": "I adopted a greyhound.", "id": "1"},
                {"role": "user", "name": "Bo", "content": "Cooking tonight?", "id": "2"},
            ),
        ),
        Session(
            "s2",
            None,
            (
                {"role": "user", "name": "Bo", "content": "Look!", "id": "3", "caption": "two greyhounds racing"},
                {"role": "user", "name": "Ann", "content": "I cooked.", "id": "4"},
            ),
        ),
    ),
)


class Letters:
    """Embeds a text as its counts of a few letters; enough for cosines that can be told apart."""

    id = "letters"
    dimension = 4

    def embed(self, texts: Sequence[str]) -> Vectors:
        counts = np.array([[text.lower().count(letter) for letter in "gokx"] for text in texts], np.float32)
        counts[:, 3] += 0.1
        return cast(Vectors, counts / np.linalg.norm(counts, axis=1, keepdims=True))


@dataclass(frozen=True)
class Span:
    turn_ids: tuple[str, ...]


class FakeMemory:
    """Records what is added; answers with overlapping spans, so that k units are not k turns."""

    def __init__(self) -> None:
        self.added: list[dict[str, Any]] = []
        self.limits: list[int] = []

    def add(self, messages: list[dict[str, Any]], **named: Any) -> AddReport:
        self.added.append({"ids": [m["id"] for m in messages], **named})
        items = [AddItem("stored", m["id"]) for m in messages[1:]]
        return AddReport((AddItem("failed", messages[0]["id"], "no text"), *items), pending="the embedder is down")

    def search(self, query: str, *, user_id: str, limit: int) -> list[Span]:
        assert (query, user_id) == ("where?", "c1")
        self.limits.append(limit)
        return [Span((str(i // 3),)) for i in range(30)][:limit]


def test_sessions_are_added_in_order_under_their_own_dates() -> None:
    memory = FakeMemory()
    built = MemorySystem(cast(Any, memory), "c1").build(DIALOGUE)
    assert memory.added == [
        {"ids": ["1", "2"], "user_id": "c1", "session_id": "s1", "timestamp": "1:56 pm on 8 May, 2023"},
        {"ids": ["3", "4"], "user_id": "c1", "session_id": "s2", "timestamp": None},
    ]
    assert built.stored == 2
    assert built.failed == (
        "1: no text",
        "s1: vectors are missing: the embedder is down",
        "3: no text",
        "s2: vectors are missing: the embedder is down",
    )


def test_more_units_are_asked_for_while_they_share_turns() -> None:
    memory = FakeMemory()
    hits = MemorySystem(cast(Any, memory), "c1").search("where?", 4)
    assert turn_ids_at(hits, 4) == ["0", "1", "2", "3"]  # turn 3 is first named by the tenth unit
    assert memory.limits == [4, 8, 16]


def test_asking_stops_when_the_memory_has_no_more() -> None:
    memory = FakeMemory()
    hits = MemorySystem(cast(Any, memory), "c1").search("where?", 20)
    assert len(turn_ids_at(hits, 20)) == 10
    assert memory.limits == [20, 40]


def found(kind: str, question: str) -> list[str]:
    system = Baselines(kind, Letters())("c1")
    assert system.build(DIALOGUE).stored == 4
    return [hit.turn_ids[0] for hit in system.search(question, 3)]


def test_bm25_matches_stems_and_captions_and_leaves_out_what_shares_no_word() -> None:
    pytest.importorskip("bm25s")
    assert sorted(found("bm25", "Who has a greyhound?")) == ["1", "3"]
    assert sorted(found("bm25", "What do they cook?")) == ["2", "4"]
    assert found("bm25", "zeppelin") == []


def test_dense_ranks_by_cosine_with_ties_to_the_earlier_turn() -> None:
    # Letters g o k x of the turns, e.g. "Ann: I cooked." has no g, two o, one k.
    turns = [
        "Ann: I adopted a greyhound.",
        "Bo: Cooking tonight?",
        "Bo: Look! two greyhounds racing",
        "Ann: I cooked.",
    ]
    vectors, question = Letters().embed(turns), Letters().embed(["kook"])[0]
    by_hand = sorted(range(4), key=lambda row: (-float(vectors[row] @ question), row))[:3]
    assert found("dense", "kook") == [str(row + 1) for row in by_hand]


def test_rrf_puts_what_both_lists_like_first() -> None:
    pytest.importorskip("bm25s")
    # Only turn 4 says "cooked" in both: BM25 finds 2 and 4; the best common ranks win.
    assert found("rrf", "Who cooked?")[0] in {"2", "4"}
    assert len(found("rrf", "Who cooked?")) == 3


def test_a_baseline_says_what_it_is() -> None:
    assert Baselines("bm25", None).describe()["bm25"] == {
        "k1": 1.2,
        "b": 0.75,
        "stop_words": "en_plus",
        "stemmer": "english",
    }
    assert Baselines("dense", Letters()).describe()["models"] == {"embedder": {"id": "letters", "dimension": 4}}
    with pytest.raises(InvalidInput, match="needs one"):
        Baselines("dense", None)
    with pytest.raises(InvalidInput, match="bm25, dense, rrf"):
        Baselines("tfidf", None)


def test_systems_are_found_by_exact_name_and_start_empty(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=", ".join(NAMES)), open_system("Qgmem"):
        pass
    (tmp_path / "left.sqlite").touch()
    with pytest.raises(InvalidInput, match="not empty"), open_system("bm25", folder=tmp_path):
        pass


@pytest.mark.parametrize("name", ["bm25", "rrf"])
def test_a_baseline_whose_extra_is_missing_refuses_before_it_measures(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingExtra, match=r"pip install 'qgmem\[eval\]'"), open_system(name, embedder=Letters()):
        pytest.fail("opened")


def test_a_missing_extra_is_no_row_of_zeros() -> None:
    """Whatever needs it, and whenever it is found out: what is not installed was not measured."""

    class Lacking:
        def build(self, conversation: Conversation) -> Ingested:  # noqa: ARG002
            raise MissingExtra("this part", "eval")

        def search(self, question: str, k: int) -> Sequence[HasTurnIds]:  # noqa: ARG002
            raise AssertionError

        def close(self) -> None: ...

    class Systems:
        def __call__(self, namespace: str) -> Lacking:  # noqa: ARG002
            return Lacking()

        def describe(self) -> dict[str, JsonValue]:
            return {}

    asked = Dataset("d", (DIALOGUE,), (Question("q1", "c1", "Which dog?", "greyhound", ("1",), "1"),), ())
    with pytest.raises(MissingExtra):
        run(asked, Systems(), lambda *_: {}, (), 1, show_progress=False)
