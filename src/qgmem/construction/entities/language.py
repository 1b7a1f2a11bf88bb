"""Is this English enough for English rules? Otherwise they stay silent (empty, not wrong)."""

from __future__ import annotations

from collections.abc import Sequence

from .lexicon import Lexicon
from .scan import Token

_FUNCTION = frozenset(("det", "prep", "pron", "aux", "conj", "adv", "stop"))


def looks_english(tokens: Sequence[Token], lexicon: Lexicon) -> bool:
    """True unless another language's small words outnumber English ones, or a long text has none of them.

    Only the first 200 words are looked at. A few words without any function word ("Chinese food") pass if
    they are plain ASCII.
    """
    words = [token.low for token in tokens if token.kind == "word"][:200]
    if not words:
        return False
    english = sum(lexicon.tags.get(word) in _FUNCTION for word in words)
    foreign = sum(word in lexicon["foreign"] for word in words)
    if foreign and foreign >= english:
        return False
    if len(words) < 6:
        return english > 0 or all(word.isascii() for word in words)
    return english * 8 >= len(words)
