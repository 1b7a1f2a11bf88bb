"""The trajectory of a trace in words, written by a language model and checked (SPEC §2.5).

The model is shown the ordered states and nothing else, so it does not decide what is true; it may word it, and name
members that are off the subject–relation. What the states do not bear out is turned away with a reason and asked for
once more; after that the composed text stands (`traces/trajectory.py`).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import date, datetime

from ..errors import ModelError, ModelMisbehaved, ModelRefused, ModelUnavailable
from ..models.chat import ChatAnswer, ChatRequest
from ..models.client import ModelClient, Scope
from ..models.json_answer import parse_json
from ..types import JsonValue
from .prompts import load
from .traces import Claim, State, Trace, relation_of, states
from .trajectory_check import REASONS, check_text

VERSION = 1
STAGE = "trajectory"
MOST = 24  # states that a model is shown; a longer trace keeps its composed text
TOKENS = 600  # longest answer
_QUOTE = 300  # characters of a quote that are shown
_SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {
        "off": {"type": "array", "items": {"type": "string"}},
        "text": {"type": "string"},
    },
    "required": ["off", "text"],
    "additionalProperties": False,
}
_AGAIN = "\n\nAn earlier answer could not be used: it {problem}. Answer again: the whole JSON object, nothing else."


@dataclass(frozen=True, slots=True)
class Untold:
    """A trace that no model has told as it stands. `states`: digest of its states as stored.

    In `trace` secrets may be blacked out.
    """

    states: str
    trace: Trace


@dataclass(frozen=True, slots=True)
class Written:
    """What came of one trace. `text` is None if no answer passed; `reason` (a key of REASONS) then says why.

    `off`: units that the model found off the subject–relation and that only cosines had brought in; the text leaves
    them out.
    """

    trace_id: str
    text: str | None
    off: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Wording:
    """What came of a run over traces.

    `written`: traces that got a text. `composed`: those that keep the composed one, by reason (a key of REASONS, or
    `refused`). `left`: not come to. `off`: units found off the trace that cosines had brought them into. `stopped`
    says why the run ended early.
    """

    written: int = 0
    composed: Mapping[str, int] = field(default_factory=dict)
    left: int = 0
    off: int = 0
    stopped: str | None = None


def write_all(
    traces: Sequence[Trace], client: ModelClient, namespace: str, on_written: Callable[[Written], None]
) -> Wording:
    """Have a model word every trace; `on_written` hears of each, in order, as soon as it is settled.

    A server that is away, or that refuses whatever it is asked, ends the run; the rest is left for the next one.
    """
    counts: Counter[str] = Counter()
    written = off = 0
    stopped: str | None = None

    def one(trace: Trace) -> Written | ModelError:
        try:
            return write_trajectory(trace, client, Scope(namespace, STAGE, trace.id))
        except (ModelUnavailable, ModelRefused) as error:
            return error

    with ThreadPoolExecutor(client.concurrency, thread_name_prefix="qgmem-trajectory") as pool:
        for start in range(0, len(traces), client.concurrency):
            group = traces[start : start + client.concurrency]
            for trace, found in zip(group, pool.map(one, group), strict=True):
                if isinstance(found, ModelRefused) and not found.hopeless:
                    found = Written(trace.id, None, reason="refused")
                if not isinstance(found, Written):
                    stopped = stopped or str(found)
                    continue
                on_written(found)
                written += found.text is not None
                off += len(found.off)
                counts.update([found.reason] if found.reason else [])
            if stopped:
                break
    left = len(traces) - written - counts.total()
    return Wording(written, dict(sorted(counts.items())), left, off, stopped)


def wants_text(trace: Trace) -> bool:
    """Is there a change to tell of, and not too much of it?"""
    return 2 <= len(trace.states) <= MOST


def trajectory_request(trace: Trace, max_tokens: int = TOKENS) -> ChatRequest:
    """What the model is asked about a trace. Equal states, equal request."""
    shown = {
        "subject": trace.subject_name,
        "relation": trace.relation.replace("_", " "),
        "now": [state.value for state in trace.current],
        "states": [_shown(f"S{place}", state, trace) for place, state in enumerate(trace.states, 1)],
    }
    return load("trajectory", VERSION).request(
        _SCHEMA, max_tokens, trace=json.dumps(shown, ensure_ascii=False, indent=1)
    )


def write_trajectory(trace: Trace, client: ModelClient, scope: Scope, *, again: int = 1) -> Written:
    """The model's text if it passes, with one more try for one that does not.

    Raises ModelUnavailable and ModelRefused.
    """
    request = trajectory_request(trace)
    reason = ""
    for attempt in range(again + 1):
        asked = request if not attempt else _once_more(request, reason)

        def fits(answer: ChatAnswer) -> bool:
            return isinstance(_checked(trace, answer), tuple)

        try:
            answer = client.ask(asked, scope, usable=fits, again=attempt > 0)
        except ModelMisbehaved:
            reason = "unreadable-answer"
            continue
        found = _checked(trace, answer)
        if isinstance(found, tuple):
            return Written(trace.id, *found)
        reason = found
    return Written(trace.id, None, reason=reason)


def _checked(trace: Trace, answer: ChatAnswer) -> tuple[str, tuple[str, ...]] | str:
    """(text, units that are off), or why not."""
    if answer.truncated:
        return "no-text"
    try:
        value = parse_json(answer.text).value
    except ModelMisbehaved:
        return "unreadable-answer"
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        return "unreadable-answer"
    off = _off(trace, value.get("off"))
    kept = [claim for claim in trace.claims if claim.unit_id not in off]
    text = " ".join(str(value["text"]).split())
    reason = check_text(text, states(kept) if off else trace)
    return reason or (text, tuple(sorted(off)))


def _off(trace: Trace, labels: JsonValue) -> set[str]:
    """Units of the named states, without those that share the trace's own subject and relation.

    Units of one subject id and one relation always share a trace; a model may undo only what cosines joined.
    """
    if not isinstance(labels, list):
        return set()
    named = {str(label).strip() for label in labels}
    units: set[str] = set()
    for place, state in enumerate(trace.states, 1):
        if f"S{place}" in named:
            units |= {state.unit_id, *state.repeats}
    return units - {claim.unit_id for claim in trace.claims if _belongs(claim, trace)}


def _belongs(claim: Claim, trace: Trace) -> bool:
    relation = relation_of(claim.predicate, claim.object).name
    return (claim.subject_id, relation) == (trace.subject_id, trace.relation)


def _once_more(request: ChatRequest, reason: str) -> ChatRequest:
    return ChatRequest(
        request.prompt,
        request.system,
        request.user + _AGAIN.format(problem=REASONS[reason]),
        request.schema,
        2 * request.max_tokens,
        request.temperature,
    )


def _shown(label: str, state: State, trace: Trace) -> dict[str, JsonValue]:
    shown: dict[str, JsonValue] = {
        "label": label,
        "value": state.value,
        "from": _day(state.valid_from),
        "to": _day(state.valid_to),
        "said": _day(state.known_from),
        "status": state.status,
        "quote": _quote(state, trace)[:_QUOTE],
    }
    if state.source is not None and "hearsay" in state.flags:
        shown["by"] = state.source
    return {name: value for name, value in shown.items() if value is not None or name == "from"}


def _day(moment: date | datetime | None) -> str | None:
    if isinstance(moment, datetime):
        moment = moment.date()
    return None if moment is None else moment.isoformat()


def _quote(state: State, trace: Trace) -> str:
    said = (claim.text for claim in trace.claims if claim.unit_id == state.unit_id and claim.text)
    return " ".join(next(said, "").split())
