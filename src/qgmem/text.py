"""What every text goes through that comes from outside, whoever sent it."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Text that any file can hold: no lone surrogate, no NUL."""
    return _SURROGATE.sub("\ufffd", text).replace("\0", "")
