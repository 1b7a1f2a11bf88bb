"""A chat model as an answerer: it reads the local graph as the facts of its request ([Q] III-D1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from ..models.chat import ChatAnswer, ChatModel, ChatRequest
from ..protocols import Answerer
from .local_graph import LocalGraph
from .tokens import Count, estimate_tokens


@runtime_checkable
class StreamingChat(Protocol):
    """A chat model that can show its answer while it writes."""

    def stream(self, request: ChatRequest) -> Iterator[str | ChatAnswer]:
        """The text in pieces, then the whole answer. Raises as `ChatModel.complete`."""


class WithoutGraph:
    """An answerer as a chat model, for requests in which the graph is already, or has no part."""

    def __init__(self, answerer: Answerer) -> None:
        self._answerer, self.id = answerer, answerer.id

    def complete(self, request: ChatRequest) -> ChatAnswer:
        """One answer. Raises as the answerer does."""
        return self._answerer.complete(request, LocalGraph())


class TextAnswerer:
    """`protocols.Answerer` around any chat model. One that cannot stream gives its text in one piece.

    `count` is the model's tokenizer; without one tokens are estimated.
    """

    def __init__(self, chat: ChatModel, count: Count | None = None) -> None:
        self.chat, self._count = chat, count or estimate_tokens

    def __repr__(self) -> str:
        return f"TextAnswerer({self.chat!r})"

    @property
    def id(self) -> str:
        """The chat model's name."""
        return self.chat.id

    def count_tokens(self, text: str) -> int:
        """Tokens by the tokenizer, or estimated."""
        return self._count(text)

    def complete(self, request: ChatRequest, graph: LocalGraph) -> ChatAnswer:  # noqa: ARG002
        """One answer; the graph is in the request already."""
        return self.chat.complete(request)

    def stream(self, request: ChatRequest, graph: LocalGraph) -> Iterator[str | ChatAnswer]:
        """The text in pieces, then the whole answer."""
        if isinstance(self.chat, StreamingChat):
            yield from self.chat.stream(request)
            return
        answer = self.complete(request, graph)
        yield answer.text
        yield answer
