"""A cold open, in a process of its own: time until the first question can be answered, and memory before and after.

`python -m qgmem.evals.growth.opening FOLDER USER EMBEDDER QUESTIONS` prints JSON. The time begins after the imports.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from qgmem.errors import QgmemError
from qgmem.namespace import Namespace
from qgmem.settings import Settings

from .measure import Stopwatch, resident_bytes


@dataclass(frozen=True, slots=True)
class Opened:
    """Seconds until the index is there, and resident bytes before that, after it, and after fifty questions."""

    units: int
    wall: float
    cpu: float
    before: dict[str, int]
    opened: dict[str, int]
    asked: dict[str, int]


class OpeningFailed(QgmemError):
    """The process that should have opened the namespace broke off; the message holds what it said last."""


def open_cold(folder: Path, user: str, embedder_id: str, n: int, *, drop: bool) -> Opened:
    """Seconds (`wall`, `cpu`) and resident bytes of a fresh process; `drop`: the files are not in memory before.

    `drop` is a wish that Linux fulfils for clean pages; elsewhere it does nothing.
    """
    if drop:
        _drop(folder)
    command = [sys.executable, "-m", "qgmem.evals.growth.opening", str(folder), user, embedder_id, str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise OpeningFailed((done.stderr.strip().splitlines() or ["no message"])[-1])
    return Opened(**json.loads(done.stdout))


def _drop(folder: Path) -> None:
    if not hasattr(os, "posix_fadvise"):
        return
    for path in folder.iterdir():
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(handle)


def main(folder: str, user: str, embedder_id: str, n: str) -> None:
    """Open, ask, and print."""
    from qgmem.activation.learned import LearnedReranker
    from qgmem.construction.entities import RuleExtractor

    from .asking import Asker, questions
    from .drawn import DrawnEmbedder

    drawn = DrawnEmbedder()  # where a question points does not matter to what is measured here
    texts = questions(int(n), 50)
    drawn.embed(texts)
    before = resident_bytes()
    watch = Stopwatch()
    space = Namespace(Path(folder), user, Settings(), embedder_id, drawn.dimension)
    size = space.index.current().size
    spent = watch.read()
    opened = resident_bytes()
    asker = Asker(space, drawn, RuleExtractor(), LearnedReranker())
    for text in texts:
        asker.ask(text)
    asked = resident_bytes()
    print(json.dumps(asdict(Opened(size, spent.wall, spent.cpu, before, opened, asked))))


if __name__ == "__main__":
    main(*sys.argv[1:])
