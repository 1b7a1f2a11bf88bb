"""A local language model as an answerer: it reads the local graph as graph tokens beside the words ([Q] III-C3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ..errors import InvalidInput
from ..models.chat import ChatAnswer, ChatRequest
from ..models.hf_chat import HfChat
from .graph_arrays import Float32, graph_arrays
from .graph_token import GraphToken
from .local_graph import LocalGraph


class GraphAnswerer:
    """`protocols.Answerer` that puts the tokens of the graph before the request's words.

    `embed` is the sentence encoder that `token` was trained with; `training.graph_token` checks both models
    by name. Greedy: an answer is whole before any of it is shown.
    Raises InvalidInput if the token is not as wide as the model.
    """

    def __init__(self, llm: HfChat, token: GraphToken, embed: Callable[[Sequence[str]], Float32]) -> None:
        if token.shape.llm_width != llm.width:
            raise InvalidInput(
                "graph_token",
                f"is {token.shape.llm_width} wide, {llm.name} is {llm.width}",
                "train one for this model",
            )
        self._llm, self._token, self._embed = llm, token, embed

    def __repr__(self) -> str:
        return f"GraphAnswerer({self.id!r})"

    @property
    def id(self) -> str:
        """The model's name, how many graph tokens it reads, and the digest of the weights that make them."""
        return f"{self._llm.id}+graph-{self._token.shape.tokens}-sha256:{self._token.digest()}"

    def count_tokens(self, text: str) -> int:
        """Tokens by the model's own tokenizer."""
        return self._llm.count_tokens(text)

    def complete(self, request: ChatRequest, graph: LocalGraph) -> ChatAnswer:
        """One answer. Raises as `HfChat.complete`, MissingExtra."""
        edges = [(edge.source, edge.predicate, edge.target) for edge in graph.edges]
        arrays = graph_arrays([node.text for node in graph.nodes], edges, self._embed, self._token.shape.width)
        prompt = self._llm.prompt(request.system, request.user)
        vectors = self._token.tokens(arrays)[None]
        return self._llm.generate([prompt], vectors, max_tokens=request.max_tokens)[0]

    def stream(self, request: ChatRequest, graph: LocalGraph) -> Iterator[str | ChatAnswer]:
        """The whole text, then the answer."""
        answer = self.complete(request, graph)
        yield answer.text
        yield answer
