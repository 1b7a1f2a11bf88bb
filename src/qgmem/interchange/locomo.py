"""LoCoMo conversations: a user id per `sample_id`, sessions `session_N`, dates as the file writes them.

Both speakers are people, so every turn has the role `user` and carries its speaker's name. Questions,
summaries and observations are not turns and are left out; so are dates without a session.
Memory: that of the largest conversation. Format: https://github.com/snap-research/locomo
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, ImportRecord, JsonValue

from .checks import JsonObject, as_list, as_object, identifier, optional_text, problem, text, timestamp
from .json_stream import json_elements

_SESSION = re.compile(r"session_(\d+)")


def read(path: Path) -> Iterator[ImportRecord | ImportProblem]:
    """Turns by conversation and session number. Raises InvalidInput when the file cannot be opened."""
    for element in json_elements(path):
        if isinstance(element, ImportProblem):
            yield element
        else:
            yield from _conversation(element.value, f"{path} record {element.path or '[0]'}")


def _conversation(value: JsonValue, where: str) -> Iterator[ImportRecord | ImportProblem]:
    try:
        record = as_object(value, "conversation")
        user_id = identifier(record, "sample_id")
        conversation = as_object(record.get("conversation"), "conversation")
    except InvalidInput as error:
        yield problem(where, error)
        return
    where = f"{where} ({user_id})"
    numbers = sorted(int(found[1]) for key in conversation if (found := _SESSION.fullmatch(key)))
    if not numbers:
        yield ImportProblem(where, "conversation", "holds no session_N")
    for number in numbers:
        yield from _session(conversation, f"session_{number}", user_id, where)


def _session(
    conversation: JsonObject, session_id: str, user_id: str, where: str
) -> Iterator[ImportRecord | ImportProblem]:
    try:
        turns = as_list(conversation, session_id)
    except InvalidInput as error:
        yield problem(where, error)
        return
    time, doubt = timestamp(conversation, f"{session_id}_date_time", where)
    if doubt is not None:
        yield doubt
    for index, turn in enumerate(turns):
        place = f"{where} {session_id}[{index}]"
        try:
            message = _message(as_object(turn, "turn"))
        except InvalidInput as error:
            yield problem(place, error)
            continue
        if time is not None:
            message["timestamp"] = time
        yield ImportRecord(session_id, message, place, user_id)


def _message(turn: JsonObject) -> dict[str, object]:
    message: dict[str, object] = {
        "role": "user",
        "name": text(turn, "speaker"),
        "content": text(turn, "text"),
        "id": identifier(turn, "dia_id"),
    }
    for theirs, ours in (("blip_caption", "caption"), ("query", "caption_query")):
        found = optional_text(turn, theirs)
        if found is not None:
            message[ours] = found
    return message
