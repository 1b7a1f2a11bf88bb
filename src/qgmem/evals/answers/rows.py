"""One JSON line a question, written as soon as it is answered; a run that was stopped goes on behind the last."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from qgmem.errors import InvalidInput
from qgmem.types import JsonValue

from ..kept_lines import keep_line, kept_lines

ROWS, MANIFEST = "questions.jsonl", "manifest.json"


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One question to one system at one k. Scores in [0, 1], higher is better; 0 where it failed.

    `found`: turn ids of the evidence in rank order. `seconds`: all of it, `answer_seconds` the reader's part.
    `context_tokens` are estimated or the reader's, `prompt_tokens` as its server counts them. `failure`: why there is
    no answer.
    """

    system: str
    k: int
    question_id: str
    category: str
    prediction: str
    f1: float
    recall: float
    abstained: bool = False
    notes: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    context_tokens: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    answer_seconds: float = 0.0
    failure: str | None = None

    @property
    def key(self) -> tuple[str, int, str]:
        """What is asked once."""
        return self.system, self.k, self.question_id


class Journal:
    """The rows of a run in its folder, and the manifest that they were made under.

    Raises InvalidInput when the folder holds rows of a run with another manifest.
    """

    def __init__(self, out: Path, manifest: Mapping[str, JsonValue]) -> None:
        out.mkdir(parents=True, exist_ok=True)
        self._file = out / ROWS
        mine = json.loads(json.dumps(manifest))
        before = _manifest(out / MANIFEST)
        if before is None:
            _write_whole(out / MANIFEST, json.dumps(mine, ensure_ascii=False, indent=1) + "\n")
        elif before != mine:
            changed = sorted(name for name in {*before, *mine} if before.get(name) != mine.get(name))
            raise InvalidInput("out", f"{out.name} holds a run with other {', '.join(changed)}", "give a new folder")
        self.rows = {row.key: row for row in (_row(json.loads(line)) for line in kept_lines(self._file))}

    def add(self, row: AnswerRow) -> None:
        """Keep a row; it is on disk when this returns."""
        self.rows[row.key] = row
        keep_line(self._file, asdict(row))


def _manifest(file: Path) -> dict[str, Any] | None:
    if not file.exists():
        return None
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return found
    except ValueError as error:
        raise InvalidInput("out", f"{MANIFEST} cannot be read: {error}", "give a new folder") from error


def _write_whole(file: Path, text: str) -> None:
    part = file.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def _row(found: dict[str, Any]) -> AnswerRow:
    known = {each.name for each in fields(AnswerRow)}
    if set(found) != known:
        raise InvalidInput(ROWS, f"has fields {sorted(set(found) ^ known)} of another version", "give a new folder")
    return AnswerRow(**{**found, "notes": tuple(found["notes"]), "found": tuple(found["found"])})
