"""What was seen, as study.json, study.md, and sheet.csv with 100 answers to be checked by hand."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

import numpy as np

from ...evals.statistics import Pair, compare_family
from ...types import JsonValue
from ..graph_token.examples import Example
from ..graph_token.split import Split
from .answers import AnswerRow
from .costs import Cost
from .markdown import to_markdown

SHEET = 100
CASES = 5  # fewer say nothing of others, whatever a bootstrap makes of them
Measure = Literal["correct", "gold_nats"]
POWER = 2.8  # standard errors of a difference that is found with probability .8 at level .05


def write_report(
    out: Path, rows: Sequence[AnswerRow], examples: Sequence[Example], split: Split, curves: Mapping[str, object],
    costs: Sequence[Cost], manifest: Mapping[str, JsonValue], resamples: int,
) -> dict[str, object]:  # fmt: skip
    """Work out the tables from the rows and write the three files; returns what study.json holds."""
    main = [row for row in rows if row.run == "main"]
    study: dict[str, object] = {
        "cases": {
            name: len({one.case_id for one in getattr(split, name)}) for name in ("train", "validation", "test")
        },
        "examples": {"all": len(examples), "supported": sum(one.supported for one in examples)},
        "conditions": {name: summary(part) for name, part in by(main, "condition").items()},
        "comparisons": comparisons(main, resamples),
        "comparisons_nats": comparisons(main, resamples, "gold_nats"),
        "ablations": {name: summary(part) for name, part in by(rows, "run").items() if name != "main"},
        "training": dict(curves),
        "costs": [asdict(one) for one in costs],
        "manifest": dict(manifest),
    }
    (out / "study.json").write_text(json.dumps(study, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "study.md").write_text(to_markdown(study), encoding="utf-8")
    write_sheet(main, out / "sheet.csv")
    return study


def by(rows: Sequence[AnswerRow], field: str) -> dict[str, list[AnswerRow]]:
    """Rows by the value of a field, in order of appearance."""
    found: dict[str, list[AnswerRow]] = {}
    for row in rows:
        found.setdefault(str(getattr(row, field)), []).append(row)
    return found


def summary(rows: Sequence[AnswerRow]) -> dict[str, object]:
    """Counts and means of one condition over its seeds."""
    return {
        "answers": len(rows),
        "seeds": len({row.seed for row in rows}),
        "accuracy": _mean([row.correct for row in rows]),
        "accuracy_by_seed": {
            str(s): _mean([r.correct for r in rows if r.seed == s]) for s in sorted({r.seed for r in rows})
        },
        "by_type": {name: _mean([row.correct for row in part]) for name, part in sorted(by(rows, "type").items())},
        "count_by_type": {name: len({r.id for r in part}) for name, part in sorted(by(rows, "type").items())},
        "gold_nats": _mean([row.gold_nats for row in rows]),
        "gold_nats_by_seed": {
            str(s): _mean([r.gold_nats for r in rows if r.seed == s]) for s in sorted({r.seed for r in rows})
        },
        "gold_nats_by_type": {
            name: _mean([row.gold_nats for row in part]) for name, part in sorted(by(rows, "type").items())
        },
        "path_nats": _mean([row.path_nats for row in rows]),
        "supported": _mean([row.supported for row in rows]),
        "readable": _mean([row.readable for row in rows]),
        "tokens_in": _mean([row.tokens_in for row in rows]),
        "tokens_out": _mean([row.tokens_out for row in rows]),
        "seconds": _mean([row.seconds for row in rows]),
    }


def comparisons(rows: Sequence[AnswerRow], resamples: int, measure: Measure = "correct") -> list[dict[str, object]]:
    """Every condition against no graph, and every trained token against the text and the controls of its size.

    The score of a question is its mean over seeds. `detectable`: the difference that would have been found with
    probability .8, from the spread of these differences, for right answers at least that of one question in all that
    differs. It is that of one test over independent questions; cases and Holm's correction, which `supported` heeds,
    ask for more.
    """
    scores = {name: _scores(part, measure) for name, part in by(rows, "condition").items()}
    wanted = [("none", name) for name in scores if name != "none"]
    wanted += [
        (name, token)
        for token in scores
        if token.startswith("token-")
        for name in scores
        if name == "text" or (name.endswith(token[len("token") :]) and name != token)
    ]
    ids = sorted(set.intersection(*(set(part) for part in scores.values()))) if scores else []
    if not ids or "none" not in scores:
        return []
    case = {row.id: row.case_id for row in rows}
    pairs = {f"{b} − {a}": Pair([scores[a][i] for i in ids], [scores[b][i] for i in ids]) for a, b in wanted}
    found = []
    for each in compare_family(pairs, [case[i] for i in ids], resamples=resamples):
        differences = np.subtract(pairs[each.name].b, pairs[each.name].a)
        floor = len(ids) ** -0.5 if measure == "correct" else 0.0
        spread = max(float(np.std(differences, ddof=1)) if len(ids) > 1 else 0.0, floor)
        enough = each.clusters >= CASES
        found.append(
            asdict(each) | {"supported": each.supported and enough, "detectable": POWER * spread / len(ids) ** 0.5}
        )
    return found


def write_sheet(rows: Sequence[AnswerRow], path: Path) -> None:
    """At most 100 answers, drawn by hash over all conditions; what counted and of whom stands last."""
    drawn = sorted(rows, key=lambda row: hashlib.sha256("|".join(map(str, row.key)).encode()).hexdigest())[:SHEET]
    with path.open("w", encoding="utf-8", newline="") as file:
        sheet = csv.writer(file)
        sheet.writerow(
            ["number", "question", "gold", "answer", "right by hand", "counted", "id", "condition", "seed"]
        )
        for number, row in enumerate(drawn, 1):
            counted = "right" if row.correct else "wrong"
            sheet.writerow([number, row.question, row.gold, row.answer, "", counted, row.id, row.condition, row.seed])


def _scores(rows: Sequence[AnswerRow], measure: Measure) -> dict[str, float]:
    return {name: _mean([getattr(row, measure) for row in part]) for name, part in by(rows, "id").items()}


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else 0.0
