"""A small bundled conversation, written for this package: Wren and Idris, six sessions over nine months.

It holds what a memory has to cope with: a home that changes twice, relative dates, a correction, a late
report about an earlier year, an order number, a photo.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files

from qgmem.interchange.messages import read
from qgmem.types import ImportProblem, ImportRecord


@dataclass(frozen=True, slots=True)
class DemoQuestion:
    """A question to try, and the ids of the turns that answer it: for tests, never for answering."""

    text: str
    evidence: tuple[str, ...]


DEMO_QUESTIONS: tuple[DemoQuestion, ...] = (
    DemoQuestion("Where does Wren live now?", ("s6-01",)),
    DemoQuestion("When did Wren buy the narrowboat and move aboard?", ("s2-02", "s2-04")),
    DemoQuestion("What is the order number of the wood stove?", ("s2-12",)),
    DemoQuestion("Where did Wren live in the winter of 2016?", ("s4-06",)),
    DemoQuestion("How old is Gerald the sourdough starter really?", ("s3-08", "s3-10")),
)


def load_sample() -> list[ImportRecord]:
    """The 89 turns in order, ready for `Memory.add`. Raises ValueError if the bundled file was tampered with."""
    with as_file(files(__package__) / "conversation.json") as path:
        entries = list(read(path))
    records = [entry for entry in entries if not isinstance(entry, ImportProblem)]
    if len(records) != len(entries):
        raise ValueError(f"the bundled sample is damaged: {len(entries) - len(records)} problems")
    return records
