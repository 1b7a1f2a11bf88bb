"""A caller's message, checked and cleaned: what may become a turn, and a clear word about what may not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from ..errors import InvalidInput
from ..types import ROLES, JsonValue, Role
from .timestamps import parse_timestamp

KEYS = ("role", "content", "name", "timestamp", "id", "caption", "caption_query", "metadata", "session_id")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Message:
    """One valid message; `id` only if the caller gave one."""

    role: Role
    content: str
    speaker: str
    time: datetime | None
    id: str | None
    caption: str | None
    caption_query: str | None
    metadata: Mapping[str, JsonValue]
    session_id: str | None


def read_message(
    item: object, *, timestamp: datetime | None = None, time_zone: str | tzinfo | None = None
) -> Message:
    """A message from a string or a mapping. `timestamp` stands in when the message carries none.

    Lone surrogates become U+FFFD and NULs are dropped; everything else of the text stays as it is.
    Raises InvalidInput naming the key.
    """
    if isinstance(item, str):
        item = {"role": "user", "content": item}
    if not isinstance(item, Mapping):
        raise InvalidInput("message", f"expected a string or a mapping, got {type(item).__name__}")
    for key in item:
        if key not in KEYS:
            raise InvalidInput(f"message.{key}", "is no key of a message", f"known keys: {', '.join(KEYS)}")
    role = item.get("role", "user")
    if role not in ROLES:
        raise InvalidInput("message.role", f"is {role!r}", f"use one of {', '.join(ROLES)}")
    content = _content(item.get("content"), has_caption=bool(item.get("caption")))
    name = _text(item, "name")
    given = item.get("timestamp")
    metadata = item.get("metadata") or {}
    if not isinstance(metadata, Mapping):
        raise InvalidInput("message.metadata", f"expected a mapping, got {type(metadata).__name__}")
    return Message(
        role=role,
        content=content,
        speaker=name or role,
        time=timestamp if given is None else _time(given, time_zone),
        id=_identifier(item.get("id"), "message.id"),
        caption=_text(item, "caption"),
        caption_query=_text(item, "caption_query"),
        metadata=checked_metadata(metadata, "message.metadata"),
        session_id=_identifier(item.get("session_id"), "message.session_id"),
    )


def checked_metadata(metadata: Mapping[str, Any], at: str) -> dict[str, JsonValue]:
    """Metadata that JSON can hold. Raises InvalidInput with the path of what it cannot."""
    return {clean(str(key)): _json(value, f"{at}.{key}") for key, value in metadata.items()}


def clean(text: str) -> str:
    """Text that any file can hold: no lone surrogate, no NUL."""
    return _SURROGATE.sub("\ufffd", text).replace("\0", "")


def _json(value: Any, at: str) -> JsonValue:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise InvalidInput(at, f"{value} is no JSON number")
        return value
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): _json(inner, f"{at}.{key}") for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_json(inner, f"{at}[{place}]") for place, inner in enumerate(value)]
    raise InvalidInput(at, f"{type(value).__name__} does not fit into JSON", "use text, numbers, lists, mappings")


def _content(content: object, *, has_caption: bool) -> str:
    if isinstance(content, Sequence) and not isinstance(content, str | bytes):
        content = "\n".join(_part(part, place) for place, part in enumerate(content))
    if not isinstance(content, str):
        raise InvalidInput(
            "message.content", f"expected text, got {'null' if content is None else type(content).__name__}"
        )
    cleaned = clean(content)
    if not cleaned.strip() and not has_caption:
        shape = "empty" if not content else f"{len(content)} characters without a word"
        raise InvalidInput("message.content", f"is {shape}", "leave the message out")
    return cleaned


def _part(part: object, place: int) -> str:
    """The text of one content part in the style of chat APIs."""
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and isinstance(part.get("text"), str):
        return str(part["text"])
    raise InvalidInput(f"message.content[{place}]", "holds no text", "give images as caption")


def _text(item: Mapping[str, Any], key: str) -> str | None:
    value = item.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidInput(f"message.{key}", f"expected text, got {type(value).__name__}")
    return clean(value).strip() or None


def _identifier(value: object, at: str) -> str | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInput(at, f"expected text or a whole number, got {type(value).__name__}")
    text = clean(str(value))
    if not text:
        raise InvalidInput(at, "is empty", "leave it out to have one made")
    return text


def _time(value: Any, time_zone: str | tzinfo | None) -> datetime | None:
    try:
        return parse_timestamp(value, time_zone=time_zone)
    except InvalidInput as error:
        raise InvalidInput("message.timestamp", error.problem, error.hint) from error
