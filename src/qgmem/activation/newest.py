"""Statements that say the same but for one value: the newest first, for questions about now.

Two units state the same claim when they match the question in the same words, and at least half of their own words
agree: "Fatah is chaired by A", "Fatah is chaired by B". Which is shown first is then a matter of age, not of a hair's
breadth of score. It is a matter of order only: every version stays in the list. A question about its own time is left
alone. A question that says "now" puts what tells of a long past behind the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from ..stores.index import Index, Mask, Rows
from ..stores.segment import CHAIN_SHIFT, NO_DAY
from .fusion import Fused
from .rerank import Documents

DEPTH = 20  # units compared with each other
LONG_PAST = 90  # days between what a unit tells of and its telling, from which it is a story of the past
_NOW = re.compile(
    r"\b(now|currently|nowadays|at (the moment|present)|these days|present(ly)?|still)\b", re.IGNORECASE
)
AGREEING = 0.5  # share of the longer statement's distinct words that both hold


def newest_first(
    question: frozenset[str], statements: Sequence[frozenset[str]], age: Sequence[tuple[int, int]]
) -> list[int]:
    """Places of the statements in their new order. `age`: larger is newer; statements are best first.

    >>> one, other = frozenset({"chair", "is", "a"}), frozenset({"chair", "is", "b"})
    >>> newest_first(frozenset({"chair"}), [one, other], [(0, 1), (0, 2)])
    [1, 0]
    """
    group = list(range(len(statements)))
    for later in range(len(statements)):
        for earlier in range(later):
            if group[earlier] == earlier and _same_claim(question, statements[earlier], statements[later]):
                group[later] = earlier
                break
    order = [0] * len(statements)
    for first in sorted(set(group)):
        places = [place for place, owner in enumerate(group) if owner == first]
        newest = sorted(places, key=lambda place: age[place], reverse=True)
        for place, member in zip(places, newest, strict=True):
            order[place] = member
    return order


def _same_claim(question: frozenset[str], one: frozenset[str], other: frozenset[str]) -> bool:
    asked = question & one
    if not asked or asked != question & other or one == other:  # a repetition is no other version
        return False
    return len(one & other) >= AGREEING * max(len(one), len(other))


def reorder(
    index: Index,
    text: str,
    question: Sequence[str],
    fused: Fused,
    texts: Documents,
    terms: Callable[[str], Sequence[str]],
) -> Fused:
    """The pool with the versions of one claim newest first among its `DEPTH` best; scores keep to their places.

    Where the question's `text` says "now", "currently", "still", what tells of a long past follows the others.
    """
    rows = fused.rows[:DEPTH]
    if len(rows) < 2:
        return fused
    said = np.asarray(index.gather("utterance_us", rows)).tolist()
    sequence = (np.asarray(index.gather("chain", rows)) & ((1 << CHAIN_SHIFT) - 1)).tolist()
    statements = [frozenset(terms(text)) for text in texts(rows)]
    if len(statements) < len(rows):  # a unit was deleted since the index was read
        return fused
    order = np.array(newest_first(frozenset(question), statements, list(zip(said, sequence, strict=True))))
    if _NOW.search(text):
        past = _of_the_past(index, rows)[order]
        order = np.concatenate([order[~past], order[past]])
    if (order == np.arange(len(order))).all():
        return fused
    place = np.concatenate([order, np.arange(len(order), len(fused.rows))])
    parts = {name: values[place] for name, values in fused.parts.items()}
    parts["newest"] = fused.scores - fused.scores[place]
    return Fused(fused.rows[place], fused.scores, parts)


def _of_the_past(index: Index, rows: Rows) -> Mask:
    """(len(rows),) units whose stated times had all ended long before they were told."""
    ended = index.fact_ends(rows).astype(np.int64)
    told = np.asarray(index.gather("utterance_day", rows), np.int64)
    past: Mask = (ended != NO_DAY) & (told != NO_DAY) & (told - ended > LONG_PAST)
    return past
