"""Entity–Memory retrieval: the match, the gate, the sequence step, fusion and its switches."""

from __future__ import annotations

import math
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from qgmem.activation.entity_graph import (
    EntityGraph,
    EntityMemoryOptions,
    GraphBuilder,
    entity_scores,
    expand_neighbours,
    first_release_tokens,
    normalise_key,
    rank,
)
from qgmem.activation.entity_graph.gate import match
from qgmem.activation.entity_graph.top import top
from qgmem.errors import InvalidInput
from qgmem.types import Entity

WORDS = ("red", "blue", "shed", "garden", "the", "boat", "anna")


def what(*names: str) -> list[Entity]:
    return [Entity(name, "What") for name in names]


def small() -> EntityGraph:
    """Five memories: anna speaks twice, bo twice, then a silent one."""
    builder = GraphBuilder()
    builder.add("m1", what("red shed"), speaker="Anna")
    builder.add("m2", what("garden"), speaker="Bo")
    builder.add("m3", [], speaker="Anna")
    builder.add("m4", what("blue shed", "boat"), speaker="Bo")
    builder.add("m5", [])
    return builder.graph()


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join), min_size=1, max_size=25),
    st.lists(st.sampled_from(WORDS), max_size=4),
)
def test_name_scores_are_rank_bm25_to_the_last_bit(names: list[str], query: list[str]) -> None:
    """Distinct names; a name without tokens counts as one word; words in over half of the names included."""
    distinct = list(dict.fromkeys(names))
    builder = GraphBuilder()
    builder.add("m", what(*distinct))
    index = builder.graph().names
    tokens = [token for word in query for token in first_release_tokens(word)]
    theirs = BM25Okapi([first_release_tokens(name) or [""] for name in distinct]).get_scores(tokens)
    entities, scores = index.scores(tokens)
    ours = np.zeros(len(distinct))
    ours[entities] = scores
    assert ours.tolist() == theirs.tolist()


def test_first_release_tokens() -> None:
    assert first_release_tokens("What did Mel's 2 Dogs do in the RED-shed?") == ["mel", "dogs", "red", "shed"]


@pytest.mark.parametrize(
    ("name", "key"),
    [("Caroline's", "caroline"), ("  Mom’s   old house ", "mom's old house"), ("BOSS", "boss"), ("'s", "")],
)
def test_keys(name: str, key: str) -> None:
    assert normalise_key(name) == key


def test_match_is_relative_to_the_best_name_and_exact_is_one() -> None:
    """ "shed" is an exact name's only rival here: both two-word names score alike, so both have ρ = 1."""
    graph = small()
    assert {graph.keys[e]: rho for e, rho in match(graph, "shed").items()} == {
        "red shed": 1.0,
        "blue shed": 1.0,
    }
    found = {graph.keys[e]: rho for e, rho in match(graph, "red shed").items()}
    assert found["red shed"] == 1.0
    assert found.get("blue shed", 0.0) < 1.0


def test_a_stop_word_is_matched_by_its_exact_name_only() -> None:
    builder = GraphBuilder()
    builder.add("m1", what("you", "you two"))
    graph = builder.graph()
    assert {graph.keys[e] for e in match(graph, "you")} == {"you"}


def test_at_most_twenty_matches_ties_by_key() -> None:
    builder = GraphBuilder()
    builder.add("m", what(*[f"shed {n:02d}" for n in range(30)]))
    graph = builder.graph()
    assert [graph.keys[e] for e in match(graph, "shed")] == [f"shed {n:02d}" for n in range(20)]


def test_entity_score_by_hand() -> None:
    """Keys anna, boat: Q⁺ = 2. boat: ½·1/ln 2, one memory (m4). anna: ½·1/ln 3, two memories, who-only,
    so a quarter of it. m4 holds no anna."""
    graph = small()
    scores = dict(zip(graph.memory_ids, entity_scores(graph, ["anna", "boat"]).tolist(), strict=True))
    anna, boat = 0.25 * 0.5 / math.log(3), 0.5 / math.log(2)
    assert scores == pytest.approx({"m1": anna, "m2": 0, "m3": anna, "m4": boat, "m5": 0})


def test_an_unmatched_key_does_not_dilute() -> None:
    graph = small()
    assert entity_scores(graph, ["boat", "submarine"]).tolist() == entity_scores(graph, ["boat"]).tolist()


def test_an_entity_matched_only_by_a_persons_name_counts_as_who() -> None:
    """ "anna's kite" is a What, but its only key also matches the person Anna: damped like her."""
    builder = GraphBuilder()
    builder.add("m1", what("anna's kite"))
    builder.add("m2", [], speaker="Anna")
    builder.add("m3", what("shed", "garden", "boat", "well"))
    graph = builder.graph()
    kite = match(graph, "anna")[graph.key_ids["anna's kite"]]
    assert entity_scores(graph, ["anna"]).tolist() == pytest.approx(
        [0.25 * kite / math.log(2), 0.25 / math.log(2), 0]
    )


def test_sequence_is_one_hop_both_ways_and_keeps_the_larger() -> None:
    graph = small()
    raw = np.array([0.0, 0.0, 1.0, 0.2, 0.0])
    assert expand_neighbours(graph, raw, 0.5).tolist() == [0.0, 0.5, 1.0, 0.5, 0.1]


def test_late_arrival_takes_its_chronological_place() -> None:
    builder = GraphBuilder()
    builder.add("june", what("boat"), position=6)
    builder.add("august", [], position=8)
    builder.add("july", [], position=7)
    graph = builder.graph()
    spread = expand_neighbours(graph, entity_scores(graph, ["boat"]))
    assert dict(zip(graph.memory_ids, (spread > 0).tolist(), strict=True)) == {
        "june": True,
        "august": False,
        "july": True,
    }


def test_sequence_switch_decides_who_enters_the_pool() -> None:
    """Only m4 holds the boat; m3 and m5 are its neighbours."""
    graph, keys = small(), ["boat"]
    cosines = np.array([0.9, 0.8, 0.1, 0.0, 0.1])

    def order(sequence: str) -> list[str]:
        options = EntityMemoryOptions(sequence=sequence)  # type: ignore[arg-type]
        return [memory_id for memory_id, _ in rank(graph, keys, cosines, 4, options)]

    assert order("fused") == ["m4", "m3", "m5", "m1"]
    assert order("off") == ["m4", "m1", "m2", "m3"]
    assert order("after_gating") == ["m4", "m1", "m2", "m3"]


def test_after_gating_lifts_inside_the_pool_only() -> None:
    """m3 is in the pool by its speaker; the boat beside it lifts it above the equal m1."""
    graph = small()
    options = EntityMemoryOptions(sequence="after_gating")
    found = dict(rank(graph, ["anna", "boat"], None, 5, options))
    assert set(found) == {"m1", "m3", "m4"}
    assert found["m3"] == pytest.approx(0.5 * 0.5 / math.log(2))


def test_fusion_weights_and_ties_by_id() -> None:
    graph = small()
    cosines = np.array([0.2, 0.2, 0.2, 0.2, 0.2])
    ranked = rank(graph, ["boat"], cosines, 3)
    assert ranked[0] == ("m4", pytest.approx(0.30 / math.log(2) + 0.70 * 0.2))
    assert [memory_id for memory_id, _ in ranked[1:]] == ["m3", "m5"]


def test_without_a_match_every_memory_is_in_the_pool() -> None:
    ranked = rank(small(), ["submarine"], np.array([0.1, 0.5, 0.2, 0.4, 0.3]), 5)
    assert [memory_id for memory_id, _ in ranked] == ["m2", "m4", "m5", "m3", "m1"]
    assert [m for m, _ in rank(small(), [], None, 2)] == ["m1", "m2"]


def test_entity_score_off_keeps_the_gate() -> None:
    graph, cosines = small(), np.array([0.9, 0.8, 0.1, 0.0, 0.2])
    options = EntityMemoryOptions(entity_score=False)
    assert [m for m, _ in rank(graph, ["boat"], cosines, 4, options)] == ["m5", "m3", "m4", "m1"]


def test_semantic_off_fills_nothing_up() -> None:
    options = EntityMemoryOptions(semantic=False)
    assert [m for m, _ in rank(small(), ["boat"], np.ones(5), 5, options)] == ["m4", "m3", "m5"]


def test_speaker_links_off() -> None:
    """Without links nobody mentions anna; a mention in the text stays, and its degree is that alone."""
    builder = GraphBuilder()
    builder.add("m1", [], speaker="Anna")
    builder.add("m2", [Entity("Anna", "Who")], speaker="Bo")
    graph = builder.graph()
    assert entity_scores(graph, ["anna"], speaker_links=False).tolist() == [0, 0.25 / math.log(2)]


def test_refuses_cosines_of_another_shape_and_nothing_to_rank_by() -> None:
    with pytest.raises(InvalidInput, match=r"expected \(5,\), got \(4,\)"):
        rank(small(), ["boat"], np.zeros(4), 3)
    with pytest.raises(InvalidInput, match="neither"):
        rank(small(), ["boat"], None, 3, EntityMemoryOptions(entity_score=False))


def test_an_id_is_added_once() -> None:
    builder = GraphBuilder()
    builder.add("m1", [])
    with pytest.raises(InvalidInput, match="m1"):
        builder.add("m1", [])


def test_an_empty_graph_answers() -> None:
    assert rank(GraphBuilder().graph(), ["anna"], None, 5) == []


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(WORDS), max_size=3),
            st.sampled_from(["", "Anna", "Bo"]),
            st.integers(0, 5),
            st.booleans(),
            st.booleans(),
        ),
        max_size=15,
    )
)
def test_growing_and_shrinking_equals_building_at_once(
    stream: list[tuple[list[str], str, int, bool, bool]],
) -> None:
    """Reading between additions, and removing, gives the scores of a graph built from what stays."""
    grown, scratch, kept = GraphBuilder(), GraphBuilder(), set()
    for number, (names, speaker, position, read, remove) in enumerate(stream):
        grown.add(str(number), what(*names), speaker=speaker, position=position)
        kept.add(str(number))
        if read:
            grown.graph()
        if remove:
            victim = min(kept)
            grown.remove(victim)
            kept.discard(victim)
    for number, (names, speaker, position, _, _) in enumerate(stream):
        if str(number) in kept:
            scratch.add(str(number), what(*names), speaker=speaker, position=position)
    assert grown.graph().memory_ids == scratch.graph().memory_ids
    assert {e.key for e in grown.graph().entities} == {e.key for e in scratch.graph().entities}
    for keys in (["shed"], ["garden", "red"], ["bo", "blue"]):
        assert rank(grown.graph(), keys, None, 20) == rank(scratch.graph(), keys, None, 20)


@given(st.lists(st.integers(0, 4), max_size=30), st.integers(0, 12))
def test_top_is_a_full_sort_cut_at_k(values: list[int], k: int) -> None:
    ids = [f"{(n * 7) % 31:02d}" for n in range(len(values))]
    scored = [(position, float(value)) for position, value in enumerate(values)]
    everything = sorted(scored, key=lambda item: (-item[1], ids[item[0]]))
    found = top(np.array(values, np.float64), np.arange(len(values)), ids, k)
    assert found == everything[:k]


def test_our_own_tokeniser_is_a_setting() -> None:
    builder = GraphBuilder(lambda name: [word.rstrip("s") for word in name.lower().split()])
    builder.add("m1", what("wooden boats", "well", "shed", "garden"))
    assert rank(builder.graph(), ["boat"], None, 1)[0][1] > 0


def test_a_query_over_ten_thousand_entities_takes_milliseconds() -> None:
    """CPU time, a generous ceiling (measured: under 1 ms); the growth report holds the real figures."""
    random.seed(5)
    builder = GraphBuilder()
    for number in range(10_000):
        names = [f"{random.choice(WORDS)} thing{random.randrange(12_000)}" for _ in range(4)]
        builder.add(str(number), what(*names), speaker=random.choice(["Anna", "Bo"]))
    graph = builder.graph()
    assert len(graph.entities) > 10_000
    cosines = np.random.default_rng(5).random(10_000)
    rank(graph, ["anna"], cosines, 50)
    start = time.process_time()
    for _ in range(10):
        rank(graph, ["anna", "red shed", "thing77"], cosines, 50)
    assert (time.process_time() - start) / 10 < 0.02
