"""Plain transcripts: `Name: text`, one turn a paragraph, date headings between sessions.

- A line `Name: text` begins a turn. A name has at most 40 characters and four words and no sentence
  punctuation; if it has several words, the first does not begin with a small letter. A full-width colon
  serves too. `User`, `Assistant`, `System` and `Tool` are roles, anyone else is a `user` with a name.
- Any other line continues the turn before it. So does every indented line, whatever it looks like.
- A blank line stays in the same session; inside a turn that goes on after it, it stays a blank line.
- A line that is only a date (`headings.py`) begins a new session at that time.
- A time may stand in front of the name, as in `[2024-05-01 10:00] Ana: Hello` or WhatsApp's `12/05/2024, 21:10 - Ana:
  Hello` (`stamps.py` has the forms, and which of day and month comes first). From the first such line on only such
  lines begin turns, every new day is a new session, and what has a time but no speaker ("Ben joined") is the
  program's own word and left out; it is a problem only if it looks like a message. `<Media omitted>` stays as text.
Sessions are `session_1`, `session_2`, …; turns before any heading have no time.
Memory: that of the longest turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from qgmem.types import ROLES, ImportProblem, ImportRecord

from .headings import heading_time
from .stamps import day_first, moment, stamped
from .text_source import MAX_RECORD, BrokenFile, read_lines

_NAME = r"[^\W_](?:[^\s:：.!?;,()\[\]{}\"“”<>|/\\]|\.(?=\s?\w)|[^\S\n\t](?=\S)){0,39}"
_TURN = re.compile(rf"(?P<name>{_NAME})\s*(?::(?:\s+|$)|：\s*)(?P<text>.*)")


@dataclass(slots=True)
class _Open:
    """The turn being read."""

    number: int  # line at which it begins
    name: str
    lines: list[str] = field(default_factory=list)
    length: int = 0  # characters in `lines`

    def add(self, line: str) -> None:
        """One more line; past MAX_RECORD nothing more is held."""
        self.length += len(line) + 1
        if self.length <= MAX_RECORD:
            self.lines.append(line)


def read(path: Path) -> Iterator[ImportRecord | ImportProblem]:
    """Turns in file order. Raises InvalidInput when the file cannot be opened."""
    session, time, turn = 1, None, None
    said_any = False  # a heading before the first turn names session 1
    stamps: _Stamps | None = None
    unspoken = False  # the lines after what the program said belong to it
    try:
        for line in read_lines(path):
            if line.text is None:
                yield ImportProblem(f"{path} line {line.number}", "line", line.problem)
                continue
            stamp = stamped(line.text)
            if stamp is not None and (stamp.name is not None or stamps is not None or turn is None):
                if turn is not None:
                    yield _record(turn, session, time, path)
                turn, unspoken = None, stamp.name is None
                if stamp.like_a_message:
                    yield ImportProblem(f"{path} line {line.number}", "name", "a time, but no name before the colon")
                if stamp.name is not None:
                    stamps = stamps or _Stamps(day_first(_texts(path)))
                    before: str | None = time
                    time = moment(stamp.stamp, day_before_month=stamps.day_first)
                    session += said_any and (before or "")[:10] != time[:10]
                    turn, said_any = _Open(line.number, stamp.name), True
                    turn.add(stamp.text)
                continue
            heading = heading_time(line.text)
            begin = None if heading is not None else turn_start(line.text)
            if stamps is not None or (unspoken and heading is None and begin is None):
                if turn is not None:
                    turn.add(line.text)
                continue
            if heading is not None or begin is not None:
                if turn is not None:
                    yield _record(turn, session, time, path)
                turn = None
            if heading is not None:
                session += said_any
                time, said_any = heading, False
            elif begin is not None:
                turn, said_any = _Open(line.number, begin[0]), True
                turn.add(begin[1])
            elif turn is not None:
                turn.add(line.text)
            elif line.text.strip():
                yield ImportProblem(f"{path} line {line.number}", "name", "text before any `Name:`")
    except BrokenFile as error:
        yield ImportProblem(str(path), error.field, error.problem)
    if turn is not None:
        yield _record(turn, session, time, path)


@dataclass(frozen=True, slots=True)
class _Stamps:
    """How the times in front of a file's lines are written."""

    day_first: bool


def _texts(path: Path) -> Iterator[str]:
    """The lines once more, as far as somebody wants them."""
    for line in read_lines(path):
        if line.text is not None:
            yield line.text


def turn_start(line: str) -> tuple[str, str] | None:
    """(name, text) of a line that begins a turn, else None.

    >>> turn_start("Ana María: see you at 10:30")
    ('Ana María', 'see you at 10:30')
    >>> turn_start("two things: milk and bread") is None
    True
    """
    found = _TURN.fullmatch(line)
    if found is None:
        return None
    words = found["name"].split()
    if len(words) > 4 or (len(words) > 1 and words[0][0].islower()):
        return None
    return " ".join(words), found["text"].strip()


def _record(turn: _Open, session: int, time: str | None, path: Path) -> ImportRecord | ImportProblem:
    where = f"{path} line {turn.number}"
    if turn.length > MAX_RECORD:
        return ImportProblem(where, "text", f"turn longer than {MAX_RECORD} characters")
    lower = turn.name.lower()
    content = "\n".join(line.rstrip() for line in turn.lines).strip()
    fields: dict[str, object] = {"role": lower if lower in ROLES else "user", "content": content}
    if lower not in ROLES:
        fields["name"] = turn.name
    if time is not None:
        fields["timestamp"] = time
    return ImportRecord(f"session_{session}", fields, where)
