"""ConvoMem's files (Pakhomov et al., 2025) as cases, for whoever has them: three categories, drawn 5 : 3 : 4 ([Q] B).

    DIR/…/user_evidence/…/*.json, assistant_facts_evidence, changing_evidence

Each file is an object with `evidence_items`; an item has `question`, `answer`, `conversations` with `messages` of
`speaker` and `text`, and `message_evidences`, which are messages quoted word for word. An item is a case of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ...evals.datasets.dialogue import Conversation, Dataset, Question, Session
from ...types import JsonValue

CATEGORIES = {"user_evidence": 5, "assistant_facts_evidence": 3, "changing_evidence": 4}
CASES = 1200  # of [Q]


def load_convomem(folder: Path, *, cases: int = CASES, seed: int = 0) -> Dataset:
    """At most `cases` cases, the three categories in their ratio, as far as the scarcest of them reaches.

    Evidence that is found in no conversation is kept as an id that names no turn, so that such a case is never kept
    for training. Raises InvalidInput for a folder without one of the categories, or a file of another shape.
    """
    files = {name: sorted(folder.glob(f"**/{name}/**/*.json")) for name in CATEGORIES}
    missing = [name for name, found in files.items() if not found]
    if missing:
        raise InvalidInput(
            "data", f"{folder.name!r} holds no dialogues.jsonl, and of ConvoMem no {', '.join(missing)}",
            "name a folder of `qgmem synth`, or ConvoMem's with these three folders",
        )  # fmt: skip
    read = {
        name: [(f"{_place(path, name)}/{at}", item) for path in found for at, item in enumerate(_items(path))]
        for name, found in files.items()
    }
    share = min([cases // sum(CATEGORIES.values()), *(len(read[name]) // part for name, part in CATEGORIES.items())])
    random = np.random.default_rng(seed)
    conversations: list[Conversation] = []
    questions: list[Question] = []
    for name, part in CATEGORIES.items():
        for at in sorted(random.permutation(len(read[name]))[: share * part].tolist()):
            case_id, item = read[name][at]
            conversation, question = _case(case_id, item, name)
            conversations.append(conversation)
            questions.append(question)
    paths = tuple(path for found in files.values() for path in found)
    return Dataset("convomem", tuple(conversations), tuple(questions), paths)


def _place(path: Path, category: str) -> str:
    """The path from the category on, without its ending: folders in it hold files of one name."""
    parts = path.with_suffix("").parts
    return "/".join(parts[len(parts) - 1 - parts[::-1].index(category) :])


def _items(path: Path) -> list[dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise InvalidInput("data", f"{path.name} is no JSON: {error}") from error
    items = content.get("evidence_items") if isinstance(content, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InvalidInput("data", f"{path.name} holds no list `evidence_items`", "give ConvoMem's evidence files")
    return items


def _case(case_id: str, item: dict[str, Any], category: str) -> tuple[Conversation, Question]:
    sessions = []
    ids: dict[tuple[str, str], str] = {}  # (speaker, text) → turn id, the last time that it is said
    try:
        for number, held in enumerate(item["conversations"], 1):
            messages: list[dict[str, JsonValue]] = []
            for place, said in enumerate(held["messages"], 1):
                speaker, text, turn_id = str(said["speaker"]).lower(), str(said["text"]), f"{number}:{place}"
                role = "assistant" if speaker == "assistant" else "user"
                messages.append({"role": role, "name": speaker, "id": turn_id, "content": text})
                ids[speaker, text] = turn_id
            sessions.append(Session(str(number), None, tuple(messages)))
        evidence = [
            ids.get((str(one["speaker"]).lower(), str(one["text"])), f"missing:{place}")
            for place, one in enumerate(item["message_evidences"])
        ]
        asked, answer = str(item["question"]), str(item["answer"])
    except (KeyError, TypeError) as error:
        raise InvalidInput("data", f"{case_id} lacks {error}", "give ConvoMem's evidence files") from error
    question = Question(f"{case_id}/q", case_id, asked, answer, tuple(dict.fromkeys(evidence)), category)
    return Conversation(case_id, tuple(sessions)), question
