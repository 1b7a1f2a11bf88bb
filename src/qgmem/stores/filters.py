"""Search filters as a checked tree of conditions, which every store compiles for itself.

`{"speaker": "Ana", "city": {"in": ["Oslo", "Bergen"]}, "OR": [{"role": "user"}, {"NOT": [{"kind": "x"}]}]}`:
a plain value means equality, several keys at one level must all hold, `NOT` holds when none of its parts does.
`speaker`, `role`, `session_id`, `kind`, `agent_id`, `run_id`, `id`, `utterance_time` and `fact_time` are the unit's
own; any other name, or one after `metadata.`, is a metadata key.

What a test means: equality of text and text, number and number, true/false and null, never across these; a missing
value equals null and no order holds for it. `contains`: a text holds the given text, a list holds the given value.
Times: a day stands for all its moments, a month (2024-02) or a year alone for all its days, a time without offset is
read as UTC; `fact_time` holds for a unit if it holds for one of its intervals, `eq` when it overlaps the
day, month or year, `gt`/`gte` by the interval's end, `lt`/`lte` by its start.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal

from ..errors import InvalidInput

Operator = Literal["eq", "gt", "gte", "lt", "lte", "contains", "in"]
Scalar = str | int | float | bool | None
OWN = ("speaker", "role", "session_id", "kind", "agent_id", "run_id", "id")
TIMES = ("utterance_time", "fact_time")
OPERATORS = ("eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "contains")
DEEPEST, MOST, LONGEST = 20, 500, 10_000  # levels of nesting, tests in all, values of one `in`


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison. `field` is the unit's own, or None and `key` names the metadata."""

    field: str | None
    key: str
    operator: Operator
    operand: Any  # a Scalar; a list of them for `in`; a date, a datetime, or (for `eq`) first and last day for times


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds; true without parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one part holds; false without parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Condition


Condition = Comparison | All | Some | Not


def parse_filters(filters: Mapping[str, Any] | None) -> Condition | None:
    """The condition that a caller's mapping describes; None for no filter.

    Raises InvalidInput naming the path of what cannot be understood.
    """
    if filters is None:
        return None
    condition = _Reader().mapping(filters, "filters", 0)
    return None if condition == All(()) else condition


class _Reader:
    """Reads one filter; counts its tests."""

    def __init__(self) -> None:
        self._tests = 0

    def mapping(self, filters: object, at: str, depth: int) -> Condition:
        if not isinstance(filters, Mapping):
            raise InvalidInput(at, f"expected a mapping, got {type(filters).__name__}")
        if depth > DEEPEST:
            raise InvalidInput("filters", f"is nested more than {DEEPEST} deep")
        parts = [self._entry(name, value, at, depth) for name, value in filters.items()]
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _entry(self, name: object, value: Any, at: str, depth: int) -> Condition:
        if not isinstance(name, str) or not name:
            raise InvalidInput(at, f"expected names of fields, got {name!r}")
        at = f"{at}.{name}"
        if name in ("AND", "OR", "NOT"):
            parts = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
            inner = tuple(self.mapping(part, f"{at}[{place}]", depth + 1) for place, part in enumerate(parts))
            return All(inner) if name == "AND" else Some(inner) if name == "OR" else Not(Some(inner))
        if isinstance(value, list | tuple | set | frozenset):
            raise InvalidInput(at, "is a list", f'write {{"{name}": {{"in": [...]}}}} for any of several values')
        conditions = value if isinstance(value, Mapping) else {"eq": value}
        if not conditions:
            raise InvalidInput(at, "is an empty mapping", f"use one of {', '.join(OPERATORS)}")
        found = [self._test(name, op, operand, f"{at}.{op}") for op, operand in conditions.items()]
        return found[0] if len(found) == 1 else All(tuple(found))

    def _test(self, name: str, operator: object, operand: Any, at: str) -> Condition:
        self._tests += 1
        if self._tests > MOST:
            raise InvalidInput("filters", f"holds more than {MOST} tests", "use in with a list")
        if operator not in OPERATORS:
            raise InvalidInput(at, "is no operator", f"use one of {', '.join(OPERATORS)}")
        if operator == "ne":
            return Not(self._test(name, "eq", operand, at))
        if operator == "nin":
            return Not(self._test(name, "in", operand, at))
        name = "session_id" if name == "session" else name
        if operator == "in" and (isinstance(operand, str | bytes) or not isinstance(operand, Sequence)):
            raise InvalidInput(at, f"expected a list, got {type(operand).__name__}")
        if name in TIMES:
            return self._time(name, operator, operand, at)
        field, key = (name, name) if name in OWN else (None, name.removeprefix("metadata."))
        if operator == "in":
            if len(operand) > LONGEST:
                raise InvalidInput(at, f"holds {len(operand)} values", f"give at most {LONGEST}")
            return Comparison(field, key, "in", [_scalar(one, field, at) for one in operand])
        operand = _scalar(operand, field, at)
        ordered = operator not in ("eq", "contains")
        if (operand is None and operator != "eq") or (isinstance(operand, bool) and ordered):
            raise InvalidInput(at, f"does not apply to {operand!r}", "use eq or ne")
        return Comparison(field, key, operator, operand)  # type: ignore[arg-type]

    def _time(self, name: str, operator: object, operand: Any, at: str) -> Condition:
        if operator == "in":
            return Some(tuple(self._test(name, "eq", one, at) for one in operand))
        if operator == "contains" or (operand is None and operator != "eq"):
            raise InvalidInput(at, f"does not apply to a time and {operand!r}", "use eq, gt, gte, lt or lte")
        if (span := _span(operand)) is not None:
            if operator == "eq":
                return Comparison(name, name, "eq", span)
            return Comparison(name, name, operator, span[operator in ("gt", "lte")])  # type: ignore[arg-type]
        return Comparison(name, name, operator, None if operand is None else _moment(operand, at))  # type: ignore[arg-type]


def _scalar(operand: Any, field: str | None, at: str) -> Scalar:
    if field is not None and isinstance(operand, int) and not isinstance(operand, bool):
        operand = str(operand)  # ids may be given as numbers; a unit's own fields are text
    if field is not None and not isinstance(operand, str | None):
        raise InvalidInput(at, f"expected text, got {type(operand).__name__}")
    if operand is None or isinstance(operand, str | bool):
        return operand
    if isinstance(operand, float):
        if operand != operand:
            raise InvalidInput(at, "is no number")
        return operand
    if isinstance(operand, int):
        if not -(2**63) <= operand < 2**63:
            raise InvalidInput(at, "is a whole number beyond 64 bits")
        return operand
    raise InvalidInput(at, f"expected text, a number, true, false or null, got {type(operand).__name__}")


_MONTH = re.compile(r"(\d{4})(?:-(\d\d))?", re.ASCII)


def _span(operand: Any) -> tuple[date, date] | None:
    """First and last day of a year or month that stands alone; None for anything else."""
    found = _MONTH.fullmatch(operand.strip()) if isinstance(operand, str) else None
    if found is None:
        return None
    year, first, last = int(found[1]), int(found[2] or 1), int(found[2] or 12)
    if not 1 <= year < 9999 or not 1 <= first <= 12:
        return None
    return date(year, first, 1), date(year + last // 12, last % 12 + 1, 1) - timedelta(days=1)


def _moment(operand: Any, at: str) -> datetime | date:
    if isinstance(operand, datetime | date):
        return operand
    if isinstance(operand, str):
        try:
            return date.fromisoformat(operand) if len(operand) == 10 else datetime.fromisoformat(operand)
        except ValueError as error:
            raise InvalidInput(at, f"{operand!r} is no ISO date", "write 2023-05-08 or 2023-05-08T13:56") from error
    raise InvalidInput(at, f"expected an ISO date, got {type(operand).__name__}")
