"""What the learned ranker looks at: a unit's own match, its surroundings, and what the question asks for.

Every feature is a number of one candidate under one question. Measures are standardised over the question's
candidates, so that they mean the same in a small memory and a large one, in short turns and long; flags are not.
Names are the columns, in order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelUnavailable
from ..settings import SupportWeights
from ..stores.index import Index, Rows
from ..stores.segment import ASSISTANT, CAPTION, CHAIN_SHIFT, DIGIT, FACT_TIME, QUESTION, USER
from .beside import beside
from .channel import ChannelList, Float32
from .piece_match import PieceMatch, piece_features

_FIRST_PERSON = re.compile(r"\b(i|my|me|we|our|mine|us)\b", re.IGNORECASE)
_WHEN = re.compile(r"\b(when|since|how long|(what|which) (date|day|month|year|time|week|season))\b", re.IGNORECASE)
_MANY = re.compile(r"\bhow (many|much|often|old|long|far|big|tall)\b", re.IGNORECASE)

_WEIGHTS = SupportWeights()  # those that the network was trained beside, whatever the settings say

FLAGS = frozenset(
    "speaker_named other_named assistant user_first_person assistant_first_person is_question before_asks digit "
    "dated captioned when_dated when_digit many_digit question_terms".split()
)


@dataclass(frozen=True, slots=True)
class Asking:
    """A question as the ranker needs it.

    `vector`: (d,) of length 1, None if nothing made one; `named`: codes of the speakers that it names.
    """

    text: str
    terms: Sequence[str]
    vector: Float32 | None
    named: frozenset[int]


def features(
    index: Index,
    asking: Asking,
    rows: Rows,
    lists: Sequence[ChannelList],
    lexical: Float32,
    attributes: Float32,
    pieces: PieceMatch | None = None,
    first: Rows | None = None,
) -> dict[str, Float32]:
    """Columns by name, each (len(rows),). `lexical`, `attributes`: (rows of the index,) dense channel scores.

    `pieces` are looked for in the best of `first`, the fusion's order; without them their columns are missing.

    Raises ModelUnavailable for a question without a vector.
    """
    if asking.vector is None:
        raise ModelUnavailable("needs the question's vector: the semantic channel is off")
    near = beside(index, rows, 2)  # before, after, two before, two after
    scope = np.unique(np.concatenate([rows, near.ravel()]))
    scope = scope[scope >= 0]
    cosine = index.cosines(asking.vector, scope)
    words = lexical[scope] / max(float(lexical.max(initial=0)), 1e-6)
    matched, idf = index.matched_terms(list(dict.fromkeys(asking.terms)), scope)
    share = idf / max(float(idf.sum()), 1e-6)
    own = np.float32(_WEIGHTS.semantic) * cosine + np.float32(_WEIGHTS.lexical) * words
    traits = np.asarray(index.gather("traits", scope))
    around = _Around(scope, near)
    at = np.searchsorted(scope, rows)
    mine = own[at]
    found: dict[str, NDArray[Any]] = {
        "cosine": cosine[at],
        "cosine_of_best": cosine[at] / max(float(cosine.max(initial=0)), 1e-6),
        "bm25_of_best": words[at],
        "bm25": np.minimum(lexical[rows] / 20, 2),
        "terms": matched[at] @ share,
        "attributes": attributes[rows] if len(attributes) else np.zeros(len(rows)),
    }
    for channel in lists:
        if channel.name in ("lexical", "semantic"):
            found[f"rank_{channel.name}"] = _discounted_rank(channel, rows)
    for side, name in enumerate(("before", "after", "second_before", "second_after")):
        found[f"{name}_cosine"] = around.value(cosine, side)
        found[f"{name}_bm25"] = around.value(words, side)
    found["beside"] = np.maximum(around.value(own, 0), around.value(own, 1))
    found["second_beside"] = np.maximum(around.value(own, 2), around.value(own, 3))
    nearby = np.maximum(matched[at], np.maximum(around.rows_of(matched, 0), around.rows_of(matched, 1)))
    found["terms_nearby"] = nearby @ share
    found |= _session(np.asarray(index.gather("chain", rows)) >> CHAIN_SHIFT, mine, matched[at], share)
    found |= _asked_for(asking, index, rows, traits, at, around, found)
    found |= _expansion(index, rows, mine, found["session_best"])
    found["own"] = mine
    if pieces is not None and first is not None:
        found |= piece_features(pieces, rows, first, near)
    found["question_terms"] = np.full(len(rows), min(len(share), 12) / 12)
    return {
        name: np.asarray(values, np.float32) if name in FLAGS else standardised(np.asarray(values, np.float32))
        for name, values in found.items()
    }


def standardised(values: Float32) -> Float32:
    """(n,) (values − mean) / spread over the candidates."""
    if not len(values):
        return values
    spread = values.std() + np.float32(1e-3)
    return np.asarray((values - values.mean()) / spread, np.float32)


class _Around:
    """Values of the turns beside each candidate, 0 where there is none."""

    def __init__(self, scope: Rows, beside: Rows) -> None:
        self._place = np.minimum(np.searchsorted(scope, np.maximum(beside, 0)), max(len(scope) - 1, 0))
        self._there = beside >= 0

    def value(self, values: NDArray[Any], side: int) -> Float32:
        """(n,) of one value a row of the scope."""
        return np.where(self._there[:, side], values[self._place[:, side]], 0).astype(np.float32)

    def rows_of(self, values: Float32, side: int) -> Float32:
        """(n, t) of t values a row of the scope."""
        return np.where(self._there[:, side, None], values[self._place[:, side]], np.float32(0))


def _discounted_rank(channel: ChannelList, rows: Rows) -> Float32:
    """1 / log2(1 + rank) of each row in the channel's list, 0 outside it."""
    found = np.zeros(len(rows), np.float32)
    inside = np.isin(channel.rows, rows)
    places = np.searchsorted(rows, channel.rows[inside])
    found[places] = (1 / np.log2(2 + np.arange(len(channel.rows))))[inside]
    return found


def _session(session: NDArray[Any], own: Float32, matched: Float32, share: Float32) -> dict[str, Float32]:
    """How good the candidate's session is: best, mean of its three best, terms found anywhere in it, its rank."""
    _, member = np.unique(session, return_inverse=True)
    count = int(member.max(initial=-1)) + 1
    best = np.zeros(count, np.float32)
    np.maximum.at(best, member, own)
    order = np.lexsort((-own, member))
    first = np.searchsorted(member[order], np.arange(count))
    three = np.zeros(count, np.float32)
    place = np.arange(len(order)) - first[member[order]]
    np.add.at(three, member[order][place < 3], own[order][place < 3] / 3)
    terms = np.zeros((count, matched.shape[1]), np.float32)
    np.maximum.at(terms, member, matched)
    rank = np.searchsorted(np.sort(-best), -best)  # how many sessions are better; equal ones share a rank
    return {
        "session_best": best[member],
        "session_three": three[member],
        "session_terms": (terms @ share)[member],
        "own_below_session": own - best[member],
        "session_rank": (1 / np.log2(2 + rank))[member],
    }


def _asked_for(
    asking: Asking,
    index: Index,
    rows: Rows,
    traits: NDArray[Any],
    at: Rows,
    around: _Around,
    found: dict[str, NDArray[Any]],
) -> dict[str, NDArray[Any]]:
    """Who is asked about, what kind of answer is wanted, and whether the unit is of that kind."""
    first_person = float(bool(_FIRST_PERSON.search(asking.text)))
    when, many = float(bool(_WHEN.search(asking.text))), float(bool(_MANY.search(asking.text)))
    named = np.isin(np.asarray(index.gather("speaker", rows)), list(asking.named)).astype(np.float32)

    def has(bit: int) -> Float32:
        return np.asarray((traits & bit) != 0, np.float32)

    before_asks = around.value(has(QUESTION), 0)
    digit, dated = has(DIGIT)[at], has(FACT_TIME)[at]
    return {
        "speaker_named": named,
        "other_named": (1.0 if asking.named else 0.0) - named,
        "assistant": has(ASSISTANT)[at],
        "user_first_person": has(USER)[at] * first_person,
        "assistant_first_person": has(ASSISTANT)[at] * first_person,
        "is_question": has(QUESTION)[at],
        "before_asks": before_asks,
        "before_asks_cosine": before_asks * found["before_cosine"],
        "before_asks_bm25": before_asks * found["before_bm25"],
        "length": np.minimum(np.log1p(np.asarray(index.gather("length", rows))) / 6, 1.2),
        "digit": digit,
        "dated": dated,
        "captioned": has(CAPTION)[at],
        "when_dated": when * dated,
        "when_digit": when * digit,
        "many_digit": many * digit,
    }


def _expansion(index: Index, rows: Rows, own: Float32, session: NDArray[Any]) -> dict[str, Float32]:
    """Likeness to what was found first: to the mean of the three best, and on average to the ten best."""
    order = np.argsort(-(own + np.float32(_WEIGHTS.session) * session), kind="stable")
    vectors = index.vectors(rows)
    centre = vectors[order[:3]].mean(axis=0)
    centre /= np.linalg.norm(centre) + 1e-9
    return {
        "like_first_three": vectors @ centre,
        "like_first_ten": (vectors @ vectors[order[:10]].T).mean(axis=1),
    }
