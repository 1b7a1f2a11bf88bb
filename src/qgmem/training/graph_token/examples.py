"""What `Memory.ask` finds for a question, kept as it was: units, trajectories, local graph ([Q] B).

Units and retrieval are frozen here: every condition of a study, and every epoch of a training, reads the same lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from ...activation.question_terms import question_terms
from ...errors import InvalidInput
from ...evals.datasets.dialogue import Conversation, Dataset, Question
from ...evals.metrics.substring_exact_match import normalised
from ...evals.progress import Bar
from ...generation.serialise import lay_out
from ...generation.tokens import Count
from ...memory import Memory
from ...synthetic import NO_ANSWER
from ...types import Hit

BUDGET = 700  # tokens of the context, as `Memory.ask`


@dataclass(frozen=True, slots=True)
class Example:
    """One question with its working memory and gold.

    `context`: units labelled MU1… with their trajectories, as a model reads them beside graph tokens;
    `context_facts`: the same with the local graph as facts. `nodes`, `edges` (from, predicate, to): the local graph.
    `labels`: of the units that show evidence. `supported`: evidence and answer stand in the context, so that the
    question can be answered from it; for what nobody said that is always so, if anything was found.
    """

    id: str
    case_id: str
    type: str
    question: str
    asked_at: str
    context: str
    context_facts: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[int, str, int], ...]
    answer: str
    labels: tuple[str, ...]
    supported: bool

    @property
    def digest(self) -> str:
        """Digest of question, time, context and gold: what a reader is shown and a judge goes by."""
        shown = [self.question, self.asked_at, self.context, self.context_facts, self.answer]
        return sha256(json.dumps(shown).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Layout:
    """How contexts are laid out. `k`: units; `budget`: tokens as `count` counts; `traces`: with trajectories.

    `fact_tokens`: beyond the budget. `ask` gives none, so that few facts are left in a context that is full; a study
    of the graph as text has to show the graph.
    """

    count: Count
    k: int = 10
    budget: int = BUDGET
    traces: bool = True
    fact_tokens: int = 0


def build_examples(memory: Memory, cases: Dataset, bar: Bar, layout: Layout) -> Iterator[Example]:
    """One example a question, in order of cases. The memory is filled first, unless it holds a case whole."""
    present = set(memory.namespaces())
    for conversation in cases.conversations:
        asked = cases.questions_of(conversation.id)
        if asked:
            turns = memory.stats(user_id=conversation.id).turns if conversation.id in present else 0
            if turns < len(conversation.turn_ids):  # a run that was stopped may have left the first sessions
                fill(memory, conversation)
            for question in asked:
                yield example_of(memory, question, layout)
                bar.advance()


def fill(memory: Memory, conversation: Conversation) -> None:
    """Add a conversation, session by session, and read its traces to the end."""
    for session in conversation.sessions:
        memory.add(
            [dict(message) for message in session.messages],
            user_id=conversation.id, session_id=session.id, timestamp=session.timestamp,
        )  # fmt: skip
    for unit in memory.get_all(user_id=conversation.id)[-1:]:
        memory.history(unit.id, user_id=conversation.id)  # waits for the traces


def example_of(memory: Memory, question: Question, layout: Layout) -> Example:
    """What the memory activates for one question. Gold decides only what is kept, never what is found."""
    found = memory.ask(
        question.text, user_id=question.conversation_id, limit=layout.k, question_time=question.asked_at
    )
    hits, graph = found.working_memory, found.local_graph
    words = question_terms(question.text, memory.settings.language)
    trails = found.trails if layout.traces else ()
    context, context_facts = (
        lay_out(
            hits, graph, trails, layout.budget, words, layout.count, with_facts=facts, fact_tokens=layout.fact_tokens
        )
        for facts in (False, True)
    )
    evidence = set(question.evidence)
    return Example(
        id=question.id,
        case_id=question.conversation_id,
        type=question.category,
        question=question.text,
        asked_at=question.asked_at or "",
        context=context.text,
        context_facts=context_facts.text,
        nodes=tuple(node.text for node in graph.nodes),
        edges=tuple((edge.source, edge.predicate, edge.target) for edge in graph.edges),
        answer=question.answer,
        labels=tuple(
            f"MU{hit.rank}" for hit in hits if f"MU{hit.rank}" in context.labels and evidence & set(hit.turn_ids)
        ),
        supported=_supported(question, [hit for hit in hits if hit.id not in context.left_out], context.text),
    )


def _supported(question: Question, hits: Sequence[Hit], context: str) -> bool:
    if question.answer == NO_ANSWER:
        return bool(hits)  # without a memory nobody is asked
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
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        return [Example(**{name: _tuple(value) for name, value in row.items()}) for row in rows]
    except (ValueError, TypeError) as error:
        raise InvalidInput("examples", f"{path.name} was not written by this: {error}", "remove it") from error


def _tuple(value: Any) -> Any:
    return tuple(_tuple(one) for one in value) if isinstance(value, list) else value
