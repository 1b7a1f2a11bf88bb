"""ChatGPT's `conversations.json`: each conversation is a tree, and the branch last shown is its dialogue.

Followed from `current_node` up to the root. Kept: what user and assistant said to each other in words,
typed or transcribed, with their times (epoch seconds become ISO in UTC). Left out: system and tool
messages, hidden ones, calls to tools, reasoning, images and other parts without words.
Memory: that of the largest conversation.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, ImportRecord, JsonValue

from .checks import JsonObject, as_object, identifier, optional_text, problem, seconds, shape, text
from .json_stream import json_elements

_SPOKEN = ("text", "multimodal_text", "code")


def read(path: Path) -> Iterator[ImportRecord | ImportProblem]:
    """Messages of each conversation, oldest first. Raises InvalidInput when the file cannot be opened."""
    for element in json_elements(path):
        if isinstance(element, ImportProblem):
            yield element
        else:
            yield from _conversation(element.value, f"{path} record {element.path or '[0]'}")


def _conversation(value: JsonValue, where: str) -> Iterator[ImportRecord | ImportProblem]:
    try:
        conversation = as_object(value, "conversation")
        key = "conversation_id" if conversation.get("conversation_id") else "id"
        session_id = identifier(conversation, key)
        where = f"{where} ({session_id})"
        mapping = as_object(conversation.get("mapping"), "mapping")
        current = optional_text(conversation, "current_node")
    except InvalidInput as error:
        yield problem(where, error)
        return
    if current is None or current not in mapping:
        if current is not None:
            reason = f"{current[:40]!r} is not in mapping; the newest branch was followed"
            yield ImportProblem(where, "current_node", reason, kept=True)
        current = _newest_leaf(mapping)
    branch, doubt = _branch(mapping, current)
    if doubt:
        yield ImportProblem(where, "mapping", doubt)
    for node_id in branch:
        yield from _turn(mapping[node_id], node_id, session_id, f"{where} mapping[{node_id}]")


def _branch(mapping: JsonObject, leaf: str | None) -> tuple[list[str], str]:
    """Node ids from the root down to `leaf`, and what was wrong with the path, if anything."""
    path: list[str] = []
    seen: set[str] = set()
    node_id: JsonValue = leaf
    while isinstance(node_id, str):
        if node_id in seen:
            return path[::-1], f"node {node_id[:40]!r} is its own ancestor; the branch was cut there"
        if node_id not in mapping:
            return path[::-1], f"parent {node_id[:40]!r} is not in mapping; the branch was cut there"
        seen.add(node_id)
        path.append(node_id)
        node = mapping[node_id]
        node_id = node.get("parent") if isinstance(node, dict) else None
    return path[::-1], ""


def _newest_leaf(mapping: JsonObject) -> str | None:
    """For exports without a usable current_node: the childless node with the latest time, ties by id."""
    leaves = [
        (_seconds(node), node_id)
        for node_id, node in mapping.items()
        if isinstance(node, dict) and not node.get("children")
    ]
    return max(leaves)[1] if leaves else None


def _seconds(node: JsonObject) -> float:
    message = node.get("message")
    time = message.get("create_time") if isinstance(message, dict) else None
    return float(time) if isinstance(time, float | int) and abs(time) < 1e15 else 0.0


def _turn(value: JsonValue, node_id: str, session_id: str, where: str) -> Iterator[ImportRecord | ImportProblem]:
    try:
        message = as_object(value, "node").get("message")
        if message is None:  # the root, and placeholders
            return
        said = as_object(message, "message")
        author = text(as_object(said.get("author"), "author"), "role")
        if author not in ("user", "assistant") or _hidden(said):
            return
        content = _words(as_object(said.get("content"), "content"))
        message_id = identifier(said, "id") if said.get("id") is not None else node_id
    except InvalidInput as error:
        yield problem(where, error)
        return
    if not content.strip():
        return
    fields: dict[str, object] = {"role": author, "content": content, "id": message_id}
    time, doubt = (
        (None, None) if said.get("create_time") is None else seconds(said.get("create_time"), "create_time", where)
    )
    if doubt is not None:
        yield doubt
    if time is not None:
        fields["timestamp"] = time
    yield ImportRecord(session_id, fields, where)


def _hidden(message: JsonObject) -> bool:
    """True for what the page does not show as dialogue: hidden messages and calls to a tool."""
    metadata = message.get("metadata")
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True:
        return True
    return message.get("recipient", "all") not in ("all", None)


def _words(content: JsonObject) -> str:
    """The text parts, joined by line ends; empty when there are none. Raises InvalidInput."""
    if content.get("content_type", "text") not in _SPOKEN:
        return ""
    parts = content.get("parts")
    if parts is None:
        return optional_text(content, "text") or ""
    if not isinstance(parts, list):
        raise InvalidInput("parts", f"expected an array, got {shape(parts)}")
    return "\n".join(filter(None, map(_part, parts)))


def _part(part: JsonValue) -> str:
    """A string as it is, the text of a transcribed part; images and the like hold no words."""
    if isinstance(part, str):
        return part
    spoken = part.get("text") if isinstance(part, dict) else None
    return spoken if isinstance(spoken, str) else ""
