"""Vectors drawn from a clustered distribution instead of embedded, for sizes that would take hours to embed.

A text's vector depends on the text alone: its digest chooses a theme, a topic of that theme, and the noise.
v = unit(√.40 · theme + √.25 · topic + √.35 · noise), so that two texts have a cosine of about 0.65 within a topic,
0.40 within one of the 100 themes, and 0 ± 0.05 elsewhere: about one pair in a hundred is as near as two phrases
that match, as with the embedded default. Crowded neighbourhoods are harder for a quantised scan than language is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b

import numpy as np

from qgmem.protocols import Vectors

THEMES, TOPICS = 100, 4000
THEME, TOPIC, NOISE = 0.40, 0.25, 0.35  # shares of the squared length
TABLE = 1 << 20  # noise values that all texts share, read at three places a text
BLOCK = 4096  # texts at once


class DrawnEmbedder:
    """Any text, at ten microseconds each; meaning plays no part."""

    id = "drawn-clusters-384"
    dimension = 384
    sem_match_threshold = 0.36  # that of the embedded default

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32, rows of length 1."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), BLOCK):
            vectors[start : start + BLOCK] = self._drawn(texts[start : start + BLOCK])
        return vectors

    def _drawn(self, texts: Sequence[str]) -> Vectors:
        digests = b"".join(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts)
        number = np.frombuffer(digests, np.uint32).reshape(-1, 4)
        topic = number[:, 0] % TOPICS
        places = (number[:, 1:] % (TABLE - self.dimension)).astype(np.intp)
        window = np.lib.stride_tricks.sliding_window_view(self._noise, self.dimension)
        noise = sum((window[places[:, column]] for column in range(3)), np.float32(0))
        vectors = self._themes[topic % THEMES] + self._topics[topic] + np.float32((NOISE / 3) ** 0.5) * noise
        unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit

    @cached_property
    def _themes(self) -> Vectors:
        return self._directions(THEMES, 1) * np.float32(THEME**0.5)

    @cached_property
    def _topics(self) -> Vectors:
        return self._directions(TOPICS, 2) * np.float32(TOPIC**0.5)

    @cached_property
    def _noise(self) -> Vectors:
        scale = np.float32(self.dimension**-0.5)  # a window has length 1 on average
        return np.random.default_rng(3).standard_normal(TABLE, np.float32) * scale

    def _directions(self, n: int, seed: int) -> Vectors:
        found = np.random.default_rng(seed).standard_normal((n, self.dimension), np.float32)
        unit: Vectors = found / np.linalg.norm(found, axis=1, keepdims=True)
        return unit
