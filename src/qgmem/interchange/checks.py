"""Checks shared by the readers: the right JSON type or an error that names field and shape."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from qgmem.errors import InvalidInput
from qgmem.types import ROLES, ImportProblem, JsonValue, Role

JsonObject = dict[str, JsonValue]


def shape(value: object) -> str:
    """What a JSON value looks like, without its content: `null`, `array of 3`, `string of 12`."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return f"a string of {len(value)}"
    if isinstance(value, list):
        return f"an array of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)}"
    return type(value).__name__


def as_object(value: JsonValue, field: str) -> JsonObject:
    """The value as an object. Raises InvalidInput."""
    if not isinstance(value, dict):
        raise InvalidInput(field, f"expected an object, got {shape(value)}")
    return value


def as_list(record: Mapping[str, JsonValue], field: str) -> list[JsonValue]:
    """The array under `field`. Raises InvalidInput."""
    value = _present(record, field)
    if not isinstance(value, list):
        raise InvalidInput(field, f"expected an array, got {shape(value)}")
    return value


def text(record: Mapping[str, JsonValue], field: str) -> str:
    """The string under `field`. Raises InvalidInput when it is missing or something else."""
    value = _present(record, field)
    if not isinstance(value, str):
        raise InvalidInput(field, f"expected a string, got {shape(value)}")
    return value


def optional_text(record: Mapping[str, JsonValue], field: str) -> str | None:
    """The string under `field`, None when missing or null. Raises InvalidInput when it is something else."""
    return None if record.get(field) is None else text(record, field)


def identifier(record: Mapping[str, JsonValue], field: str) -> str:
    """A string or whole number under `field`, as a string. Raises InvalidInput."""
    value = _present(record, field)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value:
        raise InvalidInput(field, f"expected a non-empty string or a whole number, got {shape(value)}")
    return value


def role(record: Mapping[str, JsonValue], field: str = "role") -> Role:
    """The role under `field`. Raises InvalidInput when it is none of ours."""
    value = text(record, field)
    if value not in ROLES:
        raise InvalidInput(field, f"unknown role {value[:40]!r}", f"one of {', '.join(ROLES)}")
    return value


def timestamp(record: Mapping[str, JsonValue], field: str, where: str) -> tuple[str | None, ImportProblem | None]:
    """The time as written. A wrong type costs the turn its time, never the turn: it comes with a problem."""
    value = record.get(field)
    if value is None or isinstance(value, str):
        return value or None, None
    reason = f"expected a string, got {shape(value)}; kept without a time"
    return None, ImportProblem(where, field, reason, kept=True)


def seconds(value: JsonValue, field: str, where: str) -> tuple[str | None, ImportProblem | None]:
    """Unix seconds as ISO 8601 in UTC; what is no number of them, or beyond the calendar, comes as a problem."""
    reason = f"expected seconds since 1970, got {shape(value)}"
    if isinstance(value, float | int) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value, UTC).isoformat(), None
        except (OverflowError, OSError, ValueError):
            reason = "seconds since 1970 beyond the calendar"
    return None, ImportProblem(where, field, f"{reason}; kept without a time", kept=True)


def problem(where: str, error: InvalidInput) -> ImportProblem:
    """What a reader yields for a record that failed a check."""
    return ImportProblem(where, error.field, error.problem + (f"; {error.hint}" if error.hint else ""))


def _present(record: Mapping[str, JsonValue], field: str) -> JsonValue:
    if field not in record:
        raise InvalidInput(field, "missing")
    return record[field]
