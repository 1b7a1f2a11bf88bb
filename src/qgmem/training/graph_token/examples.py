"""What the pipeline finds for a question, kept as it was: units, trajectories, local graph ([Q] B).

Units and retrieval are frozen here: every condition of a study, and every epoch of a training, reads the same lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...activation.question_terms import question_terms
from ...errors import InvalidInput
from ...evals.datasets.dialogue import Conversation, Dataset, Question
from ...evals.metrics.substring_exact_match import normalised
from ...evals.progress import Bar
from ...generation.local_graph import LocalGraph, local_graph
from ...generation.serialise import serialise
from ...memory import Memory
from ...synthetic import NO_ANSWER
from ...types import Hit
from .readings import CaseReading, read_case

BUDGET = 700  # tokens of units, as `Memory.context`


@dataclass(frozen=True, slots=True)
class Example:
    """One question with its working memory and gold.

    `context`: units labelled MU1…; `traces`, `facts`: lines without labels. `nodes`, `edges` (from, predicate, to):
    the local graph. `labels`: of the units that show evidence. `supported`: evidence and answer stand in the context,
    so that the question can be answered from it; for what nobody said that is always so.
    """

    id: str
    case_id: str
    type: str
    question: str
    asked_at: str
    context: str
    traces: tuple[str, ...]
    facts: tuple[str, ...]
    nodes: tuple[str, ...]
    edges: tuple[tuple[int, str, int], ...]
    answer: str
    labels: tuple[str, ...]
    supported: bool


def build_examples(memory: Memory, cases: Dataset, bar: Bar, *, k: int = 10) -> Iterator[Example]:
    """One example a question, in order of cases. The memory is filled first; what it already holds is left alone."""
    present = set(memory.namespaces())
    for conversation in cases.conversations:
        asked = cases.questions_of(conversation.id)
        if asked:
            if conversation.id not in present:
                fill(memory, conversation)
            reading = read_case(memory, conversation.id)
            for question in asked:
                yield example_of(memory, question, reading, k=k)
                bar.advance()


def fill(memory: Memory, conversation: Conversation) -> None:
    """Add a conversation, session by session."""
    for session in conversation.sessions:
        memory.add(
            [dict(message) for message in session.messages],
            user_id=conversation.id, session_id=session.id, timestamp=session.timestamp,
        )  # fmt: skip


def example_of(memory: Memory, question: Question, reading: CaseReading, *, k: int) -> Example:
    """What the memory activates for one question. Gold decides only what is kept, never what is found."""
    hits = memory.search(question.text, user_id=question.conversation_id, limit=k, question_time=question.asked_at)
    graph = local_graph([hit.unit for hit in hits], reading.triples)
    words = question_terms(question.text, memory.settings.language)
    context = serialise(hits, BUDGET, words)
    label = {hit.unit.id: f"MU{hit.rank}" for hit in hits}
    evidence = set(question.evidence)
    return Example(
        id=question.id,
        case_id=question.conversation_id,
        type=question.category,
        question=question.text,
        asked_at=question.asked_at or "",
        context=context,
        traces=tuple(reading.trajectory(hits, label)),
        facts=tuple(facts_of(graph, label)),
        nodes=tuple(node.text for node in graph.nodes),
        edges=tuple((edge.source, edge.predicate, edge.target) for edge in graph.edges),
        answer=question.answer,
        labels=tuple(label[hit.unit.id] for hit in hits if evidence & set(hit.turn_ids)),
        supported=_supported(question, hits, context),
    )


def facts_of(graph: LocalGraph, label: Mapping[str, str]) -> Iterator[str]:
    """The local graph as lines: subject – predicate → object, and the unit that says so."""
    for edge in graph.edges:
        ends = graph.nodes[edge.source].text, graph.nodes[edge.target].text
        yield f"{ends[0]} – {edge.predicate} → {ends[1]} ({label[edge.unit_id]})"


def _supported(question: Question, hits: Sequence[Hit], context: str) -> bool:
    if question.answer == NO_ANSWER:
        return True
    found = {turn for hit in hits for turn in hit.turn_ids}
    there = f" {normalised(context)} "
    parts = [normalised(part) for part in question.answer.split("; ")]
    return bool(question.evidence) and set(question.evidence) <= found and all(f" {part} " in there for part in parts)


def write_examples(examples: Iterable[Example], path: Path) -> list[Example]:
    """Write them as JSON Lines, whole or not at all."""
    kept = list(examples)
    part = path.with_suffix(".part")
    part.write_text("".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in kept), encoding="utf-8")
    part.replace(path)
    return kept


def read_examples(path: Path) -> list[Example]:
    """Examples as `write_examples` left them. Raises InvalidInput for another file."""
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return [Example(**{name: _tuple(value) for name, value in row.items()}) for row in rows]
    except (json.JSONDecodeError, TypeError) as error:
        raise InvalidInput("examples", f"{path.name} was not written by this: {error}", "remove it") from error


def _tuple(value: Any) -> Any:
    return tuple(_tuple(one) for one in value) if isinstance(value, list) else value
