"""The key under which names of one entity meet ([E] §3.2, SPEC §3)."""

from __future__ import annotations


def normalise_key(name: str) -> str:
    """Lower case, trailing `'s` cut, runs of space collapsed.

    >>> normalise_key("  Mom’s  old house's ")
    "mom's old house"
    """
    key = " ".join(name.replace("’", "'").lower().split())
    return key.removesuffix("'s").rstrip()
