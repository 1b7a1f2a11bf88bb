"""Sessions of files that name none: each file is a conversation of its own, and the same file is the same one.

Without it, "Ana: yes" of two files would be one turn of one session, and the second would count as known already.
A session is called by the file's name and a digest. Where the first message has a time, the digest is of that one,
so that a file that has grown keeps its sessions; else it is of the whole file, so that two files of one name differ.
Turns with ids are told apart by these: where the first one has an id, those without a session stay without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from hashlib import file_digest, sha256
from pathlib import Path

from qgmem.text import clean
from qgmem.types import ImportProblem, ImportRecord

FORMATS = ("messages", "jsonl", "transcript")  # whose files may leave out the session, or number them from 1
_NAME = 40  # characters of the file's name
_DIGEST = 10  # hexadecimal places


def with_sessions(
    records: Iterator[ImportRecord | ImportProblem], path: Path, format: str
) -> Iterator[ImportRecord | ImportProblem]:
    """The same records, each with a session that no other file has; formats that name their own pass unchanged."""
    name: str | None = None
    begun = False
    for record in records:
        if isinstance(record, ImportRecord) and format in FORMATS:
            if not begun:
                begun, name = True, _named(path, record)
            own = record.session_id
            if name is not None and (own is None or format == "transcript"):
                record = replace(record, session_id=name if own is None else f"{name}/{own}")
        yield record


def _named(path: Path, first: ImportRecord) -> str | None:
    """What the file's sessions are called by; None if its turns are told apart by their ids."""
    message = first.message
    if "id" in message:
        return None
    if "timestamp" in message:
        said = (message["timestamp"], message.get("name"), message["content"])
        digest = sha256("\0".join(map(str, said)).encode("utf-8", "surrogatepass")).hexdigest()
    else:
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    return f"{clean(path.stem)[:_NAME]}-{digest[:_DIGEST]}"
