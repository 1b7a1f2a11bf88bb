"""Dynamic memory traces: which units speak of one evolving subject–relation, and what was true when ([Q] §III-A2)."""

from __future__ import annotations

from .as_of import Now, Then, as_seen, known_by, state_at
from .claims import Claim, ClaimKind, KnownAt
from .keeper import ClaimVectors, KeptClaim, TraceChange, TraceKeeper, TraceStore
from .relations import Relation, relation_of, value_key
from .states import State, Trace, states, states_digest
from .subjects import Mention, Subject, subjects
from .timeline import timeline
from .timeline_svg import timeline_svg, timelines_svg
from .trajectory import trajectory

__all__ = [
    "Claim", "ClaimKind", "ClaimVectors", "KeptClaim", "KnownAt", "Mention", "Now", "Relation", "State", "Subject",
    "Then", "Trace", "TraceChange", "TraceKeeper", "TraceStore", "as_seen", "known_by", "relation_of", "state_at",
    "states", "states_digest", "subjects", "timeline", "timeline_svg", "timelines_svg", "trajectory", "value_key",
]  # fmt: skip
