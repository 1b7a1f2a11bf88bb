"""Which entities a question key means: Okapi BM25 over entity names (SPEC §3, match ρ).

Okapi as `rank_bm25.BM25Okapi` computes it with its defaults (k1 1.5, b 0.75, ε 0.25; Robertson and
Zaragoza 2009 with the IDF of Trotman et al. 2014): IDF is log(N − n + ½) − log(n + ½), and a word in more
than half of the names gets ε times the mean IDF instead of a negative one. This package's one other BM25
is Lucene's; the match keeps Okapi because the published lists were made with it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

K1, B, EPSILON = 1.5, 0.75, 0.25

Tokenizer = Callable[[str], Sequence[str]]

NAMELESS = ""
"""What a name without a single token counts as: one word, of its own kind, that no key ever asks for.

The first release keeps such names in the statistics at length one; leaving them out, or at length zero,
moves the mean length and breaks a fifth of the published lists."""

_RELEASE_WORD = re.compile(r"[a-z0-9]+")
_RELEASE_STOP = frozenset(
    (
        "a",
        "an",
        "and",
        "are",
        "be",
        "do",
        "for",
        "from",
        "how",
        "i",
        "in",
        "is",
        "it",
        "me",
        "my",
        "of",
        "on",
        "or",
        "the",
        "to",
        "was",
        "what",
        "were",
        "with",
        "you",
        "your",
        "did",
        "does",
        "when",
        "where",
        "who",
        "why",
    )
)


def first_release_tokens(name: str) -> list[str]:
    """The first release's tokens (SPEC §3): `[a-z0-9]+`, two characters or more, 32 stop words, no stems."""
    words = _RELEASE_WORD.findall(name.lower())
    return [word for word in words if len(word) > 1 and word not in _RELEASE_STOP]


@dataclass(frozen=True, eq=False)
class NameIndex:
    """Inverted index from token to the entities whose name holds it.

    `token_ids`: token → row; row r's entities are `entities[offsets[r]:offsets[r + 1]]`, int32, with
    `counts` beside them; `lengths`: (n,) float64 tokens per name. A row beyond `offsets` is not part of
    this index (the mapping may be shared with a builder that has moved on).
    """

    token_ids: Mapping[str, int]
    offsets: NDArray[np.int64]
    entities: NDArray[np.int32]
    counts: NDArray[np.int32]
    lengths: NDArray[np.float64]

    def scores(self, tokens: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """(entities, Okapi scores) of all names that share a token; a repeated token counts again."""
        found: list[NDArray[np.int32]] = []
        partial: list[NDArray[np.float64]] = []
        if not len(self.lengths):
            return np.empty(0, np.int64), np.empty(0, np.float64)
        mean_length = float(self.lengths.sum()) / len(self.lengths)
        for token in tokens:
            row = self.token_ids.get(token, -1)
            if not 0 <= row < len(self.offsets) - 1:
                continue
            span = slice(self.offsets[row], self.offsets[row + 1])
            entities, count = self.entities[span], self.counts[span]
            norm = count + K1 * (1 - B + B * self.lengths[entities] / mean_length)
            found.append(entities)
            partial.append(self._idf(len(entities)) * (count * (K1 + 1) / norm))
        if not found:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        if len(found) == 1:
            return found[0].astype(np.int64), partial[0]
        entities_64, inverse = np.unique(np.concatenate(found).astype(np.int64), return_inverse=True)
        return entities_64, np.bincount(inverse, weights=np.concatenate(partial)).astype(np.float64)

    def _idf(self, names_with_token: int) -> float:
        if not names_with_token:
            return 0.0
        idf = _okapi_idf(len(self.lengths), names_with_token)
        return idf if idf >= 0 else EPSILON * self._mean_idf

    @cached_property
    def _mean_idf(self) -> float:
        """Mean IDF over the vocabulary, negative ones included, added in row order as the original does."""
        used = np.diff(self.offsets)
        used = used[used > 0]
        return sum(_okapi_idf(len(self.lengths), n) for n in used.tolist()) / len(used)


def _okapi_idf(names: int, with_token: int) -> float:
    return math.log(names - with_token + 0.5) - math.log(with_token + 0.5)
