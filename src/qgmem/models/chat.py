"""What a chat model is asked and what it answers, the same for every backend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ..types import JsonValue


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One question to a chat model, complete: equal requests deserve equal answers.

    `prompt` is name and version of the template, as `units/1`. `schema` is a JSON Schema that the answer should
    follow, None for free text. `max_tokens` bounds the answer.
    """

    prompt: str
    system: str
    user: str
    schema: Mapping[str, JsonValue] | None = None
    max_tokens: int = 2048
    temperature: float = 0.0

    @property
    def name(self) -> str:
        """The template's name without its version."""
        return self.prompt.partition("/")[0]


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """The text of one answer and what it took.

    `truncated`: the model stopped because its answer grew too long. `counted`: token numbers are the server's own,
    not estimated from characters. `attempts`: requests that the model itself needed, at least 1.
    """

    text: str
    tokens_in: int
    tokens_out: int
    truncated: bool = False
    counted: bool = True
    attempts: int = 1


@runtime_checkable
class ChatModel(Protocol):
    """Answers one request, once: retries, caching and accounts are `client.ModelClient`'s business."""

    @property
    def id(self) -> str:
        """Name of the model; part of every cache key, and the key of the price table."""

    def complete(self, request: ChatRequest) -> ChatAnswer:
        """One answer. Raises Transient where trying again can help, else ModelRefused or ModelMisbehaved."""


def estimate_tokens(text: str) -> int:
    """Tokens of a text, from its characters: 4 of ASCII to a token, 1.5 of anything else. For forecasts only."""
    ascii_characters = sum(character.isascii() for character in text)
    return round(ascii_characters / 4 + (len(text) - ascii_characters) / 1.5)
