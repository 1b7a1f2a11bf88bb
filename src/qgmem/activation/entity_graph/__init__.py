"""Entity–Memory graph retrieval ([E] §3.3, SPEC §3), runnable on its own.

Reading order: `names` (which entities a key means), `graph` (who is mentioned where), `gate` (a memory's
entity score), `rank` (fusion with the cosine).
"""

from .builder import GraphBuilder
from .gate import entity_scores, expand_neighbours
from .graph import EntityGraph, GraphEntity
from .keys import normalise_key
from .names import NameIndex, Tokenizer, first_release_tokens
from .rank import EntityMemoryOptions, rank

__all__ = [
    "EntityGraph",
    "EntityMemoryOptions",
    "GraphBuilder",
    "GraphEntity",
    "NameIndex",
    "Tokenizer",
    "entity_scores",
    "expand_neighbours",
    "first_release_tokens",
    "normalise_key",
    "rank",
]
