"""substring_exact_match of MemoryAgentBench (Hu et al., 2025): is the gold inside the answer?

Both sides lower-cased, ASCII punctuation deleted, `a an the` dropped, spaces collapsed.
"""

from __future__ import annotations

import re
import string

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def substring_exact_match(prediction: str, gold: str) -> float:
    """0 or 1, higher is better. `("It is the U.K.", "UK")` → 1."""
    return float(normalised(gold) in normalised(prediction))


def normalised(text: str) -> str:
    """The form in which the two are compared."""
    bare = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())
