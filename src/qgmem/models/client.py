"""The one way to a chat model: bounded concurrency, retries, a cache by content, and a ledger."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from threading import BoundedSemaphore
from typing import Protocol

from ..errors import InvalidInput, ModelError
from ..types import LedgerRow
from .chat import ChatAnswer, ChatModel, ChatRequest
from .ledger import Ledger, MemoryLedger, Price, Prices
from .retry import RetryPolicy


@dataclass(frozen=True, slots=True)
class Scope:
    """For whom a call is made. A cached answer belongs to `owner` (a window's id) and is deleted with it."""

    namespace: str
    stage: str
    owner: str


class ResponseCache(Protocol):
    """Answers by owner and content hash, as JSON text; may be called from any thread."""

    def cached(self, owner: str, key: str) -> str | None:
        """The answer kept for this owner under this key."""

    def cache(self, owner: str, key: str, answer: str) -> None:
        """Keep an answer; an earlier one of that key is replaced."""


class ModelClient:
    """Asks one chat model. Safe to share between threads; at most `concurrency` calls are under way at a time.

    Raises ModelUnavailable after the retries, ModelRefused and ModelMisbehaved at once.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        ledger: Ledger | None = None,
        cache: ResponseCache | None = None,
        retry: RetryPolicy | None = None,
        prices: Prices | None = None,
        concurrency: int = 4,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if concurrency < 1:
            raise InvalidInput("concurrency", f"is {concurrency}", "give at least 1")
        self.model, self.concurrency = model, concurrency
        self.ledger: Ledger = MemoryLedger() if ledger is None else ledger
        self._cache, self._retry, self._clock = cache, retry or RetryPolicy(), clock
        self._prices: Mapping[str, Price] = prices or {}
        self._gate = BoundedSemaphore(concurrency)

    def __repr__(self) -> str:
        return f"ModelClient({self.model!r}, concurrency={self.concurrency})"

    @property
    def price(self) -> Price | None:
        """What the model costs, if the price table has it."""
        return self._prices.get(self.model.id)

    def ask(
        self,
        request: ChatRequest,
        scope: Scope,
        *,
        usable: Callable[[ChatAnswer], bool] = lambda _: True,
        again: bool = False,
    ) -> ChatAnswer:
        """The answer, from the cache if it is there. Only one that `usable` accepts is kept.

        `again`: this asks once more what a former answer failed to say, and counts as a retry, not as a call.
        """
        key = cache_key(self.model.id, request)
        kept = self._cache.cached(scope.owner, key) if self._cache else None
        if kept is not None:
            answer = _thawed(kept)
            if usable(answer):
                self._charge(scope, cached=1)
                return answer
        answer = self._asked(request, scope, again)
        if self._cache and usable(answer):
            self._cache.cache(scope.owner, key, _frozen(answer))
        return answer

    def _asked(self, request: ChatRequest, scope: Scope, again: bool) -> ChatAnswer:
        retries = int(again)

        def count() -> None:
            nonlocal retries
            retries += 1

        with self._gate:
            start = self._clock()
            try:
                answer = self._retry.run(lambda: self.model.complete(request), count)
            except ModelError:
                seconds = self._clock() - start
                self._charge(scope, calls=int(not again), retries=retries, failed=1, seconds=seconds)
                raise
            seconds = self._clock() - start
        price = self.price
        self._charge(
            scope,
            calls=int(not again),
            retries=retries + answer.attempts - 1,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            seconds=seconds,
            cost=price.cost(answer.tokens_in, answer.tokens_out) if price else 0.0,
            unpriced=int(price is None),
        )
        return answer

    def _charge(self, scope: Scope, **numbers: float) -> None:
        self.ledger.charge(LedgerRow(scope.namespace, scope.stage, self.model.id, **numbers))  # type: ignore[arg-type]


def cache_key(model_id: str, request: ChatRequest) -> str:
    """sha256 over everything that shapes the answer: model, prompt version, texts, schema, limits."""
    parts = [
        model_id,
        request.prompt,
        request.system,
        request.user,
        json.dumps(request.schema, sort_keys=True),
        request.max_tokens,
        request.temperature,
    ]
    return sha256(json.dumps(parts).encode()).hexdigest()


def _frozen(answer: ChatAnswer) -> str:
    return json.dumps([answer.text, answer.tokens_in, answer.tokens_out, answer.truncated, answer.counted])


def _thawed(text: str) -> ChatAnswer:
    said, tokens_in, tokens_out, truncated, counted = json.loads(text)
    return ChatAnswer(said, tokens_in, tokens_out, truncated, counted)
