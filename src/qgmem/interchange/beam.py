"""BEAM's `chat.json`: batches are sessions, message ids are kept, a time anchor lasts until the next one.

An anchor (`March-15-2024`) stands on the first message of a batch and dates the whole batch; it never
reaches into the next. User text ends in a bookkeeping mark like `->-> 1,5` that nobody said: it is cut.
Memory: that of the largest batch. Format: https://github.com/mohammadtavakoli78/BEAM
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, ImportRecord, JsonValue

from .checks import JsonObject, as_list, as_object, identifier, problem, role, shape, text, timestamp
from .json_stream import json_elements

# `->-> 1,5`, and as the files have it now and then: `->-> 1,5)`, `->-> 2,22, 24`, `->-> 2,N/A`.
_MARK = re.compile(r"->->\s*\d+\s*,\s*(?:\d+|N/A)(?:\s*,\s*\d+)*\)?\s*")


def read(path: Path) -> Iterator[ImportRecord | ImportProblem]:
    """Messages in order. Raises InvalidInput when the file cannot be opened."""
    for element in json_elements(path):
        if isinstance(element, ImportProblem):
            yield element
        else:
            yield from _batch(element.value, f"{path} record {element.path or '[0]'}")


def _batch(value: JsonValue, where: str) -> Iterator[ImportRecord | ImportProblem]:
    try:
        batch = as_object(value, "batch")
        session_id = f"batch_{identifier(batch, 'batch_number')}"
        groups = as_list(batch, "turns")
    except InvalidInput as error:
        yield problem(where, error)
        return
    anchor, doubt = timestamp(batch, "time_anchor", where)
    if doubt is not None:
        yield doubt
    for place, entry in _messages(groups, where):
        if isinstance(entry, ImportProblem):
            yield entry
            continue
        own, doubt = timestamp(entry, "time_anchor", place)
        if doubt is not None:
            yield doubt
        anchor = own or anchor
        try:
            message = _message(entry)
        except InvalidInput as error:
            yield problem(place, error)
            continue
        if anchor is not None:
            message["timestamp"] = anchor
        yield ImportRecord(session_id, message, place)


def _messages(groups: list[JsonValue], where: str) -> Iterator[tuple[str, JsonObject | ImportProblem]]:
    """Messages of all groups with their places; what is no message comes as a problem."""
    for index, group in enumerate(groups):
        place = f"{where} turns[{index}]"
        if not isinstance(group, list):
            yield place, ImportProblem(place, "turns", f"expected an array, got {shape(group)}")
            continue
        for number, message in enumerate(group):
            spot = f"{place}[{number}]"
            if isinstance(message, dict):
                yield spot, message
            else:
                yield spot, ImportProblem(spot, "message", f"expected an object, got {shape(message)}")


def _message(entry: JsonObject) -> dict[str, object]:
    speaker, content = role(entry), text(entry, "content")
    if speaker == "user":
        content = _said(content)
    return {"role": speaker, "content": content, "id": identifier(entry, "id")}


def _said(content: str) -> str:
    """User text without its bookkeeping mark."""
    at = content.rfind("->->")
    if at < 0 or _MARK.fullmatch(content, at) is None:
        return content
    return content[:at].rstrip()
