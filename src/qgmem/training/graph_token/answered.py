"""Which questions does a capable reader answer correctly from what the memory found? Only those teach ([Q] B).

The reader answers through `Memory.ask`, so by the whole pipeline, and judges what does not hold the gold's words.
Rows are kept as they come; a run that was stopped asks only what has none.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ...errors import AnswerFailed, InvalidInput, ModelMisbehaved
from ...evals.kept_lines import keep_line, kept_lines
from ...evals.progress import Bar
from ...memory import Memory
from ...models.chat import ChatModel
from ...synthetic import NO_ANSWER
from .examples import Example, Layout
from .judge import VERSION, judged

ROWS = "answered.jsonl"


@dataclass(frozen=True, slots=True)
class AnsweredRow:
    """One answer of a reader. `verdict`: right, wrong, or failed, where no answer or no judgment could be read.

    `by`: words or model, see `judge`. `recipe`: what else decides the answer, so that rows of another are asked anew.
    """

    reader: str
    recipe: str
    id: str
    answer: str
    verdict: str
    by: str
    reason: str


def answered_right(
    memory: Memory, examples: Sequence[Example], reader: ChatModel, layout: Layout, out: Path, bar: Bar
) -> tuple[list[Example], dict[str, int]]:
    """Examples that show evidence and were answered correctly, and how many were asked, right, wrong, failed.

    A question that nobody answered is right if the reader abstains. `out`: the folder of `answered.jsonl`. Raises
    ModelUnavailable when the reader is gone; what was answered is kept.
    """
    recipe = f"judge/{VERSION}, {layout.k} units, {layout.budget} tokens"
    path = out / ROWS
    rows = {row.id: row for row in _rows(path) if (row.reader, row.recipe) == (reader.id, recipe)}
    asked = [one for one in examples if one.labels or (one.answer == NO_ANSWER and one.supported)]
    for one in asked:
        if one.id not in rows:
            rows[one.id] = _answered(memory, one, reader, layout, recipe)
            keep_line(path, asdict(rows[one.id]))
        bar.advance()
    verdicts = Counter(rows[one.id].verdict for one in asked)
    counts = {"asked": len(asked), **{name: verdicts[name] for name in ("right", "wrong", "failed")}}
    return [one for one in asked if rows[one.id].verdict == "right"], counts


def _answered(memory: Memory, one: Example, reader: ChatModel, layout: Layout, recipe: str) -> AnsweredRow:
    """A reader that misbehaves costs its question; one that is gone ends the run."""
    try:
        found = memory.ask(
            one.question, user_id=one.case_id, limit=layout.k, question_time=one.asked_at or None, chat=reader,
            budget_tokens=layout.budget,
        )  # fmt: skip
        answer = NO_ANSWER if found.abstained else found.answer or ""
        judgment = judged(one.question, one.answer, answer, reader, one.case_id)
    except AnswerFailed as error:
        if error.gone is not None:
            raise error.gone from error
        return AnsweredRow(reader.id, recipe, one.id, "", "failed", "", str(error))
    except ModelMisbehaved as error:
        return AnsweredRow(reader.id, recipe, one.id, answer, "failed", "", str(error))
    verdict = "right" if judgment.right else "wrong"
    return AnsweredRow(reader.id, recipe, one.id, answer, verdict, judgment.by, judgment.reason)


def _rows(path: Path) -> list[AnsweredRow]:
    try:
        return [AnsweredRow(**json.loads(line)) for line in kept_lines(path)]
    except (json.JSONDecodeError, TypeError) as error:
        raise InvalidInput("out", f"{path.name} was not written by this: {error}", "remove it") from error
