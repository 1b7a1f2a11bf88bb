"""Mem0 exports: a list of memories or `{"results": [...]}`, as `get_all` returns them.

Each memory becomes one message: its text, its id, `created_at` as the time. `run_id` is the session.
Whatever else it carries (updated_at, categories, hash, its own metadata, …) goes into `metadata` under
its own name. `relations` beside the results repeat the memories as a graph and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import ROLES, ImportProblem, ImportRecord, JsonValue

from .checks import JsonObject, as_object, identifier, optional_text, problem, text, timestamp
from .json_stream import json_elements

_TAKEN = frozenset(("id", "memory", "user_id", "created_at", "metadata", "run_id", "role", "actor_id"))
# Paging and the graph beside the results.
_BESIDE = frozenset(("relations", "count", "next", "previous", "total", "page", "page_size"))


def read(path: Path) -> Iterator[ImportRecord | ImportProblem]:
    """Memories in file order. Raises InvalidInput when the file cannot be opened."""
    for element in json_elements(path, "results"):
        if isinstance(element, ImportProblem):
            yield element
        elif element.path.endswith("]"):
            yield from _memory(element.value, f"{path} record {element.path}")
        elif element.path not in _BESIDE:
            yield ImportProblem(str(path), element.path, "unknown member; only `results` is read", kept=True)


def _memory(value: JsonValue, where: str) -> Iterator[ImportRecord | ImportProblem]:
    try:
        record = as_object(value, "memory")
        said_by = optional_text(record, "role")
        fields: dict[str, object] = {
            "role": said_by if said_by in ROLES else "user",
            "content": text(record, "memory"),
        }
        if record.get("id") is not None:
            fields["id"] = identifier(record, "id")
        name = optional_text(record, "actor_id")
        if name:
            fields["name"] = name
        metadata = _metadata(record)
        if metadata:
            fields["metadata"] = metadata
        user_id = None if record.get("user_id") is None else identifier(record, "user_id")
        session_id = None if record.get("run_id") is None else identifier(record, "run_id")
    except InvalidInput as error:
        yield problem(where, error)
        return
    time, doubt = timestamp(record, "created_at", where)
    if doubt is not None:
        yield doubt
    if time is not None:
        fields["timestamp"] = time
    yield ImportRecord(session_id, fields, where, user_id)


def _metadata(record: JsonObject) -> JsonObject:
    """The memory's own metadata, then every field that has no place of its own and is not null."""
    own = record.get("metadata")
    merged = {} if own is None else dict(as_object(own, "metadata"))
    for key, value in record.items():
        if key not in _TAKEN and value is not None:
            merged.setdefault(key, value)
    return merged
