"""The study on the published graph: it is still the graph that gives the published lists, and B_embed holds."""

from __future__ import annotations

import json
from pathlib import Path

from qgmem.activation.entity_graph import rank
from qgmem.evals.datasets.dialogue import Dataset
from qgmem.evals.datasets.locomo import load_locomo
from qgmem.evals.study.graphs import StudyGraph, stored_graph
from qgmem.evals.study.ranking import rank_cell
from qgmem.evals.study.texts import memory_texts
from qgmem.evals.study.vectors import embed_groups
from qgmem.models.scripted import HashEmbedder


def _both(bench_data: Path) -> tuple[Dataset, StudyGraph]:
    data = load_locomo(bench_data / "locomo" / "locomo10.json", caption_query=False)
    return data, stored_graph(data, bench_data / "em_graph" / "graphs_and_question_keys.json")


def test_marking_speaker_links_changes_no_published_list(bench_data: Path) -> None:
    data, graph = _both(bench_data)
    published = json.loads((bench_data / "em_graph" / "ranked_top50.json").read_text())["em_entity_only"]
    theirs = {f"{c}:{i}": found for c, rows in published.items() for i, found in enumerate(rows)}
    same = sum(
        [turn for turn, _ in rank(graph.graphs[q.conversation_id], graph.keys[q.id], None, 50)] == theirs[q.id]
        for q in data.questions
    )
    assert same == len(data.questions) == 1986
    # All 5,882 turns mention their speaker, whom the words or the caption of only 3 of them name.
    assert sum(int(g.by_link.sum()) for g in graph.graphs.values()) == 5882 - 3


def test_dense_over_the_graph_store_is_dense_for_every_row(bench_data: Path, tmp_path: Path) -> None:
    data, graph = _both(bench_data)
    texts = {c.id: memory_texts(c, "resolved") for c in data.conversations}
    groups = {"all": [t for turns in texts.values() for t in turns.values()], "q": [q.text for q in data.questions]}
    vectors, _ = embed_groups(HashEmbedder(32), groups, tmp_path, show_progress=False)
    found = rank_cell(data, texts, vectors, graph, {}).lists  # raises ControlFailed where they differ
    assert found["A"] == found["B_embed"]
    assert {len(turns) for turns in found["A"].values()} == {50}
