"""The question as the model reads it in training and in the study, and the answer that it is to learn.

    reads   [graph token] units as MU1…, trajectories as T1…, facts as F1… where they are asked for, question
    writes  {"reasoning_path": ["MU3", "T1"], "answer": "Porto"}

The opening `{"reasoning_path": [` is given to every condition, so that no condition wins by learning to write JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import ModelMisbehaved
from ...evals.metrics.substring_exact_match import normalised
from ...models.chat import ChatAnswer
from ...models.hf_chat import HfChat, Prompt
from ...models.json_answer import parse_json
from ...synthetic import NO_ANSWER
from .examples import Example

PROMPT = "graph-answer/1"
SYSTEM = (
    "Answer the question from the labelled statements. About now, the latest one counts; about an earlier time, what "
    'held then. Write JSON: the labels used, then a short answer, as {"reasoning_path": ["MU2"], "answer": "tea"}. '
    f'If nothing tells, the answer is "{NO_ANSWER}".'
)
OPENING = '{"reasoning_path": ['
ANSWER_TOKENS = 40
BARE_LABEL = re.compile(r'(?<!["\w])(?:MU|T|F)\d+(?!["\w])')
ABSTENTIONS = frozenset(
    normalised(text) for text in (NO_ANSWER, "not said", "unknown", "not known", "none", "no answer", "i do not know")
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What the model wrote: its words, the answer in them, and whether they were JSON that holds one."""

    text: str
    answer: str
    readable: bool


def asked(llm: HfChat, example: Example, *, facts: bool = False, traces: bool = True) -> Prompt:
    """The prompt of an example; `facts` writes the local graph as text, `traces` the trajectories."""
    return llm.prompt(SYSTEM, words(example, facts=facts, traces=traces), OPENING)


def words(example: Example, *, facts: bool = False, traces: bool = True) -> str:
    """The user's message."""
    parts = [example.context]
    if traces and example.traces:
        parts.append(_labelled("T", example.traces))
    if facts and example.facts:
        parts.append(_labelled("F", example.facts))
    today = f"Today is {example.asked_at[:10]}.\n" if example.asked_at else ""
    return "\n\n".join([*parts, f"{today}Question: {example.question}"])


def target(example: Example) -> str:
    """What follows the opening: labels of the evidence, then the answer."""
    labels = ", ".join(f'"{label}"' for label in example.labels)
    return f'{labels}], "answer": {json.dumps(example.answer, ensure_ascii=False)}}}'


def read(answer: ChatAnswer) -> Answered:
    """The answer in what was written after the opening; empty where there is none to be read."""
    return read_text(OPENING + answer.text)


def read_text(text: str) -> Answered:
    """The answer in the whole text. Labels without quotes, which small models write, count as quoted."""
    path, end, rest = text.partition("]")
    quoted = BARE_LABEL.sub(r'"\g<0>"', path) + end + rest
    try:
        value = parse_json(quoted).value
    except ModelMisbehaved:
        return Answered(text, "", False)
    found = value.get("answer") if isinstance(value, dict) else None
    if isinstance(found, list):
        found = "; ".join(str(one) for one in found)
    return Answered(text, "" if found is None else str(found), found is not None)


def correct(answered: str, gold: str) -> bool:
    """Is the gold answer in what was answered? A list (`a; b`) needs every part, `not mentioned` an abstention."""
    said = normalised(answered)
    if gold == NO_ANSWER:
        return said in ABSTENTIONS
    return bool(said) and all(f" {normalised(part)} " in f" {said} " for part in gold.split("; "))


def _labelled(letter: str, lines: Sequence[str]) -> str:
    return "\n".join(f"[{letter}{number}] {line}" for number, line in enumerate(lines, 1))
