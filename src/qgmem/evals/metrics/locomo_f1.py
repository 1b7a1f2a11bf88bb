"""Official LoCoMo answer F1 (Maharana et al., 2024, `task_eval/evaluation.py` of snap-research/locomo).

Words: commas deleted, lower case, ASCII punctuation deleted, `a an the and` dropped, Porter stems.
Score: F1 of the two bags of words. Open-domain (category 3) cuts the gold at its first `;`. Multi-hop
(category 1) splits both sides at commas and averages, over the gold parts, the best F1 of any
predicted part. Adversarial (category 5) is right if and only if the answer says that it found nothing.

The stemmer is NLTK's `PorterStemmer` in its default mode; other ports of Porter's algorithm miss rows.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable
from functools import lru_cache

from qgmem.errors import InvalidInput, MissingExtra

_ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_REFUSALS = ("no information available", "not mentioned")
CATEGORIES = ("multi-hop", "temporal", "open-domain", "single-hop", "adversarial")


def locomo_f1(prediction: str, gold: str, category: str) -> float:
    """F1 in [0, 1], higher is better. Raises MissingExtra without NLTK, InvalidInput on the category."""
    match category:
        case "adversarial":
            said = prediction.lower()
            return float(any(refusal in said for refusal in _REFUSALS))
        case "multi-hop":
            offered, wanted = _parts(prediction), _parts(gold)
            return sum(max(_bag_f1(o, w) for o in offered) for w in wanted) / len(wanted)
        case "open-domain":
            return _bag_f1(prediction, gold.split(";")[0].strip())
        case "temporal" | "single-hop":
            return _bag_f1(prediction, gold)
    raise InvalidInput("category", f"{category!r} is none of {', '.join(CATEGORIES)}")


def words(text: str) -> list[str]:
    """The stemmed words that are compared. `words("The cats, and a dog!")` → `["cat", "dog"]`."""
    bare = text.replace(",", "").lower().translate(_NO_PUNCTUATION)
    stem = _stemmer()
    return [stem(word) for word in _ARTICLES.sub(" ", bare).split()]


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _bag_f1(prediction: str, gold: str) -> float:
    offered, wanted = words(prediction), words(gold)
    shared = sum((Counter(offered) & Counter(wanted)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(offered), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    try:
        from nltk.stem import PorterStemmer
    except ModuleNotFoundError as error:
        raise MissingExtra("the official LoCoMo F1 (NLTK's Porter stemmer)", "eval") from error
    stem = lru_cache(maxsize=1 << 16)(PorterStemmer().stem)
    return lambda word: str(stem(word))
