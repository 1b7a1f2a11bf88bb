"""Dialogues with questions, from a folder: simulated lives as `qgmem synth` writes them, or ConvoMem's files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import InvalidInput
from ...evals.datasets.dialogue import Conversation, Dataset, Question, Session
from .convomem import load_convomem


def read_cases(data: Path, *, seed: int = 0) -> Dataset:
    """The cases below a folder: one conversation a case; a question's `category` is its type.

    `seed` draws ConvoMem's sample. Raises InvalidInput for a folder with neither kind of files.
    """
    if (data / "dialogues.jsonl").is_file():
        return load_lives(data)
    if not data.is_dir():
        raise InvalidInput("data", f"{data.name!r} is no folder", "write one with `qgmem synth --out DIR`")
    return load_convomem(data, seed=seed)


def load_lives(folder: Path) -> Dataset:
    """Lives written by `qgmem synth`. Raises InvalidInput naming file and line."""
    sessions: dict[str, list[Session]] = {}
    for row in _rows(folder / "dialogues.jsonl"):
        messages = tuple(row["messages"])
        sessions.setdefault(str(row["case_id"]), []).append(Session(str(row["session_id"]), row["started"], messages))
    questions = tuple(
        Question(
            str(row["id"]), str(row["case_id"]), str(row["text"]), str(row["answer"]), tuple(row["evidence"]),
            str(row["type"]), asked_at=str(row["question_time"]),
        )
        for row in _rows(folder / "questions.jsonl")
    )  # fmt: skip
    conversations = tuple(Conversation(case, tuple(held)) for case, held in sessions.items())
    return Dataset("lives", conversations, questions, (folder / "dialogues.jsonl", folder / "questions.jsonl"))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        raise InvalidInput("data", f"{path.parent.name} holds no {path.name}", "write it with `qgmem synth`")
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            row = json.loads(line)
        except ValueError as error:  # or no UTF-8
            raise InvalidInput("data", f"{path.name}:{number} is no JSON: {error}") from error
        if not isinstance(row, dict):
            raise InvalidInput("data", f"{path.name}:{number} is no object")
        yield row
