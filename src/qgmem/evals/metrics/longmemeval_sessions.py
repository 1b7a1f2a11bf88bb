"""Session-level LongMemEval retrieval from a ranking of turns.

Official code: `evaluate_retrieval_turn2session` in github.com/xiaowu0162/LongMemEval. k counts
sessions: the turn ranking is read until k different sessions were met, and the turn metrics are taken
at that depth. Inside an answer session only the evidence turns carry the answer session's name there;
its other turns count as a session of their own.
"""

from __future__ import annotations

from collections.abc import Sequence


def session_depth(evidence: Sequence[str], found: Sequence[str], k: int) -> int:
    """How many turns of `found` are read to meet `k` sessions (all of them if there are fewer).

    Turn ids are `<session>_<n>`; never below k.
    """
    gold = set(evidence)
    met: set[tuple[str, bool]] = set()
    for depth, turn in enumerate(found, 1):
        met.add((session_of(turn), turn in gold))
        if depth >= k and len(met) >= k:
            return depth
    return max(len(found), k)


def session_of(turn: str) -> str:
    """`answer_4be1_2` → `answer_4be1`."""
    return turn.rpartition("_")[0]


def sessions_of(turns: Sequence[str]) -> list[str]:
    """Distinct sessions of some turns, in order."""
    return list(dict.fromkeys(session_of(turn) for turn in turns))
