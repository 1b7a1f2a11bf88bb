"""An answer while it is being written: the fields of half a JSON object, and events as an iterator.

What can be shown of half a JSON object is the text of its string fields, so that is picked out of the pieces and its
escapes undone. Nothing is checked: the whole answer is read again by `read_answer.py` once it is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, Thread

from ..text import clean
from .answer import Answer, AnswerEvent

OnEvent = Callable[[AnswerEvent], None]

FIELDS = ("reasoning_path", "answer")
_OPENS = re.compile(rf'"({"|".join(FIELDS)})"\s*:\s*"')
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?|(.))", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_LONGEST = 12  # characters of an escape: two halves of a pair


@dataclass(slots=True)
class FieldReader:
    """Takes pieces of text, gives (field, text) as soon as text is sure.

    >>> reader = FieldReader()
    >>> [reader.feed(piece) for piece in ('{"answer": "Tro', 'ms\\\\u00', 'f8"}')]
    [[('answer', 'Tro')], [('answer', 'ms')], [('answer', 'ø')]]
    """

    _rest: str = ""
    _field: str | None = field(default=None)

    def feed(self, piece: str) -> list[tuple[str, str]]:
        """The pieces of fields that this piece completes."""
        self._rest += piece
        found: list[tuple[str, str]] = []
        while True:
            if self._field is None:
                opens = _OPENS.search(self._rest)
                if opens is None:
                    return found
                self._field, self._rest = opens[1], self._rest[opens.end() :]
            text, ended = self._taken()
            if text:
                found.append((self._field, clean(text)))
            if not ended:
                return found
            self._field = None

    def _taken(self) -> tuple[str, bool]:
        """Text that is sure, taken off the rest; True if its string ended."""
        out: list[str] = []
        at = 0
        while at < len(self._rest):
            mark = self._rest[at]
            if mark == '"':
                self._rest = self._rest[at + 1 :]
                return "".join(out), True
            if mark != "\\":
                out.append(mark)
                at += 1
                continue
            escape = _ESCAPE.match(self._rest, at)
            if escape is None or (escape[1] is None and escape[3] == "u") or self._half(escape):
                break  # the rest of it is still to come
            out.append(_decoded(escape))
            at = escape.end()
        self._rest = self._rest[at:]
        return "".join(out), False

    def _half(self, escape: re.Match[str]) -> bool:
        """True for the first half of a pair whose second half may be still to come."""
        first = escape[1] is not None and 0xD800 <= int(escape[1], 16) < 0xDC00
        return first and escape[2] is None and len(self._rest) - escape.start() < _LONGEST


def _decoded(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return _PLAIN.get(escape[3], escape[3])
    first = int(escape[1], 16)
    if escape[2] is None:
        return chr(first)
    if 0xD800 <= first < 0xDC00:
        return chr(0x10000 + ((first - 0xD800) << 10) + int(escape[2], 16) - 0xDC00)
    return chr(first) + chr(int(escape[2], 16))


def streamed(ask: Callable[[OnEvent], Answer]) -> Iterator[AnswerEvent]:
    """The events of one question as an iterator; it is asked on a thread of its own from the first `next` on."""
    events: SimpleQueue[AnswerEvent | BaseException] = SimpleQueue()
    closed = Event()

    def on_event(event: AnswerEvent) -> None:
        if closed.is_set():
            raise _Closed
        events.put(event)

    def run() -> None:
        try:
            ask(on_event)
        except _Closed:
            pass
        except BaseException as error:  # noqa: BLE001  raised again where the iterator is read
            events.put(error)

    Thread(target=run, name="qgmem-ask", daemon=True).start()
    try:
        while True:
            event = events.get()
            if isinstance(event, BaseException):
                raise event
            yield event
            if event.kind == "done":
                return
    finally:
        closed.set()


class _Closed(Exception):
    """Nobody reads the events any more."""
