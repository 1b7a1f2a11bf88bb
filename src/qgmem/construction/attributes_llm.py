"""Stage 2 of LLM construction: a window's units, in one batch → entities, locations, fact times ([Q] F1; SPEC §2.3).

The model proposes; what no word of the unit bears out is set aside, and dates are read anew by `fact_dates`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..models.chat import ChatRequest
from ..protocols import AttributeExtractor
from ..types import Attributes, Entity, EntityType, Interval, JsonValue, MemoryUnit
from .fact_dates import read_interval, resolve
from .log import Quarantined
from .prompts import load
from .repair import Record, read_records
from .support import SUPPORT, content, share
from .timex import fact_times
from .units import SHOWN
from .validate import Passed

VERSION = 2
_TEXT: dict[str, JsonValue] = {"type": "string"}
_TEXTS: dict[str, JsonValue] = {"type": "array", "items": _TEXT}
_GRANULARITY: dict[str, JsonValue] = {"type": "string", "enum": ["day", "week", "month", "year"]}


def _object(**fields: JsonValue) -> dict[str, JsonValue]:
    return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}


SCHEMA = _object(
    memory_units={
        "type": "array",
        "items": _object(
            memory_unit_id=_TEXT,
            entities=_TEXTS,
            locations=_TEXTS,
            time={"type": "array", "items": _object(start=_TEXT, end=_TEXT, granularity=_GRANULARITY)},
        ),
    }
)
_ALIASES = ("units", "indexes", "attributes", "items", "results", "data")
_ID_ALIASES = ("memory_unit_id", "id", "unit_id")
_NOTHING = frozenset(("unknown", "none", "n/a", "null", "nowhere", "unspecified", "not specified", "not mentioned"))
_MOST = 20  # entities or locations of one unit


@dataclass(frozen=True, slots=True)
class Proposed:
    """What the model says about one unit, unchecked. `partial`: the answer was cut inside it."""

    entities: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    times: tuple[Interval, ...] = ()
    unreadable_times: int = 0
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """A unit with its attributes, and what of the proposal was set aside."""

    unit: MemoryUnit
    quarantined: tuple[Quarantined, ...] = ()
    notes: Mapping[str, int] = field(default_factory=dict)


def attribute_request(passed: Mapping[str, Passed], max_tokens: int) -> ChatRequest:
    """What the model is asked about units, by their short ids (u1, u2, …)."""
    units = [
        {
            "memory_unit_id": name,
            "utterance_time": _time(one.unit),
            "fact_text": one.unit.text,
            "evidence_text": " ".join(one.evidence.split())[:SHOWN],
        }
        for name, one in passed.items()
    ]
    return load("attributes", VERSION).request(
        SCHEMA,
        max_tokens,
        names=", ".join(passed),
        units=json.dumps(units, ensure_ascii=False, indent=1),
    )


def read_attributes(text: str, names: Sequence[str]) -> tuple[dict[str, Proposed], bool, int]:
    """(proposals by id, whether the answer was cut, how many records had an id that was not asked for).

    Raises ModelMisbehaved when the answer cannot be read.
    """
    found = read_records(text, "memory_units", _ALIASES, "memory_unit_id")
    proposals: dict[str, Proposed] = {}
    strange = 0
    for record in found.records:
        name = next((str(record.fields[key]).strip() for key in _ID_ALIASES if record.fields.get(key)), "")
        if name not in names:
            strange += 1
        elif name not in proposals:
            proposals[name] = _proposed(record)
    return proposals, found.truncated, strange


def complete(proposal: Proposed) -> bool:
    """Does it say all that was asked?"""
    return not proposal.partial


def checked(
    passed: Passed,
    proposal: Proposed,
    extractor: AttributeExtractor,
    *,
    language: str = "english",
    day_first: bool = False,
) -> Checked:
    """The unit with those attributes that its words bear out; dates by our own reading."""
    unit = passed.unit
    words = content(f"{unit.text} {passed.evidence} {unit.speaker}", language)
    kinds = _kinds(extractor.extract(unit.text, unit.speaker))
    aside: list[Quarantined] = []

    def kept(phrases: Sequence[str], reason: str) -> list[str]:
        found: dict[str, str] = {}
        for phrase in phrases[:_MOST]:
            if share(content(phrase, language), words) >= SUPPORT and content(phrase, language):
                found.setdefault(phrase.casefold(), phrase)
            else:
                aside.append(Quarantined("attribute", reason, phrase))
        return list(found.values())

    locations = kept(proposal.locations, "location-unsupported")
    places = {place.casefold() for place in locations}
    entities = [
        _entity(phrase, unit, "Where" if phrase.casefold() in places else kinds.get(phrase.casefold(), "What"))
        for phrase in kept(proposal.entities, "entity-unsupported")
    ]
    dates = resolve(
        unit.span.quote, passed.evidence, unit.text, proposal.times, unit.utterance_time, day_first=day_first
    )
    notes = {"dates-rejected": dates.rejected, "dates-unreadable": proposal.unreadable_times}
    made = replace(unit, entities=tuple(entities), locations=tuple(locations), fact_times=dates.intervals)
    return Checked(made, tuple(aside), {name: count for name, count in notes.items() if count})


def by_rules(passed: Passed, extractor: AttributeExtractor, *, day_first: bool = False) -> MemoryUnit:
    """The unit with attributes that need no model: what it gets until the model has answered."""
    unit = passed.unit
    found: Attributes = extractor.extract(unit.text, unit.speaker)
    times = fact_times(unit.span.quote, unit.utterance_time, day_first=day_first)
    return replace(unit, entities=found.entities, locations=found.locations, fact_times=times)


def _proposed(record: Record) -> Proposed:
    raw = record.fields.get("time", record.fields.get("times"))
    items = raw if isinstance(raw, list) else [raw] if raw else []
    times = [read_interval(item) for item in items]
    asked = ("entities", "locations")
    missing = any(name not in record.fields for name in asked) or raw is None
    return Proposed(
        entities=_phrases(record.fields.get("entities")),
        locations=_phrases(record.fields.get("locations")),
        times=tuple(time for time in times if time is not None),
        unreadable_times=times.count(None),
        partial=record.cut or missing,
    )


def _phrases(value: JsonValue) -> tuple[str, ...]:
    items = value if isinstance(value, list) else [value]
    named = [item.get("text") or item.get("name") if isinstance(item, dict) else item for item in items]
    words = (" ".join(item.split()) for item in named if isinstance(item, str))
    return tuple(phrase for phrase in words if phrase and phrase.casefold().strip(".") not in _NOTHING)


def _kinds(found: Attributes) -> dict[str, EntityType]:
    return {entity.text.casefold(): entity.type for entity in found.entities}


def _entity(phrase: str, unit: MemoryUnit, kind: EntityType) -> Entity:
    if phrase.casefold() == unit.speaker.casefold():
        kind = "Who"
    start = unit.text.find(phrase)
    return Entity(phrase, kind, start, start + len(phrase)) if start >= 0 else Entity(phrase, kind)


def _time(unit: MemoryUnit) -> str:
    if unit.utterance_time is None:
        return f"serial-{unit.sequence}"
    return f"{unit.utterance_time:%Y-%m-%d %H:%M} ({unit.utterance_time:%A})"
