"""The two graphs of the study, each with its question keys: the stored one and our rules' ([E] §3.2).

Both are built from the turns as said, whatever text form the vectors stand for, and both match names with the
first release's tokens, so that only entities, links and keys differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from qgmem.activation.entity_graph import EntityGraph, GraphBuilder, normalise_key
from qgmem.activation.query import parse_query, question_keys
from qgmem.construction.entities import RuleExtractor
from qgmem.construction.timex import find_times
from qgmem.construction.verbatim import attributes
from qgmem.errors import InvalidInput
from qgmem.evals.datasets.dialogue import (
    Conversation,
    Dataset,
    Message,
    expect_list,
    expect_mapping,
    expect_text,
    read_json,
)
from qgmem.evals.progress import progress
from qgmem.types import Entity, JsonValue

from .cost import Cost
from .kept import kept, source_digest

STORED, RULES = "stored", "rules"
RULES_READ = ("construction/entities", "construction/timex", "construction/verbatim.py", "activation/query.py")
"""What decides over entities and question keys."""
Named = list[list[str]]  # [text, type] of each entity


@dataclass(frozen=True)
class StudyGraph:
    """Conversation id → graph, question id → keys; `cold` and `warm` cost by stage."""

    name: str
    graphs: Mapping[str, EntityGraph]
    keys: Mapping[str, Sequence[str]]
    cold: Mapping[str, Cost]
    warm: Mapping[str, Cost]


def stored_graph(data: Dataset, path: Path) -> StudyGraph:
    """The published gpt-3.5 graph and keys of every conversation of `data`. Raises InvalidInput.

    The file does not say which mentions the speaker link made. One counts as made by it if the entity is the
    turn's speaker and neither the turn's words nor its caption name them.
    """
    file = expect_mapping(read_json(path), path.name)
    graphs: dict[str, EntityGraph] = {}
    keys: dict[str, Sequence[str]] = {}
    for conversation in data.conversations:
        where = f"{path.name}[{conversation.id!r}]"
        record = expect_mapping(file.get(conversation.id), where)
        graphs[conversation.id] = _stored(conversation, record, where)
        asked = expect_mapping(record.get("question_keys_1based"), f"{where}.question_keys_1based")
        for question in data.questions_of(conversation.id):
            number = str(int(question.id.rsplit(":", 1)[1]) + 1)
            keys[question.id] = [str(key) for key in expect_list(asked.get(number, []), f"{where}.{number}")]
    return StudyGraph(STORED, graphs, keys, {}, {})


def rules_graph(
    data: Dataset, cache: Path, extractor: RuleExtractor | None = None, *, show_progress: bool = True
) -> StudyGraph:
    """Entities, speaker links and question keys by rules, as the embedded memory makes them."""
    extractor = extractor or RuleExtractor()
    rules = [extractor.id, source_digest(*RULES_READ)]
    cold, warm = {"entities": Cost(), "question keys": Cost()}, {"entities": Cost(), "question keys": Cost()}
    graphs: dict[str, EntityGraph] = {}
    keys: dict[str, Sequence[str]] = {}
    with progress("entities by rules", len(data.conversations), show_progress) as bar:
        for conversation in data.conversations:
            messages = _messages(conversation)
            seen: list[JsonValue] = [
                [str(m["name"]), str(m["content"]), str(m.get("caption") or "")] for m in messages
            ]
            found, made, spent = kept(
                cache, "entities", [*rules, *seen], partial(_entities, seen, extractor), len(seen)
            )
            cold["entities"] += made
            warm["entities"] += spent
            builder = GraphBuilder()
            for message, named in zip(messages, found, strict=True):
                entities = [Entity(text, kind) for text, kind in named]  # type: ignore[arg-type]
                builder.add(str(message["id"]), entities, speaker=str(message["name"]))
            graphs[conversation.id] = builder.graph()

            questions = data.questions_of(conversation.id)
            texts = [question.text for question in questions]
            asked, made, spent = kept(
                cache, "question-keys", [*rules, *texts], partial(_keys, texts, extractor), len(texts)
            )
            cold["question keys"] += made
            warm["question keys"] += spent
            keys |= {question.id: one for question, one in zip(questions, asked, strict=True)}
            bar.advance()
    return StudyGraph(RULES, graphs, keys, cold, warm)


def _entities(seen: Sequence[Any], extractor: RuleExtractor) -> list[Named]:
    return [
        [[e.text, e.type] for e in attributes(text, caption or None, speaker, None, extractor).entities]
        for speaker, text, caption in seen
    ]


def _keys(questions: Sequence[str], extractor: RuleExtractor) -> list[list[str]]:
    return [question_keys(parse_query(text, None, extractor, find_times)) for text in questions]


def _stored(conversation: Conversation, record: Mapping[str, object], where: str) -> EntityGraph:
    listed = expect_list(record.get("entities"), f"{where}.entities")
    nodes = [expect_mapping(node, f"{where}.entities") for node in listed]
    mentions = expect_mapping(record.get("mentions"), f"{where}.mentions")
    messages = {str(m["id"]): m for m in _messages(conversation)}
    if strange := sorted(set(mentions) - set(messages)):
        problem = f"{strange[0]!r} is no turn of the conversation"
        raise InvalidInput(f"{where}.mentions", problem, "give the graph of this data")
    builder = GraphBuilder()
    for turn in (turn for turn in messages if turn in mentions):
        link = "" if _names_speaker(messages[turn]) else normalise_key(str(messages[turn]["name"]))
        entities: list[Entity] = []
        speaker = ""
        for index in expect_list(mentions[turn], f"{where}.mentions[{turn!r}]"):
            node = nodes[int(str(index))]
            name = expect_text(node, "value", f"{where}.entities")
            if link and normalise_key(name) == link:
                speaker = name
            else:
                entities.append(Entity(name, expect_text(node, "type", f"{where}.entities")))  # type: ignore[arg-type]
        builder.add(turn, entities, speaker=speaker)
    return builder.graph()


def _names_speaker(message: Message) -> bool:
    said = f"{message['content']} {message.get('caption') or ''}"
    return re.search(rf"\b{re.escape(str(message['name']))}\b", said, re.IGNORECASE) is not None


def _messages(conversation: Conversation) -> list[Message]:
    return [message for session in conversation.sessions for message in session.messages]
