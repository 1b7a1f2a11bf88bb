"""When a call to a model is tried again, and how long to wait before."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from ..errors import ModelUnavailable

T = TypeVar("T")


class Transient(ModelUnavailable):
    """One attempt failed in a way that a later one may not. `retry_after`: seconds the server asked for."""

    def __init__(self, message: str, *, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Attempts with doubling waits; a server's Retry-After replaces the wait.

    A server that asks for more than `longest_retry_after` seconds is not waited for: the call fails at once, and the
    work resumes another day.
    """

    attempts: int = 5
    first_wait: float = 1.0  # seconds
    longest_wait: float = 30.0
    longest_retry_after: float = 120.0
    sleep: Callable[[float], None] = time.sleep

    def run(self, call: Callable[[], T], on_retry: Callable[[], None] = lambda: None) -> T:
        """The value of the first attempt that succeeds. Raises ModelUnavailable when none does."""
        retrying = Retrying(
            stop=stop_after_attempt(self.attempts),
            wait=self._wait,
            retry=retry_if_exception(self._worthwhile),
            before_sleep=lambda _: on_retry(),
            sleep=self.sleep,
            reraise=True,
        )
        tried = 0

        def attempt() -> T:
            nonlocal tried
            tried += 1
            return call()

        try:
            return retrying(attempt)
        except Transient as error:
            wait = "" if error.retry_after is None else f"; the server asks to wait {error.retry_after:.0f} s"
            raise ModelUnavailable(f"{error} ({tried} attempts{wait})") from error

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, Transient) and error.retry_after is not None:
            return error.retry_after
        return float(min(self.first_wait * 2 ** (state.attempt_number - 1), self.longest_wait))

    def _worthwhile(self, error: BaseException) -> bool:
        return isinstance(error, Transient) and (error.retry_after or 0.0) <= self.longest_retry_after


def retry_after_seconds(value: str | None, now: Callable[[], float] = time.time) -> float | None:
    """Seconds of a Retry-After header, which holds a number or an HTTP date; None if it holds neither."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            at = parsedate_to_datetime(value)
        except ValueError:
            return None
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max(0.0, (at - datetime.fromtimestamp(now(), UTC)).total_seconds())
    return seconds if 0 <= seconds < float("inf") else None
