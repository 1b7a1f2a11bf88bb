"""Child processes for tests of crashes and of several processes: a fork costs no imports."""

from __future__ import annotations

import os
import signal
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

Say = Callable[[str], None]


class Child:
    """Runs `work(say)` in a forked process; `say` sends a line to the parent, which reads it in order."""

    def __init__(self, work: Callable[[Say], None]) -> None:
        self._running = False
        self._read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                os.close(self._read)
                work(lambda line: _send(write, line))
                code = 0
            finally:  # whatever went wrong is told, and the child never runs on as the test itself
                if code:
                    _send(write, f"failed: {traceback.format_exc()!r}")
                os._exit(code)
        self._running = True
        os.close(write)
        self._pending = b""

    def line(self) -> str:
        """The next line; empty when the child has ended."""
        while b"\n" not in self._pending:
            part = os.read(self._read, 65536)
            if not part:
                return ""
            self._pending += part
        line, self._pending = self._pending.split(b"\n", 1)
        return line.decode()

    def __del__(self) -> None:
        """A child that a failed test left behind ends with it."""
        if self._running:
            self.kill()

    def kill(self) -> list[str]:
        """End it at once, as a power cut would; what it had said and was not read yet."""
        os.kill(self.pid, signal.SIGKILL)
        return self._end()[1]

    def join(self) -> list[str]:
        """Wait for its end; what it had said and was not read yet. Fails if it failed."""
        status, lines = self._end()
        assert status == 0, (status, lines)
        return lines

    def _end(self) -> tuple[int, list[str]]:
        lines = []
        while line := self.line():
            lines.append(line)
        os.close(self._read)
        _, status = os.waitpid(self.pid, 0)
        self._running = False
        return status, lines


def _send(handle: int, line: str) -> None:
    data = line.encode() + b"\n"
    while data:
        data = data[os.write(handle, data) :]


def open_way(path: Path) -> None:
    """Let anybody walk down to this folder, from the folder of temporary files on."""
    for parent in [path, *path.parents]:
        if parent == Path(tempfile.gettempdir()) or parent.parent == parent:
            return
        parent.chmod(parent.stat().st_mode | 0o055)
