"""`add` and `import`: messages in, and what became of each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...errors import InvalidInput
from ...types import AddReport, JsonValue
from .. import encode, screen
from ..guard import FAILED
from ..options import FOLDER, USER, Agent, Folder, Json, Run, Session, User
from ..progress import progress, waiting

REASONS_SHOWN = 20  # failures, and notes, listed for a person
REASONS_KEPT = 1000  # of either listed in JSON; the rest is counted


def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was said; - reads it from stdin.")],
    user: User = USER,
    speaker: Annotated[str | None, typer.Option("--speaker", help="Who said it, by name.", metavar="NAME")] = None,
    role: Annotated[str, typer.Option("--role", help="user, assistant, system or tool.")] = "user",
    time: Annotated[
        str | None, typer.Option("--time", help="When it was said; unknown if left out.", metavar="WHEN")
    ] = None,
    time_zone: Annotated[
        str | None, typer.Option("--time-zone", help="Of a time without offset.", metavar="ZONE")
    ] = None,
    session: Session = None,
    turn_id: Annotated[str | None, typer.Option("--id", help="Turn id; made if left out.", metavar="ID")] = None,
    agent: Agent = None,
    run: Run = None,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Remember one message, word for word.

    \b
    qgmem add "I live in Lisbon." --user ana --speaker Ana --time 2024-05-02
    qgmem add "See Bob tomorrow" --time 2024-05-02T23:50 --time-zone Asia/Tokyo
    """
    from ...construction.messages import read_message
    from ...construction.timestamps import parse_timestamp
    from ...memory import Memory

    parse_timestamp(time, time_zone=time_zone)  # a person can mend it now; the facade would store it as unknown
    message = {"role": role, "content": screen.stdin_text() if text == "-" else text}
    message |= {"name": speaker} if speaker is not None else {}
    message |= {"id": turn_id} if turn_id is not None else {}
    read_message(message)  # misuse is told before a folder is made
    with Memory.open(path) as memory, waiting("adding"):
        report = memory.add(
            message,
            user_id=user,
            session_id=session,
            timestamp=time,
            time_zone=time_zone,
            agent_id=agent,
            run_id=run,
        )
    if json:
        screen.emit(encode.report([report]))
    for item in report.items:
        if item.status == "failed":
            screen.note(f"failed: {item.reason}")
        elif not json:
            print(f"{item.status} {item.turn_id}")
        if item.note:
            screen.note(f"note: {item.note}")
    _end(report.count("failed"), report.pending)


def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of dialogues.")],
    format: Annotated[
        str | None, typer.Option("--format", help="Told from the content if left out.", metavar="NAME")
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", help="Whose memory; the file's own users if left out.", metavar="ID")
    ] = None,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Add files of dialogues, as large as they may be.

    Formats: messages, jsonl, transcript, locomo, beam, longmemeval, chatgpt, mem0, and qgmem's own export. Ctrl-C
    keeps what was stored; the same command again goes on, and nothing is added twice.

    \b
    qgmem import conversations.json --user me
    qgmem import notes.txt --format transcript
    """
    from ...interchange import detect
    from ...memory import Memory

    for file in files:
        if not file.is_file():
            raise InvalidInput("path", f"{file} is no file")
    formats = [format or detect(file) for file in files]  # of all, before anything of one is stored
    tally = Tally()
    so_far = (lambda: tally.json() | {"interrupted": True}) if json else None
    with Memory.open(path) as memory, progress("messages") as bar, screen.resumable(tally.kept, so_far):
        for file, known in zip(files, formats, strict=True):
            for report in memory.import_(file, format=known, user_id=user):
                tally.count(report)
                bar.advance(len(report.items))
        owners = memory.namespaces() if user is None and not json else []
    if json:
        screen.emit(tally.json())
    else:
        print(tally.line())
        if owners:
            print(f"memories here: {', '.join(owners[:5])}" + (f" and {len(owners) - 5} more" if owners[5:] else ""))
    tally.tell()
    _end(tally.failed, tally.pending)


class Tally:
    """Counts over many reports; only the first failures are kept word for word."""

    def __init__(self) -> None:
        self.stored = self.deduplicated = self.failed = 0
        self.pending: str | None = None
        self.reasons: list[str] = []
        self.noted = 0
        self.notes: list[str] = []

    def count(self, report: AddReport) -> None:
        """Adds one report."""
        self.stored += report.count("stored")
        self.deduplicated += report.count("deduplicated")
        self.failed += report.count("failed")
        self.pending = self.pending or report.pending
        reasons = [item.reason or "" for item in report.items if item.status == "failed"]
        notes = [*report.notes, *(item.note for item in report.items if item.note)]
        self.noted += len(notes)
        self.reasons += reasons[: REASONS_KEPT - len(self.reasons)]
        self.notes += notes[: REASONS_KEPT - len(self.notes)]

    def line(self) -> str:
        """The three counts."""
        return f"stored {self.stored}, deduplicated {self.deduplicated}, failed {self.failed}"

    def kept(self) -> str:
        """What Ctrl-C leaves."""
        return f"{self.line()} so far, and that stays; run the same command again to go on, nothing is added twice"

    def json(self) -> dict[str, JsonValue]:
        """Counts and reasons."""
        return {
            "stored": self.stored,
            "deduplicated": self.deduplicated,
            "failed": self.failed,
            "pending": self.pending,
            "failures": list(self.reasons),
            "failures_left_out": self.failed - len(self.reasons),
            "notes": list(self.notes),
            "notes_left_out": self.noted - len(self.notes),
        }

    def tell(self) -> None:
        """The first failures and notes, for a person."""
        for word, texts, count in (("failed", self.reasons, self.failed), ("note", self.notes, self.noted)):
            for text in texts[:REASONS_SHOWN]:
                screen.note(f"{word}: {text}")
            if count > REASONS_SHOWN:
                screen.note(f"and {count - REASONS_SHOWN} more; --json lists the first {REASONS_KEPT}")


def _end(failed: int, pending: str | None) -> None:
    """Says what is half done, and ends with the code for it."""
    if pending is not None:
        screen.note(f"stored, but not yet searchable by meaning: {pending}")
        screen.note("  hint: `qgmem reembed` makes the missing vectors")
    if failed or pending is not None:
        raise typer.Exit(FAILED)
