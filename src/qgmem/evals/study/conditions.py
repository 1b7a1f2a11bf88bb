"""The conditions of the study: what each switches, all else equal to complete B ([E] §4.2)."""

from __future__ import annotations

from qgmem.activation.entity_graph import EntityMemoryOptions

CUTOFFS = (5, 10, 25, 50)
MAIN_CUTOFF = 25
DEPTH = max(CUTOFFS)

DENSE, DENSE_GRAPH, COMPLETE = "A", "B_embed", "B"

CONDITIONS: dict[str, EntityMemoryOptions] = {
    COMPLETE: EntityMemoryOptions(),
    "B without sequence": EntityMemoryOptions(sequence="off"),
    "B sequence after gating": EntityMemoryOptions(sequence="after_gating"),
    "B without entity score": EntityMemoryOptions(entity_score=False),
    "B entity-only": EntityMemoryOptions(semantic=False),
    "B without speaker links": EntityMemoryOptions(speaker_links=False),
    "B weights .1/.9": EntityMemoryOptions(entity_weight=0.1, semantic_weight=0.9),
    "B weights .5/.5": EntityMemoryOptions(entity_weight=0.5, semantic_weight=0.5),
    "B scale .25": EntityMemoryOptions(sequence_scale=0.25),
    "B scale 1": EntityMemoryOptions(sequence_scale=1.0),
}
"""Every graph condition by the name it has in tables; run in full on the main text form only."""

PLAIN = EntityMemoryOptions(entity_score=False, semantic_weight=1.0)
"""B_embed: the graph's own ranking code over the graph's own rows, with no key and no entity score."""
