"""The newest state answers questions about now, that of then questions about then ([Q] §III-A2, SPEC §2.6).

Only units of one trace change places, and only among the places that they have; the rest of the pool stands where it
stood. Which units say what is asked for is read from stored traces and handed in.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..stores.index import Rows
from .activate import Activation


def reorder(found: Activation, current: Rows, superseded: Rows) -> Activation:
    """The pool with rows of `current` states, those asked for, before rows of others; scores keep to their places.

    Where the pool holds no unit of either side nothing changes.
    """
    new = np.isin(found.rows, current)
    old = np.isin(found.rows, superseded) & ~new
    if not new.any() or not old.any():
        return found
    places = np.flatnonzero(new | old)
    moved = np.concatenate([np.flatnonzero(new), np.flatnonzero(old)])
    if (moved == places).all():
        return found
    order = np.arange(len(found.rows))
    order[places] = moved
    parts = {name: values[order] for name, values in found.parts.items()}
    parts["newest_state"] = found.scores - found.scores[order]
    return replace(found, rows=found.rows[order], parts=parts)
