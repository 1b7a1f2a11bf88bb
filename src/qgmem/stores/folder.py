"""Which folder belongs to which namespace.

A user id may be any Unicode text; the folder's name is a readable stem and a digest of the id's exact bytes, so
two ids never share one, whatever the file system thinks of case or normal forms, and no id names a path.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from hashlib import sha256
from pathlib import Path

from ..errors import InvalidInput, StoreUnavailable

DATABASE = "memory.sqlite"
SNAPSHOT = "index.snapshot"
FOLD_LOCK = "fold.lock"  # held while a snapshot is written or bytes are scrubbed
OPEN_LOCK = "open.lock"  # held, shared, while the file is open
FILES = (SNAPSHOT, DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", FOLD_LOCK, OPEN_LOCK)


def read_path(path: object, field: str = "path") -> Path:
    """A path that the caller gave. Raises InvalidInput for what names no file or folder."""
    if not isinstance(path, str | os.PathLike):
        raise InvalidInput(field, f"expected a path, got {type(path).__name__}")
    text = os.fspath(path)
    if not isinstance(text, str) or not text:
        raise InvalidInput(field, "is empty" if not text else f"expected text, got {type(text).__name__}")
    if "\0" in text:
        raise InvalidInput(field, f"{text!r} holds a NUL character")
    return Path(text)


def namespace_folder(root: Path, user_id: str) -> Path:
    """The folder of a namespace; it need not exist. Raises InvalidInput for an id that is no text.

    >>> namespace_folder(Path("m"), "Ana").name
    'ana-e9cc4ebe9aff33b6a1d7a6f5af9db1a1'
    """
    digest = sha256(checked(user_id).encode()).hexdigest()
    return root / f"{_stem(user_id)}-{digest[:32]}"


def checked(user_id: str) -> str:
    """The id itself. Raises InvalidInput when it is empty, no string, or not encodable."""
    if not isinstance(user_id, str):
        raise InvalidInput("user_id", f"expected a string, got {type(user_id).__name__}")
    if not user_id:
        raise InvalidInput("user_id", "is empty", 'leave it out to use "default"')
    try:
        user_id.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("user_id", f"holds a lone surrogate at character {error.start}") from error
    return user_id


def _stem(user_id: str) -> str:
    plain = unicodedata.normalize("NFKD", user_id).casefold().encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:24].strip("-") or "u"


def check_root(root: Path) -> None:
    """Raises StoreUnavailable, naming it, for a file where the folder of memories, or one above it, should be."""
    for place in (root, *root.parents):
        try:
            kind = os.stat(place).st_mode
        except OSError:
            continue  # not there, or not to be seen: whoever goes on says so
        if not stat.S_ISDIR(kind):
            raise StoreUnavailable(f"{place}: is a file, and memories need a folder; name another path")
        return


def present(root: Path, user_id: str) -> bool:
    """True if this namespace has a database. Raises StoreUnavailable where that may not even be looked at."""
    check_root(root)
    try:
        return (namespace_folder(root, user_id) / DATABASE).exists()
    except OSError as error:
        raise StoreUnavailable(f"{root.name}: {error.strerror or error}") from error
