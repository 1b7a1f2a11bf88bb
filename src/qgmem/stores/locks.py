"""File locks that the system frees when their holder dies."""

from __future__ import annotations

import os
from pathlib import Path

if os.name == "posix":
    import fcntl


class FileLock:
    """An advisory lock on a file that may be unlinked by whoever holds it exclusively.

    Without POSIX locks every attempt at exclusivity fails, so nothing is unlinked under somebody's feet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def acquire(self, *, shared: bool, wait: bool = True) -> bool:
        """Take the lock; False when it is another's and `wait` is off. Raises OSError."""
        while True:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
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

    def _still_there(self, handle: int) -> bool:
        try:
            return os.path.samestat(os.fstat(handle), os.stat(self._path))
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> FileLock:
        self.acquire(shared=False)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
