"""LoCoMo (Maharana et al., ACL 2024; CC BY-NC 4.0): `locomo10.json`, ten conversations of two people.

A conversation holds `session_N` lists beside `session_N_date_time` strings; some dates have no
session and are ignored. Six answers are integers and become text. Category 5 keeps its misleading
answer in `adversarial_answer`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


def load_locomo(path: Path, *, caption_query: bool = True) -> Dataset:
    """Reads the official file.

    Question ids are `<sample id>:<index in its qa list>`. With `caption_query=False` the words that an
    image was searched by are left out of the messages; captions stay.
    Raises InvalidInput naming record and field.
    """
    conversations: list[Conversation] = []
    questions: list[Question] = []
    for number, entry in enumerate(expect_list(read_json(path), path.name)):
        record = expect_mapping(entry, f"{path.name}[{number}]")
        where = f"{path.name}[{number}]"
        sample = expect_text(record, "sample_id", where)
        dialogue = expect_mapping(record.get("conversation"), f"{where}.conversation")
        conversations.append(Conversation(sample, _sessions(dialogue, where, caption_query)))
        questions.extend(
            _question(expect_mapping(qa, f"{where}.qa[{i}]"), sample, i, where)
            for i, qa in enumerate(expect_list(record.get("qa"), f"{where}.qa"))
        )
    known = {c.id: frozenset(c.turn_ids) for c in conversations}
    return Dataset(
        "locomo",
        tuple(conversations),
        tuple(questions),
        (path,),
        unknown_entries(questions, known),
        evidence_notes(questions),
    )


def _sessions(dialogue: Mapping[str, object], where: str, caption_query: bool) -> tuple[Session, ...]:
    numbers = sorted(int(m[1]) for key in dialogue if (m := re.fullmatch(r"session_(\d+)", key)))
    return tuple(
        Session(
            f"session_{n}",
            optional_text(dialogue, f"session_{n}_date_time", where),
            tuple(
                _message(
                    expect_mapping(turn, f"{where}.session_{n}[{i}]"), f"{where}.session_{n}[{i}]", caption_query
                )
                for i, turn in enumerate(expect_list(dialogue[f"session_{n}"], f"{where}.session_{n}"))
            ),
        )
        for n in numbers
    )


def _message(turn: Mapping[str, object], where: str, caption_query: bool) -> Message:
    message: dict[str, JsonValue] = {
        "role": "user",
        "name": expect_text(turn, "speaker", where),
        "content": expect_text(turn, "text", where),
        "id": expect_text(turn, "dia_id", where),
    }
    if caption := optional_text(turn, "blip_caption", where):
        message["caption"] = caption
    if caption_query and (query := optional_text(turn, "query", where)):
        message["caption_query"] = query
    return message


def _question(qa: Mapping[str, object], sample: str, index: int, where: str) -> Question:
    at = f"{where}.qa[{index}]"
    category = qa.get("category")
    if not isinstance(category, int) or category not in CATEGORIES:
        raise InvalidInput(f"{at}.category", f"{category!r} is none of 1 to 5")
    return Question(
        id=f"{sample}:{index}",
        conversation_id=sample,
        text=expect_text(qa, "question", at),
        answer=optional_text(qa, "answer", at) or "",
        evidence=tuple(str(e) for e in expect_list(qa.get("evidence"), f"{at}.evidence")),
        category=CATEGORIES[category],
        distractor=optional_text(qa, "adversarial_answer", at),
    )
