"""Which format a file has, told by its content; its name is never looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, JsonValue

from .headings import heading_time
from .json_stream import Element, json_elements
from .jsonl import json_lines
from .text_source import BrokenFile, open_source, read_lines
from .transcript import turn_start

FORMATS = ("messages", "jsonl", "transcript", "locomo", "beam", "longmemeval", "chatgpt", "mem0", "qgmem")

_LOOK_AT = 20  # records or lines; the first one that is clear decides
# Keys that only this format's records have together.
_SIGNS: tuple[tuple[str, frozenset[str]], ...] = (
    ("locomo", frozenset(("conversation", "sample_id"))),
    ("longmemeval", frozenset(("haystack_sessions",))),
    ("chatgpt", frozenset(("mapping",))),
    ("beam", frozenset(("batch_number", "turns"))),
    ("mem0", frozenset(("memory",))),
    ("messages", frozenset(("role", "content"))),
)


def detect(path: Path) -> str:
    """The format's name. Raises InvalidInput listing the formats when it cannot be told.

    Reads the first records only, in the memory of the largest of them.
    """
    first = _first_character(path)
    if first == "[":
        found = _by_records(element.value for element in _elements(path, None))
    elif first == "{":
        found = _by_line(path) or _by_members(path)
    else:
        found = _as_transcript(path)
    if found is None:
        what = "an empty file" if not first else "none of the known formats"
        raise InvalidInput("format", f"{path} looks like {what}", f"name one of {', '.join(FORMATS)}")
    return found


def _first_character(path: Path) -> str:
    """First character that is not white space; empty for an empty file and for what is not text."""
    try:
        with open_source(path) as source:
            while not source.ended:
                source.fill()
                start = source.text.lstrip()
                if start:
                    return start[0]
                source.position = len(source.text)
    except BrokenFile:
        return "?"
    return ""


def _elements(path: Path, into: str | None) -> Iterator[Element]:
    for element in islice(json_elements(path, into), _LOOK_AT):
        if not isinstance(element, ImportProblem):
            yield element


def _by_records(values: Iterable[JsonValue]) -> str | None:
    """The format whose sign the first clear record bears."""
    for value in values:
        if isinstance(value, dict):
            for name, keys in _SIGNS:
                if keys <= value.keys():
                    return name
    return None


def _by_line(path: Path) -> str | None:
    """JSON Lines: more than one line, each a value of its own; the header line marks our export."""
    lines = [value for _, value in islice(json_lines(path), _LOOK_AT)]
    objects = [value for value in lines if isinstance(value, dict)]
    if objects and objects[0] is lines[0] and "qgmem" in objects[0]:
        return "qgmem"
    return "jsonl" if _by_records(objects) == "messages" else None


def _by_members(path: Path) -> str | None:
    """One JSON object: a container of messages or memories, or a single record of an array format."""
    for into, name in (("messages", "messages"), ("results", "mem0")):
        values = [element.value for element in _elements(path, into) if element.path.startswith(f"{into}[")]
        if _by_records(values) == name:
            return name
    found = _by_records(element.value for element in _elements(path, None))
    return found if found in ("locomo", "longmemeval", "chatgpt", "beam") else None


def _as_transcript(path: Path) -> str | None:
    """A transcript if a turn begins before any text that belongs to none."""
    try:
        for line in islice(read_lines(path), _LOOK_AT):
            if line.text is None or "\0" in line.text:
                return None
            if turn_start(line.text) is not None:
                return "transcript"
            if line.text.strip() and heading_time(line.text) is None:
                return None
    except BrokenFile:
        return None
    return None
