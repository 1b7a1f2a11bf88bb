"""What filling many namespaces has cost so far, a line each, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .measure import Spent, open_handles, resident_bytes


@dataclass(frozen=True, slots=True)
class Filled:
    """One namespace that was filled, with the process's resident bytes and file handles after it where looked at."""

    number: int
    spent: Spent
    resident: int | None = None
    handles: int | None = None


class Kept:
    """The file of those lines. A line that broke off counts as not written."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.filled: dict[int, Filled] = {}
        text = path.read_text() if path.exists() else ""
        for line in text.splitlines(keepends=True):
            if line.endswith("\n"):
                found = json.loads(line)
                spent = Spent(found["wall"], found["cpu"])
                self.filled[found["number"]] = Filled(found["number"], spent, found["resident"], found["handles"])
        if text and not text.endswith("\n"):
            path.write_text(text[: text.rfind("\n") + 1])

    def add(self, number: int, spent: Spent, *, look: bool) -> None:
        """Put one more down. `look`: at memory and handles too; there are none where the system has no /proc."""
        one = Filled(number, spent, *((resident_bytes().get("total"), open_handles()) if look else ()))
        self.filled[number] = one
        line = {"number": number, "wall": spent.wall, "cpu": spent.cpu}
        with self._path.open("a") as file:
            file.write(json.dumps(line | {"resident": one.resident, "handles": one.handles}) + "\n")
