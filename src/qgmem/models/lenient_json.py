"""A reader of almost-JSON: what models write when they mean JSON.

Accepted beyond the standard: a missing end, trailing commas, missing commas between members, raw line breaks and
unknown or broken escapes in strings, single quotes, bare keys, Python's True, False and None, comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..types import JsonValue

DEEPEST = 60
_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|#[^\n]*)+", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[^\s,:\[\]{}\"']+")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}
_CONSTANTS: dict[str, JsonValue] = {"true": True, "false": False, "null": None, "none": None, "nan": None}


class Unreadable(ValueError):
    """Not even nearly JSON."""


class _Cut(Exception):
    """The text ended inside a value."""


@dataclass(slots=True)
class LenientReader:
    """Reads one value from `text` at `at`.

    After `read`, `at` is behind the value, `repaired` tells whether anything was not by the book, and `cut` is the
    path of the innermost container in which the text ended, None if it did not. Members that were cut are left out.
    """

    text: str
    at: int = 0
    repaired: bool = False
    cut: tuple[str | int, ...] | None = None
    _path: list[str | int] = field(default_factory=list)

    def read(self) -> JsonValue:
        """The value; an object or list for a text that was cut. Raises Unreadable."""
        try:
            return self._value()
        except _Cut:
            raise Unreadable("the text ends before a value") from None

    def _peek(self) -> str:
        found = _SPACE.match(self.text, self.at)
        if found:
            self.repaired |= any(mark in found[0] for mark in "/#")
            self.at = found.end()
        if self.at >= len(self.text):
            raise _Cut
        return self.text[self.at]

    def _value(self) -> JsonValue:
        if len(self._path) > DEEPEST:
            raise Unreadable(f"nested more than {DEEPEST} deep")
        mark = self._peek()
        if mark == "{":
            return self._object()
        if mark == "[":
            return self._list()
        if mark in "\"'":
            return self._string()
        return self._scalar()

    def _object(self) -> dict[str, JsonValue]:
        self.at += 1
        found: dict[str, JsonValue] = {}
        try:
            while (mark := self._peek()) != "}":
                if mark == ",":
                    self.at += 1
                    continue
                if mark == "]":
                    raise Unreadable("a list's end inside an object")
                key = self._string() if mark in "\"'" else self._key()
                if self._peek() != ":":
                    raise Unreadable("a key without a value")
                self.at += 1
                self._path.append(key)
                found[key] = self._value()
                self._path.pop()
            self.at += 1
        except _Cut:
            self._note_cut()
        return found

    def _list(self) -> list[JsonValue]:
        self.at += 1
        found: list[JsonValue] = []
        try:
            while (mark := self._peek()) != "]":
                if mark == ",":
                    self.at += 1
                    continue
                if mark == "}":
                    raise Unreadable("an object's end inside a list")
                self._path.append(len(found))
                found.append(self._value())
                self._path.pop()
            self.at += 1
        except _Cut:
            self._note_cut()
        return found

    def _note_cut(self) -> None:
        """The first to see the end is the innermost container; the outer ones keep what they have."""
        if self.cut is None:
            self.cut = tuple(self._path)
        self.repaired = True

    def _string(self) -> str:
        quote = self.text[self.at]
        self.repaired |= quote == "'"
        parts: list[str] = []
        at = self.at + 1
        text, size = self.text, len(self.text)
        while at < size:
            mark = text[at]
            if mark == "\\":
                piece, at = self._escape(at + 1)
                parts.append(piece)
            elif mark == quote and (quote == '"' or self._closes(at)):
                self.at = at + 1
                return "".join(parts)
            else:
                stop = at + 1
                while stop < size and text[stop] not in "\\\"'":
                    stop += 1
                parts.append(text[at:stop])
                at = stop
        self.at = size
        raise _Cut

    def _closes(self, at: int) -> bool:
        """True if a single quote ends its string: an apostrophe is followed by a letter."""
        following = self.text[at + 1 : at + 2]
        return not following.isalnum()

    def _escape(self, at: int) -> tuple[str, int]:
        """The character of an escape at `at`, behind the backslash. A broken one gives its own letters back."""
        if at >= len(self.text):
            self.at = at
            raise _Cut
        mark = self.text[at]
        if mark == "u":
            found = _HEX.match(self.text, at + 1)
            if found is None:
                self.repaired = True
                return "\ufffd", at + 1 + len(re.match(r"[0-9a-fA-F]{0,3}", self.text[at + 1 : at + 4])[0])  # type: ignore[index]
            code, end = int(found[0], 16), found.end()
            if 0xD800 <= code < 0xDC00 and self.text[end : end + 2] == "\\u":
                low = _HEX.match(self.text, end + 2)
                if low and 0xDC00 <= int(low[0], 16) < 0xE000:
                    return chr(0x10000 + ((code - 0xD800) << 10) + int(low[0], 16) - 0xDC00), low.end()
            return ("\ufffd" if 0xD800 <= code < 0xE000 else chr(code)), end
        if mark in _ESCAPES:
            return _ESCAPES[mark], at + 1
        self.repaired = True
        return "\\" + mark, at + 1

    def _key(self) -> str:
        found = _WORD.match(self.text, self.at)
        if found is None:
            raise Unreadable("no key where one should stand")
        self.at, self.repaired = found.end(), True
        return found[0]

    def _scalar(self) -> JsonValue:
        found = _WORD.match(self.text, self.at)
        if found is None:
            raise Unreadable(f"no value where one should stand, at character {self.at}")
        word = found[0]
        if found.end() == len(self.text):
            raise _Cut  # `12` may be the beginning of `125`
        self.at = found.end()
        number = _NUMBER.fullmatch(word)
        if number:
            return float(word) if any(mark in word for mark in ".eE") or len(word) > 18 else int(word)
        if word.lower() in _CONSTANTS:
            self.repaired |= word not in ("true", "false", "null")
            return _CONSTANTS[word.lower()]
        raise Unreadable(f"no value where one should stand, at character {found.start()}")
