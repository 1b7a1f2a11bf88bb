"""LongMemEval (official format): a user id per question, its haystack sessions with their dates.

Turn ids are `<session id>_<n>`, n from 1, as in the official retrieval corpus. `2023/05/20 (Sat) 02:21`
becomes ISO. The question, its answer and `has_answer` marks are gold and never reach a message.
Memory: that of the largest question. Format: https://github.com/xiaowu0162/LongMemEval
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, ImportRecord, JsonValue

from .checks import as_list, as_object, identifier, problem, role, shape, text
from .json_stream import json_elements

_DATE = re.compile(r"(\d{4})/(\d\d)/(\d\d)(?: \(\w+\))?(?: (\d\d:\d\d(?::\d\d)?))?")


def read(path: Path) -> Iterator[ImportRecord | ImportProblem]:
    """Turns by question and session. Raises InvalidInput when the file cannot be opened."""
    for element in json_elements(path):
        if isinstance(element, ImportProblem):
            yield element
        else:
            yield from _question(element.value, f"{path} record {element.path or '[0]'}")


def _question(value: JsonValue, where: str) -> Iterator[ImportRecord | ImportProblem]:
    try:
        record = as_object(value, "question")
        user_id = identifier(record, "question_id")
        where = f"{where} ({user_id})"
        ids, dates, sessions = (as_list(record, f"haystack_{part}") for part in ("session_ids", "dates", "sessions"))
        if len(ids) != len(sessions):
            raise InvalidInput("haystack_session_ids", f"{len(ids)} ids for {len(sessions)} sessions")
    except InvalidInput as error:
        yield problem(where, error)
        return
    if len(dates) != len(sessions):
        yield ImportProblem(
            where, "haystack_dates", f"{len(dates)} dates for {len(sessions)} sessions; kept without times", kept=True
        )
        dates = [None] * len(sessions)
    seen: Counter[str] = Counter()
    for index, (session_id, date, session) in enumerate(zip(ids, dates, sessions, strict=True)):
        place = f"{where} haystack_sessions[{index}]"
        if not isinstance(session_id, str) or not session_id:
            reason = f"expected a non-empty string, got {shape(session_id)}"
            yield ImportProblem(place, "haystack_session_ids", reason)
            continue
        seen[session_id] += 1
        # The same session twice in one haystack: its second copy is a session of its own.
        name = session_id if seen[session_id] == 1 else f"{session_id}~{seen[session_id]}"
        time, doubt = _iso(date, place)
        if doubt is not None:
            yield doubt
        yield from _session(session, name, time, place, user_id)


def _session(
    session: JsonValue, session_id: str, time: str | None, where: str, user_id: str
) -> Iterator[ImportRecord | ImportProblem]:
    if not isinstance(session, list):
        yield ImportProblem(where, "haystack_sessions", f"expected an array, got {shape(session)}")
        return
    for index, turn in enumerate(session):
        place = f"{where}[{index}]"
        try:
            entry = as_object(turn, "turn")
            message: dict[str, object] = {
                "role": role(entry),
                "content": text(entry, "content"),
                "id": f"{session_id}_{index + 1}",
            }
        except InvalidInput as error:
            yield problem(place, error)
            continue
        if time is not None:
            message["timestamp"] = time
        yield ImportRecord(session_id, message, place, user_id)


def _iso(date: JsonValue, where: str) -> tuple[str | None, ImportProblem | None]:
    """ISO form of an official date; another string stays as it is, another type costs the time only."""
    if date is None:
        return None, None
    if not isinstance(date, str):
        reason = f"expected a string, got {shape(date)}; kept without a time"
        return None, ImportProblem(where, "haystack_dates", reason, kept=True)
    found = _DATE.fullmatch(date.strip())
    if found is None:
        return date, None
    year, month, day, clock = found.groups()
    return f"{year}-{month}-{day}" + (f"T{clock}" if clock else ""), None
