"""The study's result, and its JSON: the same bytes for the same inputs but for `cost`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from qgmem.evals.datasets.dialogue import Dataset
from qgmem.types import JsonValue

from .conditions import COMPLETE, CUTOFFS, DENSE, DENSE_GRAPH, MAIN_CUTOFF
from .cost import Cost
from .families import Cell, Finding, Scores
from .graphs import StudyGraph
from .texts import MAIN_FORM

Json = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class StageCost:
    """One stage under one owner (an embedder or a graph): cold, and replayed from the artefacts alone."""

    owner: str
    stage: str
    cold: Cost
    replay: Cost


@dataclass(frozen=True)
class Study:
    """Everything that was found. `ranking_ms`: cell → condition → milliseconds a question."""

    data: Dataset
    embedders: Mapping[str, Json]
    graphs: Sequence[StudyGraph]
    scores: Scores
    findings: Sequence[Finding]
    costs: Sequence[StageCost]
    ranking_ms: Mapping[Cell, Mapping[str, float]]
    manifest: Json

    @property
    def categories(self) -> list[str]:
        """Categories in the order in which they first appear in the data's own numbering, where known."""
        from qgmem.evals.datasets.locomo import CATEGORIES

        present = {question.category for question in self.data.questions}
        return [name for name in CATEGORIES.values() if name in present] + sorted(present - set(CATEGORIES.values()))

    def mean(self, cell: Cell, condition: str, cutoff: int, category: str | None = None) -> float:
        """Mean recall in per cent, over one category or all questions."""
        values = self.scores[cell][condition][cutoff]
        return float((values if category is None else values[self._members(category)]).mean())

    def count(self, category: str) -> int:
        """Questions of a category."""
        return sum(question.category == category for question in self.data.questions)

    def finding(self, family: str, name: str, embedder: str, graph: str) -> Finding | None:
        """One finding by its names, if it was asked for."""
        wanted = (family, embedder, graph, name)
        for one in self.findings:
            if (one.family.name, one.family.embedder, one.family.graph, one.contrast.name) == wanted:
                return one
        return None

    def _members(self, category: str) -> list[int]:
        return [i for i, question in enumerate(self.data.questions) if question.category == category]


def to_json(study: Study) -> Json:
    """The content of `study.json`; recall in per cent, differences in points."""
    data = study.data
    return {
        "study": "evidence-recall",
        "main_form": MAIN_FORM,
        "questions": len(data.questions),
        "conversations": len(data.conversations),
        "turns": sum(len(c.turn_ids) for c in data.conversations),
        "categories": {name: study.count(name) for name in study.categories},
        "embedders": dict(study.embedders),
        "graphs": {graph.name: _graph(graph) for graph in study.graphs},
        "control": [{**_cell(cell), "compared": len(data.questions), "other_than_A": 0} for cell in study.scores],
        "recall": [
            {**_cell(cell), "condition": condition, **_means(study, cell, condition)}
            for cell, conditions in study.scores.items()
            for condition in conditions
        ],
        "findings": [_finding(finding) for finding in study.findings],
        "cost": {
            "stages": [
                {"owner": c.owner, "stage": c.stage, "cold": c.cold.to_json(), "replay": c.replay.to_json()}
                for c in study.costs
            ],
            "ranking_ms_per_question": [
                {**_cell(cell), **{name: round(ms[name], 4) for name in (DENSE, DENSE_GRAPH, COMPLETE)}}
                for cell, ms in study.ranking_ms.items()
            ],
        },
        "manifest": study.manifest,
    }


def write_json(study: Study, path: Path) -> None:
    """Writes `study.json`."""
    text = json.dumps(to_json(study), ensure_ascii=False, indent=1, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")


def write_questions(study: Study, path: Path) -> None:
    """One line a question: its recall as fractions, A and B at every cutoff, all else at the main one."""
    with path.open("w", encoding="utf-8") as file:
        for row, question in enumerate(study.data.questions):
            scores = {
                f"{'/'.join(cell)}/{condition}@{k}": round(float(values[row]) / 100, 6)
                for cell, conditions in study.scores.items()
                for condition, by_cutoff in conditions.items()
                for k, values in by_cutoff.items()
                if k == MAIN_CUTOFF or condition in (DENSE, COMPLETE)
            }
            line = {"id": question.id, "conversation": question.conversation_id, "category": question.category}
            file.write(json.dumps({**line, "scores": scores}, ensure_ascii=False) + "\n")


def _cell(cell: Cell) -> Json:
    return {"embedder": cell.embedder, "graph": cell.graph, "form": cell.form}


def _means(study: Study, cell: Cell, condition: str) -> Json:
    def row(category: str | None) -> Json:
        return {str(k): round(study.mean(cell, condition, k, category), 4) for k in CUTOFFS}

    return {"overall": row(None), "by_category": {name: row(name) for name in study.categories}}


def _graph(graph: StudyGraph) -> Json:
    graphs = graph.graphs.values()
    return {
        "entities": sum(len(g.entities) for g in graphs),
        "memories": sum(len(g.memory_ids) for g in graphs),
        "mentions": sum(len(g.memories) for g in graphs),
        "mentions_by_speaker_link_only": int(sum(int(g.by_link.sum()) for g in graphs)),
        "question_keys": sum(len(keys) for keys in graph.keys.values()),
        "questions_without_key": sum(not keys for keys in graph.keys.values()),
    }


def _finding(finding: Finding) -> Json:
    compared = finding.comparison
    return {
        "family": finding.family.name,
        "embedder": finding.family.embedder,
        "graph": finding.family.graph,
        "name": finding.contrast.name,
        "complete": round(compared.mean_b, 4),
        "other": round(compared.mean_a, 4),
        "by_question": {k: round(v, 4) for k, v in asdict(compared.by_question).items()},
        "by_conversation": {k: round(v, 4) for k, v in asdict(compared.by_conversation).items()},
        "holm_by_question": round(compared.holm_by_question, 4),
        "holm_by_conversation": round(compared.holm_by_conversation, 4),
        "supported": compared.supported,
        "published": finding.contrast.published,
    }
