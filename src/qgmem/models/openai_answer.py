"""What a server with OpenAI's protocol answers to a chat request, whole or in pieces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import ModelMisbehaved
from .chat import ChatAnswer, ChatRequest, estimate_tokens


def read_completion(answer: Mapping[str, Any], request: ChatRequest) -> ChatAnswer:
    """The first choice of a whole answer. Raises ModelMisbehaved."""
    first = _choice(answer)
    message = first.get("message") if first is not None else None
    if first is None or not isinstance(message, dict):
        raise ModelMisbehaved("chat: the answer holds no choices[0].message")
    text = _content(message.get("content"))
    _no_refusal(text, message.get("refusal"))
    return _answer(request, text, answer.get("usage"), first.get("finish_reason"))


class Gathered:
    """An answer that comes in pieces, until it is whole."""

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._pieces: list[str] = []
        self._refusal = ""
        self._usage: Any = None
        self._finish: Any = None

    def take(self, event: Mapping[str, Any]) -> str:
        """The text that this event adds, which may be empty. Raises ModelMisbehaved."""
        self._usage = event.get("usage") or self._usage
        first = _choice(event)
        if first is None:  # the last event of some servers has the usage and nothing else
            return ""
        self._finish = first.get("finish_reason") or self._finish
        part = first.get("delta", first.get("message"))  # a server that does not stream sends the message
        piece = _content(part.get("content")) if isinstance(part, dict) else ""
        self._refusal += str(part.get("refusal") or "") if isinstance(part, dict) else ""
        self._pieces.append(piece)
        return piece

    def answer(self, attempts: int) -> ChatAnswer:
        """The whole, as far as it came. Raises ModelMisbehaved if no event held any of it."""
        if self._finish is None and not self._pieces:
            raise ModelMisbehaved("chat: the answer holds no choices[0].delta")
        _no_refusal("".join(self._pieces), self._refusal)
        return _answer(self._request, "".join(self._pieces), self._usage, self._finish, attempts)


def _no_refusal(text: str, refusal: Any) -> None:
    """Raises ModelMisbehaved in the model's words where it refuses instead of answering."""
    if refusal and not text:
        raise ModelMisbehaved(f"chat: the model refuses: {' '.join(str(refusal).split())[:200]}")


def _choice(answer: Mapping[str, Any]) -> dict[str, Any] | None:
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _content(content: Any) -> str:
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    if content is not None and not isinstance(content, str):
        raise ModelMisbehaved(f"chat: expected text in message.content, got {type(content).__name__}")
    return content or ""


def _answer(request: ChatRequest, text: str, usage: Any, finish: Any, attempts: int = 1) -> ChatAnswer:
    usage = usage if isinstance(usage, dict) else {}
    tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
    counted = isinstance(tokens_in, int) and isinstance(tokens_out, int)
    return ChatAnswer(
        text=text,
        tokens_in=tokens_in if isinstance(tokens_in, int) else estimate_tokens(request.system + request.user),
        tokens_out=tokens_out if isinstance(tokens_out, int) else estimate_tokens(text),
        truncated=finish == "length",
        counted=counted,
        attempts=attempts,
    )
