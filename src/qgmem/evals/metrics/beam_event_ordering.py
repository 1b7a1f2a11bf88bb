"""BEAM event ordering (Tavakoli et al., 2025): Kendall's tau-b between told and true order, in [0, 1].

A judge first aligns each told event with at most one true event; an aligned event is written as the
true one, others stay as told. Both orders are then ranked over the union of events, an event that one
side lacks being tied at the end, and tau-b becomes (tau + 1) / 2.

`official` is that number, which is what the released reports average: a short answer loses little by it.
`paper` multiplies it by the F1 of the events, so that recall counts too; the released code computes
this as its final score without averaging it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import sqrt

from .beam_nugget import BeamMode


def beam_event_ordering(reference: Sequence[str], told: Sequence[str], mode: BeamMode) -> float:
    """Score in [0, 1], higher is better; equal orders give 1, no event told gives 0.

    Where tau-b is undefined (a side without two different ranks) only equal orders score, with 1.
    """
    if not told or not reference:
        return 0.0
    union = list(dict.fromkeys([*reference, *told]))
    tau = kendall_tau_b(_ranks(reference, union), _ranks(told, union))
    if tau is None:
        return float(list(reference) == list(told))
    order = (tau + 1) / 2
    return order if mode == "official" else order * _event_f1(reference, told)


def kendall_tau_b(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Kendall (1945): (C - D) / sqrt((n0 - ties left)(n0 - ties right)), in [-1, 1].

    None where one side is constant. O(n²), meant for a question's few events.
    """
    balance = untied_left = untied_right = 0
    for i, j in combinations(range(len(left)), 2):
        a = (left[i] > left[j]) - (left[i] < left[j])
        b = (right[i] > right[j]) - (right[i] < right[j])
        balance += a * b
        untied_left += a != 0
        untied_right += b != 0
    if not untied_left or not untied_right:
        return None
    return balance / sqrt(untied_left * untied_right)


def _ranks(order: Sequence[str], union: Sequence[str]) -> list[int]:
    place = {event: rank for rank, event in enumerate(order, 1)}
    return [place.get(event, len(union) + 1) for event in union]


def _event_f1(reference: Sequence[str], told: Sequence[str]) -> float:
    shared = len(set(reference) & set(told))
    wrong = sum(event not in reference for event in told)
    missing = sum(event not in told for event in reference)
    return 2 * shared / (2 * shared + wrong + missing) if shared else 0.0
