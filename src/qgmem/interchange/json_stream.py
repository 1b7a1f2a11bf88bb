"""Elements of a large JSON document, one at a time, in the memory of the largest element.

Built on `json`'s own C scanner: a window of text grows (doubling) until the element at its front is whole.
Why not ijson: see docs/design/interchange.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from qgmem.types import ImportProblem, JsonValue

from .text_source import CHUNK, MAX_RECORD, BrokenFile, TextSource, open_source

# JSON has no NaN; writers that emit it mean "no value".
DECODER = json.JSONDecoder(parse_constant=lambda _: None)
_SPACE = " \t\n\r"
_GAP = re.compile(rf"[{_SPACE}]*")
# An error this close to the window's end may be a token cut in two; the longest is \ud83d\ude00.
_CUT_TOKEN = 16
_TOKEN = re.compile(r"[\w.+\\-]*")


@dataclass(frozen=True, slots=True)
class Element:
    """One value and its place: `[3]`, `results[3]`, a member's name, or empty for the whole document."""

    path: str
    value: JsonValue


def json_elements(path: Path, *into: str) -> Iterator[Element | ImportProblem]:
    """`elements` of a file; a file broken as a whole ends in a problem that names the byte offset.

    Raises InvalidInput when the file cannot be opened.
    """
    try:
        with open_source(path) as source:
            yield from elements(source, *into)
    except BrokenFile as error:
        yield ImportProblem(str(path), error.field, error.problem)


def elements(source: TextSource, *into: str) -> Iterator[Element]:
    """Items of a top-level array; of a top-level object the whole, or with `into` its members.

    The items of member arrays named in `into` come one by one, other members as they are.
    Raises BrokenFile at the first byte that is not JSON, after everything before it was yielded.
    """
    first = _peek(source)
    if first == "[":
        yield from _items(source, "")
    elif first == "{" and into:
        yield from _members(source, into)
    elif first == "{":
        yield Element("", _value(source))
    elif first:
        raise _broken(source, "expected a JSON array or object")
    else:
        raise _broken(source, "the file is empty")
    if _peek(source):
        raise _broken(source, "more text after the JSON document")


def _items(source: TextSource, name: str) -> Iterator[Element]:
    for index, _ in enumerate(_separated(source, "]")):
        yield Element(f"{name}[{index}]", _value(source))


def _members(source: TextSource, into: tuple[str, ...]) -> Iterator[Element]:
    for _ in _separated(source, "}"):
        if _peek(source) != '"':
            raise _broken(source, "expected a member name in double quotes")
        name = str(_value(source))
        _expect(source, ":")
        if _peek(source) == "[" and name in into:
            yield from _items(source, name)
        else:
            yield Element(name, _value(source))


def _separated(source: TextSource, close: str) -> Iterator[None]:
    """Steps over the bracket at hand and yields once before each entry, up to and over `close`."""
    source.position += 1
    if _peek(source) == close:
        source.position += 1
        return
    while True:
        if not _peek(source):
            raise _broken(source, f"the file ends before the closing {close}")
        yield
        if _peek(source) == close:
            source.position += 1
            return
        _expect(source, ",")


def _expect(source: TextSource, character: str) -> None:
    found = _peek(source)
    if found != character:
        got = repr(found) if found else "the end of the file"
        raise _broken(source, f"expected {character!r}, got {got}")
    source.position += 1


def _peek(source: TextSource) -> str:
    """Next character that is not white space, left in place; empty at the end."""
    while True:
        gap = _GAP.match(source.text, source.position)
        source.position = gap.end() if gap else source.position
        if source.position < len(source.text):
            return source.text[source.position]
        if source.ended:
            return ""
        source.fill()


def _value(source: TextSource) -> JsonValue:
    """The value at hand; the window grows until it is whole."""
    _peek(source)
    while True:
        held = len(source.text) - source.position
        try:
            value, end = DECODER.raw_decode(source.text, source.position)
        except json.JSONDecodeError as error:
            if source.ended or not _may_be_cut(error, len(source.text)):
                raise _not_json(source, error) from error
        except RecursionError as error:
            raise _broken(source, "nested too deeply") from error
        except ValueError as error:  # an integer of thousands of digits
            raise _broken(source, str(error)) from error
        else:
            # `-1.5` at the window's end may go on as `-1.5e-7` in the next chunk.
            if source.ended or not isinstance(value, int | float) or end < len(source.text) - 2:
                source.position = end
                return value  # type: ignore[no-any-return]  # json.loads gives Any
        if held > MAX_RECORD:
            raise _broken(source, f"one record is longer than {MAX_RECORD} characters")
        source.fill(max(CHUNK, held))


def _may_be_cut(error: json.JSONDecodeError, length: int) -> bool:
    """True if more text could mend the error: an open string, or a token at the window's end."""
    return error.msg.startswith("Unterminated string") or error.pos > length - _CUT_TOKEN


def _not_json(source: TextSource, error: json.JSONDecodeError) -> BrokenFile:
    """Names the byte: of the fault, or of the file's end when the document merely stops."""
    rest = source.text[error.pos :].strip(_SPACE)
    if source.ended and (error.msg.startswith("Unterminated string") or _TOKEN.fullmatch(rest)):
        begin, end = source.byte_offset(source.position), source.byte_offset(len(source.text))
        return BrokenFile(end, f"the file ends inside the value that begins at byte {begin}: {error.msg}")
    return BrokenFile(source.byte_offset(error.pos), f"not JSON: {error.msg}")


def _broken(source: TextSource, problem: str) -> BrokenFile:
    return BrokenFile(source.byte_offset(source.position), problem)
