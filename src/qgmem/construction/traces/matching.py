"""Which of the known values an end or a retraction means."""

from __future__ import annotations

from collections.abc import Iterable


def the_match(key: str, keys: Iterable[str]) -> str | None:
    """The equal key; else the only one whose words hold all of these, or are held by them; None if unclear.

    >>> the_match("miso", {"cat named miso", "dog named rex"})
    'cat named miso'
    """
    known = set(keys)
    if key in known:
        return key
    words = set(key.split())
    close = [other for other in known if words and (words <= set(other.split()) or set(other.split()) <= words)]
    return close[0] if len(close) == 1 else None
