"""Decoded text of a foreign file, read in chunks, with byte offsets for what is wrong.

UTF-8 unless a byte order mark says UTF-16 or UTF-32. Nothing longer than `MAX_RECORD` is ever held.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from qgmem.errors import InvalidInput

CHUNK = 1 << 18  # bytes read at a time
MAX_RECORD = 64 << 20  # characters (JSON) or bytes (lines) of one record; more is refused, not buffered

Decode = Callable[[bytes, str, bool], tuple[str, int]]

# Longest mark first: UTF-32's little-endian mark begins with UTF-16's.
_MARKS: tuple[tuple[bytes, str, Decode], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32-le", codecs.utf_32_le_decode),
    (codecs.BOM_UTF32_BE, "utf-32-be", codecs.utf_32_be_decode),
    (codecs.BOM_UTF8, "utf-8", codecs.utf_8_decode),
    (codecs.BOM_UTF16_LE, "utf-16-le", codecs.utf_16_le_decode),
    (codecs.BOM_UTF16_BE, "utf-16-be", codecs.utf_16_be_decode),
)


class BrokenFile(InvalidInput):
    """The file as a whole cannot be read past byte `offset`."""

    def __init__(self, offset: int, problem: str) -> None:
        self.offset = offset
        super().__init__(f"byte {offset}", problem)


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its line end; `text` is None when it could not be decoded, `problem` says why.

    `number` counts from 1, `offset` is the byte at which the line begins.
    """

    number: int
    offset: int
    text: str | None
    problem: str = ""


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """The file, opened for bytes. Raises InvalidInput naming the path when it cannot be opened."""
    try:
        handle = path.open("rb")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InvalidInput("path", f"cannot read {path}: {reason}") from error
    except ValueError as error:  # a NUL in the path
        raise InvalidInput("path", f"cannot read {path!r}: {error}") from error
    with handle:
        yield handle


def _sniff(handle: BinaryIO) -> tuple[int, str, Decode]:
    """Length of the byte order mark, encoding name and decoder; leaves the handle behind the mark."""
    head = handle.read(4)
    for mark, encoding, decode in _MARKS:
        if head.startswith(mark):
            handle.seek(len(mark))
            return len(mark), encoding, decode
    handle.seek(0)
    return 0, "utf-8", codecs.utf_8_decode


def _read(handle: BinaryIO, size: int, offset: int) -> bytes:
    try:
        return handle.read(size)
    except OSError as error:
        raise BrokenFile(offset, f"the file cannot be read further: {error.strerror}") from error


class TextSource:
    """A window on the decoded file: `text[position:]` has been read and not yet used.

    A byte that cannot be decoded is reported by the `fill` that would need it, so everything before it
    can still be used.
    """

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle
        self._base, self.encoding, self._decode = _sniff(handle)  # _base: byte offset of text[0]
        self._decoded = self._base  # bytes turned into text so far
        self._pending = b""  # bytes of a character cut by the chunk border
        self._broken: BrokenFile | None = None
        self.text = ""
        self.position = 0
        self.ended = False

    def byte_offset(self, position: int) -> int:
        """Byte offset in the file of `text[position]`."""
        return self._base + len(self.text[:position].encode(self.encoding))

    def fill(self, size: int = CHUNK) -> None:
        """Drops what was used and reads about `size` bytes more; sets `ended` at the end.

        Raises BrokenFile when the next byte cannot be read or decoded.
        """
        if self._broken is not None:
            raise self._broken
        self._base = self.byte_offset(self.position)
        chunk = _read(self._handle, size, self._decoded)
        data = self._pending + chunk
        try:
            more, used = self._decode(data, "strict", not chunk)
        except UnicodeDecodeError as error:
            more, used = self._decode(data[: error.start], "strict", True)
            self._broken = BrokenFile(
                self._decoded + error.start, f"not {self.encoding.upper()} text: {error.reason}"
            )
        self.text = self.text[self.position :] + more
        self.position = 0
        self._decoded += used
        self._pending = data[used:]
        self.ended = not chunk and self._broken is None


@contextmanager
def open_source(path: Path) -> Iterator[TextSource]:
    """A TextSource over the file. Raises InvalidInput when it cannot be opened."""
    with open_file(path) as handle:
        yield TextSource(handle)


def read_lines(path: Path) -> Iterator[Line]:
    """The file's lines, cut at LF only (CR LF too), each decoded on its own: a bad one spoils no other.

    A line longer than MAX_RECORD bytes is reported and skipped without being held.
    Raises InvalidInput when the file cannot be opened, BrokenFile when reading fails.
    """
    with open_file(path) as handle:
        start, encoding, decode = _sniff(handle)
        for number, (offset, raw) in enumerate(_split(handle, start, "\n".encode(encoding)), 1):
            if raw is None:
                yield Line(number, offset, None, f"line longer than {MAX_RECORD} bytes")
                continue
            try:
                text, _ = decode(raw, "strict", True)
            except UnicodeDecodeError as error:
                where = offset + error.start
                problem = f"not {encoding.upper()} text at byte {where}: {error.reason}"
                yield Line(number, offset, None, problem)
            else:
                yield Line(number, offset, text.removesuffix("\r"))


def _split(handle: BinaryIO, start: int, newline: bytes) -> Iterator[tuple[int, bytes | None]]:
    """(offset, bytes) per line; None for the bytes of one that is too long."""
    width = len(newline)
    offset, pending, too_long = start, bytearray(), False
    searched = 0  # bytes of pending known to hold no newline
    while chunk := _read(handle, CHUNK, offset + len(pending)):
        pending += chunk
        used = 0
        while (cut := _find(pending, newline, max(used, searched), used)) >= 0:
            yield offset + used, None if too_long else bytes(pending[used:cut])
            too_long, used = False, cut + width
        del pending[:used]
        offset += used
        searched = max(0, len(pending) - width)
        if len(pending) > MAX_RECORD:
            too_long = True
            dropped = len(pending) - len(pending) % width
            del pending[:dropped]
            offset += dropped
            searched = 0
    if pending or too_long:
        yield offset, None if too_long else bytes(pending)


def _find(data: bytearray, newline: bytes, begin: int, origin: int) -> int:
    """First newline from `begin` on that lies whole code units behind `origin`; -1 if none."""
    at = data.find(newline, begin)
    while at >= 0 and (at - origin) % len(newline):
        at = data.find(newline, at + 1)
    return at
