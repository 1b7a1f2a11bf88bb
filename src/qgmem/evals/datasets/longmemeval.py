"""LongMemEval (Wu et al., ICLR 2025), official file format: one haystack of sessions a question.

As in the official retrieval code, evidence is the user turns marked `has_answer` inside the answer
sessions, the searched corpus may be user turns only, and a turn's id is `<session id>_<n>`, n from 1
over all turns of the session.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import JsonValue

from .dialogue import (
    Conversation,
    Dataset,
    MalformedEvidence,
    Message,
    Question,
    Session,
    evidence_notes,
    expect_list,
    expect_mapping,
    expect_text,
    optional_text,
    read_json,
)

ABSTENTION_MARK = "_abs"


def load_longmemeval(path: Path, *, user_turns_only: bool = True) -> Dataset:
    """Reads the official list of records; each question gets a conversation of the same id.

    A session id that a haystack repeats keeps its first session; repeats are counted in `notes`. An
    answer session that the haystack lacks is reported as malformed evidence.
    Raises InvalidInput naming record and field.
    """
    conversations: list[Conversation] = []
    questions: list[Question] = []
    malformed: list[MalformedEvidence] = []
    repeated = 0
    for number, entry in enumerate(expect_list(read_json(path), path.name)):
        where = f"{path.name}[{number}]"
        record = expect_mapping(entry, where)
        identity = expect_text(record, "question_id", where)
        names = _texts(record, "haystack_session_ids", where)
        dates = _texts(record, "haystack_dates", where)
        bodies = expect_list(record.get("haystack_sessions"), f"{where}.haystack_sessions")
        if not len(names) == len(dates) == len(bodies):
            sizes = f"{len(names)} ids, {len(dates)} dates, {len(bodies)} sessions"
            raise InvalidInput(f"{where}.haystack_sessions", f"lengths differ: {sizes}")
        gold = _texts(record, "answer_session_ids", where)
        sessions: dict[str, Session] = {}
        evidence: list[str] = []
        for name, date, body in zip(names, dates, bodies, strict=True):
            if name in sessions:
                repeated += 1
                continue
            turns = [expect_mapping(t, f"{where}.{name}") for t in expect_list(body, f"{where}.{name}")]
            sessions[name] = Session(name, date, _messages(turns, name, where, user_turns_only))
            if name in gold:
                evidence += [f"{name}_{i}" for i, t in enumerate(turns, 1) if _is_evidence(t)]
        malformed += [
            MalformedEvidence(identity, name, "no such session in the haystack")
            for name in gold
            if name not in sessions
        ]
        conversations.append(Conversation(identity, tuple(sessions.values())))
        questions.append(
            Question(
                id=identity,
                conversation_id=identity,
                text=expect_text(record, "question", where),
                answer=expect_text(record, "answer", where),
                evidence=tuple(evidence),
                category=expect_text(record, "question_type", where),
                asked_at=optional_text(record, "question_date", where),
            )
        )
    notes = evidence_notes(questions) | {"repeated_haystack_sessions": repeated}
    return Dataset("longmemeval", tuple(conversations), tuple(questions), (path,), tuple(malformed), notes)


def is_abstention(question: Question) -> bool:
    """True for the `_abs` questions, whose premise the haystack does not support."""
    return ABSTENTION_MARK in question.id


def _is_evidence(turn: Mapping[str, object]) -> bool:
    return turn.get("role") == "user" and turn.get("has_answer") is True


def _messages(
    turns: list[Mapping[str, object]], session: str, where: str, user_turns_only: bool
) -> tuple[Message, ...]:
    messages: list[Message] = []
    for number, turn in enumerate(turns, 1):
        role = expect_text(turn, "role", f"{where}.{session}")
        if role == "user" or not user_turns_only:
            content = expect_text(turn, "content", f"{where}.{session}")
            message: dict[str, JsonValue] = {"role": role, "content": content, "id": f"{session}_{number}"}
            messages.append(message)
    return tuple(messages)


def _texts(record: Mapping[str, object], key: str, where: str) -> list[str]:
    return [str(item) for item in expect_list(record.get(key), f"{where}.{key}")]
