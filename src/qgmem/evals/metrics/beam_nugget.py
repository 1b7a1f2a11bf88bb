"""BEAM answer score (Tavakoli et al., 2025): a judge gives each nugget of the rubric 0, 0.5 or 1.

A question's score is the mean over its nuggets. Two modes, because the paper and the released code
(`evaluation.py` of github.com/mohammadtavakoli78/BEAM) differ: `paper` keeps the halves; `official`
truncates a half to 0, as the code does for every ability but event ordering.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from qgmem.errors import InvalidInput

BeamMode = Literal["official", "paper"]


def beam_nugget(verdicts: Sequence[float], mode: BeamMode) -> float:
    """Mean nugget score in [0, 1], higher is better. [1, 0.5] → 0.5 official, 0.75 paper.

    Raises InvalidInput on no verdict, or on one that is none of 0, 0.5, 1.
    """
    if not verdicts:
        raise InvalidInput("verdicts", "no nugget was judged")
    if bad := [v for v in verdicts if v not in (0, 0.5, 1)]:
        raise InvalidInput("verdicts", f"{bad[0]!r} is none of 0, 0.5, 1")
    kept = [int(v) for v in verdicts] if mode == "official" else verdicts
    return sum(kept) / len(kept)


def beam_macro(by_ability: Mapping[str, Sequence[float]]) -> float:
    """The benchmark's number: mean over abilities of the mean over an ability's questions.

    Raises InvalidInput naming an ability without questions.
    """
    if empty := sorted(a for a, scores in by_ability.items() if not scores):
        raise InvalidInput("by_ability", f"{empty[0]} has no scores")
    if not by_ability:
        raise InvalidInput("by_ability", "no ability was scored")
    return sum(sum(scores) / len(scores) for scores in by_ability.values()) / len(by_ability)
