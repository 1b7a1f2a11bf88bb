"""A caller's message, checked and cleaned: what may become a turn, and a clear word about what may not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from typing import Any

from ..errors import InvalidInput
from ..text import altered, clean
from ..types import ROLES, JsonValue, Role
from .timestamps import parse_timestamp

KEYS = ("role", "content", "name", "timestamp", "id", "caption", "caption_query", "metadata", "session_id")
DEEPEST = 50  # levels of nested metadata
Timestamp = str | date | datetime | int | float | None


@dataclass(frozen=True, slots=True)
class Message:
    """One valid message; `id` only if the caller gave one.

    `unread_time` is a timestamp that no rule understands: the message is kept, its time is unknown. `altered`: keys
    whose text no file can hold word for word.
    """

    role: Role
    content: str
    speaker: str
    time: datetime | None
    id: str | None
    caption: str | None
    caption_query: str | None
    metadata: Mapping[str, JsonValue]
    session_id: str | None
    unread_time: str | None = None
    altered: tuple[str, ...] = ()

    @property
    def note(self) -> str | None:
        """A word to the caller about what was not understood."""
        notes = [] if self.unread_time is None else [unread_note(self.unread_time)]
        notes += [altered_note(self.altered)] if self.altered else []
        return "; ".join(notes) or None


def read_message(item: object, *, timestamp: Timestamp = None, time_zone: str | tzinfo | None = None) -> Message:
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
    caption = _text(item, "caption")
    content = _content(item.get("content"), has_caption=caption is not None)
    name = _text(item, "name")
    own = item.get("timestamp")
    time, unread = read_time(timestamp if own is None else own, time_zone, "message.timestamp")
    return Message(
        role=role,
        content=content,
        speaker=name or role,
        time=time,
        id=identifier(item.get("id"), "message.id"),
        caption=caption,
        caption_query=_text(item, "caption_query"),
        metadata=checked_metadata(item.get("metadata"), "message.metadata"),
        session_id=identifier(item.get("session_id"), "message.session_id"),
        unread_time=unread,
        altered=tuple(key for key, value in item.items() if key != "timestamp" and altered(value)),
    )


def read_time(
    value: Any, time_zone: str | tzinfo | None, at: str = "timestamp"
) -> tuple[datetime | None, str | None]:
    """(time, None), or (None, the text) for a text that is no time: words are not lost for a bad date.

    Raises InvalidInput naming `at` for a value of another type, and `time_zone` for one that does not exist.
    """
    try:
        return parse_timestamp(value, time_zone=time_zone), None
    except InvalidInput as error:
        if error.field != "timestamp":
            raise
        if isinstance(value, str):
            return None, clean(value)
        raise InvalidInput(at, error.problem, error.hint) from error


def unread_note(text: str) -> str:
    """What the report says of a timestamp that cannot be read."""
    shown = text if len(text) <= 60 else text[:57] + "..."
    return f"timestamp: cannot read {shown!r}; stored with its time unknown"


def altered_note(keys: Sequence[str]) -> str:
    """What the report says of text that is not stored word for word."""
    return f"{', '.join(keys)}: lone surrogates (or bytes that were no UTF-8) became U+FFFD, and NULs were dropped"


def checked_metadata(metadata: object, at: str) -> dict[str, JsonValue]:
    """Metadata that JSON can hold; None is none. Raises InvalidInput with the path of what it cannot."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise InvalidInput(at, f"expected a mapping, got {type(metadata).__name__}")
    return {clean(str(key)): _json(value, f"{at}.{key}") for key, value in metadata.items()}


def _json(value: Any, at: str, depth: int = 0) -> JsonValue:
    if depth > DEEPEST:
        raise InvalidInput(at[:200], f"is nested more than {DEEPEST} deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise InvalidInput(at, "is a whole number beyond 64 bits", "give it as text")
        return value
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise InvalidInput(at, f"{value} is no JSON number")
        return value
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): _json(inner, f"{at}.{key}", depth + 1) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_json(inner, f"{at}[{place}]", depth + 1) for place, inner in enumerate(value)]
    raise InvalidInput(at, f"{type(value).__name__} does not fit into JSON", "use text, numbers, lists, mappings")


def _content(content: object, *, has_caption: bool) -> str:
    if content is None and has_caption:
        return ""
    if isinstance(content, Sequence) and not isinstance(content, str | bytes | bytearray):
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


def identifier(value: object, at: str) -> str | None:
    """An id as text; None stays None. Raises InvalidInput naming `at`."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InvalidInput(at, f"expected text or a whole number, got {type(value).__name__}")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise InvalidInput(at, "is a whole number beyond 64 bits", "give it as text")
    text = clean(str(value))
    if not text:
        raise InvalidInput(at, "is empty", "leave it out to have one made")
    return text
