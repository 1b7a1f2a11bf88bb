"""Messages as JSON Lines: one message a line, keys as in `messages`. Blank lines are skipped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, ImportRecord, JsonValue

from .json_stream import DECODER
from .messages import message
from .text_source import BrokenFile, Line, read_lines


def read(path: Path) -> Iterator[ImportRecord | ImportProblem]:
    """Messages in file order; a bad line is a problem and the next line goes on.

    Raises InvalidInput when the file cannot be opened.
    """
    for line, value in json_lines(path):
        if isinstance(value, ImportProblem):
            yield value
        else:
            yield from message(value, f"{path} line {line.number}")


def json_lines(path: Path) -> Iterator[tuple[Line, JsonValue | ImportProblem]]:
    """Each line that is not blank with its JSON value, or the problem with it.

    Raises InvalidInput when the file cannot be opened.
    """
    try:
        for line in read_lines(path):
            if line.text is None or line.text.strip():
                yield line, _parse(line, f"{path} line {line.number}")
    except BrokenFile as error:
        yield Line(0, error.offset, None, error.problem), ImportProblem(str(path), error.field, error.problem)


def _parse(line: Line, where: str) -> JsonValue | ImportProblem:
    if line.text is None:
        return ImportProblem(where, "line", line.problem)
    try:
        return parse_json(line.text)
    except InvalidInput as error:
        return ImportProblem(where, "line", f"{error.problem}; the line begins at byte {line.offset}")


def parse_json(line: str) -> JsonValue:
    """One JSON value. Raises InvalidInput saying at which character it stops being JSON."""
    try:
        value: JsonValue = DECODER.decode(line)
    except json.JSONDecodeError as error:
        raise InvalidInput("line", f"not JSON at character {error.pos}: {error.msg}") from error
    except RecursionError as error:
        raise InvalidInput("line", "nested too deeply") from error
    except ValueError as error:  # an integer of thousands of digits
        raise InvalidInput("line", str(error)) from error
    return value
