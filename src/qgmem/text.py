"""What every text goes through that comes from outside, whoever sent it."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SURROGATE = re.compile("[\ud800-\udfff]")


def altered(value: object) -> bool:
    """True if `clean` changes this text, or a text in these lists and mappings."""
    if isinstance(value, str):
        return "\0" in value or _SURROGATE.search(value) is not None
    if isinstance(value, Mapping):
        return any(altered(part) for pair in value.items() for part in pair)
    return isinstance(value, list | tuple) and any(map(altered, value))


def clean(text: str) -> str:
    """Text that any file can hold: no lone surrogate, no NUL."""
    return _SURROGATE.sub("\ufffd", text).replace("\0", "")
