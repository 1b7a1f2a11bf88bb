"""What a question gets back: the answer and all that it rests on (SPEC §4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ..types import Hit, Interval
from .local_graph import LocalGraph
from .serialise import Context, Trail

NO_ANSWERER = "no answerer is set: this is the evidence; name a chat model to have it answered"


@dataclass(frozen=True, slots=True)
class CitedTurn:
    """One turn under a citation. `quote` is the part that the unit rests on, or the turn's beginning."""

    turn_id: str
    speaker: str
    quote: str
    utterance_time: datetime | None


@dataclass(frozen=True, slots=True)
class Citation:
    """A label of the reasoning path, the unit behind it, and the turns behind that."""

    label: str
    unit_id: str
    text: str
    fact_times: tuple[Interval, ...]
    turns: tuple[CitedTurn, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its evidence.

    `answer` is None where nobody was set to answer; `abstained` says that the evidence does not hold it, in the
    answerer's words. `citations` are in the order of their first mention in `reasoning_path`, each of a label that
    `context` has. `trails`: the trajectories around what was found, also those that `context` had no room for.
    `tokens`: `context` as counted here; `prompt` and `completion` as the model's server counts them, or estimated,
    over all attempts; where the model read the local graph as graph tokens, `graph` says as how many. `seconds` by
    stage: search, graph, serialise, answer, and total. `notes` tell what was repaired, left out or could not be
    checked.
    """

    question: str
    answer: str | None
    abstained: bool
    reasoning_path: str
    citations: tuple[Citation, ...]
    working_memory: tuple[Hit, ...]
    local_graph: LocalGraph
    context: Context
    answerer: str | None = None
    tokens: Mapping[str, int] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    trails: tuple[Trail, ...] = ()


EventKind = Literal["evidence", "reasoning_path", "answer", "again", "done"]


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """One thing that happened on the way to an answer.

    `evidence`: found, before any model is asked; `answer` holds it. `reasoning_path` and `answer`: the next piece of
    that field, in `text`, as the model wrote it. `again`: what came so far does not count, for the reason in `text`.
    `done`: `answer` is checked and complete; it counts where it differs from the pieces.
    """

    kind: EventKind
    text: str = ""
    answer: Answer | None = None
