"""The JSON that a model meant to answer: out of fences, prose, bad escapes and cut endings.

Nothing is invented. What cannot be read is ModelMisbehaved, so that the caller asks again or reports it; it is never
an empty list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import ModelMisbehaved
from ..text import clean
from ..types import JsonValue
from .lenient_json import DEEPEST, LenientReader, Unreadable

_THINKING = re.compile(r"^.*?</think(?:ing)?>|<think(?:ing)?>.*\Z", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:\n[ \t]*```|\Z)", re.DOTALL)
_START = re.compile(r"[{\[]")
_TRIES = 50  # places in prose where JSON might start
_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None)


@dataclass(frozen=True, slots=True)
class Repaired:
    """`value` as read; `clean` if it was JSON by the book. `cut`: path of the container in which the text ended."""

    value: JsonValue
    clean: bool
    cut: tuple[str | int, ...] | None = None


def parse_json(text: str) -> Repaired:
    """The JSON value in a model's answer. Raises ModelMisbehaved if there is none.

    >>> parse_json('Sure! {"facts": ["Ana moved to Porto", "Ben st').value
    {'facts': ['Ana moved to Porto']}
    """
    stripped = text.strip().removeprefix("\ufeff")
    whole = _whole(stripped)
    if whole is not None:
        return whole
    body = _THINKING.sub("", stripped).strip()
    fenced = [found[1] for found in _FENCE.finditer(body)]
    for candidate in [*sorted(fenced, key=len, reverse=True), body]:
        try:
            found = _strict(candidate) or _lenient(candidate)
        except RecursionError:
            continue
        if found is not None:
            return found
    raise ModelMisbehaved(f"answer: no JSON in {len(text)} characters")


def _whole(text: str, *, encoded: bool = False) -> Repaired | None:
    """The text as one JSON value, or as a JSON string that holds one."""
    try:
        value = _cleaned(_DECODER.decode(text))
    except (ValueError, RecursionError):
        return None
    if isinstance(value, str):
        return None if encoded else _whole(value, encoded=True)
    return Repaired(value, clean=not encoded)


def _strict(text: str) -> Repaired | None:
    """Whole JSON values inside other text: the only one, the largest, or one object a line."""
    found: list[tuple[int, JsonValue]] = []
    at = 0
    for _ in range(_TRIES):
        start = _START.search(text, at)
        if start is None:
            break
        try:
            value, end = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            if text[start.start()] == "{":
                return None  # an object that is broken: what stands inside it is not the answer
            at = start.end()
            continue
        if value not in ([], {}) and _structured(value):
            found.append((end - start.start(), value))
        elif value in ([], {}) and not found and not _START.search(text, end):
            found.append((2, value))
        at = end
    if not found:
        return None
    objects = [value for _, value in found if isinstance(value, dict)]
    if len(objects) == len(found) > 1:
        lists = [value for value in objects if any(isinstance(inner, list) for inner in value.values())]
        if not lists:
            return Repaired(_cleaned(list(objects)), clean=False)
    return Repaired(_cleaned(max(found, key=lambda one: one[0])[1]), clean=False)


def _structured(value: JsonValue) -> bool:
    """An object, or a list of objects or sentences: no `[1]` and no `[link]` of prose."""
    if isinstance(value, dict):
        return True
    return isinstance(value, list) and all(isinstance(item, dict | str) for item in value)


def _lenient(text: str) -> Repaired | None:
    for start in _starts(text):
        reader = LenientReader(text, start)
        try:
            value = reader.read()
        except (Unreadable, RecursionError):
            continue
        if value or reader.cut is not None:
            return Repaired(_cleaned(value), clean=False, cut=reader.cut)
    return None


def _starts(text: str) -> Iterator[int]:
    for count, found in enumerate(_START.finditer(text)):
        if count == _TRIES:
            return
        yield found.start()


def _cleaned(value: JsonValue, depth: int = 0) -> JsonValue:
    """No lone surrogate and no NUL in any text, no level too deep."""
    if depth > DEEPEST:
        raise RecursionError
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {clean(name): _cleaned(item, depth + 1) for name, item in value.items()}
    return value
