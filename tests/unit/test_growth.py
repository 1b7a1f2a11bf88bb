"""The growth bench: its stages give what a search gives, its comparisons can fail, its runs resume."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import pytest

from qgmem.activation import activate
from qgmem.activation.learned import LearnedReranker
from qgmem.construction.entities import RuleExtractor
from qgmem.errors import InvalidInput
from qgmem.evals.growth import __main__ as command
from qgmem.evals.growth import asking, exact, grow, load, namespaces, run, writing
from qgmem.evals.growth.drawn import DrawnEmbedder
from qgmem.evals.growth.measure import Spread
from qgmem.evals.growth.opening import OpeningFailed, open_cold
from qgmem.memory import Memory
from qgmem.namespace import Namespace
from qgmem.protocols import Vectors
from qgmem.settings import Settings
from qgmem.stores import snapshot
from qgmem.stores.folder import SNAPSHOT, namespace_folder

TURNS = 1500  # above the size from which vectors are scanned in eight bits


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory folder whose user "ana" has the first 1,500 turns of the load."""
    root = tmp_path_factory.mktemp("growth")
    space = opened(root)
    load.fill(space, TURNS, DrawnEmbedder(), RuleExtractor(), show=False)
    space.close()
    return root


def opened(root: Path, user: str = "ana") -> Namespace:
    drawn = DrawnEmbedder()
    return Namespace(namespace_folder(root, user), user, Settings(), drawn.id, drawn.dimension)


def test_stages_are_those_of_a_search(folder: Path) -> None:
    """The hits are a search's own, every stage took time, and the clock of the product is put back."""
    texts = asking.questions(TURNS, 6)
    assert len(texts) == 6
    with Memory.open(folder, embedder=DrawnEmbedder(), settings=Settings()) as memory:
        space = opened(folder)
        asker = asking.Asker(space, DrawnEmbedder(), RuleExtractor(), LearnedReranker())
        answers = [asker.ask(text) for text in texts]
        assert [answer.ids for answer in answers] == [
            tuple(hit.id for hit in memory.search(text, user_id="ana")) for text in texts
        ]
        space.close()
    assert vars(activate)["perf_counter"] is perf_counter
    stages = asking.by_stage(answers)
    for stage in (*asking.CHANNELS, asking.PARSE, asking.RERANK):
        assert max(stages[stage]) > 0, stage
    for place, answer in enumerate(answers):
        assert sum(stages[stage][place] for stage in asking.STAGES) == pytest.approx(stages["total"][place])
        assert answer.wall > 0


def test_question_embedding_is_left_out(folder: Path) -> None:
    """An embedder that burns 20 ms a call, phrases included, does not show in any stage."""

    class Slow(DrawnEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            until = process_time() + 0.02
            while process_time() < until:
                pass
            return super().embed(texts)

    space = opened(folder)
    for text in asking.questions(TURNS, 3):
        cost = {}
        for embedder in (DrawnEmbedder(), Slow()):
            asker = asking.Asker(space, embedder, RuleExtractor(), None)
            cost[type(embedder)] = asker.ask(text).total
        assert cost[Slow] < cost[DrawnEmbedder] + 0.015
    space.close()


def test_load_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """300 turns and then 500 are the same 500 units as in one go."""
    ids = []
    for user, steps in (("two", (300, 500)), ("one", (500,))):
        space = opened(tmp_path, user)
        for n in steps:
            load.fill(space, n, DrawnEmbedder(), RuleExtractor(), show=False)
        ids.append([unit.id for unit in space.store.scan()])
        assert space.index.current().size == 500
        space.close()
    assert ids[0] == ids[1]


def test_drawn_vectors_depend_on_the_text_alone_and_cluster() -> None:
    """Same text, same bytes in any batch; about one pair in a hundred shares a theme (cosine 0.40 ± noise)."""
    embedder, texts = DrawnEmbedder(), [f"text {number}" for number in range(2000)]
    vectors = embedder.embed(texts)
    assert np.array_equal(embedder.embed(texts[7:9]), vectors[7:9])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = (vectors @ vectors.T)[np.triu_indices(len(texts), 1)]
    assert 0.005 < float((cosines > 0.25).mean()) < 0.02
    assert abs(float(np.median(cosines))) < 0.02


def test_exact_comparison_is_one_for_the_index_and_lower_for_a_worse_one(folder: Path) -> None:
    """An index whose list lacks half of its best has a recall of a half: 50 of 100."""
    space = opened(folder)
    index = space.index.current()
    texts = asking.questions(TURNS, 10)
    vectors = DrawnEmbedder().embed(texts)
    assert exact.dense(index, vectors).recall >= 0.999
    assert exact.words(space, index, texts).recall == 1

    class Half:
        def __getattr__(self, name: str) -> object:
            return getattr(index, name)

        def semantic(self, query: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
            rows, cosines = index.semantic(query, n)
            return rows[: n // 2], cosines[: n // 2]

    assert exact.dense(Half(), vectors).recall == pytest.approx(0.5, abs=0.05)  # type: ignore[arg-type]
    space.close()


def test_written_turns_are_seen_and_deleted_ones_are_not(tmp_path: Path) -> None:
    """The namespace ends as it began, and what was measured is positive."""
    space = opened(tmp_path)
    load.fill(space, 200, DrawnEmbedder(), RuleExtractor(), show=False)
    added, ids = writing.add(space, DrawnEmbedder(), RuleExtractor(), rounds=3)
    assert space.index.current().size == 230
    deleted = writing.delete(space, ids, calls=2)
    assert (added.turns, added.rounds, deleted.rounds) == (10, 3, 2)
    assert 0 < added.wall.p50 <= added.wall.p95
    assert space.store.stats().turns == space.index.current().size == 200
    space.close()


def test_a_write_that_is_not_seen_stops_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "_seen", lambda *_: False)
    space = opened(tmp_path)
    load.fill(space, 100, DrawnEmbedder(), RuleExtractor(), show=False)
    with pytest.raises(writing.NotVisible):
        writing.add(space, DrawnEmbedder(), RuleExtractor(), rounds=1)
    space.close()


def test_cold_open_counts_all_units_and_says_why_it_failed(folder: Path) -> None:
    place, drawn = namespace_folder(folder, "ana"), DrawnEmbedder()
    found = open_cold(place, "ana", drawn.id, TURNS, drop=True)
    assert found.units == TURNS
    assert found.cpu > 0
    with pytest.raises(OpeningFailed, match="another-embedder"):
        open_cold(place, "ana", "another-embedder", TURNS, drop=False)


def test_spread_is_of_milliseconds() -> None:
    """Of 1…100 ms the median is 50.5 and the 95th percentile 95.05, by linear interpolation."""
    assert Spread.of([number / 1000 for number in range(1, 101)]) == Spread(50.5, 95.05)


def test_run_writes_tables_and_plot_and_takes_up_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two sizes with drawn vectors; the second run measures nothing anew, a larger one only what is new."""
    monkeypatch.setattr(run, "QUESTIONS", 5)
    monkeypatch.setattr("qgmem.evals.growth.size.QUESTIONS", 5)
    monkeypatch.setattr("qgmem.evals.growth.size.ROUNDS", 2)
    out = tmp_path / "out"
    options = ["--out", str(out), "--embed-up-to", "0", "--namespaces", "3"]
    assert command.main(["100", "300", *options]) == 0
    text = (out / "growth.md").read_text()
    assert "| 100 | 300 |" in text
    assert "drawn" in text
    assert {path.name for path in out.iterdir()} >= {"growth.json", "growth.svg", "growth.png"}
    assert not (out / "stores" / "drawn").exists()
    first = json.loads((out / "growth.json").read_text())
    monkeypatch.setattr(run, "measure_size", lambda *_, **__: pytest.fail("measured again"))
    again = grow([300, 100], out, namespaces=3, embed_up_to=0, show=False)
    assert list(again.sizes) == first["sizes"]
    assert again.namespaces == first["namespaces"]


def test_an_interrupted_run_fills_the_other_namespaces_and_reports_of_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped at the third of four, and with its last line cut: the second is looked at again, the first is not."""
    added: list[str] = []
    add = Memory.add

    def counted(memory: Memory, messages: list[dict[str, object]], *, user_id: str) -> object:
        if len(added) == 2 and user_id == "user-2":
            raise KeyboardInterrupt
        added.append(user_id)
        return add(memory, messages, user_id=user_id)

    monkeypatch.setattr(Memory, "add", counted)
    folder = tmp_path / "small"
    with pytest.raises(KeyboardInterrupt):
        namespaces.measure_namespaces(4, folder, show=False)
    kept = namespaces.kept_file(folder)
    kept.write_text(kept.read_text()[:-5])
    added.append("stopped")
    found = namespaces.measure_namespaces(4, folder, show=False)
    assert added == ["user-0", "user-1", "stopped", "user-1", "user-2", "user-3"]
    assert len(kept.read_text().splitlines()) == 4
    assert found["namespaces"] == found["searched"] == 4
    with Memory.open(folder, embedder=DrawnEmbedder()) as memory:
        assert [memory.stats(user_id=f"user-{number}").turns for number in range(4)] == [100] * 4


def test_sizes_must_be_given(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="sizes"):
        grow([50], tmp_path)


def test_pages_that_were_released_come_back(tmp_path: Path) -> None:
    """Answers stay the same when the exact vectors of the base are let go between searches."""
    space = opened(tmp_path)
    load.fill(space, TURNS, DrawnEmbedder(), RuleExtractor(), show=False)
    index = space.index.current()
    pages = snapshot.read(space.index._folder / SNAPSHOT, space.index._recipe).pages  # type: ignore[union-attr]
    assert pages is not None
    assert pages.length > TURNS * 384 * 2 * 0.9  # the vectors, but for the pages at the borders
    query = DrawnEmbedder().embed(["anything"])[0]
    before = index.semantic(query, 20)
    assert space.index._pages is not None
    space.index._pages.release()
    after = index.semantic(query, 20)
    assert np.array_equal(before[0], after[0])
    assert np.array_equal(before[1], after[1])
    space.close()
