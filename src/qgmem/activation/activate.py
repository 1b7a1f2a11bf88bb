"""From a question to working memory ([Q] III-B): channels, fusion, filter, in this order and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from ..settings import Settings
from ..stores.index import Index, Mask, Rows
from ..types import ChannelScore, Query
from . import event_attributes, fusion, lexical, semantic
from .channel import ChannelList, Float32

Embed = Callable[[Sequence[str]], Float32]


@dataclass(frozen=True, slots=True)
class Activation:
    """Candidates, best first, with what every channel and every part of the fusion said; seconds by stage."""

    rows: Rows
    scores: Float32
    lists: tuple[ChannelList, ...]
    parts: Mapping[str, Float32]
    seconds: Mapping[str, float]

    def channels(self, row: int) -> dict[str, ChannelScore]:
        """Rank and score of one row in every channel that lists it."""
        found = {}
        for channel in self.lists:
            at = np.flatnonzero(channel.rows == row)
            if len(at):
                found[channel.name] = ChannelScore(int(at[0]) + 1, float(channel.scores[at[0]]))
        return found


@dataclass(frozen=True, slots=True)
class Asked:
    """A parsed question with all that channels need of it. `terms`: analysed; `named`: speakers it names."""

    query: Query
    terms: Sequence[str]
    named: frozenset[int]


def activate(
    index: Index, asked: Asked, embed: Embed, settings: Settings, threshold: float, allowed: Mask | None
) -> Activation:
    """The pool of candidates for one question. `allowed`: (rows,) units that pass the filters, None for all."""
    clock = _Clock()
    on = settings.channels
    nothing = np.zeros(0, np.float32)
    words = lexical.scores(index, asked.terms) if "lexical" in on else np.zeros(index.rows, np.float32)
    lists = [lexical.channel(index, words, settings.n, allowed)] if "lexical" in on else []
    clock.lap("lexical")
    vector = None
    if "semantic" in on and index.size:
        vector = embed([asked.query.text])[0]
        clock.lap("embed")
        lists.append(semantic.channel(index, vector, settings.n, allowed))
        clock.lap("semantic")
    attributes = nothing
    if "event_attributes" in on and not asked.query.constraints.empty:
        attributes = event_attributes.scores(index, asked.query.constraints, embed, threshold)
        lists.append(event_attributes.channel(index, attributes, settings.n, allowed))
        clock.lap("event_attributes")
    if settings.fusion == "rrf":
        fused = fusion.rrf(index, lists, settings.kappa, settings.pool)
    else:
        evidence = fusion.Evidence(words, attributes, vector, asked.named)
        fused = fusion.support(index, lists, evidence, settings.support, settings.pool, allowed)
    clock.lap("fusion")
    return Activation(fused.rows, fused.scores, tuple(lists), fused.parts, clock.seconds)


class _Clock:
    """Seconds by stage; read for reports only, never for a decision."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, stage: str) -> None:
        now = perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now - self._last
        self._last = now
