"""What was said just before and after a unit, in its session: rows beside rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .part import FAR, Part, Rows
from .segment import CHAIN_SHIFT, Int32, Int64


def beside(parts: Sequence[Part], starts: Sequence[int], rows: Rows, chain: Int64 | None, distance: int) -> Rows:
    """(2 · distance, len(rows)): one turn before, one after, two before, two after, …; -1 if none.

    `starts`: each part's first row; `chain`: (len(rows),) their chain keys, which one part in order does not need.
    """
    if chain is None:
        return _in_order(parts[0], rows, distance)
    found = np.full((2 * distance, len(rows)), -1, np.intp)
    candidates: list[tuple[Int64, Rows]] = []  # (2 · distance, len(rows)) chain keys and rows, one entry a part
    for part, start in zip(parts, starts, strict=True):
        keys, owners = part.chain
        if len(keys):
            left = np.searchsorted(keys, chain)
            right = left + (keys[np.minimum(left, len(keys) - 1)] == chain)  # a turn has one verbatim unit
            at = np.empty((2 * distance, len(rows)), np.intp)
            for step in range(distance):
                at[2 * step], at[2 * step + 1] = left - 1 - step, right + step
            candidates.append(_of_session(keys, owners, start, at, chain))
    if len(candidates) == 1:
        return candidates[0][1]
    if candidates:
        near, there = (np.concatenate(arrays) for arrays in zip(*candidates, strict=True))
        for side in (0, 1):
            found[side::2] = _nearest(near[side::2], there[side::2], distance, newest=side == 0)
    return found


def needs_no_chain(parts: Sequence[Part], distance: int) -> bool:
    """True where a row's neighbours are the rows of the numbers beside its own."""
    return len(parts) == 1 and parts[0].in_order and distance <= FAR


def _in_order(part: Part, rows: Rows, distance: int) -> Rows:
    """The same where every row is a living turn and they lie in the order in which they were said."""
    found = np.empty((2 * distance, len(rows)), np.intp)
    for side, reach in enumerate(part.reach):
        near, sign = reach[rows], 2 * side - 1
        for step in range(distance):
            line = found[2 * step + side]
            np.add(rows, sign * (step + 1), out=line)
            line[near <= step] = -1
    return found


def _of_session(keys: Int64, rows: Int32 | None, start: int, at: Rows, chain: Int64) -> tuple[Int64, Rows]:
    """Chain keys and rows at these places, row -1 where the place does not exist or is of another session.

    `rows`: what lies at a place; None: the row of the same number.
    """
    there = np.minimum(np.maximum(at, 0), len(keys) - 1)
    near = keys[there]
    outside = (there != at) | ((near ^ chain) >> CHAIN_SHIFT != 0)
    found: Rows = (there if rows is None else rows[there]) + np.intp(start)
    found[outside] = -1
    return near, found


def _nearest(keys: Int64, rows: NDArray[np.intp], n: int, *, newest: bool) -> Rows:
    """(n, columns) the first candidates of every column from the newest or oldest chain key, -1 where fewer are."""
    order = np.where(rows < 0, np.iinfo(np.int64).max, -keys if newest else keys)
    place = np.argsort(order, axis=0, kind="stable")[:n]
    found: Rows = np.take_along_axis(rows, place, axis=0)
    return found
