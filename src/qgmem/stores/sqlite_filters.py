"""Filter conditions as SQL over `units u JOIN turns t`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from .filters import All, Comparison, Condition, Not, Some
from .reading import time_number

_COLUMNS = {
    "role": "t.role",
    "kind": "u.kind",
    "agent_id": "t.agent_id",
    "run_id": "t.run_id",
    "id": "u.id",
    # labels are small beside the units: these conditions find their turns by index
    "speaker": "(SELECT text FROM labels WHERE code = t.speaker)",
    "session_id": "(SELECT text FROM labels WHERE code = t.session)",
}
_LABELS = {"speaker": ("t.speaker", "speaker"), "session_id": ("t.session", "session")}
_SIGNS = {"eq": "=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_JSON_TYPES = {bool: "", str: "= 'text'", int: "IN ('integer', 'real')", float: "IN ('integer', 'real')"}


@dataclass(frozen=True, slots=True)
class Where:
    """A condition as SQL that is 0 or 1 for every unit, with its values."""

    sql: str
    values: tuple[Any, ...] = ()


EVERYTHING = Where("1")
EDITED = Where("u.kind = 'verbatim' AND u.text IS NOT NULL")


def compiled(condition: Condition | None) -> Where:
    """The condition as SQL; None holds for every unit."""
    if condition is None:
        return EVERYTHING
    if isinstance(condition, All):
        return _joined("AND", [compiled(part) for part in condition.parts])
    if isinstance(condition, Some):
        return _joined("OR", [compiled(part) for part in condition.parts])
    if isinstance(condition, Not):
        inner = compiled(condition.part)
        return Where(f"NOT ({inner.sql})", inner.values)
    if condition.field == "utterance_time":
        return _utterance_time(condition)
    if condition.field == "fact_time":
        return _fact_time(condition)
    return _own(condition) if condition.field is not None else _metadata(condition)


def _joined(word: str, parts: Sequence[Where]) -> Where:
    if not parts:
        return Where("1" if word == "AND" else "0")
    values = tuple(value for part in parts for value in part.values)
    return Where(f" {word} ".join(f"({part.sql})" for part in parts), values)


def _own(test: Comparison) -> Where:
    column, operand = _COLUMNS[test.key], test.operand
    if test.operator == "in":
        texts = [one for one in operand if one is not None]
        parts = [Where(f"{column} IS NULL")] if len(texts) < len(operand) else []
        if texts:
            parts.append(_one_of(test.key, column, texts))
        return _joined("OR", parts)
    if test.operator == "eq":
        return Where(f"{column} IS NULL") if operand is None else _one_of(test.key, column, [operand])
    if test.operator == "contains":
        return Where(f"instr(coalesce({column}, ''), ?) > 0", (operand,))
    return Where(f"coalesce({column} {_SIGNS[test.operator]} ?, 0)", (operand,))


def _one_of(name: str, column: str, texts: Sequence[str]) -> Where:
    marks = ",".join("?" * len(texts))
    if name in _LABELS:
        code, kind = _LABELS[name]
        codes = f"SELECT code FROM labels WHERE kind = '{kind}' AND text IN ({marks})"
        return Where(f"{code} IN ({codes})", tuple(texts))
    known = "" if name == "id" else f"{column} IS NOT NULL AND "
    return Where(f"{known}{column} IN ({marks})", tuple(texts))


def _metadata(test: Comparison) -> Where:
    operand = test.operand
    if test.operator == "in":
        return _one_value(test.key, operand)
    if test.operator == "contains":
        condition, values = _equals("x", operand)
        inside = f"EXISTS (SELECT 1 FROM json_each(m.value) x WHERE {condition})"
        if not isinstance(operand, str):
            return _entry(test.key, f"m.type = 'array' AND {inside}", values)
        text = "m.type = 'text' AND instr(m.value, ?) > 0"
        either = f"CASE m.type WHEN 'array' THEN {inside} WHEN 'text' THEN {text} ELSE 0 END"
        return _entry(test.key, either, (*values, operand))
    if operand is None:
        known = _entry(test.key, "m.type <> 'null'")
        return Where(f"NOT ({known.sql})", known.values)
    if test.operator == "eq":
        return _entry(test.key, *_equals("m", operand))
    typed = f"m.type {_JSON_TYPES[type(operand)]}"
    return _entry(test.key, f"{typed} AND m.value {_SIGNS[test.operator]} ?", (operand,))


def _one_value(key: str, operands: Sequence[Any]) -> Where:
    parts: list[Where] = []
    for types in ((str,), (int, float), (bool,)):
        values = [one for one in operands if type(one) in types]
        if values and bool in types:
            names = ",".join(sorted({f"'{str(value).lower()}'" for value in values}))
            parts.append(Where(f"m.type IN ({names})"))
        elif values:
            marks = ",".join("?" * len(values))
            parts.append(Where(f"m.type {_JSON_TYPES[types[0]]} AND m.value IN ({marks})", tuple(values)))
    some = _joined("OR", parts)
    found = [_entry(key, some.sql, some.values)] if parts else []
    if None in operands:
        found.append(_metadata(Comparison(None, key, "eq", None)))
    return _joined("OR", found)


def _equals(at: str, operand: Any) -> tuple[str, tuple[Any, ...]]:
    """JSON equality within one type, of a row of json_each."""
    if operand is None or isinstance(operand, bool):
        return f"{at}.type = '{'null' if operand is None else 'true' if operand else 'false'}'", ()
    return f"{at}.type {_JSON_TYPES[type(operand)]} AND {at}.value = ?", (operand,)


def _entry(key: str, condition: str, values: tuple[Any, ...] = ()) -> Where:
    """A condition on the metadata value of that key, called m; not met where there is none."""
    return Where(
        f"t.metadata <> '{{}}' AND EXISTS (SELECT 1 FROM json_each(t.metadata) m WHERE m.key = ? AND ({condition}))",
        (key, *values),
    )


def _utterance_time(test: Comparison) -> Where:
    if test.operand is None:
        return Where("t.utterance_us IS NULL")
    first, last = _microseconds(test.operand)
    condition, values = {
        "eq": ("BETWEEN ? AND ?", (first, last)),
        "gt": ("> ?", (last,)),
        "gte": (">= ?", (first,)),
        "lt": ("< ?", (first,)),
        "lte": ("<= ?", (last,)),
    }[test.operator]
    return Where(f"coalesce(t.utterance_us {condition}, 0)", values)


def _microseconds(moment: datetime | date | tuple[date, date]) -> tuple[int, int]:
    """First and last microsecond that a time, a whole day, or the days from one to another stand for."""
    if isinstance(moment, tuple):
        return _microseconds(moment[0])[0], _microseconds(moment[1])[1]
    if isinstance(moment, datetime):
        return time_number(moment), time_number(moment)
    start = time_number(datetime.combine(moment, time.min))
    return start, start + int(timedelta(days=1) / timedelta(microseconds=1)) - 1


def _fact_time(test: Comparison) -> Where:
    if test.operand is None:
        return Where("u.fact_times = '[]'")
    span = test.operand if isinstance(test.operand, tuple) else (test.operand, test.operand)
    day, last = (str(each.date() if isinstance(each, datetime) else each) for each in span)
    start, end = "json_extract(e.value, '$[0]')", "json_extract(e.value, '$[1]')"
    condition, values = {
        "eq": (f"{start} <= ? AND {end} >= ?", (last, day)),
        "gt": (f"{end} > ?", (day,)),
        "gte": (f"{end} >= ?", (day,)),
        "lt": (f"{start} < ?", (day,)),
        "lte": (f"{start} <= ?", (day,)),
    }[test.operator]
    return Where(
        f"u.fact_times <> '[]' AND EXISTS (SELECT 1 FROM json_each(u.fact_times) e WHERE {condition})", values
    )
