"""Parts of the pipeline taken away, one at a time; the model, the prompt and the questions stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ...evals.datasets.dialogue import Conversation, Dataset, Message, Session
from ...evals.progress import Bar
from ...memory import Memory
from ...settings import Settings
from ..graph_token.examples import Example, Layout, build_examples

WINDOW = 6  # turns that are one unit when units are taken away: SPEC's window


@dataclass(frozen=True, slots=True)
class Ablation:
    """What is different: settings of activation, whole windows for units, no trajectories, no graph."""

    name: str
    settings: dict[str, Any] = field(default_factory=dict)
    windows: bool = False
    traces: bool = True
    graph: bool = True


ABLATIONS = (
    Ablation("full"),
    Ablation("no units", windows=True),
    Ablation("no traces", traces=False),
    Ablation("no hybrid", {"channels": ("semantic",), "fusion": "rrf"}),
    Ablation("no reranker", {"rerank": "none"}),
    Ablation("no graph", graph=False),
)


def ablated_examples(
    ablation: Ablation, cases: Dataset, folder: Path, embedder: Any, bar: Bar, layout: Layout
) -> list[Example]:
    """The examples as the pipeline finds them with a part taken away.

    Without units, k turns become ⌈k / 6⌉ windows of 6, so that about as many turns are read.
    """
    data = windowed(cases) if ablation.windows else cases
    wanted = replace(layout, k=-(-layout.k // WINDOW) if ablation.windows else layout.k, traces=ablation.traces)
    place = folder / ("memories-windows" if ablation.windows else "memories")
    settings = Settings.load(chat_model=None, graph_token=None, **ablation.settings)
    with Memory.open(place, embedder=embedder, settings=settings) as memory:
        return list(build_examples(memory, data, bar, wanted))


def windowed(cases: Dataset) -> Dataset:
    """Every six turns of a session as one message, with the first one's id and time; evidence is renamed to match."""
    owner: dict[tuple[str, str], str] = {}
    conversations = []
    for conversation in cases.conversations:
        sessions = []
        for session in conversation.sessions:
            messages = [
                _joined(session.messages[start : start + WINDOW]) for start in range(0, len(session.messages), WINDOW)
            ]
            for at, message in enumerate(session.messages):
                owner[conversation.id, str(message["id"])] = str(messages[at // WINDOW]["id"])
            sessions.append(Session(session.id, session.timestamp, tuple(messages)))
        conversations.append(Conversation(conversation.id, tuple(sessions)))
    questions = []
    for one in cases.questions:
        evidence = dict.fromkeys(owner.get((one.conversation_id, turn), turn) for turn in one.evidence)
        questions.append(replace(one, evidence=tuple(evidence)))
    return Dataset(cases.name, tuple(conversations), tuple(questions), cases.files)


def _joined(messages: Sequence[Message]) -> Message:
    first = dict(messages[0])
    first["content"] = " ".join(
        f"{message.get('name') or message['role']}: {message['content']}" for message in messages
    )
    return first
