"""Asking the model under one condition: a row an answer, kept as soon as it is there."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ...errors import InvalidInput
from ...evals.kept_lines import keep_line, kept_lines
from ...evals.progress import Bar
from ...generation.answer_form import SHORT
from ...generation.graph_arrays import GraphArrays
from ...generation.graph_token import GraphToken
from ...generation.read_answer import ended
from ...models.hf_chat import HfChat
from ..graph_token.asking import asked, correct, read, read_text, target
from ..graph_token.examples import Example
from .conditions import Condition

Key = tuple[str, str, int, str]  # run, condition, seed, question


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer. `seconds`: its share of its batch, encoding included. `run`: `main`, or what was taken away.

    `gold_nats`: −log p of the gold answer after the labels of its evidence, a token, whatever was answered;
    `path_nats`: of those labels. Lower is better.
    """

    run: str
    condition: str
    seed: int
    id: str
    case_id: str
    type: str
    question: str
    gold: str
    answer: str
    text: str
    readable: bool
    correct: bool
    supported: bool
    tokens_in: int
    tokens_out: int
    gold_nats: float
    path_nats: float
    seconds: float

    @property
    def key(self) -> Key:
        """What a row is found by."""
        return self.run, self.condition, self.seed, self.id


class AnswerFile:
    """Rows as JSON Lines, appended; a line that a kill cut short is asked again, the others are read again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.rows: dict[Key, AnswerRow] = {}
        for line in kept_lines(path):
            row = read_again(AnswerRow(**json.loads(line)))
            self.rows[row.key] = row

    def add(self, rows: Sequence[AnswerRow]) -> None:
        """Keep these."""
        for row in rows:
            keep_line(self._path, asdict(row))
        self.rows |= {row.key: row for row in rows}


def read_again(row: AnswerRow) -> AnswerRow:
    """The row as its text is read and counted now, so that a better reader needs no new answers."""
    found = read_text(row.text)
    return replace(row, answer=found.answer, readable=found.readable, correct=correct(found, row.gold))


def answer_all(
    llm: HfChat, examples: Sequence[Example], graphs: Sequence[GraphArrays], condition: Condition,
    model: GraphToken | None, kept: AnswerFile, bar: Bar, *, seed: int = 0, run: str = "main", batch: int = 8,
) -> None:  # fmt: skip
    """Ask what has no row yet, short contexts first so that a batch needs little padding.

    `graphs`: one an example; `model`: for conditions with tokens. A prompt is read once, for the answer and for what
    the gold answer costs; an answer ends with its JSON.
    """
    shown = other_cases(examples, graphs) if condition.graph == "shuffled" else graphs
    todo = [at for at, one in enumerate(examples) if (run, condition.name, seed, one.id) not in kept.rows]
    bar.advance(len(examples) - len(todo))
    todo.sort(key=lambda at: (len(examples[at].context), at))
    for start in range(0, len(todo), batch):
        places = todo[start : start + batch]
        part = [examples[at] for at in places]
        begun = time.perf_counter()
        prompts = [asked(llm, one, facts=condition.graph == "text") for one in part]
        targets = [target(one) for one in part]
        vectors = None
        if model is not None:
            seen = [emptied(shown[at]) if condition.graph == "blind" else shown[at] for at in places]
            vectors = model(seen).detach()
        answers, nats = llm.generate_and_score(
            prompts, vectors, [llm.target(*each)[:-1] for each in targets], max_tokens=SHORT.max_tokens,
            ended=lambda text: ended(SHORT.opening + text),
        )  # fmt: skip
        seconds = (time.perf_counter() - begun) / len(part)
        rows = []
        for one, answer, each, (path, _) in zip(part, answers, nats, targets, strict=True):
            found, border = read(answer), llm.count_tokens(path)
            rows.append(
                AnswerRow(
                    run, condition.name, seed, one.id, one.case_id, one.type, one.question, one.answer, found.answer,
                    found.text, found.readable, correct(found, one.answer), one.supported, answer.tokens_in,
                    answer.tokens_out, _mean(each[border:]), _mean(each[:border]), round(seconds, 4),
                )
            )  # fmt: skip
        kept.add(rows)
        bar.advance(len(part))


def other_cases(examples: Sequence[Example], graphs: Sequence[GraphArrays]) -> list[GraphArrays]:
    """For each example the graph of one of another case, about half the list away.

    Raises InvalidInput where all are of one case: its own graph would pass for a wrong one.
    """
    if len({one.case_id for one in examples}) == 1:
        raise InvalidInput("data", "all questions are of one case", "give more cases: a control shows others' graphs")
    half = len(examples) // 2
    return [graphs[next(_elsewhere(examples, at, half))] for at in range(len(examples))]


def _elsewhere(examples: Sequence[Example], at: int, half: int) -> Iterator[int]:
    for step in range(len(examples)):
        other = (at + half + step) % len(examples)
        if examples[other].case_id != examples[at].case_id:
            yield other


def emptied(graph: GraphArrays) -> GraphArrays:
    """The same graph without nodes and edges."""
    return GraphArrays(graph.nodes[:0], graph.edges[:, :0], graph.predicates[:0])


def _mean(nats: Sequence[float]) -> float:
    return round(sum(nats) / len(nats), 6)
