"""The formats by exact name, and the one way in: `read(path)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from qgmem.errors import InvalidInput
from qgmem.types import ImportProblem, ImportRecord

from . import beam, chatgpt, export, jsonl, locomo, longmemeval, mem0, messages, transcript
from .detect import FORMATS, detect

Reader = Callable[[Path], Iterator[ImportRecord | ImportProblem]]

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        "messages": messages.read,
        "jsonl": jsonl.read,
        "transcript": transcript.read,
        "locomo": locomo.read,
        "beam": beam.read,
        "longmemeval": longmemeval.read,
        "chatgpt": chatgpt.read,
        "mem0": mem0.read,
        "qgmem": export.read,
    }
)


def read(path: Path, format: str | None = None) -> Iterator[ImportRecord | ImportProblem]:
    """Messages of a file, streaming, each bad one as a problem; the format is detected unless named.

    Raises InvalidInput for an unknown format, one that cannot be told, or a file that cannot be opened.
    """
    name = detect(path) if format is None else format
    if name not in READERS:
        raise InvalidInput("format", f"unknown format {name[:40]!r}", f"one of {', '.join(FORMATS)}")
    return READERS[name](path)
