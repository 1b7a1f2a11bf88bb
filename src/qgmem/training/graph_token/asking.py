"""The question as the model reads it in training and in the study, and the answer that it is to learn.

The prompt is the one of `ask` by a local model (`generation.answer_form.SHORT`), and so is the reader of answers:

    reads   [graph token] units as MU1… with their trajectories, facts as F1… where they are asked for, question
    writes  {"reasoning_path": ["MU3", "MU1"], "answer": "Porto"}

The opening `{"reasoning_path": [` is given to every condition, so that no condition wins by learning to write JSON.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from ...errors import ModelMisbehaved
from ...evals.metrics.substring_exact_match import normalised
from ...generation.answer_form import SHORT, AnswerForm
from ...generation.answering import request_for
from ...generation.read_answer import read_answer
from ...generation.serialise import Context
from ...models.chat import ChatAnswer, ChatRequest
from ...models.hf_chat import HfChat, Prompt
from ...moments import asked_at
from ...synthetic import NO_ANSWER
from .examples import Example


@dataclass(frozen=True, slots=True)
class Answered:
    """What the model wrote: its words, the answer in them, whether they were JSON that holds one, or abstain."""

    text: str
    answer: str
    readable: bool
    abstained: bool = False


def asked(llm: HfChat, example: Example, *, facts: bool = False) -> Prompt:
    """The prompt of an example; `facts` writes the local graph as text."""
    request = request_of(example, facts=facts)
    return llm.prompt(request.system, request.user, SHORT.opening)


def request_of(example: Example, *, facts: bool = False, form: AnswerForm = SHORT) -> ChatRequest:
    """The request that `ask` makes of an example, to an answerer of that form."""
    text = example.context_facts if facts else example.context
    return request_for(Context(text, 0), example.question, asked_at(example.asked_at or None), form=form)


def target(example: Example) -> tuple[str, str]:
    """What follows the opening, in two parts: up to where the answer begins, and the answer with what closes it."""
    labels = ", ".join(f'"{label}"' for label in example.labels)
    return f'{labels}], "answer": "', f"{json.dumps(example.answer, ensure_ascii=False)[1:]}}}"


def read(answer: ChatAnswer) -> Answered:
    """The answer in what was written after the opening; empty where there is none to be read."""
    return read_text(SHORT.opening + answer.text)


def read_text(text: str) -> Answered:
    """The answer in the whole text, as `ask` reads it."""
    try:
        draft = read_answer(text, ())
        return Answered(text, draft.answer, True, draft.abstained)
    except ModelMisbehaved:
        return Answered(text, "", False)


def correct(answered: Answered, gold: str) -> bool:
    """Is the gold answer in what was answered? A list (`a; b`) needs every part, `not mentioned` an abstention.

    What abstains is what `ask` takes for that.
    """
    if gold == NO_ANSWER:
        return answered.abstained
    said = normalised(answered.answer)
    return bool(said) and all(f" {normalised(part)} " in f" {said} " for part in gold.split("; "))
