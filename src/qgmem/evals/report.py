"""The report of a run: `report.json` for programs, `report.md` for people, `questions.jsonl` for statistics.

`report.json` and `questions.jsonl` are the same bytes for the same inputs, but for the timings
(`latency_ms`, `ingest.seconds`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from qgmem.types import JsonValue

from .datasets.dialogue import Dataset
from .runner import Ingest, Outcome, Row

Json = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Report:
    """One run, summed up. Metrics are means over all `n` questions, as fractions unless named otherwise.

    `by_category` and `by_conversation` map a group to {"n", metric: mean}; `skipped` maps a reason to
    how many questions were left out for it, never for failing; `extra` holds a task's own sections.
    """

    task: str
    metrics: Json
    by_category: Json
    by_conversation: Json
    latency_ms: Json
    ingest: Ingest
    manifest: Json
    rows: tuple[Row, ...]
    skipped: Mapping[str, int]
    malformed_evidence: Json
    extra: Json = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Questions asked; each counts in every mean."""
        return len(self.rows)

    def to_json(self) -> Json:
        """The content of `report.json`."""
        failures: list[JsonValue] = [
            {"question": row.question.id, "error": row.failure} for row in self.rows if row.failure
        ]
        return {
            "task": self.task,
            "n": self.n,
            "metrics": self.metrics,
            "by_category": self.by_category,
            "by_conversation": self.by_conversation,
            "latency_ms": self.latency_ms,
            "ingest": {
                "conversations": self.ingest.conversations,
                "turns": self.ingest.turns,
                "stored": self.ingest.stored,
                "deduplicated": self.ingest.deduplicated,
                "failed": list(self.ingest.failed),
                "seconds": round(self.ingest.seconds, 3),
            },
            "failures": failures,
            "skipped": dict(self.skipped),
            "malformed_evidence": self.malformed_evidence,
            **self.extra,
            "manifest": self.manifest,
        }


def summarise(
    task: str,
    dataset: Dataset,
    outcome: Outcome,
    manifest: Json,
    *,
    skipped: Mapping[str, int] | None = None,
    extra: Json | None = None,
) -> Report:
    """Means overall, by category and by conversation, and latencies, of one outcome."""
    rows = outcome.rows
    return Report(
        task=task,
        metrics=means(rows),
        by_category=_grouped(rows, [row.question.category for row in rows]),
        by_conversation=_grouped(rows, [row.question.conversation_id for row in rows], latencies=True),
        latency_ms=latency(rows),
        ingest=outcome.ingest,
        manifest=manifest,
        rows=rows,
        skipped=skipped or {},
        malformed_evidence=_malformed(dataset),
        extra=extra or {},
    )


def compact(outcome: Outcome) -> Json:
    """Means overall and by category, and failures, of a pass that only accompanies a report."""
    rows = outcome.rows
    return {
        "metrics": means(rows),
        "by_category": _grouped(rows, [row.question.category for row in rows]),
        "failures": sum(row.failure is not None for row in rows),
    }


def means(rows: Sequence[Row]) -> Json:
    """Metric → mean over the rows, six decimals."""
    return {name: round(float(np.mean([r.scores[name] for r in rows])), 6) for name in rows[0].scores}


def latency(rows: Iterable[Row]) -> Json:
    """p50 and p95 of `search` in milliseconds over the questions it answered; null if none."""
    taken = [row.latency_ms for row in rows if row.latency_ms is not None]
    if not taken:
        return {"p50": None, "p95": None}
    p50, p95 = np.percentile(taken, [50, 95])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3)}


def write_report(report: Report, out: Path) -> None:
    """Writes the three files into the folder `out`, making it if need be."""
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report.to_json(), ensure_ascii=False, indent=2, allow_nan=False)
    (out / "report.json").write_text(text + "\n", encoding="utf-8")
    (out / "report.md").write_text(to_markdown(report), encoding="utf-8")
    lines = (json.dumps(_row_json(row), ensure_ascii=False, allow_nan=False) for row in report.rows)
    (out / "questions.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def to_markdown(report: Report) -> str:
    """The tables a person reads first; scores in per cent."""
    names = list(report.metrics)
    groups: list[tuple[str, JsonValue]] = [("**all**", {"n": report.n, **report.metrics})]
    groups += list(report.by_category.items())
    lines = [
        f"# {report.task}",
        "",
        "| | n | " + " | ".join(names) + " |",
        "|---|---:|" + "---:|" * len(names),
        *(_table_row(name, group, names) for name, group in groups),
        "",
        f"Search: p50 {report.latency_ms['p50']} ms, p95 {report.latency_ms['p95']} ms. "
        f"Ingest: {report.ingest.turns} turns of {report.ingest.conversations} conversations in "
        f"{report.ingest.seconds:.1f} s, {len(report.ingest.failed)} not stored.",
        "",
        f"Failed questions (scored 0): {sum(row.failure is not None for row in report.rows)}. "
        f"Malformed evidence entries (counted as misses): {report.malformed_evidence['count']}.",
    ]
    lines += [f"Left out: {count} ({reason})." for reason, count in report.skipped.items()]
    return "\n".join(lines) + "\n"


def _table_row(name: str, group: JsonValue, names: Sequence[str]) -> str:
    assert isinstance(group, dict)
    scores = (group[metric] for metric in names)
    cells = (f"{100 * s:.2f}" if isinstance(s, int | float) else "" for s in scores)
    return f"| {name} | {group['n']} | " + " | ".join(cells) + " |"


def _grouped(rows: Sequence[Row], labels: Sequence[str], *, latencies: bool = False) -> Json:
    found: dict[str, list[Row]] = {}
    for row, label in zip(rows, labels, strict=True):
        found.setdefault(label, []).append(row)
    grouped: Json = {}
    for label, members in found.items():
        group: Json = {"n": len(members), **means(members)}
        if latencies:
            group["latency_ms"] = latency(members)
        grouped[label] = group
    return grouped


def _malformed(dataset: Dataset) -> Json:
    entries: list[JsonValue] = [
        {"question": m.question_id, "entry": m.entry, "reason": m.reason} for m in dataset.malformed
    ]
    return {"count": len(entries), "entries": entries, **dataset.notes}


def _row_json(row: Row) -> Json:
    return {
        "id": row.question.id,
        "conversation": row.question.conversation_id,
        "category": row.question.category,
        "found": list(row.found),
        "scores": {name: round(score, 6) for name, score in row.scores.items()},
        "failure": row.failure,
    }
