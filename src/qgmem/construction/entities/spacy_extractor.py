"""Entities by a spaCy pipeline: named entities and noun chunks, for whoever has a model installed."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ...errors import InvalidInput, MissingExtra
from ...types import Attributes, Entity, EntityType

_TYPES: dict[str, EntityType] = {
    "PERSON": "Who",
    "NORP": "Who",
    "PER": "Who",
    "ORG": "What",
    "GPE": "Where",
    "LOC": "Where",
    "FAC": "Where",
    "MONEY": "How much",
    "QUANTITY": "How much",
    "PERCENT": "How much",
}
_LEFT_OUT = frozenset(("DATE", "TIME", "ORDINAL", "CARDINAL"))
_PLACES = frozenset(("GPE", "LOC", "FAC"))


class SpacyExtractor:
    """An `AttributeExtractor` over `spacy.load(model)`; the model is loaded on first use, once.

    Needs the extra `spacy` and a model that the user has installed; nothing is downloaded. Raises
    MissingExtra without spaCy, InvalidInput for a model that is not installed.
    """

    def __init__(self, model: str = "en_core_web_sm") -> None:
        self.model = model

    @property
    def id(self) -> str:
        """Changes with the model, since its entities do."""
        return f"spacy-{self.model}"

    def extract(self, text: str, speaker: str) -> Attributes:  # noqa: ARG002 (the protocol's signature)
        """Named entities but times, then noun chunks without determiner that no named entity overlaps."""
        document = self._pipeline(text)
        entities: dict[str, Entity] = {}
        locations: dict[str, str] = {}
        for span in document.ents:
            if span.label_ in _LEFT_OUT:
                continue
            kind = _TYPES.get(span.label_, "What")
            entities.setdefault(span.text.lower(), Entity(span.text, kind, span.start_char, span.end_char))
            if span.label_ in _PLACES:
                locations.setdefault(span.text.lower(), span.text)
        named = [(span.start, span.end) for span in document.ents]
        for chunk in document.noun_chunks:
            words = [token for token in chunk if token.pos_ not in ("DET", "PRON", "NUM", "PUNCT")]
            if not words or any(chunk.start < end and start < chunk.end for start, end in named):
                continue
            start, end = words[0].idx, words[-1].idx + len(words[-1].text)
            entities.setdefault(text[start:end].lower(), Entity(text[start:end], "What", start, end))
        ordered = sorted(entities.values(), key=lambda entity: (entity.start or 0, entity.end or 0))
        return Attributes(tuple(ordered), tuple(locations.values()))

    @cached_property
    def _pipeline(self) -> Any:
        try:
            import spacy
        except ImportError as error:
            raise MissingExtra("SpacyExtractor", "spacy") from error
        try:
            return spacy.load(self.model)
        except OSError as error:
            hint = f"python -m spacy download {self.model}"
            raise InvalidInput("model", f"spaCy has no model {self.model!r} installed", hint) from error
