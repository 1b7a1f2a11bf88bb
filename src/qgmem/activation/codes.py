"""Codes named in a question: what holds an order number, plate or part exactly stands before what resembles it.

>>> codes("What is the status of the pump report for ZX-4471 from 2023?")
['ZX-4471']

Nearness of meaning and surroundings say nothing about a code, and in the midst of look-alikes they would bury it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from ..stores.index import Index, Mask, Rows
from .fusion import Fused

FEW = 20  # rows; a code that more units hold tells nothing about one of them
# Letters with digits, parts joined by - . / or not; or six digits and more. Ordinals, decades and sizes are no codes.
_CODE = re.compile(
    r"(?<![\w-])(?=[\w./-]*\d)(?:(?=[\w./-]*[A-Za-z])[A-Za-z0-9]+(?:[-./][A-Za-z0-9]+)+"
    r"|(?=\d*[A-Za-z])(?=[A-Za-z]*\d)[A-Za-z0-9]{4,}|\d{6,})(?![\w-])"
)
_DIGIT = re.compile(r"\d")
_NO_CODE = re.compile(
    r"\d+(?:st|nd|rd|th|s|am|pm|km|kg|cm|mm|ml|gb|mb)|\d+[-./](?:year|month|week|day|hour|minute)\w*", re.I
)


def codes(question: str) -> list[str]:
    """The codes in a question, in order."""
    if not _DIGIT.search(question):
        return []
    return [found for found in _CODE.findall(question) if not _NO_CODE.fullmatch(found)]


def first(
    index: Index, question: str, terms: Callable[[str], Sequence[str]], fused: Fused, pool: int, allowed: Mask | None
) -> Fused:
    """The pool with the units that hold a code of the question before all others, in their own order."""
    named = codes(question)
    holding = _holding(index, [terms(code) for code in named], allowed) if named else ()
    if not len(holding):
        return fused
    known = np.isin(holding, fused.rows)
    low = np.float32(fused.scores.min(initial=0))
    rows = np.concatenate([fused.rows, holding[~known]])
    scores = np.concatenate([fused.scores, np.full(int((~known).sum()), low)])
    lift = np.where(np.isin(rows, holding), scores.max(initial=0) - low + 1, 0).astype(np.float32)
    parts = {
        name: np.concatenate([values, np.zeros(len(rows) - len(values), np.float32)])
        for name, values in fused.parts.items()
    }
    parts["fallback"] = scores - sum(parts.values(), np.zeros(len(rows), np.float32))
    parts["code"] = lift
    best, values = index.top(rows, scores + lift, pool)
    order = np.argsort(rows, kind="stable")
    at = order[np.searchsorted(rows[order], best)]
    return Fused(best, values, {name: part[at] for name, part in parts.items() if part.any()})


def _holding(index: Index, codes: Sequence[Sequence[str]], allowed: Mask | None) -> Rows:
    """Rows that hold all terms of one of the codes, if they are few."""
    found = [np.empty(0, np.intp)]
    for code in codes:
        rows = index.rows_with_all(list(dict.fromkeys(code)))
        if allowed is not None:
            rows = rows[allowed[rows]]
        if len(rows) <= FEW:
            found.append(rows)
    return np.unique(np.concatenate(found))
