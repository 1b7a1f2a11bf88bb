"""The matched study on made-up conversations whose answers can be derived by hand.

Each conversation has one question, "When did Ann visit <place>?". Twelve turns repeat the question's words
without the place, so that with word-hash vectors dense retrieval shows them first; the two evidence turns are the
one that names the place and the one behind it, which shares no word with the question.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from qgmem.errors import InvalidInput
from qgmem.evals.study import ControlFailed, Study, run, run_study, vectors
from qgmem.evals.study.families import Cell
from qgmem.models.scripted import HashEmbedder
from qgmem.protocols import Vectors

PLACES = ("Reykjavik", "Oslo", "Lima", "Quito", "Cairo", "Hanoi")
FILLERS = 12
RESAMPLES = 500


def conversation(number: int, place: str) -> dict[str, Any]:
    turns = [
        {"speaker": "Bob", "dia_id": f"D1:{i + 1}", "text": f"So when did you visit, Ann? ({i})"}
        for i in range(FILLERS)
    ]
    turns += [
        {"speaker": "Ann", "dia_id": f"D1:{FILLERS + 1}", "text": f"{place}, yesterday, with my cousin."},
        {"speaker": "Ann", "dia_id": f"D1:{FILLERS + 2}", "text": "Rainy, though."},
    ]
    return {
        "sample_id": f"conv-{number}",
        "conversation": {
            "session_1": turns, "session_1_date_time": "1:56 pm on 8 May, 2023",
            "speaker_a": "Ann", "speaker_b": "Bob",
        },
        "qa": [{
            "question": f"When did Ann visit {place}?", "answer": "7 May 2023", "category": 2,
            "evidence": [f"D1:{FILLERS + 1}", f"D1:{FILLERS + 2}"],
        }],
    }  # fmt: skip


def stored(record: dict[str, Any], place: str) -> dict[str, Any]:
    names = [("Bob", "Who"), ("Ann", "Who"), (place, "Where")]
    turns = record["conversation"]["session_1"]
    mentions = {turn["dia_id"]: [("Bob", "Ann").index(turn["speaker"])] for turn in turns}
    mentions[f"D1:{FILLERS + 1}"].append(2)
    return {
        "entities": [{"key": name.lower(), "value": name, "type": kind} for name, kind in names],
        "mentions": mentions,
        "question_keys_1based": {"1": [place.lower()]},
    }


class Files:
    """The two input files, written again after a change."""

    def __init__(self, folder: Path) -> None:
        self.data, self.graphs, self.out = folder / "locomo.json", folder / "graphs.json", folder / "out"
        self.records = [conversation(i, place) for i, place in enumerate(PLACES)]
        self.stored = {r["sample_id"]: stored(r, p) for r, p in zip(self.records, PLACES, strict=True)}

    def run(self, embedder: Any, **options: Any) -> Study:
        self.data.write_text(json.dumps(self.records))
        self.graphs.write_text(json.dumps(self.stored))
        return run_study(
            self.data, self.out, graphs=self.graphs, embedders=[embedder], resamples=RESAMPLES,
            show_progress=False, **options,
        )  # fmt: skip


class Counting(HashEmbedder):
    """Counts its texts; stops like Ctrl-C once it has seen `limit` of them."""

    def __init__(self, limit: int | None = None) -> None:
        super().__init__(64)
        self.seen, self.limit = 0, limit

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.limit is not None and self.seen + len(texts) > self.limit:
            raise KeyboardInterrupt
        self.seen += len(texts)
        return super().embed(texts)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    """Without pictures, which take longer than all the rest; `study` below has them."""
    monkeypatch.setattr(run, "write_plots", lambda _study, _out: [])
    return Files(tmp_path)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return Files(tmp_path_factory.mktemp("study")).run(HashEmbedder(64))


CELL = Cell("hash-64", "stored", "resolved")


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("A", 0.0),  # five of the twelve repetitions come first
        ("B_embed", 0.0),
        ("B", 100.0),  # the gate lets in the place's turn and, by sequence, its neighbours
        ("B without sequence", 50.0),  # only the turn that names the place; the rest is filled by cosine
        ("B sequence after gating", 50.0),
        ("B entity-only", 100.0),
        ("B without speaker links", 100.0),
    ],
)
def test_recall_at_five_is_what_the_conversation_makes_it(study: Study, condition: str, expected: float) -> None:
    assert study.mean(CELL, condition, 5) == expected


def test_a_difference_without_spread_has_a_point_for_interval(study: Study) -> None:
    """All six differences at 5 are 100: p = 2 / 501 both ways, times 4 for the family of four cutoffs."""
    found = study.finding("cutoffs", "B - A at 5", "hash-64", "stored")
    assert found is not None
    compared = found.comparison
    for estimate in (compared.by_question, compared.by_conversation):
        assert (estimate.low, estimate.difference, estimate.high) == (100, 100, 100)
    assert compared.holm_by_question == pytest.approx(4 * 2 / 501)
    assert compared.supported
    later = study.finding("cutoffs", "B - A at 25", "hash-64", "stored")
    assert later is not None
    assert later.comparison.by_question.p == 1  # fourteen turns: everybody shows all of them
    assert not later.comparison.supported


def test_both_graphs_are_reported_apart(study: Study) -> None:
    assert {(c.graph, c.form) for c in study.scores} == {
        (graph, form) for graph in ("stored", "rules") for form in ("raw", "resolved", "stamped")
    }
    assert {f.family.graph for f in study.findings if f.family.name == "components"} == {"stored", "rules"}


def test_fewer_than_six_conversations_support_nothing(files: Files) -> None:
    found = files.run(HashEmbedder(64), limit_conversations=5)
    assert found.mean(CELL, "B", 5) == 100
    assert not any(finding.comparison.supported for finding in found.findings)
    assert "Fewer than 6 conversations" in (files.out / "study.md").read_text()


def test_a_graph_that_lost_a_memory_stops_the_study(files: Files) -> None:
    del files.stored["conv-2"]["mentions"]["D1:3"]
    with pytest.raises(ControlFailed, match=r"stored graph: 1 of 6 questions .* conv-2:0"):
        files.run(HashEmbedder(64))
    assert not (files.out / "study.json").exists()


def test_a_graph_of_other_data_is_refused(files: Files) -> None:
    files.stored["conv-1"]["mentions"]["D9:9"] = [0]
    with pytest.raises(InvalidInput, match=r"conv-1.*mentions: 'D9:9' is no turn"):
        files.run(HashEmbedder(64))


def test_a_mention_that_only_the_speaker_made_is_a_link(files: Files) -> None:
    """Ann says two turns without her name; Bob says twelve, which name Ann and not him."""
    graph = files.run(HashEmbedder(64)).graphs[0].graphs["conv-0"]
    links = {graph.entities[e].value: int(graph.by_link[graph.offsets[e] : graph.offsets[e + 1]].sum())
             for e in range(len(graph.entities))}  # fmt: skip
    assert links == {"Bob": FILLERS, "Ann": 2, "Reykjavik": 0}


def test_a_second_run_calls_no_model_and_writes_the_same(tmp_path: Path) -> None:
    files = Files(tmp_path)
    files.run(first := Counting())
    before = json.loads((files.out / "study.json").read_text())
    pictures = {p.name: p.read_bytes() for p in files.out.glob("*.svg")}
    assert first.seen > 0
    assert sorted(pictures) == ["categories.svg", "differences.svg", "recall-by-cutoff.svg"]
    files.run(second := Counting())
    after = json.loads((files.out / "study.json").read_text())
    assert second.seen == 0
    for one in (before, after):
        assert all(stage["replay"]["calls"] == 0 for stage in one["cost"]["stages"])
        embedded = [stage["cold"]["items"] for stage in one["cost"]["stages"] if stage["owner"] == "hash-64"]
        assert sum(embedded) == first.seen
        del one["cost"]
    assert before == after
    assert {p.name: p.read_bytes() for p in files.out.glob("*.svg")} == pictures


def test_a_stopped_run_goes_on_where_it_was(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "BLOCK", 10)
    whole = Counting()
    Files(files.data.parent).run(whole)
    for artefact in (files.out / "cache" / "vectors").iterdir():
        artefact.unlink()
    with pytest.raises(KeyboardInterrupt):
        files.run(stopped := Counting(limit=40))
    files.run(resumed := Counting())
    assert 0 < stopped.seen <= 40
    assert stopped.seen + resumed.seen == whole.seen


def test_a_damaged_artefact_is_made_anew(files: Files) -> None:
    first = files.run(HashEmbedder(64))
    artefact = sorted((files.out / "cache" / "vectors").iterdir())[0]
    artefact.write_bytes(artefact.read_bytes()[:100])
    files.run(again := Counting())
    assert again.seen > 0
    assert first.mean(CELL, "B", 5) == 100


def test_the_cache_keeps_itself_out_of_git(files: Files) -> None:
    files.run(HashEmbedder(64), limit_conversations=1)
    assert (files.out / "cache" / ".gitignore").read_text() == "*\n"


def test_every_question_has_a_line_with_fractions(study: Study, files: Files) -> None:
    files.run(HashEmbedder(64))
    rows = [json.loads(line) for line in (files.out / "questions.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == [question.id for question in study.data.questions]
    scores = rows[0]["scores"]
    assert (scores["hash-64/stored/resolved/A@5"], scores["hash-64/stored/resolved/B@5"]) == (0.0, 1.0)
    assert scores["hash-64/stored/resolved/B without sequence@25"] == 1.0
