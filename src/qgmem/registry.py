"""Implementations by exact name, loaded when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from .activation.rerank import PoolReranker
from .errors import InvalidInput
from .protocols import AttributeExtractor, Embedder
from .settings import Settings

T = TypeVar("T")


def make_embedder(name: str, settings: Settings) -> Embedder:
    """The embedder of that name. Raises InvalidInput listing the names, MissingExtra."""
    return _pick("embedder", name, EMBEDDERS)(settings)


def make_extractor(settings: Settings) -> AttributeExtractor:
    """The attribute extractor that the settings name."""
    return _pick("settings.extractor", settings.extractor, EXTRACTORS)(settings)


def make_reranker(settings: Settings) -> PoolReranker | None:
    """The reranker that the settings name; None for `none`."""
    return _pick("settings.rerank", settings.rerank, RERANKERS)(settings)


def _learned(_: Settings) -> PoolReranker:
    from .activation.learned import LearnedReranker

    return LearnedReranker()


def _minilm(settings: Settings) -> Embedder:
    from .models.onnx import MiniLM

    return MiniLM(settings.threads)


def _rules(_: Settings) -> AttributeExtractor:
    from .construction.entities import RuleExtractor

    return RuleExtractor()


def _spacy(_: Settings) -> AttributeExtractor:
    from .construction.entities.spacy_extractor import SpacyExtractor

    return SpacyExtractor()


def _pick(field: str, name: str, known: dict[str, T]) -> T:
    if name not in known:
        raise InvalidInput(field, f"there is none called {name!r}", f"use one of {', '.join(sorted(known))}")
    return known[name]


EMBEDDERS: dict[str, Callable[[Settings], Embedder]] = {"minilm": _minilm}
EXTRACTORS: dict[str, Callable[[Settings], AttributeExtractor]] = {"rules": _rules, "spacy": _spacy}
RERANKERS: dict[str, Callable[[Settings], PoolReranker | None]] = {"none": lambda _: None, "learned": _learned}
