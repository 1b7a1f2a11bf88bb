"""File locks that the system frees when their holder dies."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

if os.name == "posix":
    import fcntl


class FileLock:
    """An advisory lock on a file that may be unlinked by whoever holds it exclusively.

    Without POSIX locks every attempt at exclusivity fails, so nothing is unlinked under somebody's feet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def acquire(self, *, shared: bool, wait: bool = True) -> bool:
        """Take the lock; False when it is another's and `wait` is off. Raises OSError."""
        for attempt in itertools.count():
            self.path.parent.mkdir(0o700, parents=True, exist_ok=True)
            try:
                handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
            except FileNotFoundError:
                if attempt > 100:
                    raise
                continue  # the folder was removed between the two steps
            try:
                if os.name == "posix":
                    mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
                    fcntl.flock(handle, mode | (0 if wait else fcntl.LOCK_NB))
                elif not shared and not wait:
                    os.close(handle)
                    return False
            except BlockingIOError:
                os.close(handle)
                return False
            except BaseException:
                os.close(handle)
                raise
            if self._still_there(handle):
                self._handle = handle
                return True
            os.close(handle)
        raise AssertionError  # the loop has no end

    def _still_there(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self.path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    def __del__(self) -> None:
        self.release()

    def __enter__(self) -> FileLock:
        self.acquire(shared=False)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
