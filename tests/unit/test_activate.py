"""From question to candidates: every fusion with every set of channels, with and without a reranker, in every scope.

One small memory of two people and four sessions; the product is asked through its facade, the expected sets are read
off the table below.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from qgmem import Memory, Settings
from qgmem.activation.rerank import RerankTask
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.index import Rows
from qgmem.types import Hit

EMBEDDER = HashEmbedder(64)
NAMES = ("lexical", "semantic", "event_attributes")
CHANNELS = [found for size in range(4) for found in combinations(NAMES, size)]
FUSIONS = ("default", "rrf", "entity_memory")
RERANKERS = ("none", "learned")

# id, session, date, speaker, text. Every session has a date of its own month.
TURNS = (
    ("a1", "s1", "2024-01-10", "Ana", "I moved to Oslo on 3 January 2024 ."),
    ("b1", "s1", "2024-01-10", "Bob", "How is Oslo treating you ?"),
    ("a2", "s1", "2024-01-10", "Ana", "Cold , and the flat in Oslo is small ."),
    ("b2", "s2", "2024-02-10", "Bob", "My sister Clara plays chess in Bergen ."),
    ("a3", "s2", "2024-02-10", "Ana", "Does Clara like Bergen ?"),
    ("b3", "s2", "2024-02-10", "Bob", "She likes Bergen more than Oslo ."),
    ("a4", "s3", "2024-03-10", "Ana", "On 5 March 2024 I started a job at Acme ."),
    ("b4", "s3", "2024-03-10", "Bob", "What does Acme make ?"),
    ("a5", "s3", "2024-03-10", "Ana", "Acme makes red kites ."),
    ("b5", "s4", "2024-04-10", "Bob", "I bought a red kite from Acme ."),
    ("a6", "s4", "2024-04-10", "Ana", "I am leaving Oslo and moving to Bergen ."),
    ("b6", "s4", "2024-04-10", "Bob", "Clara will show you Bergen ."),
)
QUESTION = "Where did Ana move to in January 2024 , Oslo or Bergen ?"
EVERYONE = {turn[0] for turn in TURNS}
IDS = ("channels", "fusion", "rerank")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("memories")
    with Memory.open(path, embedder=EMBEDDER, settings=Settings(rerank="none")) as memory:
        for session in dict.fromkeys(turn[1] for turn in TURNS):
            lines = [turn for turn in TURNS if turn[1] == session]
            memory.add(
                [{"role": "user", "name": name, "content": text, "id": id} for id, _, _, name, text in lines],
                session_id=session,
                timestamp=lines[0][2],
                metadata={"topic": "work" if session == "s3" else "life"},
            )
    return path


@pytest.fixture(params=CHANNELS, ids=lambda found: "+".join(found) or "no channel")
def channels(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(params=FUSIONS)
def fusion(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=RERANKERS)
def rerank(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def memory(folder: Path, channels: tuple[str, ...], fusion: str, rerank: str) -> Iterator[Memory]:
    settings = Settings.load({}, channels=channels, fusion=fusion, rerank=rerank)
    with Memory.open(folder, embedder=EMBEDDER, settings=settings) as opened:
        yield opened


def in_order(hits: list[Hit]) -> bool:
    """Best first, ties by id, ranks from 1, nothing twice."""
    keys = [(-hit.score, hit.id) for hit in hits]
    return (
        keys == sorted(keys)
        and [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
        and len({hit.id for hit in hits}) == len(hits)
    )


def test_every_combination_answers_in_order(memory: Memory, channels: tuple[str, ...], fusion: str) -> None:
    """Whatever is switched on finds something; with no channel only the entity graph does, which is none."""
    hits = memory.search(QUESTION, limit=50, explain=True)
    assert in_order(hits)
    assert bool(hits) == bool(channels or fusion == "entity_memory")
    assert all(set(hit.channels) <= set(channels) for hit in hits)
    assert len(memory.search(QUESTION, limit=2)) == min(2, len(hits))
    if hits and "semantic" in channels and "lexical" in channels:
        assert "a1" in [hit.id for hit in hits[:3]]  # the turn that says it, in so many words


def test_the_reranker_runs_where_it_can_read_its_channels(
    memory: Memory, channels: tuple[str, ...], rerank: str
) -> None:
    """The learned ranker reads words and vectors; where one is off, every hit says so."""
    hits = memory.search(QUESTION)
    able = rerank == "none" or {"lexical", "semantic"} <= set(channels)
    assert all((hit.flags == ()) == able for hit in hits)
    assert all(hit.flags == () or hit.flags[0].startswith("not-reranked: reranker learned-2: ") for hit in hits)


@pytest.mark.parametrize(
    ("scope", "allowed"),
    [
        ({"filters": {"speaker": "Ana"}}, {"a1", "a2", "a3", "a4", "a5", "a6"}),
        ({"filters": {"session_id": "s1"}}, {"a1", "b1", "a2"}),
        ({"filters": {"topic": "work"}}, {"a4", "b4", "a5"}),
        ({"filters": {"speaker": "Nobody"}}, set()),
        ({"known_at": "2024-02-15"}, {"a1", "b1", "a2", "b2", "a3", "b3"}),
        ({"known_at": "serial-2"}, {"a1", "b1"}),
        ({"as_of": "2024-01-20"}, {"a1", "b1", "a2"}),
        ({"as_of": "2024-03-07"}, EVERYONE - {"b4", "a5", "b5", "a6", "b6"}),  # valid from 5 March, said on 10 March
        ({"filters": {"speaker": "Bob"}, "known_at": "2024-02-15"}, {"b1", "b2", "b3"}),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
def test_no_path_shows_what_the_scope_forbids(
    memory: Memory, scope: dict[str, Any], allowed: set[str], channels: tuple[str, ...], fusion: str
) -> None:
    hits = memory.search(QUESTION, limit=50, **scope)
    assert {hit.id for hit in hits} <= allowed
    assert in_order(hits)
    if allowed and "semantic" in channels and fusion == "entity_memory":
        assert {hit.id for hit in hits} == allowed  # it ranks everything that it may
    if allowed and "lexical" in channels:
        assert hits


def test_the_same_question_gives_the_same_bytes(memory: Memory, folder: Path) -> None:
    """Again, and from a memory that was opened anew."""
    first = [(hit.id, hit.score) for hit in memory.search(QUESTION, limit=50)]
    assert [(hit.id, hit.score) for hit in memory.search(QUESTION, limit=50)] == first
    with Memory.open(folder, embedder=EMBEDDER, settings=memory.settings) as again:
        assert [(hit.id, hit.score) for hit in again.search(QUESTION, limit=50)] == first


def test_a_longer_list_begins_with_the_shorter(memory: Memory) -> None:
    whole = [hit.id for hit in memory.search(QUESTION, limit=12)]
    for limit in (1, 3, 7):
        assert [hit.id for hit in memory.search(QUESTION, limit=limit)] == whole[:limit]


def test_nothing_there_is_nothing_found(memory: Memory, tmp_path: Path) -> None:
    """A user who is not known, and one whose every turn was deleted."""
    assert memory.search(QUESTION, user_id="nobody") == []
    with Memory.open(tmp_path, embedder=EMBEDDER, settings=memory.settings) as other:
        other.add({"role": "user", "name": "Ana", "content": "I moved to Oslo .", "id": "a1"})
        other.delete("a1")
        assert other.search(QUESTION) == []


@pytest.mark.parametrize("fusion_name", FUSIONS)
@pytest.mark.parametrize("rerank_name", RERANKERS)
def test_a_limit_past_the_pool_widens_it(folder: Path, fusion_name: str, rerank_name: str) -> None:
    """pool = n = 2, and all twelve are asked for: the default finds by words, entity–memory ranks all of them."""
    settings = Settings.load({}, pool=2, n=2, k=2, fusion=fusion_name, rerank=rerank_name)
    with Memory.open(folder, embedder=EMBEDDER, settings=settings) as memory:
        assert len(memory.search(QUESTION)) == 2
        hits = memory.search(QUESTION, limit=12)
        assert len(hits) >= 8
        assert in_order(hits)
        assert {hit.id for hit in hits} <= EVERYONE


@pytest.mark.parametrize("fusion_name", FUSIONS)
@pytest.mark.parametrize("rerank_name", RERANKERS)
def test_ties_break_by_id_whatever_the_order_of_arrival(tmp_path: Path, fusion_name: str, rerank_name: str) -> None:
    """Four turns of the same words, speaker and month, each alone in its session: only the id tells them apart.

    The learned ranker sees the ranks that ids decided, so its scores may differ where the fusion's do not; but which
    turn came first plays no part.
    """
    settings = Settings.load({}, fusion=fusion_name, rerank=rerank_name)
    found = {}
    with Memory.open(tmp_path, embedder=EMBEDDER, settings=settings) as memory:
        for order in ("mzak", "kamz", "zmka"):
            for id in order:
                message = {"role": "user", "name": "Ana", "content": "The kite is red .", "id": id}
                memory.add(message, session_id=f"session {id}", user_id=order)
            found[order] = memory.search("Which kite is red ?", user_id=order)
    assert len({tuple((hit.id, round(hit.score, 4)) for hit in hits) for hits in found.values()}) == 1
    hits = found["mzak"]
    assert sorted(hit.id for hit in hits) == ["a", "k", "m", "z"]
    if rerank_name == "none":
        assert [hit.id for hit in hits] == ["a", "k", "m", "z"]
        assert fusion_name == "rrf" or len({hit.score for hit in hits}) == 1  # rrf knows ranks and no scores


def test_entities_alone_rank_by_entity_score(folder: Path) -> None:
    """Without vectors the entity graph answers by itself, and leaves out what has no entity of the question."""
    settings = Settings(fusion="entity_memory", channels=("lexical",), rerank="none")
    with Memory.open(folder, embedder=EMBEDDER, settings=settings) as memory:
        hits = memory.search("What does Clara play ?", limit=12)
        assert {"b2", "a3", "b6"} <= {hit.id for hit in hits}
        assert "a4" not in {hit.id for hit in hits}
        assert all(hit.score > 0 for hit in hits)
        assert memory.search("anything else at all ?", limit=12) == []


class Watches:
    """Keeps what the reranker is shown."""

    id = "watches"

    def rerank(self, task: RerankTask) -> tuple[Rows, Any]:
        self.task = task
        return task.fused.rows, task.fused.scores


def test_a_reranker_sees_more_than_the_pool_and_no_document_unasked(folder: Path) -> None:
    """Up to a thousand candidates, whatever the pool; documents and texts are made when they are asked for."""
    watches = Watches()
    settings = Settings(pool=2, k=2, rerank_seconds=20)
    with Memory.open(folder, embedder=EMBEDDER, reranker=watches, settings=settings) as memory:
        hits = memory.search(QUESTION)
        task = watches.task
        assert len(hits) == 2
        assert len(task.fused.rows) > 2
        rows = task.fused.rows[:2]
        assert task.texts is not None
        assert task.texts(rows) == [f"{hit.speaker}: {hit.text}" for hit in hits]
        assert all(document.startswith("fact: ") for document in task.documents(rows))
        assert task.asking.text == QUESTION
        assert task.asking.vector is not None
        assert [channel.name for channel in task.lists] == ["lexical", "semantic", "event_attributes"]


def test_known_at_and_as_of_flag_what_has_no_time(tmp_path: Path) -> None:
    """A turn of unknown time is shown under a time scope and says so, also after reranking."""
    with Memory.open(tmp_path, embedder=EMBEDDER) as memory:
        memory.add("the kite is red", session_id="undated")
        memory.add("the kite was blue", session_id="dated", timestamp="2024-01-01")
        memory.add("the kite will be green", session_id="later", timestamp="2025-01-01")
        hits = {hit.text: hit.flags for hit in memory.search("which kite", known_at="2024-06-01")}
    assert hits == {"the kite is red": ("time-unknown",), "the kite was blue": ()}


def test_a_question_in_another_script_keeps_the_fused_order_and_says_so(tmp_path: Path) -> None:
    """The learned ranker never saw Thai; most letters of the question decide, so a name in it does not."""
    with Memory.open(tmp_path, embedder=HashEmbedder()) as memory:
        memory.add(["ฉันอาศัยอยู่ในกรุงเทพมหานคร", "I live in Bangkok", "nothing"])
        [thai, *_] = memory.search("กรุงเทพ BKK?")
        assert thai.flags[0].startswith("not-reranked: reranker learned-2: was trained on Latin script")
        assert all(not hit.flags for hit in memory.search("Who lives in Bangkok, กรุงเทพ?"))


def test_what_had_not_been_said_yet_lends_nothing_to_what_had(tmp_path: Path) -> None:
    """Both memories hold the same first two turns; one of them a third, beside the second, that matches best.

    As known on the first day they give the same hits with the same parts, whatever was said in that session later.
    """
    first = [{"content": "I went out", "id": "x"}, {"content": "we walked", "id": "y"}]
    later = {"content": "the kite was red", "id": "z"}
    found = []
    for name, more in (("before", []), ("after", [later])):
        with Memory.open(tmp_path / name, embedder=EMBEDDER, settings=Settings(rerank="none")) as memory:
            memory.add(first, session_id="s", timestamp="2024-01-01")
            if more:
                memory.add(more, session_id="s", timestamp="2024-02-01")
            hits = memory.search("red kite", known_at="2024-01-15", explain=True)
            found.append([(hit.id, hit.score, hit.contributions) for hit in hits])
    assert found[0] == found[1]
    assert [entry[0] for entry in found[0]] != []
