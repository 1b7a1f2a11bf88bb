"""Turns and units as JSON objects and back, field by field, losing nothing.

Fields stand in the order of the dataclass, empty ones are left out, `metadata` is sorted: equal values
give equal bytes. Times are ISO 8601 with the offset they had, or none.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Literal, cast, get_args

from qgmem.errors import InvalidInput
from qgmem.types import (
    Entity,
    EntityType,
    Granularity,
    Interval,
    JsonValue,
    MemoryUnit,
    SourceSpan,
    Triple,
    Turn,
)

from .checks import JsonObject, as_list, as_object, identifier, optional_text, role, shape, text


def turn_to_json(turn: Turn) -> JsonObject:
    """Every field of a turn. Raises InvalidInput for metadata that JSON cannot hold."""
    return _compact(
        id=turn.id,
        session_id=turn.session_id,
        sequence=turn.sequence,
        speaker=turn.speaker,
        role=turn.role,
        text=turn.text,
        utterance_time=_iso(turn.utterance_time),
        caption=turn.caption,
        caption_query=turn.caption_query,
        metadata=canonical(turn.metadata),
        agent_id=turn.agent_id,
        run_id=turn.run_id,
    )


def turn_from_json(body: Mapping[str, JsonValue]) -> Turn:
    """The turn that `turn_to_json` wrote. Raises InvalidInput naming the field."""
    return Turn(
        id=identifier(body, "id"),
        session_id=text(body, "session_id"),
        sequence=_whole(body, "sequence"),
        speaker=text(body, "speaker"),
        role=role(body),
        text=text(body, "text"),
        utterance_time=_time(body, "utterance_time"),
        caption=optional_text(body, "caption"),
        caption_query=optional_text(body, "caption_query"),
        metadata=as_object(body.get("metadata", {}), "metadata"),
        agent_id=optional_text(body, "agent_id"),
        run_id=optional_text(body, "run_id"),
    )


def unit_to_json(unit: MemoryUnit) -> JsonObject:
    """Every field of a unit. Raises InvalidInput for metadata that JSON cannot hold."""
    span, triple = unit.span, unit.triple
    return _compact(
        id=unit.id,
        unit_kind=unit.kind,
        text=unit.text,
        span=_compact(first_turn=span.first_turn, last_turn=span.last_turn, quote=span.quote, turns=list(span.turns)),
        session_id=unit.session_id,
        sequence=unit.sequence,
        speaker=unit.speaker,
        role=unit.role,
        utterance_time=_iso(unit.utterance_time),
        entities=[_compact(text=e.text, type=e.type, start=e.start, end=e.end) for e in unit.entities],
        locations=list(unit.locations),
        fact_times=[[t.start.isoformat(), t.end.isoformat(), t.granularity.value] for t in unit.fact_times],
        triple=[triple.subject, triple.predicate, triple.object] if triple else None,
        metadata=canonical(unit.metadata),
        agent_id=unit.agent_id,
        run_id=unit.run_id,
    )


def unit_from_json(body: Mapping[str, JsonValue]) -> MemoryUnit:
    """The unit that `unit_to_json` wrote. Raises InvalidInput naming the field."""
    kind = text(body, "unit_kind")
    if kind not in ("verbatim", "extracted"):
        raise InvalidInput("unit_kind", f"unknown kind {kind[:40]!r}", "verbatim or extracted")
    span = as_object(body.get("span"), "span")
    return MemoryUnit(
        id=identifier(body, "id"),
        kind=cast(Literal["verbatim", "extracted"], kind),
        text=text(body, "text"),
        span=SourceSpan(
            text(span, "first_turn"),
            text(span, "last_turn"),
            text(span, "quote"),
            tuple(_strings(_list(span, "turns"), "turns")),
        ),
        session_id=text(body, "session_id"),
        sequence=_whole(body, "sequence"),
        speaker=text(body, "speaker"),
        role=role(body),
        utterance_time=_time(body, "utterance_time"),
        entities=tuple(_entity(as_object(value, "entities")) for value in _list(body, "entities")),
        locations=tuple(_strings(_list(body, "locations"), "locations")),
        fact_times=tuple(_interval(value) for value in _list(body, "fact_times")),
        triple=_triple(body),
        metadata=as_object(body.get("metadata", {}), "metadata"),
        agent_id=optional_text(body, "agent_id"),
        run_id=optional_text(body, "run_id"),
    )


def canonical(value: object, field: str = "metadata") -> JsonValue:
    """The value with every object's keys sorted. Raises InvalidInput for what JSON cannot hold."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if value - value != 0.0:  # NaN or infinite
            raise InvalidInput(field, f"{value} has no place in JSON")
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InvalidInput(field, f"expected a string as key, got {type(key).__name__}")
        return {key: canonical(value[key], f"{field}.{key}") for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [canonical(item, f"{field}[{index}]") for index, item in enumerate(value)]
    raise InvalidInput(field, f"{type(value).__name__} has no place in JSON")


def _compact(**fields: JsonValue) -> JsonObject:
    """The fields without the empty ones, which the reader fills in again; empty strings stay."""
    return {key: value for key, value in fields.items() if value is not None and value != [] and value != {}}


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _time(body: Mapping[str, JsonValue], field: str) -> datetime | None:
    written = optional_text(body, field)
    if written is None:
        return None
    try:
        return datetime.fromisoformat(written)
    except ValueError as error:
        raise InvalidInput(field, f"not an ISO 8601 time: {written[:40]!r}") from error


def _whole(body: Mapping[str, JsonValue], field: str) -> int:
    value = body.get(field)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidInput(field, f"expected a whole number, got {shape(value)}")
    return value


def _offset(body: Mapping[str, JsonValue], field: str) -> int | None:
    return None if body.get(field) is None else _whole(body, field)


def _list(body: Mapping[str, JsonValue], field: str) -> list[JsonValue]:
    return as_list(body, field) if body.get(field) is not None else []


def _strings(values: list[JsonValue], field: str) -> list[str]:
    found = [value for value in values if isinstance(value, str)]
    if len(found) != len(values):
        raise InvalidInput(field, "expected strings only")
    return found


def _entity(body: JsonObject) -> Entity:
    kind = text(body, "type")
    if kind not in get_args(EntityType):
        raise InvalidInput("entities", f"unknown type {kind[:40]!r}")
    return Entity(text(body, "text"), cast(EntityType, kind), _offset(body, "start"), _offset(body, "end"))


def _interval(value: JsonValue) -> Interval:
    parts = _strings(value, "fact_times") if isinstance(value, list) else []
    if len(parts) != 3:
        raise InvalidInput("fact_times", f"expected [start, end, granularity], got {shape(value)}")
    try:
        return Interval(date.fromisoformat(parts[0]), date.fromisoformat(parts[1]), Granularity(parts[2]))
    except ValueError as error:
        raise InvalidInput("fact_times", str(error)) from error


def _triple(body: Mapping[str, JsonValue]) -> Triple | None:
    if body.get("triple") is None:
        return None
    parts = _strings(as_list(body, "triple"), "triple")
    if len(parts) != 3:
        raise InvalidInput("triple", f"expected [subject, predicate, object], got {len(parts)} parts")
    return Triple(*parts)
