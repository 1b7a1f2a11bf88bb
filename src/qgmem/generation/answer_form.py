"""How a question is put to an answerer: which prompt, how its answer begins, and where the local graph goes.

Two prompts. `WORDS` is for models behind an API, which can follow a page of rules. `SHORT` is for local models: a
quarter as long, and the answer's first words are given, so that a model of a hundred million weights writes JSON
that can be read. A graph token is trained and used with `SHORT` and no other prompt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """`name`, `version`: the prompt. `opening`: the first words of the answer, which are given, not written.

    `max_tokens`: of the answer. `facts`: the local graph stands in the text as labelled facts. `graph_tokens`: how
    many vectors of it are read beside the words.
    """

    name: str
    version: int
    opening: str = ""
    max_tokens: int = 512
    facts: bool = True
    graph_tokens: int = 0

    @property
    def prompt(self) -> str:
        """Name and version, as `answer/1`: in every request, and in the manifest of a checkpoint."""
        return f"{self.name}/{self.version}"


WORDS = AnswerForm("answer", 1)
SHORT = AnswerForm("graph-answer", 3, opening='{"reasoning_path": [', max_tokens=64)


def token_form(tokens: int) -> AnswerForm:
    """The form of a model that reads the local graph as so many vectors, and not as facts."""
    return replace(SHORT, facts=False, graph_tokens=tokens)


@runtime_checkable
class Formed(Protocol):
    """An answerer that says how it wants to be asked."""

    @property
    def form(self) -> AnswerForm: ...


def form_of(answerer: object) -> AnswerForm:
    """The answerer's own form; `WORDS` where it has none."""
    return answerer.form if isinstance(answerer, Formed) else WORDS
