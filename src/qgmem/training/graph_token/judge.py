"""Is an answer right? If it is the gold itself; else as a language model judges ([Q] F)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ...errors import ModelMisbehaved
from ...evals.metrics.substring_exact_match import normalised
from ...models.chat import ChatAnswer, ChatRequest
from ...models.json_answer import parse_json
from ...types import JsonValue
from .prompts import load

VERSION = 1
JUDGE = f"judge/{VERSION}"
_AGAIN = "\n\nAn earlier answer held no judgment. Answer again, with the JSON object only."
_SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "judgment": {"type": "string", "enum": ["correct", "incorrect"]}},
    "required": ["reason", "judgment"],
    "additionalProperties": False,
}

Ask = Callable[[ChatRequest, bool], ChatAnswer]  # a request, and whether it asks again


@dataclass(frozen=True, slots=True)
class Judgment:
    """`right`, by the `gold` itself or by a `model`, with the reason that it gave."""

    right: bool
    by: str
    reason: str = ""


def judged(question: str, gold: str, answer: str, ask: Ask) -> Judgment:
    """Right where the answer is the gold but for case, articles and punctuation; else as the model says.

    Gold words in an answer are not enough ("Porto, not Oslo"). Raises ModelMisbehaved when two answers of the judge
    hold no judgment, and what `ask` raises.
    """
    if normalised(answer) == normalised(gold):
        return Judgment(True, "gold")
    request = load("judge", VERSION).request(_SCHEMA, 256, question=question, gold=gold, answer=answer)
    try:
        return _read(ask(request, False).text)
    except ModelMisbehaved:
        return _read(ask(replace(request, user=request.user + _AGAIN), True).text)


def _read(text: str) -> Judgment:
    value = parse_json(text).value
    fields = value if isinstance(value, dict) else {}
    said = str(fields.get("judgment", "")).strip().casefold()
    if said not in ("correct", "incorrect"):
        raise ModelMisbehaved(f"judge: it says neither correct nor incorrect in {len(text)} characters")
    return Judgment(said == "correct", "model", str(fields.get("reason", "")))
