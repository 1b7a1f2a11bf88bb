"""What a judge is asked, one file a version (see `models/prompts.py`)."""

from __future__ import annotations

from ....models.prompts import Prompt, read_prompt

__all__ = ["Prompt", "load"]


def load(name: str, version: int) -> Prompt:
    """The prompt of that name and version."""
    return read_prompt(__name__, name, version)
