"""From context to a checked answer: ask, read, repair, ask once more, or fail with the reason (SPEC §4.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from ..errors import ModelMisbehaved
from ..models.chat import ChatAnswer, ChatRequest
from ..types import Hit, JsonValue
from .answer_form import WORDS, AnswerForm
from .prompts import load
from .read_answer import Draft, read_answer
from .serialise import Context

VERSION = WORDS.version
ATTEMPTS = 2
UNSUPPORTED = "unsupported: it cites nothing, and no memory holds its words"
_AGAIN = "\n\nAn earlier answer could not be used: it {problem}. Answer again, with the whole JSON object only."
_UNCITED = "names no label that MEMORY has"
_WORD = re.compile(r"\w+")
_SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"reasoning_path": {"type": "string"}, "answer": {"type": "string"}},
    "required": ["reasoning_path", "answer"],
    "additionalProperties": False,
}

Ask = Callable[[ChatRequest, bool], ChatAnswer]  # a request, and whether it asks again


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft that can be used, and the tokens of all attempts."""

    draft: Draft
    tokens_in: int
    tokens_out: int


def request_for(
    context: Context,
    question: str,
    question_time: datetime | None = None,
    as_of: date | None = None,
    form: AnswerForm = WORDS,
) -> ChatRequest:
    """The request that puts a question and its context to an answerer of this form; training and study use it too."""
    times = [f"QUESTION_TIME: {question_time:%Y-%m-%d %H:%M}"] if question_time else []
    times += [f"AS_OF: {as_of.isoformat()}"] if as_of else []
    prompt = load(form.name, form.version)
    return prompt.request(_SCHEMA, form.max_tokens, context=context.text, times="\n".join(times), question=question)


def draft_answer(
    request: ChatRequest, context: Context, hits: Sequence[Hit], ask: Ask, on_again: Callable[[str], None]
) -> Drafted:
    """A usable draft, after at most two attempts; `on_again` hears why there is a second.

    An answer that cites no label is given those of the memories that hold all its words; one without such a memory
    is asked for again, and then stands, noted as unsupported. Raises ModelMisbehaved if nothing could be read, and
    what `ask` raises.
    """
    uncited: Draft | None = None
    spent_in = spent_out = 0
    problem, asked = "", request
    for attempt in range(ATTEMPTS):
        if attempt:
            on_again(problem)
            asked = replace(request, user=request.user + _AGAIN.format(problem=problem))
        said = ask(asked, attempt > 0)
        spent_in, spent_out = spent_in + said.tokens_in, spent_out + said.tokens_out
        try:
            draft = read_answer(said.text, context.labels, truncated=said.truncated)
        except ModelMisbehaved as error:
            problem = str(error)
            continue
        if draft.cited or draft.abstained:
            return Drafted(draft, spent_in, spent_out)
        if found := _holding(draft.answer, context.labels, hits):
            note = "it cites nothing; labels are those of memories with its words"
            return Drafted(replace(draft, cited=found, notes=(*draft.notes, note)), spent_in, spent_out)
        uncited, problem = draft, _UNCITED
    if uncited is not None:
        return Drafted(replace(uncited, notes=(*uncited.notes, UNSUPPORTED)), spent_in, spent_out)
    raise ModelMisbehaved(f"answer: after {ATTEMPTS} attempts it {problem}")


def _holding(answer: str, labels: Mapping[str, str], hits: Sequence[Hit]) -> tuple[str, ...]:
    """Labels of the units whose text has every word of the answer, best first; none for an answer without words."""
    words = set(_WORD.findall(answer.casefold()))
    own = {unit_id: label for label, unit_id in labels.items() if label.startswith("MU")}
    return tuple(
        own[hit.id]
        for hit in hits
        if words and hit.id in own and words <= set(_WORD.findall(f"{hit.speaker} {hit.text}".casefold()))
    )


def readable_answer(said: ChatAnswer, labels: Mapping[str, str]) -> bool:
    """Is it worth keeping, so that the same request need not be made again?"""
    try:
        draft = read_answer(said.text, labels, truncated=said.truncated)
    except ModelMisbehaved:
        return False
    return bool(draft.cited) or draft.abstained
