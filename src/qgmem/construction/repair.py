"""Records out of a model's answer, in whatever shape it lists them; `models/json_answer.py` finds the JSON.

Nothing is invented. What cannot be read is ModelMisbehaved, so that the caller asks again or reports it; it is never
an empty list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import ModelMisbehaved
from ..models.json_answer import parse_json
from ..types import JsonValue


@dataclass(frozen=True, slots=True)
class Record:
    """One object of an answer; `cut` if the text ended inside it, so that fields may be missing."""

    fields: dict[str, JsonValue]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Records:
    """All objects of an answer. `truncated`: more may have been meant to follow. `clean`: the contract was kept."""

    records: tuple[Record, ...]
    truncated: bool
    clean: bool


def read_records(text: str, key: str, aliases: Sequence[str], text_field: str) -> Records:
    """The objects that an answer lists under `key`, under another name, bare, or as plain strings (`text_field`).

    An empty list is an answer; an object without any list is not. Raises ModelMisbehaved.
    """
    found = parse_json(text)
    path, items = _items(found.value, (key, *aliases), text_field)
    records = []
    for place, item in enumerate(items):
        inside = found.cut is not None and found.cut[: len(path) + 1] == (*path, place)
        if isinstance(item, dict):
            records.append(Record(item, inside))
        elif isinstance(item, str) and item.strip():
            records.append(Record({text_field: item}, inside))
    if items and not records:
        raise ModelMisbehaved(f"answer: the list of {key} holds neither objects nor texts")
    by_contract = found.clean and path == (key,) and all(isinstance(item, dict) for item in items)
    return Records(tuple(records), found.cut is not None, by_contract)


def _items(value: JsonValue, names: Sequence[str], text_field: str) -> tuple[tuple[str | int, ...], list[JsonValue]]:
    if isinstance(value, list):
        return (), value
    if isinstance(value, dict):
        for name in names:
            inner = value.get(name)
            if isinstance(inner, list):
                return (name,), inner
            if isinstance(inner, dict):
                _, nested = _items(inner, names, text_field)
                return (name,), nested
        if text_field in value:
            return (), [value]
        lists = [(name, inner) for name, inner in value.items() if isinstance(inner, list)]
        if len(lists) == 1 and all(isinstance(item, dict | str) for item in lists[0][1]):
            return (lists[0][0],), lists[0][1]
        if value and all(isinstance(inner, dict) for inner in value.values()):  # {"u1": {…}, "u2": {…}}
            return (), [{"memory_unit_id": name, **inner} for name, inner in value.items() if isinstance(inner, dict)]
    raise ModelMisbehaved(f"answer: no list of {names[0]} in {type(value).__name__}")
