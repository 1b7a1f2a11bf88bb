"""A model server of this machine for the length of a run: started, waited for, killed, started again.

with llama_server(python, model, log) as server:
    OpenAIChat("qwen", base_url=server.base_url)
    server.kill()       # as a machine that goes down
    server.start()      # at the same address
"""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import NoReturn

import httpx

from qgmem.errors import InvalidInput, ModelUnavailable

START_SECONDS = 180.0  # to load a model from a cold disk
STATES = 100_000_000  # bytes of prompts' states that a server keeps, as it counts them
_EVERY = 0.5


class LocalServer:
    """One server process with OpenAI's protocol on a loopback port that stays the same over restarts.

    `command` gets the port. What the server prints goes to `log`. It counts as up when `GET /v1/models` answers 200.
    """

    def __init__(self, command: Callable[[int], Sequence[str]], log: Path, seconds: float = START_SECONDS) -> None:
        self._command, self._log, self._seconds = command, log, seconds
        self.port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def base_url(self) -> str:
        """What comes before /chat/completions."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def running(self) -> bool:
        """True while the process lives."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it and wait until it answers; nothing if it runs.

        Raises ModelUnavailable if it ends or does not answer in time, InvalidInput if it cannot be started.
        """
        if self.running:
            return
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as out:
            try:
                self._process = subprocess.Popen(
                    list(self._command(self.port)), stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
                )
            except OSError as error:
                raise InvalidInput("server", f"cannot be started: {error.strerror}") from error
        end = time.monotonic() + self._seconds
        while not self._answers():
            code = self._process.poll()
            if code is not None:
                raise ModelUnavailable(f"server: ended with {code}; {self._log.name} says why")
            if time.monotonic() > end:
                self.kill()
                raise ModelUnavailable(f"server: no answer within {self._seconds:g} s; see {self._log.name}")
            time.sleep(_EVERY)

    def kill(self) -> None:
        """End it at once, as a power cut would; calls under way get no answer. Safe to call from any thread."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> LocalServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.kill()

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.base_url}/models", timeout=5.0, trust_env=False).status_code == 200
        except httpx.HTTPError:
            return False


def llama_server(
    python: Path, model: Path, log: Path, *, context: int = 8192, threads: int = 1, name: str = "local"
) -> LocalServer:
    """llama-cpp-python's server, of the interpreter that has it (`pip install 'llama-cpp-python[server]'`).

    `model` is a GGUF file, `context` the most tokens of question and answer together, `name` what the server calls
    the model. States of a few earlier prompts are kept in memory, so that a prompt's fixed part is read once; each
    takes several times what the server counts, and its own bound of 2 GB filled 16 GB after 35 prompts. `threads`
    wait for each other at every step: on a machine that has other work, two were four times slower than one.
    """
    if not model.is_file():
        raise InvalidInput("model", f"no file {model.name!r}", "give the path of a GGUF file")

    def command(port: int) -> list[str]:
        return [
            str(python), "-m", "llama_cpp.server", "--model", str(model), "--model_alias", name,
            "--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(context), "--n_threads", str(threads),
            "--n_threads_batch", str(threads), "--cache", "true", "--cache_size", str(STATES), "--logits_all",
            "false", "--verbose", "false",
        ]  # fmt: skip

    return LocalServer(command, log)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def stop_with(server: LocalServer) -> None:
    """Ctrl-C and a termination end the server as well, also where a shell has made the process deaf to Ctrl-C."""

    def stop(*_: object) -> NoReturn:
        server.kill()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
