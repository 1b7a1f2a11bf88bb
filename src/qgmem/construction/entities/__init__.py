"""Which entities and locations a text mentions ([Q] III-A2, [E] §3.2).

Reading order: `scan` (words), `capitals` (names), `tagging` (parts of speech), `chunks` (noun phrases),
`kinds` (types), `rules` (the extractor).
"""

from .rules import RuleExtractor

__all__ = ["RuleExtractor"]
