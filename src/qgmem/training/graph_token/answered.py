"""Which questions does a capable reader answer correctly from what the memory found? Only those teach ([Q] B).

The reader is asked as `Memory.ask` asks it, with the very units that the example holds, and judges what is not the
gold itself. Rows are kept as they come; another run asks only what has none, or failed.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ...asking import RETRY
from ...errors import InvalidInput, ModelError, gone
from ...evals.kept_lines import keep_line, kept_lines
from ...evals.progress import Bar
from ...generation.answer_form import form_of
from ...generation.answering import draft_answer
from ...generation.serialise import Context
from ...generation.text_answerer import WithoutGraph
from ...models.chat import ChatAnswer, ChatRequest
from ...models.client import ModelClient, Scope
from ...models.ledger import MemoryLedger
from ...protocols import Answerer
from ...synthetic import NO_ANSWER
from .asking import request_of
from .examples import Example
from .judge import JUDGE, Judgment, judged

ROWS = "answered.jsonl"
_LABEL = re.compile(r"^\[((?:MU|F)\d+)\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class AnsweredRow:
    """One answer of a reader. `verdict`: right, wrong, or failed, where no answer or no judgment could be read.

    `by`: gold or model, see `judge`; `tokens`: of answer and judgment, in and out. `request`: prompts and context in
    short, so that an answer to another request is not taken for one to this.
    """

    reader: str
    request: str
    id: str
    answer: str
    verdict: str
    by: str
    reason: str
    tokens: int


def answered_right(
    examples: Sequence[Example], reader: Answerer, out: Path, bar: Bar
) -> tuple[list[Example], dict[str, int]]:
    """Examples that show evidence and were answered correctly; how many were asked, right, wrong, failed, and tokens.

    A question that nobody answered is right if the reader abstains. `out`: the folder of `answered.jsonl`. Raises
    ModelUnavailable and ModelRefused when the reader is gone; what was answered is kept.
    """
    path = out / ROWS
    rows = {
        (row.id, row.request): row
        for row in _rows(path)
        if row.reader == reader.id and row.verdict != "failed"  # another run tries again
    }
    asked = [one for one in examples if one.labels or (one.answer == NO_ANSWER and one.supported)]
    found = []
    for one in asked:
        request = request_of(one, facts=form_of(reader).facts, form=form_of(reader))
        key = one.id, f"{request.prompt}, {JUDGE}, {one.digest}"
        if key not in rows:
            rows[key] = _answered(one, request, reader, key[1])
            keep_line(path, asdict(rows[key]))
        found.append(rows[key])
        bar.advance()
    verdicts = Counter(row.verdict for row in found)
    counts = {"asked": len(asked), **{name: verdicts[name] for name in ("right", "wrong", "failed")}}
    kept = [one for one, row in zip(asked, found, strict=True) if row.verdict == "right"]
    return kept, {**counts, "tokens": sum(row.tokens for row in found)}


def _answered(one: Example, request: ChatRequest, reader: Answerer, key: str) -> AnsweredRow:
    """A reader that misbehaves, or refuses this one question, costs that question; one that is gone ends the run."""
    ledger = MemoryLedger()
    client, scope = ModelClient(WithoutGraph(reader), ledger=ledger, retry=RETRY), Scope(one.case_id, "answer", "")
    text = one.context_facts if form_of(reader).facts else one.context
    context = Context(text, 0, {label: label for label in _LABEL.findall(text)})

    def ask(asked: ChatRequest, again: bool) -> ChatAnswer:
        return client.ask(asked, scope, again=again)

    answer, failure, judgment = "", "", Judgment(False, "")
    try:
        draft = draft_answer(request, context, (), ask, lambda _: None).draft
        answer = NO_ANSWER if draft.abstained else draft.answer
        judgment = judged(one.question, one.answer, answer, ask)
    except ModelError as error:
        if (fault := gone(error)) is not None:
            raise fault from error
        failure = str(error)
    verdict = "failed" if failure else "right" if judgment.right else "wrong"
    tokens = sum(row.tokens_in + row.tokens_out for row in ledger.ledger())
    return AnsweredRow(reader.id, key, one.id, answer, verdict, judgment.by, failure or judgment.reason, int(tokens))


def _rows(path: Path) -> list[AnsweredRow]:
    try:
        return [AnsweredRow(**json.loads(line)) for line in kept_lines(path)]
    except (ValueError, TypeError) as error:
        raise InvalidInput("out", f"{path.name} was not written by this: {error}", "remove it") from error
