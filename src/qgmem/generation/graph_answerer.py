"""A local language model as an answerer: of words alone, or with the local graph as graph tokens ([Q] III-C3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import InvalidInput
from ..models.chat import ChatAnswer, ChatRequest
from ..models.hf_chat import HfChat
from ..protocols import Embedder
from .answer_form import SHORT, AnswerForm, token_form
from .graph_arrays import Float32, graph_arrays
from .graph_checkpoint import load_checkpoint
from .graph_token import GraphToken
from .local_graph import LocalGraph
from .read_answer import ended


class LocalAnswerer:
    """`protocols.Answerer` that reads the local graph as facts, with the short prompt and the answer's opening.

    A request with another prompt is answered without the opening. Greedy: an answer is whole before any of it is
    shown, and ends with its JSON.
    """

    def __init__(self, llm: HfChat) -> None:
        self._llm = llm

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    @property
    def id(self) -> str:
        """The model's name and the digest of its weights."""
        return self._llm.id

    @property
    def form(self) -> AnswerForm:
        """The short prompt, with facts."""
        return SHORT

    def count_tokens(self, text: str) -> int:
        """Tokens by the model's own tokenizer."""
        return self._llm.count_tokens(text)

    def complete(self, request: ChatRequest, graph: LocalGraph) -> ChatAnswer:
        """One answer, its opening included. Raises as `HfChat.complete`."""
        self._llm.checked(request)
        opening = self.form.opening if request.prompt == self.form.prompt else ""
        prompt = self._llm.prompt(request.system, request.user, opening)
        (answer,) = self._llm.generate(
            [prompt],
            self._vectors(graph),
            max_tokens=request.max_tokens,
            ended=lambda text: ended(opening + text),
        )
        return replace(answer, text=opening + answer.text)

    def stream(self, request: ChatRequest, graph: LocalGraph) -> Iterator[str | ChatAnswer]:
        """The whole text, then the answer."""
        answer = self.complete(request, graph)
        yield answer.text
        yield answer

    def _vectors(self, _: LocalGraph) -> Any:
        return None


class GraphAnswerer(LocalAnswerer):
    """Puts the tokens of the graph before the request's words, and leaves its facts out.

    `embed` is the sentence encoder that `token` was trained with; `graph_answerer` checks both models by name.
    Raises InvalidInput if the token is not as wide as the model.
    """

    def __init__(self, llm: HfChat, token: GraphToken, embed: Callable[[Sequence[str]], Float32]) -> None:
        super().__init__(llm)
        if token.shape.llm_width != llm.width:
            raise InvalidInput(
                "graph_token",
                f"is {token.shape.llm_width} wide, {llm.name} is {llm.width}",
                "train one for this model",
            )
        self._token, self._embed = token, embed
        self._id = f"{llm.id}+graph-{token.shape.tokens}-sha256:{token.digest()}"  # once: 30 ms

    @property
    def id(self) -> str:
        """The model's name, how many graph tokens it reads, and the digest of the weights that make them."""
        return self._id

    @property
    def form(self) -> AnswerForm:
        """The short prompt; the graph is read as vectors."""
        return token_form(self._token.shape.tokens)

    def _vectors(self, graph: LocalGraph) -> Any:
        edges = [(edge.source, edge.predicate, edge.target) for edge in graph.edges]
        arrays = graph_arrays([node.text for node in graph.nodes], edges, self._embed, self._token.shape.width)
        return self._token.tokens(arrays)[None]


def graph_answerer(llm: HfChat, folder: Path, embedder: Embedder) -> GraphAnswerer:
    """The answerer of a checkpoint of `qgmem train graph-token`.

    Raises InvalidInput for a folder that is none, or one that was trained with another language model, embedder or
    prompt, naming both; MissingExtra.
    """
    token = load_checkpoint(folder, llm_id=llm.id, embedder_id=embedder.id)
    return GraphAnswerer(llm, token, embedder.embed)
