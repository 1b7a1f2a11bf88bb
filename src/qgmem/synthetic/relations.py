"""All relations by name: fourteen that hold one value at a time, eight that hold several."""

from __future__ import annotations

from . import relations_self, relations_sets, relations_work
from .relation import Relation

RELATIONS: dict[str, Relation] = {r.name: r for r in (*relations_work.ALL, *relations_self.ALL, *relations_sets.ALL)}
