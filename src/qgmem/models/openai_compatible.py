"""Chat and embeddings of any server with OpenAI's protocol: OpenAI, vLLM, Ollama, llama.cpp, and many more.

https://platform.openai.com/docs/api-reference/chat and .../embeddings. Servers differ in what they accept; what one
refuses is tried without, once, and the instance remembers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from threading import Lock
from typing import Any, TypeVar

import httpx
import numpy as np

from ..errors import InvalidInput, ModelMisbehaved, ModelRefused
from ..protocols import Vectors
from ..types import LedgerRow
from .chat import ChatAnswer, ChatRequest, estimate_tokens
from .endpoint import Endpoint
from .ledger import Ledger
from .openai_answer import Gathered, read_completion
from .retry import RetryPolicy, Transient

T = TypeVar("T")
PATH = "chat/completions"

# Ways to ask for JSON, best first. llama-cpp-python takes the schema inside `json_object`; plain asks in words only.
MODES = ("json_schema", "json_object_schema", "json_object", "plain")
_CAPABILITY = frozenset((400, 415, 422, 501))  # 404 and redirects mean the address or the model
_ABOUT_FORMAT = ("response_format", "schema", "grammar", "json")


class OpenAIChat:
    """A `ChatModel` behind `/chat/completions`. One attempt a call; `ModelClient` retries.

    `extra` is sent with every request as it is (`{"seed": 1}`). `json_mode` fixes how JSON is asked for, otherwise
    the best way that the server takes is found. Safe to share between threads.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 120.0,
        json_mode: str | None = None,
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if json_mode not in (None, *MODES):
            raise InvalidInput("json_mode", f"is {json_mode!r}", f"use one of {', '.join(MODES)}")
        self.id = model
        self.endpoint = Endpoint(base_url, api_key, timeout=timeout, headers=headers, transport=transport)
        self._extra, self._fixed = dict(extra or {}), json_mode is not None
        self._mode = MODES.index(json_mode) if json_mode else 0
        self._length_field, self._temperature = "max_tokens", True
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"OpenAIChat({self.id!r}, {self.endpoint!r})"

    def complete(self, request: ChatRequest) -> ChatAnswer:
        """One answer. Raises Transient, ModelRefused, ModelMisbehaved."""
        said, attempts = self._accepted(
            request, lambda body: read_completion(self.endpoint.post(PATH, body), request)
        )
        return ChatAnswer(said.text, said.tokens_in, said.tokens_out, said.truncated, said.counted, attempts)

    def stream(self, request: ChatRequest) -> Iterator[str | ChatAnswer]:
        """The answer's text in pieces as the server sends it, then the whole of it. Raises as `complete`."""

        def opened(body: Mapping[str, Any]) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
            events = self.endpoint.events(PATH, {**body, "stream": True})
            first = next(events, None)
            if first is None:
                raise Transient(f"chat: {self.id} ended its answer before it began")
            return first, events

        (first, events), attempts = self._accepted(request, opened)
        whole = Gathered(request)
        for event in chain([first], events):
            if piece := whole.take(event):
                yield piece
        yield whole.answer(attempts)

    def _accepted(self, request: ChatRequest, send: Callable[[Mapping[str, Any]], T]) -> tuple[T, int]:
        """What the server says to the request, asked for JSON in the best way that it takes; and how many tries."""
        mode, attempts = (self._mode if request.schema is not None else MODES.index("plain")), 0
        while True:
            attempts += 1
            try:
                said = send(self._body(request, mode))
            except (ModelRefused, Transient) as error:
                if self._adapted(str(error)):
                    continue
                if self._fixed or mode + 1 >= len(MODES) or not _about_format(error):
                    raise
                mode += 1
                continue
            if request.schema is not None:
                with self._lock:
                    self._mode = mode  # only what has worked is remembered
            return said, attempts

    def _body(self, request: ChatRequest, mode: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.id,
            "messages": [
                {"role": "system", "content": request.system},
                {"role": "user", "content": request.user},
            ],
            self._length_field: request.max_tokens,
            "stream": False,
            **self._extra,
        }
        if self._temperature:
            body["temperature"] = request.temperature
        if MODES[mode] == "json_schema":
            schema = {"name": request.name, "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif MODES[mode] == "json_object_schema":
            body["response_format"] = {"type": "json_object", "schema": request.schema}
        elif MODES[mode] == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body

    def _adapted(self, said: str) -> bool:
        """True if the refusal names a parameter that can be sent otherwise from now on."""
        with self._lock:
            if "max_completion_tokens" in said and self._length_field == "max_tokens":
                self._length_field = "max_completion_tokens"
                return True
            if "temperature" in said and "support" in said and self._temperature:
                self._temperature = False
                return True
        return False


def _about_format(error: ModelRefused | Transient) -> bool:
    """Could the refusal mean the way of asking for JSON? llama.cpp answers 500 to a schema it cannot compile."""
    if error.status in _CAPABILITY:
        return True
    return error.status == 500 and any(word in str(error).lower() for word in _ABOUT_FORMAT)


class OpenAIEmbedder:
    """An `Embedder` behind `/embeddings`. Retries by itself, since nobody stands between it and the index.

    `dimension` is d; None asks the server once, at construction. `request_dimension` sends it along, for models that
    can shorten their vectors. `ledger` is charged under `namespace` and the stage `embedding`.
    """

    def __init__(
        self,
        model: str,
        *,
        dimension: int | None = None,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: float = 60.0,
        batch: int = 64,
        request_dimension: bool = False,
        retry: RetryPolicy | None = None,
        ledger: Ledger | None = None,
        namespace: str = "",
        headers: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if batch < 1:
            raise InvalidInput("batch", f"is {batch}", "give at least 1")
        self.model, self.endpoint = (
            model,
            Endpoint(base_url, api_key, timeout=timeout, headers=headers, transport=transport),
        )
        self._batch, self._retry = batch, retry or RetryPolicy()
        self._asked_dimension = dimension if request_dimension else None
        self._ledger, self._namespace = ledger, namespace
        self.dimension = dimension or len(self._vectors(["dimension"], None)[0])
        self.id = f"{model}-{self.dimension}"

    def __repr__(self) -> str:
        return f"OpenAIEmbedder({self.model!r}, {self.endpoint!r}, dimension={self.dimension})"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows of length 1. Raises ModelUnavailable, ModelRefused, ModelMisbehaved."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), self._batch):
            part = texts[start : start + self._batch]
            vectors[start : start + len(part)] = self._vectors(part, self.dimension)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or bool((lengths == 0).any()):
            raise ModelMisbehaved(f"embedder {self.model}: a vector has no length or values that are no numbers")
        unit: Vectors = vectors / lengths
        return unit

    def _vectors(self, texts: Sequence[str], dimension: int | None) -> Vectors:
        body: dict[str, Any] = {
            "model": self.model,
            "input": [text if text.strip() else "-" for text in texts],  # servers refuse an empty input
            "encoding_format": "float",
        }
        if self._asked_dimension:
            body["dimensions"] = self._asked_dimension
        retries = 0

        def count() -> None:
            nonlocal retries
            retries += 1

        answer = self._retry.run(lambda: self.endpoint.post("embeddings", body), count)
        if self._ledger is not None:
            usage = answer.get("usage")
            tokens = usage.get("prompt_tokens") if isinstance(usage, dict) else None
            tokens = tokens if isinstance(tokens, int) else sum(map(estimate_tokens, texts))
            self._ledger.charge(
                LedgerRow(self._namespace, "embedding", self.model, 1, retries, tokens_in=tokens, unpriced=1)
            )
        return _rows(answer, len(texts), dimension, self.model)


def _rows(answer: Mapping[str, Any], count: int, dimension: int | None, model: str) -> Vectors:
    """(count, dimension) of an answer, in the order of the inputs. Raises ModelMisbehaved."""
    data = answer.get("data")
    if not isinstance(data, list) or len(data) != count:
        got = len(data) if isinstance(data, list) else "none"
        raise ModelMisbehaved(f"embedder {model}: expected {count} vectors, got {got}")
    rows: list[Any] = [None] * count
    for place, item in enumerate(data):
        index = item.get("index", place) if isinstance(item, dict) else None
        if not isinstance(index, int) or not 0 <= index < count or rows[index] is not None:
            raise ModelMisbehaved(f"embedder {model}: the answer's vectors are not numbered 0 to {count - 1}")
        rows[index] = item.get("embedding")
    for row in rows:
        if not isinstance(row, list) or not row or not all(isinstance(x, int | float) for x in row):
            raise ModelMisbehaved(f"embedder {model}: a vector is no list of numbers")
        if len(row) != (dimension or len(rows[0])):
            raise ModelMisbehaved(f"embedder {model}: expected ({dimension or len(rows[0])},), got ({len(row)},)")
    return np.asarray(rows, np.float32)
