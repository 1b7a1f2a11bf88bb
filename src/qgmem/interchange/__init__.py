"""Readers of dialogue formats, and our own export.

`read(path)` streams the messages of a file; what cannot be read comes as an `ImportProblem` in its place.
"""

from .detect import detect
from .export import ExportHeader, ExportRecord, read_export, write_export
from .registry import READERS, read

__all__ = ["READERS", "ExportHeader", "ExportRecord", "detect", "read", "read_export", "write_export"]
