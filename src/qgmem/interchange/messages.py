"""Our plainest format: a JSON array of messages (or `{"messages": [...]}`), as OpenAI's protocol also has them.

Keys of a message: role, content, and optionally name, timestamp, id, caption, caption_query, metadata,
session_id, user_id. The words of a message are kept whatever else it holds: other keys, and parts of its content that
are no text, are left out and named in a note. A refusal, or what an answer by voice says, stands in for content that
is missing; a message that only calls a tool says nothing. Memory: that of the largest message.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, ImportRecord, JsonValue

from .checks import as_object, identifier, optional_text, problem, role, seconds, text, timestamp
from .json_stream import json_elements

_OPTIONAL_TEXT = ("name", "caption", "caption_query")
_ROLES = {"developer": "system", "function": "tool"}  # what the protocol calls them, or did
KEYS = frozenset(("role", "content", "timestamp", "id", "metadata", "session_id", "user_id", *_OPTIONAL_TEXT))


def read(path: Path) -> Iterator[ImportRecord | ImportProblem]:
    """Messages in file order. Raises InvalidInput when the file cannot be opened."""
    for element in json_elements(path, "messages"):
        if isinstance(element, ImportProblem):
            yield element
        elif element.path.endswith("]"):
            yield from message(element.value, f"{path} record {element.path}")
        else:
            yield ImportProblem(str(path), element.path, "unknown member; only `messages` is read", kept=True)


def message(value: JsonValue, where: str) -> Iterator[ImportRecord | ImportProblem]:
    """One message as a record, with a problem for each thing that is not kept; or the problem with all of it."""
    try:
        record = as_object(value, "message")
        author = record.get("role")
        named = _ROLES.get(author, author) if isinstance(author, str) else author
        fields: dict[str, object] = {"role": role({**record, "role": named} if "role" in record else record)}
        for key in _OPTIONAL_TEXT:
            found = optional_text(record, key)
            if found is not None:
                fields[key] = found
        fields["content"], left_out = _content(record)
        if record.get("id") is not None:
            fields["id"] = identifier(record, "id")
        if record.get("metadata") is not None:
            fields["metadata"] = as_object(record["metadata"], "metadata")
        session_id, user_id = _scope(record, "session_id"), _scope(record, "user_id")
    except InvalidInput as error:
        yield problem(where, error)
        return
    for field, reason in left_out:
        yield ImportProblem(where, field, reason, kept=True)
    if left_out and not fields["content"] and "caption" not in fields:
        return  # it says nothing
    time = record.get("timestamp")
    if isinstance(time, int | float) and not isinstance(time, bool):
        written, doubt = seconds(time, "timestamp", where)
    else:
        written, doubt = timestamp(record, "timestamp", where)
    if doubt is not None:
        yield doubt
    if written is not None:
        fields["timestamp"] = written if isinstance(time, str) else time
    yield ImportRecord(session_id, fields, where, user_id)


def _content(record: dict[str, JsonValue]) -> tuple[str, list[tuple[str, str]]]:
    """The words, and (field, reason) of what is left out beside them. Raises InvalidInput if there is nothing."""
    spoken = record.get("audio")
    stand_ins = (record.get("refusal"), spoken.get("transcript") if isinstance(spoken, dict) else None)
    said = next((each for each in stand_ins if isinstance(each, str) and each), None)
    used = {"refusal"} if said is not None and said == record.get("refusal") else set[str]()
    left_out = [
        (key, "not kept") for key in sorted(set(record) - KEYS - used) if record[key] not in (None, "", [], {})
    ]
    content = record.get("content")
    if isinstance(content, list):
        parts = [_words(part) for part in content]
        left_out += [
            (f"content[{index}]", f"{_kind(content[index])} holds no text and is left out; give an image as caption")
            for index, words in enumerate(parts)
            if words is None
        ]
        return "\n".join(words for words in parts if words is not None), left_out
    if not content and said is not None:
        return said, left_out
    if not content and (left_out or record.get("caption")):
        return "", left_out
    return text(record, "content"), left_out


def _words(part: JsonValue) -> str | None:
    """The text of a part, as chat APIs have them; None for an image, a call and the like."""
    if isinstance(part, dict):
        part = part.get("text") or part.get("refusal")
    return part if isinstance(part, str) else None


def _kind(part: JsonValue) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    return f"a part of type {kind[:40]!r}" if isinstance(kind, str) else "a part"


def _scope(record: dict[str, JsonValue], key: str) -> str | None:
    return None if record.get(key) is None else identifier(record, key)
