"""The smoke run's outcome as a page, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from qgmem.types import JsonValue

from ..manifest import build_manifest
from .run import CUTOFFS, Outcome, Passage


def write_report(outcome: Outcome, text: Passage, settings: Mapping[str, JsonValue], folder: Path) -> str:
    """Writes `report.json` and `report.md` into `folder`; the page."""
    manifest = build_manifest(files=[text.file], settings=settings, system={"name": "qgmem"}, seed=None)
    page = markdown(outcome, text)
    record = {**asdict(outcome), "conversation": text.conversation.id, "manifest": manifest}
    (folder / "report.json").write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (folder / "report.md").write_text(page, encoding="utf-8")
    return page


def markdown(outcome: Outcome, text: Passage) -> str:
    """What was read, what came of it, what it took, and what is found by it."""
    read = sum(outcome.windows.values())
    lines = [
        f"{text.conversation.id}, {len(text.conversation.sessions)} sessions, {outcome.turns} turns, {read} windows.",
        "",
        "| | |",
        "|---|---|",
        f"| windows | {_told(outcome.windows)} |",
        f"| units | {outcome.units} |",
        f"| evidence entries that a unit rests on | {outcome.covered} of {outcome.entries} |",
        f"| set apart | {_told(outcome.rejected)} |",
        f"| set right | {_told(outcome.notes)} |",
        f"| wall seconds | {outcome.seconds:.0f} |",
        f"| server killed | {f'after {outcome.killed} windows' if outcome.killed else 'no'} |",
        f"| the build then said | {'; '.join(outcome.stopped) or 'nothing'} |",
        "",
        "| stage | calls | retries | failed | from the cache | tokens in | out | seconds |",
        "|---|---|---|---|---|---|---|---|",
        *(
            f"| {row.stage} | {row.calls} | {row.retries} | {row.failed} | {row.cached} | {row.tokens_in:,} | "
            f"{row.tokens_out:,} | {row.seconds:.0f} |"
            for row in outcome.ledger
        ),
        "",
        f"recall_acc of evidence turns, {outcome.questions['all']} questions:",
        "",
        f"| questions | {' | '.join(f'{side} @{k}' for side in outcome.recall for k in CUTOFFS)} |",
        "|---" * (1 + len(outcome.recall) * len(CUTOFFS)) + "|",
    ]
    for name, count in outcome.questions.items():
        found = [outcome.recall[side][name][f"recall_acc@{k}"] for side in outcome.recall for k in CUTOFFS]
        lines.append(f"| {name} ({count}) | {' | '.join(f'{value:.3f}' for value in found)} |")
    return "\n".join([*lines, ""])


def _told(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return ", ".join(f"{name} {count}" for name, count in ordered) or "none"
