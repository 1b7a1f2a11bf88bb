"""Written dialogues with questions: a plain text format, and its reader.

    # Title | kind
    == 2023-04-02 18:30
    Mara: what she says ^p1
    Jon: what he says [photo: a red kayak on a car roof]
    == questions
    ? single | What colour is Jon's kayak? | red | p1

One `==` line opens a session, one line is one turn, `^p1` marks a turn that questions name as evidence. Question
types: single, several, when, changed, why, infer, swapped (asked about the wrong person).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput

QUESTIONS = "questions"
_TURN = re.compile(r"(?P<name>[^:]{1,40}):\s+(?P<text>.+)")
_MARK = re.compile(r"\s+\^(p\d+)\b")
_PHOTO = re.compile(r"\s*\[photo:\s*(?P<caption>[^\]]+)\]")


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question with its answer in words and the ids of the turns that it rests on."""

    kind: str
    text: str
    answer: str
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class WrittenDialogue:
    """`sessions`: (id, time, messages as `Memory.add` takes them); turn ids are `session:turn`, from 1."""

    id: str
    sessions: tuple[tuple[str, str, tuple[dict[str, str], ...]], ...]
    questions: tuple[WrittenQuestion, ...]

    @property
    def speakers(self) -> tuple[str, ...]:
        """First names in alphabetical order."""
        return tuple(sorted({message["name"] for _, _, messages in self.sessions for message in messages}))


def load_dialogues(folder: Path) -> list[WrittenDialogue]:
    """Every `*.txt` of the folder, by name. Raises InvalidInput for a missing folder or a line that does not fit."""
    found = [read_dialogue(path.stem, path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.txt"))]
    if not found:
        raise InvalidInput("dialogues", f"no dialogue in {folder.name!r}", "name the folder with the .txt files")
    return found


def read_dialogue(name: str, text: str) -> WrittenDialogue:
    """One dialogue of the format above. Raises InvalidInput naming dialogue and line."""
    sessions: list[tuple[str, str, list[dict[str, str]]]] = []
    marked: dict[str, str] = {}
    questions: list[WrittenQuestion] = []
    asking = False
    for number, line in _lines(text):
        where = f"{name}:{number}"
        if line.startswith("=="):
            asking = line.removeprefix("==").strip() == QUESTIONS
            if not asking:
                sessions.append((str(len(sessions) + 1), line.removeprefix("==").strip().replace(" ", "T"), []))
        elif asking:
            questions.append(_question(where, line, marked))
        elif sessions:
            _take_turn(where, line, sessions[-1], marked)
        else:
            raise InvalidInput(where, "a turn before the first session", "open it with == DATE")
    return WrittenDialogue(name, tuple((at, when, tuple(said)) for at, when, said in sessions), tuple(questions))


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("# "):
            yield number, line.strip()


def _take_turn(where: str, line: str, session: tuple[str, str, list[dict[str, str]]], marked: dict[str, str]) -> None:
    turn = _TURN.fullmatch(line)
    if turn is None:
        raise InvalidInput(where, "expected `Name: words`", "one turn a line")
    session_id, _, messages = session
    turn_id = f"{session_id}:{len(messages) + 1}"
    for mark in _MARK.findall(line):
        if marked.setdefault(mark, turn_id) != turn_id:
            raise InvalidInput(where, f"^{mark} stands on a second turn", "mark each turn once")
    words = _MARK.sub("", turn["text"])
    photo = _PHOTO.search(words)
    message = {"role": "user", "name": turn["name"], "id": turn_id, "content": _PHOTO.sub("", words).strip()}
    if photo:
        message["caption"] = photo["caption"].strip()
    messages.append(message)


def _question(where: str, line: str, marked: dict[str, str]) -> WrittenQuestion:
    fields = [part.strip() for part in line.removeprefix("?").split("|")]
    if not line.startswith("?") or len(fields) != 4:
        raise InvalidInput(where, "expected `? kind | question | answer | marks`")
    kind, text, answer, marks = fields
    unknown = [mark for mark in marks.split() if mark not in marked]
    if unknown or not marks:
        named = ", ".join(unknown) or "for it"
        raise InvalidInput(where, f"no turn is marked {named}", "mark it with ^p and a number")
    return WrittenQuestion(kind, text, answer, frozenset(marked[mark] for mark in marks.split()))
