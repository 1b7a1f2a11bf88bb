"""Stage 1 of LLM construction: a window of dialogue → drafts of memory units ([Q] appendix A1, F1; SPEC §2.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import ModelMisbehaved
from ..models.chat import ChatRequest
from ..types import JsonValue, Triple, Turn
from .prompts import load
from .repair import Record, read_records
from .windows import Window

VERSION = 2
LOOP = 3  # records in a row that repeat earlier ones
SHOWN = 4000  # characters of one turn that a model is shown
_TEXT: dict[str, JsonValue] = {"type": "string"}


def _object(**fields: JsonValue) -> dict[str, JsonValue]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


SCHEMA = _object(
    memory_units={
        "type": "array",
        "items": _object(
            start_turn=_TEXT,
            end_turn=_TEXT,
            quote=_TEXT,
            fact_text=_TEXT,
            triple=_object(subject=_TEXT, predicate=_TEXT, object=_TEXT),
        ),
    }
)
_ALIASES = ("facts", "units", "memories", "memory", "items", "results", "data")
_TEXT_ALIASES = ("fact_text", "fact", "text", "memory", "content", "statement", "claim")
_START_ALIASES = ("start_turn", "start", "turn", "source_id", "source", "turn_id")


@dataclass(frozen=True, slots=True)
class Draft:
    """A unit as the model wrote it, unchecked.

    `start` and `end` are places in the window's turns, None if the label names none. `partial`: the answer was cut
    inside it.
    """

    text: str
    start: int | None
    end: int | None
    labelled: bool
    quote: str
    triple: Triple | None
    partial: bool


@dataclass(frozen=True, slots=True)
class Drafts:
    """Stage 1's answer. `truncated`: the text ended before its end; `clean`: it kept the contract to the letter.

    `repeating`: it ended before its end because the model kept saying the same, so that asking for more room would
    only give more of it. What it said before that is all there is.
    """

    units: tuple[Draft, ...]
    truncated: bool
    clean: bool
    unreadable: int = 0  # records without a text
    repeating: int = 0  # records left out that repeat an earlier one


def unit_request(window: Window, max_tokens: int) -> ChatRequest:
    """What the model is asked about a window."""
    return load("units", VERSION).request(
        SCHEMA,
        max_tokens,
        range=f"{label(window.overlap)}-{label(len(window.turns) - 1)}",
        dialogue="\n".join(_shown(window, place) for place in range(len(window.turns))),
    )


def label(place: int) -> str:
    """The short name of a window's turn, which models copy without mistakes: T1, T2, …"""
    return f"T{place + 1}"


def said(turn: Turn) -> str:
    """What a turn says, on one line: words and image caption, cut where it grows too long for a prompt."""
    text = _line(turn.text[: 2 * SHOWN])
    if len(text) > SHOWN:
        text = text[: SHOWN - 20] + " [cut here]"
    return f"{text} [image: {_line(turn.caption)}]" if turn.caption else text


def moment(turn: Turn) -> str:
    """When it was said, with the weekday that relative dates are counted from."""
    if turn.utterance_time is None:
        return f"serial-{turn.sequence}"
    return f"{turn.utterance_time:%Y-%m-%d %H:%M} ({turn.utterance_time:%A})"


def read_units(text: str, window: Window) -> Drafts:
    """The drafts in a model's answer. Raises ModelMisbehaved when it cannot be read."""
    found = read_records(text, "memory_units", _ALIASES, "fact_text")
    drafts = [_draft(record, window) for record in found.records]
    kept = tuple(draft for draft in drafts if draft.text)
    if drafts and not kept and not found.truncated:
        raise ModelMisbehaved("answer: none of its units has a fact_text")
    unreadable = len(drafts) - len(kept)
    if found.truncated and _loops(kept):
        once = {" ".join(draft.text.casefold().split()): draft for draft in reversed(kept) if not draft.partial}
        left = tuple(reversed(once.values()))
        return Drafts(left, False, False, unreadable, len(kept) - len(left))
    return Drafts(kept, found.truncated, found.clean, unreadable)


def _loops(drafts: Sequence[Draft]) -> bool:
    """Did the answer run in circles: were its last whole records all said before in it?"""
    texts = [" ".join(draft.text.casefold().split()) for draft in drafts if not draft.partial]
    return len(texts) > LOOP and all(text in texts[:-LOOP] for text in texts[-LOOP:])


def _shown(window: Window, place: int) -> str:
    turn = window.turns[place]
    kind = "OVERLAP_FROM_PREVIOUS_WINDOW" if place < window.overlap else "NEW_IN_THIS_WINDOW"
    return f"{kind} [{label(place)}] time: {moment(turn)} speaker: {_line(turn.speaker)} ({turn.role}): {said(turn)}"


def _draft(record: Record, window: Window) -> Draft:
    fields = record.fields
    start = _first(fields, _START_ALIASES)
    end = _first(fields, ("end_turn", "end"))
    places = [_place(value, window) for value in (start, start if end is None else end)]
    return Draft(
        text=_string(_first(fields, _TEXT_ALIASES)),
        start=places[0],
        end=places[1],
        labelled=start is not None or end is not None,
        quote=_string(_first(fields, ("quote", "evidence", "evidence_text"))),
        triple=_triple(fields.get("triple")) or _triple(fields),
        partial=record.cut,
    )


def _place(value: JsonValue, window: Window) -> int | None:
    """The place that a label names: `T3`, `[T3]`, `3`. The turn's own id is nothing that the model was shown."""
    found = re.fullmatch(r"\[?[Tt]?(\d{1,3})\]?", _string(value))
    place = int(found[1]) - 1 if found else -1
    return place if 0 <= place < len(window.turns) else None


def _triple(value: JsonValue) -> Triple | None:
    if isinstance(value, list) and len(value) == 3:
        parts = [_string(part) for part in value]
    elif isinstance(value, dict):
        parts = [
            _string(_first(value, names))
            for names in (("subject", "s"), ("predicate", "relation", "p"), ("object", "o"))
        ]
    else:
        return None
    return Triple(*parts) if all(parts) else None


def _first(fields: Mapping[str, JsonValue], names: tuple[str, ...]) -> JsonValue:
    return next((fields[name] for name in names if fields.get(name) not in (None, "")), None)


def _string(value: JsonValue) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return _line(str(value))


def _line(text: str) -> str:
    return " ".join(text.split())
