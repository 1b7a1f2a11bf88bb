"""Dynamic memory traces: which units speak of one evolving subject–relation, and what was true when ([Q] §III-A2)."""

from __future__ import annotations

from .as_of import known_by, state_at
from .claims import Claim, ClaimKind, KnownAt
from .relations import Relation, relation_of, value_key
from .states import State, Trace, states

__all__ = [
    "Claim", "ClaimKind", "KnownAt", "Relation", "State", "Trace", "known_by", "relation_of", "state_at", "states",
    "value_key",
]  # fmt: skip
