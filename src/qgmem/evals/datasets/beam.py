"""BEAM (Tavakoli et al., 2025): `<size>/<chat>/chat.json` beside `probing_questions.json`.

A chat is a list of batches {batch_number, time_anchor, turns}; `turns` is a list of groups of messages
{role, id, content, time_anchor?}. User text ends in a planning mark (`->-> 1,1`) that is cut off.
Gold evidence is `source_chat_ids`: a list of message ids, now and then nested, or an object of lists;
abstention questions have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import JsonValue

from .dialogue import (
    Conversation,
    Dataset,
    Message,
    Question,
    Session,
    evidence_notes,
    expect_list,
    expect_mapping,
    expect_text,
    optional_text,
    read_json,
    unknown_entries,
)

ABILITIES = (
    "abstention",
    "contradiction_resolution",
    "event_ordering",
    "information_extraction",
    "instruction_following",
    "knowledge_update",
    "multi_session_reasoning",
    "preference_following",
    "summarization",
    "temporal_reasoning",
)
_PLANNING_MARK = re.compile(r"\s*->->\s*[\w.,\-/() ]*\s*$")
_ANSWER_FIELDS = ("answer", "ideal_response", "ideal_answer", "ideal_summary", "expected_compliance")


def load_beam(folder: Path, *, chats: frozenset[str] | None = None) -> Dataset:
    """Reads every chat below `folder` (the benchmark, one size, or one chat), in numeric order.

    Conversation ids are `<size>/<chat>`, question ids `<size>/<chat>:<ability>:<index>`, turn ids the
    message ids as text. `chats` keeps only those conversation ids.
    Raises InvalidInput if there is no chat, if `chats` names one that is not there, or on a bad field.
    """
    if not folder.is_dir():
        raise InvalidInput("data", f"no folder {folder.name!r}", "give the folder that holds the chats")
    found = {f"{p.parent.parent.name}/{p.parent.name}": p for p in _chat_files(folder.resolve())}
    if not found:
        raise InvalidInput("data", f"no chat.json below {folder.name!r}")
    if missing := sorted((chats or frozenset()) - found.keys()):
        raise InvalidInput("chats", f"{', '.join(missing)} not below {folder.name!r}")
    conversations: list[Conversation] = []
    questions: list[Question] = []
    files: list[Path] = []
    for chat, path in found.items():
        if chats is not None and chat not in chats:
            continue
        probes = _questions_file(path.parent)
        conversations.append(Conversation(chat, tuple(_sessions(read_json(path), chat))))
        questions.extend(_questions(read_json(probes), chat))
        files += [path, probes]
    known = {c.id: frozenset(c.turn_ids) for c in conversations}
    malformed = unknown_entries(questions, known)
    return Dataset("beam", tuple(conversations), tuple(questions), tuple(files), malformed, evidence_notes(questions))


def _chat_files(folder: Path) -> list[Path]:
    def order(path: Path) -> tuple[tuple[int, str], tuple[int, str]]:
        chat, size = path.parent.name, path.parent.parent.name
        return _natural(size), _natural(chat)

    return sorted(folder.rglob("chat.json"), key=order)


def _natural(name: str) -> tuple[int, str]:
    digits = re.match(r"\d+", name)
    scale = 1000 if name.upper().endswith("M") else 1  # 1M comes after 500K
    return (int(digits[0]) * scale if digits else 0, name)


def _questions_file(chat: Path) -> Path:
    places = (chat / "probing_questions" / "probing_questions.json", chat / "probing_questions.json")
    for place in places:
        if place.is_file():
            return place
    raise InvalidInput("data", f"{chat.parent.name}/{chat.name} has no probing_questions.json")


def _sessions(chat: object, where: str) -> Iterator[Session]:
    for number, entry in enumerate(expect_list(chat, where)):
        batch = expect_mapping(entry, f"{where}[{number}]")
        messages: list[Message] = []
        anchor = optional_text(batch, "time_anchor", where)
        for g, group in enumerate(expect_list(batch.get("turns"), f"{where}[{number}].turns")):
            at = f"{where}[{number}].turns[{g}]"
            for i, value in enumerate(expect_list(group, at)):
                turn = expect_mapping(value, f"{at}[{i}]")
                anchor = anchor or optional_text(turn, "time_anchor", at)
                messages.append(_message(turn, f"{at}[{i}]"))
        yield Session(f"batch-{batch.get('batch_number', number + 1)}", anchor, tuple(messages))


def _message(turn: Mapping[str, object], where: str) -> Message:
    role = expect_text(turn, "role", where)
    content = expect_text(turn, "content", where)
    message: dict[str, JsonValue] = {
        "role": role,
        "content": _PLANNING_MARK.sub("", content) if role == "user" else content,
        "id": expect_text(turn, "id", where),
    }
    return message


def _questions(probes: object, chat: str) -> Iterator[Question]:
    for ability, entries in sorted(expect_mapping(probes, chat).items()):
        if ability not in ABILITIES:
            raise InvalidInput(f"{chat}.{ability}", "not one of the ten abilities")
        for index, entry in enumerate(expect_list(entries, f"{chat}.{ability}")):
            where = f"{chat}:{ability}:{index}"
            record = expect_mapping(entry, where)
            answers = (optional_text(record, name, where) for name in _ANSWER_FIELDS)
            yield Question(
                id=where,
                conversation_id=chat,
                text=expect_text(record, "question", where),
                answer=next((a for a in answers if a), ""),
                evidence=tuple(_flat_ids(record.get("source_chat_ids"))),
                category=ability,
                rubric=tuple(str(n) for n in expect_list(record.get("rubric") or [], f"{where}.rubric")),
            )


def _flat_ids(value: object) -> Iterator[str]:
    """Message ids of a list, a nested list or an object of lists, in order; repeats stay."""
    if isinstance(value, Mapping):
        for part in value.values():
            yield from _flat_ids(part)
    elif isinstance(value, list):
        for part in value:
            yield from _flat_ids(part)
    elif value is not None:
        yield str(value)
