"""Traces of a stored memory, kept up to date as it is written: the path from new turns to stored states (SPEC §2.5).

`catch_up` works inside one transaction and is a function of what is stored: whoever calls it, and however often, the
rows are those of the whole history.
"""

from __future__ import annotations

from .catch_up import RULES, catch_up
from .claims import claim_of

__all__ = ["RULES", "catch_up", "claim_of"]
