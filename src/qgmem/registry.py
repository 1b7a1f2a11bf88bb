"""Implementations by exact name, loaded when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Integral
from pathlib import Path
from typing import Literal, TypeVar

from .activation.query_llm import QueryModel
from .activation.rerank import DocumentReranker, PoolReranker, pooled
from .construction.redaction import Redactor
from .errors import InvalidInput
from .models.chat import ChatModel
from .models.ledger import Price
from .protocols import Answerer, AttributeExtractor, Embedder, Reranker
from .settings import Settings

T = TypeVar("T")
NEEDS_LOCAL = "name the local model that it was trained for, as hf:PATH, or leave it out"


def checked_settings(given: Settings | None) -> Settings:
    """The caller's settings, or those of the environment. Raises InvalidInput."""
    settings = Settings.load() if given is None else given
    if not isinstance(settings, Settings):
        raise InvalidInput("settings", f"expected Settings, got {type(settings).__name__}")
    return settings


def make_embedder(name: str, settings: Settings) -> Embedder:
    """The embedder of that name. Raises InvalidInput listing the names, MissingExtra."""
    return _pick("embedder", name, EMBEDDERS)(settings)


def checked_embedder(given: str | Embedder, settings: Settings) -> Embedder:
    """The caller's embedder, or the one of that name. Raises InvalidInput naming what an object lacks."""
    if isinstance(given, str):
        return make_embedder(given, settings)
    held = {name: getattr(given, name, None) for name in ("id", "dimension", "embed")}
    missing = [name for name, value in held.items() if value is None]
    if missing:
        what = "a class" if isinstance(given, type) else type(given).__name__
        raise InvalidInput(
            "embedder", f"{what} has no {' and no '.join(missing)}", "give a name, or an object of protocols.Embedder"
        )
    if isinstance(given, type):
        raise InvalidInput("embedder", f"{given.__name__} is a class", "give an object of it")
    if not isinstance(held["id"], str) or not held["id"]:
        raise InvalidInput("embedder.id", f"expected text, got {held['id']!r}")
    dimension = held["dimension"]
    if isinstance(dimension, bool) or not isinstance(dimension, Integral) or dimension < 1:
        raise InvalidInput("embedder.dimension", f"expected a whole number of at least 1, got {dimension!r}")
    if not callable(held["embed"]):
        raise InvalidInput("embedder.embed", "cannot be called", "it takes a list of texts")
    return given


def make_extractor(settings: Settings) -> AttributeExtractor:
    """The attribute extractor that the settings name."""
    return _pick("settings.extractor", settings.extractor, EXTRACTORS)(settings)


def make_reranker(
    settings: Settings, embedder: Embedder, given: PoolReranker | Reranker | None = None
) -> PoolReranker | None:
    """The reranker that the settings name, or the caller's; None for `none`.

    Raises InvalidInput for an unknown name or what it needs and the settings lack, MissingExtra.
    """
    if given is not None:
        return pooled(given, settings.rerank_depth, settings.rerank_share)
    return _pick("settings.rerank", settings.rerank, RERANKERS)(settings, embedder)


def make_chat(given: ChatModel | str | None, settings: Settings) -> ChatModel:
    """The caller's chat model, or the one of that name at the server that the settings name.

    `scripted` is the model for tests, which calls nobody; `hf:PATH` runs the model of a folder or GGUF file here.
    Raises InvalidInput when no model is named, MissingExtra.
    """
    if given is not None and not isinstance(given, str):
        if not isinstance(given, ChatModel):
            raise InvalidInput("chat", f"{type(given).__name__} is no chat model", "give it `id` and `complete`")
        return given
    name = given or settings.chat_model
    if not name:
        raise InvalidInput("chat", "no model is named", "give its name, or set QGMEM_CHAT_MODEL")
    if name == "scripted":
        from .models.scripted_chat import ScriptedChat

        return ScriptedChat()
    if name.startswith("hf:"):
        from .models.hf_chat import HfChat

        return HfChat(name.removeprefix("hf:"), threads=settings.threads)
    from .models.openai_compatible import OpenAIChat

    key = settings.chat_key.get_secret_value() if settings.chat_key else None
    return OpenAIChat(name, base_url=settings.chat_url, api_key=key, timeout=settings.chat_seconds)


def make_query_model(settings: Settings, redactor: Redactor | None) -> QueryModel | None:
    """What takes questions apart beside the rules; None where the rules do it alone.

    `redactor`: blacks secrets out of what the model is shown. Raises InvalidInput when no chat model is named.
    """
    if settings.query_parser == "rules":
        return None
    hide = None if redactor is None else lambda text: redactor.fresh().text(text)
    chat = make_chat(None, settings)
    prices = None if (price := chat_price(settings)) is None else {chat.id: price}
    return QueryModel(chat, settings.query_seconds, prices=prices, hide=hide)


def chat_price(settings: Settings) -> Price | None:
    """What the settings say that the chat model costs."""
    given = settings.chat_price_in, settings.chat_price_out
    return None if given == (None, None) else Price(given[0] or 0.0, given[1] or 0.0)


def make_answerer(
    given: Answerer | ChatModel | str | None, settings: Settings, embedder: Embedder | None = None
) -> Answerer | None:
    """The caller's answerer or chat model, or the one that the name or the settings say; None where nobody is named.

    A local model (`hf:PATH`) reads the graph through the settings' `graph_token`, which needs the memory's
    `embedder`. Raises InvalidInput, also where a checkpoint is set and the answerer cannot read it; MissingExtra.
    """
    checkpoint = settings.graph_token
    if given is None and not settings.chat_model:
        if checkpoint:
            raise InvalidInput("settings.graph_token", "is set, but no model is named", NEEDS_LOCAL)
        return None
    if isinstance(given, Answerer):
        if checkpoint:
            raise InvalidInput("settings.graph_token", f"cannot be read by the answerer {given.id}", NEEDS_LOCAL)
        return given
    from .models.hf_chat import HfChat

    chat = make_chat(given, settings)
    if isinstance(chat, HfChat):
        from .generation.graph_answerer import LocalAnswerer, graph_answerer

        if not checkpoint:
            return LocalAnswerer(chat)
        if embedder is None:
            raise InvalidInput("settings.graph_token", "needs a memory's embedder", "use Memory.ask")
        return graph_answerer(chat, Path(checkpoint), embedder)
    if checkpoint:
        raise InvalidInput("settings.graph_token", f"cannot be read by {chat.id}", NEEDS_LOCAL)
    from .generation.text_answerer import TextAnswerer
    from .models.tokenizer import token_counter

    count = token_counter(settings.chat_tokenizer) if settings.chat_tokenizer else getattr(chat, "count_tokens", None)
    return TextAnswerer(chat, count)


def _learned(*_: object) -> PoolReranker:
    from .activation.learned import LearnedReranker

    return LearnedReranker()


def _late(settings: Settings, embedder: Embedder) -> PoolReranker:
    from .models.rerankers.late_interaction import LateInteraction

    return _reads(settings, LateInteraction(embedder), share=0.5, plain=True)  # docs/design/activation.md


def _cross_encoder(settings: Settings, _: Embedder) -> PoolReranker:
    from .models.rerankers.cross_encoder import CrossEncoderReranker

    return _reads(settings, CrossEncoderReranker(_needed(settings.rerank_model, "rerank_model")))


def _qwen3(settings: Settings, _: Embedder) -> PoolReranker:
    from .models.rerankers.qwen3 import Qwen3Reranker

    return _reads(settings, Qwen3Reranker(_needed(settings.rerank_model, "rerank_model")))


def _http(shape: Literal["tei", "jina", "cohere"], settings: Settings, _: Embedder) -> PoolReranker:
    from .models.rerankers.http import HttpReranker

    model = HttpReranker(
        shape,
        _needed(settings.rerank_url, "rerank_url"),
        model=settings.rerank_model,
        api_key=settings.rerank_key.get_secret_value() if settings.rerank_key else None,
        timeout=settings.rerank_seconds,
    )
    return _reads(settings, model)


def _reads(settings: Settings, model: Reranker, share: float = 1.0, *, plain: bool = False) -> PoolReranker:
    chosen = share if settings.rerank_share is None else settings.rerank_share
    return DocumentReranker(model, settings.rerank_depth, chosen, plain=plain)


def _needed(value: str | None, name: str) -> str:
    if not value:
        raise InvalidInput(f"settings.{name}", "is not set", f"this reranker needs it: Settings({name}=…)")
    return value


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
RERANKERS: dict[str, Callable[[Settings, Embedder], PoolReranker | None]] = {
    "none": lambda *_: None,
    "learned": _learned,
    "late": _late,
    "cross-encoder": _cross_encoder,
    "qwen3": _qwen3,
    "http:tei": partial(_http, "tei"),
    "http:jina": partial(_http, "jina"),
    "http:cohere": partial(_http, "cohere"),
}
