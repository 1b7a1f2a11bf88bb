"""Our plainest format: a JSON array of messages (or `{"messages": [...]}`).

Keys of a message: role, content, and optionally name, timestamp, id, caption, caption_query, metadata,
session_id, user_id. Memory: that of the largest message.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, ImportRecord, JsonValue

from .checks import as_object, identifier, optional_text, problem, role, text, timestamp
from .json_stream import json_elements

_OPTIONAL_TEXT = ("name", "caption", "caption_query")
KEYS = frozenset(("role", "content", "timestamp", "id", "metadata", "session_id", "user_id", *_OPTIONAL_TEXT))


def read(path: Path) -> Iterator[ImportRecord | ImportProblem]:
    """Messages in file order. Raises InvalidInput when the file cannot be opened."""
    for element in json_elements(path, "messages"):
        if isinstance(element, ImportProblem):
            yield element
        elif element.path.endswith("]"):
            yield from message(element.value, f"{path} record {element.path}")
        else:
            yield ImportProblem(str(path), element.path, "unknown member; only `messages` is read")


def message(value: JsonValue, where: str) -> Iterator[ImportRecord | ImportProblem]:
    """One message as a record, or a problem; a record whose time has the wrong type comes with a problem."""
    try:
        record = as_object(value, "message")
        unknown = sorted(set(record) - KEYS)
        if unknown:
            raise InvalidInput(unknown[0], "unknown key", f"known are {', '.join(sorted(KEYS))}")
        fields: dict[str, object] = {"role": role(record), "content": _content(record)}
        for key in _OPTIONAL_TEXT:
            found = optional_text(record, key)
            if found is not None:
                fields[key] = found
        if record.get("id") is not None:
            fields["id"] = identifier(record, "id")
        if record.get("metadata") is not None:
            fields["metadata"] = as_object(record["metadata"], "metadata")
        session_id, user_id = _scope(record, "session_id"), _scope(record, "user_id")
    except InvalidInput as error:
        yield problem(where, error)
        return
    time = record.get("timestamp")
    if isinstance(time, int | float) and not isinstance(time, bool):
        fields["timestamp"] = time  # unix seconds
    else:
        written, doubt = timestamp(record, "timestamp", where)
        if doubt is not None:
            yield doubt
        if written is not None:
            fields["timestamp"] = written
    yield ImportRecord(session_id, fields, where, user_id)


def _content(record: dict[str, JsonValue]) -> str:
    """Text, or the text parts that chat APIs make of it, joined by line ends. Raises InvalidInput."""
    parts = record.get("content")
    if not isinstance(parts, list):
        return text(record, "content")
    words = [part.get("text") if isinstance(part, dict) else part for part in parts]
    for index, said in enumerate(words):
        if not isinstance(said, str):
            raise InvalidInput(f"content[{index}]", "a part without text", "give an image as caption")
    return "\n".join(str(said) for said in words)


def _scope(record: dict[str, JsonValue], key: str) -> str | None:
    return None if record.get(key) is None else identifier(record, key)
