"""Plain controls in the same run: BM25, dense, and their reciprocal rank fusion. Each turn is one hit.

BM25 is the outside package bm25s (Lucene's IDF, k1 1.2, b 0.75) with its long English stop list over
Snowball stems of speaker, text, caption and image query: it shares no code with what it is compared to,
and without the stop list it would be five points weaker. Dense is cosine of `speaker: text caption` under
the memory's own embedder. Ties go to the earlier turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qgmem.errors import InvalidInput, MissingExtra
from qgmem.protocols import Embedder
from qgmem.types import JsonValue

from .datasets.dialogue import Conversation, Message
from .manifest import model_identity
from .protocol import EvidenceSystem, Ingested

KAPPA = 60  # RRF rank offset (Cormack et al., 2009)
DEPTH = 100  # turns each list hands to the fusion
K1, B, STOP_WORDS = 1.2, 0.75, "en_plus"

Scores = NDArray[np.float32]  # (n,), higher is better


@dataclass(frozen=True, slots=True)
class TurnHit:
    """One turn of one rank list."""

    turn_ids: tuple[str, ...]


class Bm25:
    """bm25s over one conversation. Raises MissingExtra where it is not installed."""

    def __init__(self) -> None:
        bm25s = _bm25s()
        from Stemmer import Stemmer

        self._stemmer = Stemmer("english")
        self._tokenize = bm25s.tokenize
        self._index = bm25s.BM25(method="lucene", k1=K1, b=B)
        self._n = 0

    def build(self, messages: Sequence[Message]) -> None:
        """Indexes the turns."""
        self._n = len(messages)
        texts = [_joined(m, ("name", "content", "caption", "caption_query")) for m in messages]
        self._index.index(self._words(texts), show_progress=False)

    def scores(self, question: str) -> Scores:
        """(n,) BM25 of each turn; 0 where no word is shared."""
        known = [word for word in self._words([question])[0] if word in self._index.vocab_dict]
        if not known:
            return np.zeros(self._n, dtype=np.float32)
        return np.asarray(self._index.get_scores(known), dtype=np.float32)

    def _words(self, texts: list[str]) -> list[list[str]]:
        words: list[list[str]] = self._tokenize(
            texts, stopwords=STOP_WORDS, stemmer=self._stemmer, return_ids=False, show_progress=False
        )
        return words


class Dense:
    """Exact cosine over one conversation."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def build(self, messages: Sequence[Message]) -> None:
        """Embeds the turns."""
        texts = []
        for message in messages:
            name = message.get("name")
            text = _joined(message, ("content", "caption"))
            texts.append(f"{name}: {text}" if name else text)
        self._vectors = self._embedder.embed(texts)  # (n, d)

    def scores(self, question: str) -> Scores:
        """(n,) cosine of each turn, [-1, 1]."""
        return np.asarray(self._vectors @ self._embedder.embed([question])[0], dtype=np.float32)


Channel = Bm25 | Dense


class Baseline:
    """One or more channels; several are fused by reciprocal ranks."""

    def __init__(self, channels: Sequence[Channel]) -> None:
        self._channels = channels
        self._ids: tuple[str, ...] = ()

    def build(self, conversation: Conversation) -> Ingested:
        """Indexes every turn in every channel."""
        self._ids = conversation.turn_ids
        messages = [m for session in conversation.sessions for m in session.messages]
        for channel in self._channels:
            channel.build(messages)
        return Ingested(stored=len(messages))

    def search(self, question: str, k: int) -> list[TurnHit]:
        """The best k turns; BM25 alone stops where no word is shared."""
        orders = [_order(channel, question) for channel in self._channels]
        if len(orders) == 1:
            return [TurnHit((self._ids[row],)) for row in orders[0][:k]]
        fused: dict[int, float] = {}
        for order in orders:
            for rank, row in enumerate(order[:DEPTH], 1):
                fused[row] = fused.get(row, 0.0) + 1 / (KAPPA + rank)
        best = sorted(fused, key=lambda row: (-fused[row], row))
        return [TurnHit((self._ids[row],)) for row in best[:k]]

    def close(self) -> None:
        """Nothing to give back."""


class Baselines:
    """Factory of one kind of baseline: `bm25`, `dense` or `rrf`. Raises MissingExtra for what it cannot do."""

    def __init__(self, kind: str, embedder: Embedder | None) -> None:
        if kind not in ("bm25", "dense", "rrf"):
            raise InvalidInput("system", f"{kind!r}", "baselines are bm25, dense, rrf")
        if kind != "bm25" and embedder is None:
            raise InvalidInput("embedder", f"the baseline {kind} needs one")
        if kind != "dense":
            _bm25s()  # before anything is read or written, not conversation by conversation
        self._kind, self._embedder = kind, embedder

    def __call__(self, namespace: str) -> EvidenceSystem:  # noqa: ARG002 - the protocol's signature
        """A fresh baseline; it keeps nothing under the name."""
        channels: list[Channel] = []
        if self._kind in ("bm25", "rrf"):
            channels.append(Bm25())
        if self._kind in ("dense", "rrf") and self._embedder is not None:
            channels.append(Dense(self._embedder))
        return Baseline(channels)

    def describe(self) -> Mapping[str, JsonValue]:
        """Kind and, where one is used, the embedder."""
        description: dict[str, JsonValue] = {"name": self._kind}
        if self._kind != "dense":
            description["bm25"] = {"k1": K1, "b": B, "stop_words": STOP_WORDS, "stemmer": "english"}
        if self._kind == "rrf":
            description["rrf"] = {"kappa": KAPPA, "depth": DEPTH}
        if self._kind != "bm25" and self._embedder is not None:
            description["models"] = {"embedder": model_identity(self._embedder)}
        return description


def _bm25s() -> Any:
    """The outside package. Raises MissingExtra where it is not installed."""
    try:
        import bm25s
    except ModuleNotFoundError as error:
        raise MissingExtra("the BM25 baseline (bm25s)", "eval") from error
    return bm25s


def _order(channel: Channel, question: str) -> list[int]:
    scores = channel.scores(question)
    order = np.argsort(-scores, kind="stable")
    if isinstance(channel, Bm25):
        order = order[scores[order] > 0]
    return [int(row) for row in order]


def _joined(message: Message, fields: Sequence[str]) -> str:
    return " ".join(str(message[field]) for field in fields if message.get(field))
