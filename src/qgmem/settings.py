"""Every number and choice of the system in one frozen object (SPEC §6). The only reader of the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from .errors import InvalidInput

Fusion = Literal["default", "rrf", "entity_memory"]
Channel = Literal["lexical", "semantic", "event_attributes"]
QueryParser = Literal["rules", "llm"]
Redaction = Literal["off", "write", "recall"]


class SupportWeights(BaseModel):
    """Weights of the default fusion: what a unit's own match and its surroundings count for.

    From BEAM-100K chats 1–14 and written dialogues by `make tune-fusion`, and frozen: `docs/results/fusion.md`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    semantic: float = 0.65  # times cosine
    lexical: float = 0.35  # times BM25 / best BM25 of the question
    attributes: float = 0.1  # times S_ELT
    neighbour: float = 0.7  # times the better direct neighbour's own match, same session
    second_neighbour: float = 0.05
    session: float = 0.35  # times the session's best match
    speaker: float = 0.2  # when the question names the unit's speaker


class Settings(BaseModel):
    """Frozen configuration of one memory. Unknown names are refused.

    >>> Settings(k=5).k
    5
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    # construction
    language: str = "english"  # stemmer for words in Latin script
    day_first: bool = False  # 3/4/2023 is 3 April
    index_caption_query: bool = True  # words that an image was searched with are matched too
    extractor: str = "rules"  # entities and locations: rules | spacy
    phrase_vectors: bool = True  # entities and locations match by meaning, not by equality alone
    # construction by a language model, on demand
    chat_model: str | None = None  # what its server calls it
    chat_url: str | None = None  # what comes before /chat/completions; None is OpenAI's, which wants a key
    chat_key: SecretStr | None = None
    # From the request to the whole answer; streamed: to the first token and between two, and five times that in all.
    chat_seconds: float = Field(default=120.0, gt=0)
    chat_concurrency: int = Field(default=4, ge=1)  # calls under way at a time
    chat_price_in: float | None = Field(default=None, ge=0)  # US dollars for a million tokens
    chat_price_out: float | None = Field(default=None, ge=0)
    # answers
    context_tokens: int = Field(default=700, ge=1)  # of what an answerer reads as MEMORY
    graph_token: str | None = None  # folder of `train graph-token`; chat_model is the hf:PATH it was trained for
    chat_tokenizer: str | None = None  # the chat model's tokenizer.json; None estimates tokens
    # secrets
    redaction: Redaction = "off"  # write: blacked out before anything is stored; recall: before anything is shown
    redaction_patterns: tuple[str, ...] = ("key", "ssn", "card", "password")  # also: email
    # activation
    query_parser: QueryParser = "rules"  # llm: the chat model takes questions apart, beside the rules
    query_seconds: float = Field(default=10.0, gt=0)  # after which the rules' reading stands
    n: int = Field(default=100, ge=1)  # kept per channel
    pool: int = Field(default=100, ge=1)  # candidates handed to the reranker
    kappa: int = Field(default=60, ge=1)  # RRF rank offset
    k: int = Field(default=10, ge=1)  # working memory, units
    fusion: Fusion = "default"
    rerank: str = "learned"  # none | learned | late | cross-encoder | qwen3 | http:tei | http:jina | http:cohere
    rerank_depth: int = Field(default=30, ge=1)  # candidates that a reranking model reads
    rerank_seconds: float = Field(default=10.0, gt=0)  # after which the fused order stands
    rerank_share: float | None = Field(default=None, ge=0, le=1)  # of a reranking model in the order; None: its own
    rerank_model: str | None = None  # folder or name for cross-encoder and qwen3, what the server calls it for http
    rerank_url: str | None = None  # what comes before /rerank, for http
    rerank_key: SecretStr | None = None  # for a server that wants one
    channels: tuple[Channel, ...] = ("lexical", "semantic", "event_attributes")
    sem_match_threshold: float | None = None  # cosine; None takes the embedder's own calibration
    bm25_k1: float = Field(default=1.2, gt=0)
    bm25_b: float = Field(default=0.75, ge=0, le=1)
    support: SupportWeights = SupportWeights()
    # machine
    threads: int = Field(default=2, ge=1)  # embedding workers

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None, **given: object) -> Settings:
        """Settings from keyword arguments over `QGMEM_<NAME>` variables over the defaults.

        Raises InvalidInput naming the setting.
        """
        source = os.environ if environment is None else environment
        values: dict[str, object] = {}
        for name in cls.model_fields:
            text = source.get(f"QGMEM_{name.upper()}")
            if text is not None:
                values[name] = text.split(",") if name in ("channels", "redaction_patterns") else text
        try:
            return cls.model_validate(values | given)
        except ValidationError as error:
            first = error.errors()[0]
            name = ".".join(str(part) for part in first["loc"])
            raise InvalidInput(f"settings.{name}", f"{first['msg']}, got {first['input']!r}") from error
