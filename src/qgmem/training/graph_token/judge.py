"""Is an answer right? By the gold's own words where they are there, else by a language model ([Q] F)."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import ModelMisbehaved
from ...models.chat import ChatModel
from ...models.client import ModelClient, Scope
from ...models.json_answer import parse_json
from ...types import JsonValue
from .asking import correct
from .prompts import load

VERSION = 1
ATTEMPTS = 2
_SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "judgment": {"type": "string", "enum": ["correct", "incorrect"]}},
    "required": ["reason", "judgment"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Judgment:
    """`right`, by the gold's `words` or by a `model`, with the reason that it gave."""

    right: bool
    by: str
    reason: str = ""


def judged(question: str, gold: str, answer: str, chat: ChatModel, namespace: str) -> Judgment:
    """Right where every part of the gold answer stands in the answer; else as the model says.

    Raises ModelMisbehaved when two answers of the judge hold no judgment, ModelUnavailable, ModelRefused.
    """
    if correct(answer, gold):
        return Judgment(True, "words")
    client, scope = ModelClient(chat), Scope(namespace, "judge", "")
    request = load("judge", VERSION).request(_SCHEMA, 256, question=question, gold=gold, answer=answer)
    for attempt in range(ATTEMPTS):
        try:
            return _read(client.ask(request, scope, again=attempt > 0).text)
        except ModelMisbehaved as error:
            problem = error
    raise ModelMisbehaved(f"judge: after {ATTEMPTS} attempts, {problem}") from problem


def _read(text: str) -> Judgment:
    value = parse_json(text).value
    fields = value if isinstance(value, dict) else {}
    said = str(fields.get("judgment", "")).strip().casefold()
    if said not in ("correct", "incorrect"):
        raise ModelMisbehaved(f"it says neither correct nor incorrect in {len(text)} characters")
    return Judgment(said == "correct", "model", str(fields.get("reason", "")))
