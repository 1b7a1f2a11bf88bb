"""Which format a file has, told by its content; its name is never looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import islice
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, JsonValue

from .headings import heading_time
from .json_stream import Element, json_elements
from .jsonl import json_lines
from .stamps import stamped
from .text_source import BrokenFile, open_source, read_lines
from .transcript import turn_start

FORMATS = ("messages", "jsonl", "transcript", "locomo", "beam", "longmemeval", "chatgpt", "mem0", "qgmem")

_GLANCE = 300  # characters
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
    start = _start(path)
    first = start[:1]
    if first == "[" and _is_timed(start):
        found = _as_transcript(path)
    elif first == "[":
        found = _by_records(element.value for element in _elements(path))
    elif first == "{":
        found = _by_members(path) or _by_lines(path)
    else:
        found = _as_transcript(path)
    if found is None:
        what = "an empty file" if not first else "none of the known formats"
        raise InvalidInput("format", f"{path} looks like {what}", f"name one of {', '.join(FORMATS)}")
    return found


def _start(path: Path) -> str:
    """The first characters from one that is not white space; none of an empty file, "?" for what is not text."""
    try:
        with open_source(path) as source:
            while not source.ended:
                source.fill()
                start = source.text.lstrip()
                if start:
                    return start[:_GLANCE]
                source.position = len(source.text)
    except BrokenFile:
        return "?"
    return ""


def _elements(path: Path, *into: str) -> Iterator[Element]:
    for element in islice(json_elements(path, *into), _LOOK_AT):
        if not isinstance(element, ImportProblem):
            yield element


def _by_keys(keys: Set[str]) -> str | None:
    return next((name for name, sign in _SIGNS if sign <= keys), None)


def _by_records(values: Iterable[JsonValue]) -> str | None:
    """The format whose sign the first clear record bears."""
    found = (_by_keys(value.keys()) for value in values if isinstance(value, dict))
    return next((name for name in found if name is not None), None)


def _by_members(path: Path) -> str | None:
    """A file that begins with an object: a container, one record of an array format, or JSON Lines."""
    names: set[str] = set()
    for element in _elements(path, "messages", "results"):
        if element.path.endswith("]"):
            found = _by_records([element.value])
            if (element.path.partition("[")[0], found) in (("messages", "messages"), ("results", "mem0")):
                return found
        else:
            names.add(element.path)
            if names == {"qgmem"}:
                return "qgmem"
    found = _by_keys(names)
    return {"messages": "jsonl", "mem0": None}.get(found, found) if found else None


def _by_lines(path: Path) -> str | None:
    """JSON Lines whose first line is broken."""
    values = [value for _, value in islice(json_lines(path), _LOOK_AT)]
    found = _by_records(value for value in values if not isinstance(value, ImportProblem))
    return "jsonl" if found == "messages" else None


def _is_timed(start: str) -> bool:
    """A bracket opens a time here, not a list."""
    line = start.partition("\n")[0].rstrip("\r")
    return stamped(line) is not None or heading_time(line) is not None


def _as_transcript(path: Path) -> str | None:
    """A transcript if a turn begins before any other text, or at least two do."""
    turns, stray = 0, False
    try:
        for line in islice(read_lines(path), _LOOK_AT):
            if line.text is None:
                continue
            if "\0" in line.text:
                return None
            stamp = stamped(line.text)
            if (stamp is not None and stamp.name is not None) or turn_start(line.text) is not None:
                turns += 1
            elif stamp is not None:
                continue
            elif line.text.strip() and heading_time(line.text) is None:
                stray = stray or turns == 0
            if turns > stray:
                return "transcript"
    except BrokenFile:
        return None
    return None
