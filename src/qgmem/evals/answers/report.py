"""What a run's rows add up to. A failed question scores 0 and stays in every mean."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean

from qgmem.generation.answering import UNSUPPORTED
from qgmem.types import JsonValue

from .differences import differences, to_lines
from .rows import AnswerRow

COLUMNS = (
    "n", "F1", "F1 answerable", "recall", "context tokens", "prompt tokens", "seconds", "reader seconds", "abstained",
    "uncited", "failed",
)  # fmt: skip


def cell(rows: Sequence[AnswerRow]) -> dict[str, float]:
    """The numbers of one system at one k; shares and scores in percent, tokens and seconds are means.

    Prompt tokens are of questions that a reader was asked and answered.
    """
    answerable = [row.f1 for row in rows if row.category != "adversarial"]
    return {
        "n": len(rows),
        "F1": 100 * fmean(row.f1 for row in rows),
        "F1 answerable": 100 * fmean(answerable) if answerable else 0.0,
        "recall": 100 * fmean(row.recall for row in rows),
        "context tokens": fmean(row.context_tokens for row in rows),
        "prompt tokens": fmean([row.prompt_tokens for row in rows if row.prompt_tokens] or [0]),
        "seconds": fmean(row.seconds for row in rows),
        "reader seconds": fmean(row.answer_seconds for row in rows),
        "abstained": 100 * fmean(row.abstained for row in rows),
        "uncited": 100 * fmean(UNSUPPORTED in row.notes for row in rows),
        "failed": sum(row.failure is not None for row in rows),
    }


def cells(rows: Iterable[AnswerRow]) -> dict[tuple[str, int], dict[str, float]]:
    """A cell for each system and k, in the order of their first row."""
    groups: dict[tuple[str, int], list[AnswerRow]] = {}
    for row in rows:
        groups.setdefault((row.system, row.k), []).append(row)
    return {key: cell(group) for key, group in sorted(groups.items(), key=lambda each: (each[0][1], each[0][0]))}


def by_category(rows: Iterable[AnswerRow]) -> dict[tuple[str, int], dict[str, float]]:
    """Mean F1 in percent by category, for each system and k."""
    groups: dict[tuple[str, int], dict[str, list[float]]] = {}
    for row in rows:
        groups.setdefault((row.system, row.k), {}).setdefault(row.category, []).append(row.f1)
    return {
        key: {name: 100 * fmean(scores) for name, scores in sorted(found.items())}
        for key, found in sorted(groups.items(), key=lambda each: (each[0][1], each[0][0]))
    }


def to_markdown(rows: Sequence[AnswerRow], wanted: int) -> str:
    """The run as tables; says how many of the wanted rows there are."""
    lines = ["# Answers", "", f"{len(rows)} of {wanted} answers.", ""]
    lines += [f"| system | k | {' | '.join(COLUMNS)} |", "|---|" + "---:|" * (len(COLUMNS) + 1)]
    for (system, k), found in cells(rows).items():
        lines.append(f"| {system} | {k} | {' | '.join(_shown(name, found[name]) for name in COLUMNS)} |")
    names = sorted({row.category for row in rows})
    lines += [
        "",
        "F1 by category:",
        "",
        f"| system | k | {' | '.join(names)} |",
        "|---|" + "---:|" * (len(names) + 1),
    ]
    for (system, k), scores in by_category(rows).items():
        cut = [f"{scores[name]:.1f}" if name in scores else "" for name in names]
        lines.append(f"| {system} | {k} | {' | '.join(cut)} |")
    if compared := differences(rows):
        lines += ["", *to_lines(compared)]
    return "\n".join(lines) + "\n"


def _shown(name: str, value: float) -> str:
    if name in ("n", "failed"):
        return str(int(value))
    return f"{value:.2f}" if "seconds" in name else f"{value:.0f}" if "tokens" in name else f"{value:.1f}"


def to_json(rows: Sequence[AnswerRow], wanted: int, manifest: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The same as JSON, with the manifest."""
    scores = by_category(rows)
    found: list[JsonValue] = [
        {"system": key[0], "k": key[1], **values, "F1 by category": dict(scores[key])}
        for key, values in cells(rows).items()
    ]
    return {
        "task": "locomo-answers",
        "answers": len(rows),
        "wanted": wanted,
        "cells": found,
        "differences": [asdict(one) for one in differences(rows)],
        "manifest": dict(manifest),
    }


def write(rows: Sequence[AnswerRow], wanted: int, manifest: Mapping[str, JsonValue], out: Path) -> None:
    """`report.json` and `report.md`."""
    report = json.dumps(to_json(rows, wanted, manifest), ensure_ascii=False, indent=2)
    (out / "report.json").write_text(report + "\n", encoding="utf-8")
    (out / "report.md").write_text(to_markdown(rows, wanted), encoding="utf-8")
