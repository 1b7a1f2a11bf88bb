"""Lives as files: dialogues.jsonl, claims.jsonl, questions.jsonl and a manifest."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import date, datetime
from pathlib import Path
from typing import TextIO

from ..errors import StoreUnavailable
from ..types import Interval
from .life import simulate
from .records import Claim, Life, Question

FORMAT = 1
FILES = ("dialogues.jsonl", "claims.jsonl", "questions.jsonl")
MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class SynthReport:
    """What was written: counts, and the sha256 of each file."""

    out: Path
    lives: int
    sessions: int
    turns: int
    claims: Mapping[str, int]
    questions: Mapping[str, int]
    sha256: Mapping[str, str]


class _Writer:
    """A text file that hashes what goes into it."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._hash = file, hashlib.sha256()

    def line(self, row: Mapping[str, object]) -> None:
        """Append one JSON object."""
        text = json.dumps(row, ensure_ascii=False, default=_plain) + "\n"
        self._hash.update(text.encode())
        self._file.write(text)

    def digest(self) -> str:
        """sha256 so far, as hex."""
        return self._hash.hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Interval):
        return {
            "start": value.start.isoformat(),
            "end": value.end.isoformat(),
            "granularity": value.granularity.value,
        }
    raise TypeError(f"cannot write {type(value).__name__} as JSON")


def _row(record: Claim | Question) -> dict[str, object]:
    return {f.name: getattr(record, f.name) for f in fields(record)}


def write(lives: Iterable[Life], out_dir: Path | str, settings: Mapping[str, object] | None = None) -> SynthReport:
    """Write lives as they come, one in memory at a time.

    dialogues.jsonl: one session a line, {"user_id", "case_id", "kind", "session_id", "started", "messages"}, the
    messages as `Memory.add` takes them. claims.jsonl and questions.jsonl: one record a line, fields as in
    `records.py`. manifest.json: settings, counts, sha256 of each file. Same lives, same bytes. What was there before
    is replaced when all is written, and stays if it is not.
    Raises StoreUnavailable if the folder cannot be written.
    """
    out = Path(out_dir)
    claims: Counter[str] = Counter()
    questions: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    try:
        out.mkdir(parents=True, exist_ok=True)
        parts = {name: out / f"{name}.partial" for name in (*FILES, MANIFEST)}
        try:
            opened = [parts[name].open("w", encoding="utf-8", newline="\n") for name in FILES]
            try:
                dialogue_file, claim_file, question_file = writers = [_Writer(f) for f in opened]
                for life in lives:
                    counts["lives"] += 1
                    _write_dialogue(life, dialogue_file, counts)
                    for claim in life.claims:
                        claim_file.line(_row(claim))
                        claims[claim.kind] += 1
                    for question in life.questions:
                        question_file.line(_row(question))
                        questions[question.type] += 1
            finally:
                for file in opened:
                    file.close()
            digests = {name: w.digest() for name, w in zip(FILES, writers, strict=True)}
            report = SynthReport(out, counts["lives"], counts["sessions"], counts["turns"],
                                 dict(sorted(claims.items())), dict(sorted(questions.items())), digests)  # fmt: skip
            parts[MANIFEST].write_text(_manifest(report, settings or {}), encoding="utf-8")
            for name, part in parts.items():
                part.replace(out / name)
        finally:
            for part in parts.values():
                part.unlink(missing_ok=True)
    except OSError as error:
        raise StoreUnavailable(f"out_dir: cannot write simulated lives there: {error}") from error
    return report


def _write_dialogue(life: Life, file: _Writer, counts: Counter[str]) -> None:
    for session in life.dialogue.sessions:
        counts["sessions"] += 1
        counts["turns"] += len(session.messages)
        file.line(
            {
                "user_id": life.dialogue.namespace,
                "case_id": life.case_id,
                "kind": life.dialogue.kind,
                "session_id": session.id,
                "started": session.started,
                "messages": [m.record() for m in session.messages],
            }
        )


def _manifest(report: SynthReport, settings: Mapping[str, object]) -> str:
    body = {
        "format": FORMAT, "settings": dict(settings), "lives": report.lives, "sessions": report.sessions,
        "turns": report.turns, "claims": report.claims, "questions": report.questions, "sha256": report.sha256,
    }  # fmt: skip
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def synth(people: int, years: float, seed: int, out: Path | str) -> SynthReport:
    """`simulate` and `write` with the default settings. Raises InvalidInput, StoreUnavailable."""
    return write(simulate(people, years, seed), out, {"people": people, "years": years, "seed": seed})
