"""One HTTP server that takes and gives JSON: where it is, what opens it, and how its failures are told apart."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import httpx

from ..errors import InvalidInput, ModelMisbehaved, ModelRefused
from .deadline import Deadline, Overdue
from .retry import Transient, retry_after_seconds

OPENAI = "https://api.openai.com/v1"
TRANSIENT = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529))
STREAM = 5  # times `timeout` that a streamed answer may take in all
_EXCERPT = 200  # characters of a server's message that an error shows


class Endpoint:
    """Posts JSON and returns JSON, one attempt a call. Safe to share between threads.

    Without `base_url` it is OpenAI's, which demands a key; any other server may do without. `timeout` is seconds from
    the request to the whole answer, however it trickles in; connecting has 10. A streamed answer has `timeout` to its
    first event and between two, and `STREAM` times that in all. `transport` is httpx's, for tests. The key is in no
    repr and no message.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 120.0,
        headers: Mapping[str, str] | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        if base_url is None and not api_key:
            raise InvalidInput("api_key", "is missing", "give one, or the base_url of a server that needs none")
        url = (OPENAI if base_url is None else base_url).rstrip("/")
        if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
            raise InvalidInput("base_url", "is no http address", "as http://localhost:8080/v1")
        if urlsplit(url).query or urlsplit(url).fragment:
            raise InvalidInput("base_url", "has a query", "give what comes before it; a key goes into api_key")
        self._secrets = tuple(secret for secret in (api_key, *(headers or {}).values()) if secret)
        self._shown = _without_password(url)
        if password := urlsplit(url).password:
            pair = f"{unquote(urlsplit(url).username or '')}:{unquote(password)}"
            self._secrets += (password, unquote(password), b64encode(pair.encode()).decode())
        if api_key and (not api_key.isascii() or any(c.isspace() for c in api_key)):
            raise InvalidInput("api_key", "holds characters that no header can carry")
        self._seconds = timeout
        key = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(
            base_url=url + "/",
            headers={**key, **(headers or {})},
            timeout=httpx.Timeout(timeout, connect=min(timeout, 10.0), pool=None),
            transport=transport,
        )

    def __repr__(self) -> str:
        return f"Endpoint({self._shown!r}{', key set' if self._secrets else ''})"

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one POST, an object. Raises as `post_any`, and ModelMisbehaved for JSON that is no object."""
        answer = self.post_any(path, body)
        if not isinstance(answer, dict):
            raise ModelMisbehaved(f"{self._shown}/{path}: expected a JSON object, got {type(answer).__name__}")
        return answer

    def post_any(self, path: str, body: Mapping[str, Any]) -> Any:
        """The answer to one POST, whatever JSON it is.

        Raises Transient (no connection, timeout, 429, 5xx, a page instead of JSON), ModelRefused (other 4xx).
        """
        where = f"{self._shown}/{path}"
        with self._failures(where):
            request = self._client.build_request("POST", path, json=body)
            deadline = Deadline(self._seconds)
            response, content = deadline.run(lambda: self._read(request, deadline))
        return self._checked(response, content, where)

    def _read(self, request: httpx.Request, deadline: Deadline) -> tuple[httpx.Response, bytes]:
        response = self._client.send(request, stream=True)
        try:
            return response, b"".join(deadline.over(response.iter_bytes()))
        finally:
            response.close()

    def events(self, path: str, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The objects of one answer that comes as server-sent events, as they arrive.

        A server that answers with plain JSON gives one object. Raises as `post`, at the first object or later.
        """
        where = f"{self._shown}/{path}"
        with self._failures(where):
            request = self._client.build_request("POST", path, json=body)
            whole, next_event = Deadline(STREAM * self._seconds), Deadline(self._seconds)
            response = next_event.run(lambda: self._opened(request, next_event))
            try:
                if response.is_error or "text/event-stream" not in response.headers.get("content-type", ""):
                    content = b"".join(next_event.over(response.iter_bytes()))
                    answer = self._checked(response, content, where)
                    if not isinstance(answer, dict):
                        raise ModelMisbehaved(f"{where}: expected a JSON object, got {type(answer).__name__}")
                    yield answer
                    return
                for line in _lines(response):
                    whole.check()
                    event = None if line is None else _event(line)
                    if event is None:
                        next_event.check()  # neither bytes nor comments put it off
                        continue
                    if problem := _problem(event) if "choices" not in event else "":
                        raise Transient(f"{where}: broke off: {self._safe(problem)}", status=_code(event) or 502)
                    yield event
                    next_event = Deadline(self._seconds)
            finally:
                response.close()

    def _opened(self, request: httpx.Request, deadline: Deadline) -> httpx.Response:
        response = self._client.send(request, stream=True)
        if not deadline.left:  # nobody waits any more
            response.close()
        return response

    @contextmanager
    def _failures(self, where: str) -> Iterator[None]:
        """Failures of the connection as errors of ours."""
        try:
            yield
        except (httpx.TimeoutException, Overdue) as error:
            raise Transient(f"{where}: no answer in time ({type(error).__name__})") from None
        except httpx.HTTPError as error:
            raise Transient(f"{where}: {type(error).__name__}: {self._safe(str(error))}") from None
        except UnicodeEncodeError:
            raise InvalidInput("text", "holds a lone surrogate, which JSON cannot carry") from None

    def _checked(self, response: httpx.Response, content: bytes, where: str) -> Any:
        """The JSON of a whole response. Raises Transient, ModelRefused."""
        answer = _json(content)
        problem = _problem(answer)
        status = response.status_code
        if response.is_error or (problem and "choices" not in answer and "data" not in answer):
            if not response.is_error:  # some routers answer 200 with the failure inside
                status = _code(answer) or 502
            said = f"{where}: HTTP {status}" + (f": {self._safe(problem)}" if problem else "")
            if status in TRANSIENT or status >= 500:
                raise Transient(said, status=status, retry_after=_wait(response))
            raise ModelRefused(said, status=status)
        if response.is_redirect:
            raise ModelRefused(f"{where}: moved (HTTP {status}); give the new address", status=404)
        if answer is None:
            kind = response.headers.get("content-type", "no content type").partition(";")[0]
            raise Transient(f"{where}: answered {kind} instead of JSON", status=status)
        return answer

    def _safe(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        text = " ".join(text.split())
        return text if len(text) <= _EXCERPT else text[: _EXCERPT - 3] + "..."


def _lines(response: httpx.Response) -> Iterator[str | None]:
    """The lines of a body as they come; None for a piece of the body that ends no line."""
    rest: list[str] = []  # pieces of a line that has not ended
    for piece in response.iter_text():
        first, *more = piece.split("\n")
        rest.append(first)
        if not more:
            yield None
            continue
        yield "".join(rest)
        yield from more[:-1]
        rest = [more[-1]]
    yield "".join(rest)


def _json(content: bytes) -> Any:
    """The body as JSON; None if it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _event(line: str) -> dict[str, Any] | None:
    """The object of one line of an event stream; None for the others, its end among them."""
    if not line.startswith("data:"):
        return None
    try:
        event = json.loads(line[5:])
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _problem(answer: Any) -> str:
    """What the server says is wrong, in any of the usual shapes; empty if it says nothing."""
    if not isinstance(answer, dict):
        return ""
    said = answer.get("error") or answer.get("detail") or answer.get("message")
    if isinstance(said, dict):
        said = said.get("message") or said.get("type") or said.get("code")
    if isinstance(said, list):  # a validation report, which may hold what was sent: only its words about it
        said = "; ".join(str(item.get("msg", "")) for item in said if isinstance(item, dict))
    return said if isinstance(said, str) else str(said or "")


def _code(answer: Any) -> int | None:
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, int) and 400 <= code < 600 else None


def _wait(response: httpx.Response) -> float | None:
    milliseconds = retry_after_seconds(response.headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    return retry_after_seconds(response.headers.get("retry-after"))


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port else ""
    name = f"{parts.username}:***@" if parts.username else ""
    return urlunsplit((parts.scheme, f"{name}{host}{port}", parts.path, "", ""))
