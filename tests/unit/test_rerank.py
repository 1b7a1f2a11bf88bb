"""Reranking is time-boxed and fail-open: whatever a reranker does, the search answers, and says what happened."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qgmem import Memory, Settings
from qgmem.activation.rerank import DocumentReranker, RerankTask
from qgmem.activation.time_box import TimeBox, boxed
from qgmem.errors import InvalidInput, MissingExtra, ModelUnavailable
from qgmem.models.rerankers import cross_encoder, qwen3
from qgmem.models.scripted import HashEmbedder
from qgmem.registry import make_reranker
from qgmem.stores.index import Rows
from qgmem.types import Hit

EMBEDDER = HashEmbedder(32)
TURNS = ("I live in Oslo", "I work in Bergen", "my cat is called Oslo", "we met in Oslo", "tea is fine")
QUESTION = "who lives in Oslo ?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memories")
    with Memory.open(path, embedder=EMBEDDER, settings=Settings(rerank="none")) as memory:
        for number, text in enumerate(TURNS):
            memory.add(
                [{"role": "user", "name": ["Ana", "Bob"][number % 2], "content": text, "id": f"t{number}"}],
                session_id=f"s{number}",
                timestamp=f"2024-0{number + 1}-01",
            )
    return path


def search(folder: Path, reranker: Any = None, question: str = QUESTION, **given: Any) -> list[Hit]:
    settings = Settings(**{"rerank": "none", "rerank_seconds": 5.0} | given.pop("settings", {}))
    with Memory.open(folder, embedder=EMBEDDER, reranker=reranker, settings=settings) as memory:
        return memory.search(question, **given)


class Pool:
    """A pool reranker whose answer is a function of its task."""

    id = "pool"

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def rerank(self, task: RerankTask) -> tuple[Rows, Any]:
        return self._answer(task)  # type: ignore[no-any-return]


class Model:
    """A document reranker: scores from a function of one document; keeps what it read."""

    id = "model"

    def __init__(self, score: Any) -> None:
        self._score, self.read = score, []  # type: ignore[var-annotated]

    def score(self, question: str, documents: Sequence[str]) -> Any:
        self.read.append((question, list(documents)))
        return [self._score(document) for document in documents]


def raises(error: BaseException) -> Pool:
    def answer(_: RerankTask) -> Any:
        raise error

    return Pool(answer)


def answers(rows: Any, scores: Any) -> Pool:
    return Pool(lambda _: (np.asarray(rows), np.asarray(scores)))


# ---- whatever goes wrong


BROKEN = {
    "a typed error": (raises(ModelUnavailable("the box is down")), "reranker pool: the box is down"),
    "any other error": (raises(ValueError("bad\n  luck")), "reranker pool: ValueError: bad luck"),
    "an error without words": (raises(KeyError()), "reranker pool: KeyError"),
    "its own timeout": (raises(TimeoutError("slow socket")), "reranker pool: TimeoutError: slow socket"),
    "a long error": (raises(RuntimeError("x" * 900)), "reranker pool: RuntimeError: " + "x" * 199 + "…"),
    "nothing": (answers([], []), "reranker pool: expected rows and as many scores, got (0,) float64"),
    "too few scores": (answers([0, 1], [1.0]), "reranker pool: expected rows and as many scores, got (2,)"),
    "rows that are no numbers": (answers([0.5], [1.0]), "reranker pool: expected rows and as many scores"),
    "rows that are not there": (answers([0, 99], [1.0, 2.0]), "reranker pool: expected distinct rows below 5"),
    "a row below zero": (answers([-1], [1.0]), "reranker pool: expected distinct rows below 5, got -1 to -1"),
    "a row twice": (answers([1, 1], [1.0, 2.0]), "reranker pool: expected distinct rows below 5"),
    "a score that is no number": (answers([0], [np.nan]), "reranker pool: a score is no number"),
    "no tuple at all": (Pool(lambda _: None), "reranker pool: TypeError"),
    "a model's wrong count": (Model(lambda _: [1.0, 2.0]), "reranker model: expected"),
    "a model's text": (Model(lambda _: "high"), "reranker model: ValueError: could not convert"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_reranker_gives_the_fused_order_and_says_so(folder: Path, fault: str) -> None:
    reranker, said = BROKEN[fault]
    fused, hits = search(folder), search(folder, reranker)
    assert len(fused) == 5 or len(fused) == 4
    assert [(hit.id, hit.score) for hit in hits] == [(hit.id, hit.score) for hit in fused]
    for hit in hits:
        assert len(hit.flags) == 1
        assert hit.flags[0].startswith(f"not-reranked: {said}")
    assert not any(hit.flags for hit in fused)


def test_the_same_faults_are_caught_in_the_searching_thread(folder: Path) -> None:
    """`inline = True` skips the time box, not the border."""
    reranker = raises(ValueError("bad"))
    reranker.inline = True  # type: ignore[attr-defined]
    assert search(folder, reranker)[0].flags == ("not-reranked: reranker pool: ValueError: bad",)


def test_stopping_the_process_is_no_fault_of_the_reranker(folder: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        search(folder, raises(KeyboardInterrupt()))


# ---- time


class Hangs:
    """Waits until it is told to go on, then turns the order around."""

    id = "hangs"

    def __init__(self) -> None:
        self.go, self.calls = threading.Event(), 0

    def rerank(self, task: RerankTask) -> tuple[Rows, Any]:
        self.calls += 1
        self.go.wait(20)
        return task.fused.rows, -task.fused.scores


@pytest.fixture
def hangs() -> Iterator[Hangs]:
    reranker = Hangs()
    yield reranker
    reranker.go.set()


def threads() -> int:
    return sum(thread.name == "qgmem-rerank" for thread in threading.enumerate())


def test_a_hanging_reranker_costs_one_search_its_time_and_leaks_no_thread(folder: Path, hangs: Hangs) -> None:
    """The first search waits out its box; those behind it do not; one thread in all; once it is back, it is used."""
    settings = Settings(rerank="none", rerank_seconds=0.2)
    with Memory.open(folder, embedder=EMBEDDER, reranker=hangs, settings=settings) as memory:
        before = threads()
        start = time.monotonic()
        first = memory.search(QUESTION)
        assert 0.2 <= time.monotonic() - start < 5
        assert first[0].flags == ("not-reranked: reranker hangs: no answer within 0.2 s",)
        start = time.monotonic()
        later = [memory.search(QUESTION) for _ in range(20)]
        assert time.monotonic() - start < 20 * 0.2
        busy = ("not-reranked: reranker hangs: is still busy with an earlier question",)
        assert all(hits[0].flags == busy for hits in later)
        assert [hit.id for hit in later[0]] == [hit.id for hit in first] == [hit.id for hit in search(folder)]
        assert threads() == before + 1
        assert hangs.calls == 1
        hangs.go.set()
        while threads() > before:
            time.sleep(0.005)
        again = memory.search(QUESTION)
    assert hangs.calls == 2
    assert again[0].flags == ()
    assert [hit.id for hit in again] == [hit.id for hit in reversed(first)]


def test_a_thread_that_hangs_does_not_keep_the_process(hangs: Hangs, folder: Path) -> None:
    search(folder, hangs, settings={"rerank_seconds": 0.05})
    running = [thread for thread in threading.enumerate() if thread.name == "qgmem-rerank"]
    assert running
    assert all(thread.daemon for thread in running)


def test_searches_of_several_threads_take_turns(folder: Path) -> None:
    """Eight searches at once through a reranker of 10 ms: all are reranked, never two at a time."""
    inside, most, lock = 0, 0, threading.Lock()

    def answer(task: RerankTask) -> Any:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        time.sleep(0.01)
        with lock:
            inside -= 1
        return task.fused.rows, -task.fused.scores

    found: list[list[Hit]] = []
    settings = Settings(rerank="none", rerank_seconds=20)
    with Memory.open(folder, embedder=EMBEDDER, reranker=Pool(answer), settings=settings) as memory:
        at_work = [threading.Thread(target=lambda: found.append(memory.search(QUESTION))) for _ in range(8)]
        for thread in at_work:
            thread.start()
        for thread in at_work:
            thread.join()
    assert len(found) == 8
    assert all(hit.flags == () for hits in found for hit in hits)
    assert most == 1


def test_what_always_ends_soon_runs_where_the_search_runs(folder: Path) -> None:
    where: list[str] = []

    def answer(task: RerankTask) -> Any:
        where.append(threading.current_thread().name)
        return task.fused.rows, task.fused.scores

    boxed_one, inline = Pool(answer), Pool(answer)
    inline.inline = True  # type: ignore[attr-defined]
    search(folder, boxed_one)
    search(folder, inline)
    assert where == ["qgmem-rerank", threading.current_thread().name]
    assert isinstance(boxed(boxed_one), TimeBox)
    assert boxed(inline) is inline
    assert boxed(box := TimeBox(boxed_one)) is box


# ---- what it may answer


def test_rows_left_out_follow_in_the_fused_order(folder: Path) -> None:
    fused = [hit.id for hit in search(folder)]
    hits = search(folder, Pool(lambda task: (task.fused.rows[2:3], [7.0])))
    assert [hit.id for hit in hits] == [fused[2], *fused[:2], *fused[3:]]
    assert hits[0].score == 7
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_equal_scores_are_ordered_by_id(folder: Path) -> None:
    hits = search(folder, Pool(lambda task: (task.fused.rows, np.zeros(len(task.fused.rows)))))
    assert [hit.id for hit in hits] == sorted(hit.id for hit in search(folder))


@pytest.mark.parametrize(
    ("scope", "kept"),
    [
        ({"filters": {"speaker": "Ana"}}, {"t0", "t2", "t4"}),
        ({"known_at": "2024-03-15"}, {"t0", "t1", "t2"}),
        ({"as_of": "2024-02-10"}, {"t0", "t1"}),
    ],
)
def test_a_reranker_cannot_bring_back_what_the_scope_forbids(
    folder: Path, scope: dict[str, Any], kept: set[str]
) -> None:
    everything = Pool(lambda task: (np.arange(task.index.rows), np.arange(task.index.rows, dtype=np.float32)))
    hits = search(folder, everything, **scope)
    assert {hit.id for hit in hits} == kept
    assert all(hit.flags == () for hit in hits)
    assert len(search(folder, everything)) == 5


def test_the_explanation_holds_the_parts_of_the_fusion_and_adds_up(folder: Path) -> None:
    fused = {hit.id: hit.contributions for hit in search(folder, explain=True)}
    for hit in search(folder, Model(len), explain=True):
        parts = dict(hit.contributions)
        assert sum(parts.values()) == pytest.approx(hit.score, abs=1e-4)
        parts.pop("reranker")
        assert parts == pytest.approx(fused[hit.id])


# ---- models that score documents


def test_a_model_reads_structured_documents_of_the_best(folder: Path) -> None:
    model = Model(lambda document: float("Bergen" in document))
    hits = search(folder, model, settings={"rerank_depth": 3})
    question, documents = model.read[0]
    assert question == QUESTION
    assert len(documents) == 3
    fused = search(folder)
    for document, hit in zip(documents, fused, strict=False):
        lines = dict(line.split(": ", 1) for line in document.splitlines())
        assert lines["fact"] == hit.text
        assert lines["source"] == f"{hit.speaker}: {hit.text}"
        assert lines["utterance time"].startswith("2024-0")
    assert [hit.id for hit in hits[3:]] == [hit.id for hit in fused[3:]]


def test_the_share_of_a_model_by_hand(folder: Path) -> None:
    """share = 1 takes the model's scores as they are, share = 0 the fused order; between, both standardised."""
    last = search(folder)[-1].text
    model = Model(lambda document: 5.0 * (last in document))
    fused = search(folder)
    alone = search(folder, model)
    assert (alone[0].text, alone[0].score) == (last, 5.0)
    none = search(folder, model, settings={"rerank_share": 0.0})
    assert [hit.id for hit in none] == [hit.id for hit in fused]
    half = search(folder, model, settings={"rerank_share": 0.5})
    old = np.array([hit.score for hit in fused])
    new = np.array([0.0] * (len(fused) - 1) + [5.0])
    wanted = 0.5 * (old - old.mean()) / (old.std() + 1e-3) + 0.5 * (new - new.mean()) / (new.std() + 1e-3)
    assert {hit.id: hit.score for hit in half} == pytest.approx(
        dict(zip([hit.id for hit in fused], wanted, strict=True)), abs=1e-4
    )


# ---- names


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"rerank": "best"}, "settings.rerank"),
        ({"rerank": "late"}, "settings.rerank"),  # HashEmbedder shows no token vectors
        ({"rerank": "cross-encoder"}, "settings.rerank_model"),
        ({"rerank": "qwen3"}, "settings.rerank_model"),
        ({"rerank": "http:tei"}, "settings.rerank_url"),
        ({"rerank": "http:jina", "rerank_url": "localhost:80"}, "base_url"),
    ],
)
def test_what_a_name_needs_is_asked_for_at_once(given: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        make_reranker(Settings(**given), EMBEDDER)
    assert caught.value.field == field


@pytest.mark.parametrize("name", ["http:tei", "http:jina", "http:cohere"])
def test_no_key_is_demanded(name: str) -> None:
    reranker = make_reranker(Settings(rerank=name, rerank_url="http://localhost:8080", rerank_model="m"), EMBEDDER)
    assert isinstance(reranker, DocumentReranker)
    assert reranker.id == f"{name}-m"


def test_a_key_is_in_no_repr_and_no_dump() -> None:
    settings = Settings.load({"QGMEM_RERANK_KEY": "sk-secret", "QGMEM_RERANK_URL": "http://box"}, rerank="http:jina")
    make_reranker(settings, EMBEDDER)
    assert settings.rerank_key is not None
    assert settings.rerank_key.get_secret_value() == "sk-secret"
    assert "sk-secret" not in f"{settings!r}{settings.model_dump_json()}"


@pytest.mark.parametrize(("name", "module"), [("cross-encoder", cross_encoder), ("qwen3", qwen3)])
def test_a_missing_extra_is_named_when_the_memory_is_opened(
    name: str, module: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"pip install 'qgmem\[hf\]'"):
        make_reranker(Settings(rerank=name, rerank_model="some/model"), EMBEDDER)


def test_none_is_none() -> None:
    assert make_reranker(Settings(rerank="none"), EMBEDDER) is None
