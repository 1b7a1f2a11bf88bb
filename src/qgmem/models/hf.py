"""Sentence-transformers models by folder or hub name, run by transformers and torch (extra `hf`).

Pooling, length and normalisation are read from the model's own files (`modules.json`, `*_Pooling/config.json`,
`sentence_bert_config.json`); what cannot be honoured is refused, not approximated. torch is imported when the
first text is embedded, so id and dimension of a folder cost one pass over its weights and no torch.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..errors import InvalidInput, MissingExtra, ModelUnavailable
from ..protocols import Vectors

BATCH_TOKENS = 2048  # of one run of the model
_HUB_FILES = ("modules.json", "sentence_bert_config.json", "1_Pooling/config.json", "model.safetensors")


@dataclass(frozen=True, slots=True)
class SentenceModel:
    """What a folder says of itself: `pooling` is `mean` or `cls`, `max_tokens` where texts are cut."""

    folder: Path
    pooling: str
    max_tokens: int
    normalise: bool
    dimension: int


class HfEmbedder:
    """A sentence-transformers model; rows of length 1 whether or not its folder asks for it.

    `source` is a folder, or a hub name, which transformers downloads once. Texts of one token count share a
    batch, so nothing is padded. `threads` sets torch's, for the whole process; None leaves them.
    Raises InvalidInput for a folder that is no such model, MissingExtra without torch, ModelUnavailable for a
    name that cannot be fetched. Prompts that some models put before questions are not added.
    """

    def __init__(self, source: str | Path, *, threads: int | None = None) -> None:
        folder = Path(source)
        self.name = folder.name if folder.is_dir() else str(source)
        self._spec = read_spec(folder if folder.is_dir() else _fetched(str(source)))
        self._threads = threads
        self._lock = Lock()

    @property
    def id(self) -> str:
        """Name, pooling, length and digest of the weights: all that a vector depends on."""
        return f"{self.name}-{self._spec.pooling}-{self._spec.max_tokens}-sha256:{self.weights_sha256}"

    @property
    def dimension(self) -> int:
        """Width of every vector."""
        return self._spec.dimension

    @cached_property
    def weights_sha256(self) -> str:
        """Digest of the safetensors file; of the list of digests when there are several."""
        return weights_sha256(sorted(self._spec.folder.glob("*.safetensors")))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows of length 1; longer texts are cut. Raises MissingExtra, ModelUnavailable."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        if not len(texts):
            return vectors
        torch, tokenizer, model = self._parts
        with self._lock:
            ids = tokenizer(list(texts), truncation=True, max_length=self._spec.max_tokens)["input_ids"]
        for rows in _batches([len(one) for one in ids]):
            tokens = torch.tensor([ids[row] for row in rows])
            with torch.inference_mode():
                hidden = model(input_ids=tokens, attention_mask=torch.ones_like(tokens)).last_hidden_state
            pooled = hidden.mean(dim=1) if self._spec.pooling == "mean" else hidden[:, 0]
            vectors[rows] = pooled.float().numpy()
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    @cached_property
    def _parts(self) -> tuple[Any, Any, Any]:
        try:
            import torch
            from transformers import AutoModel, AutoTokenizer
        except ModuleNotFoundError as error:
            raise MissingExtra(f"the embedder {self.name}", "hf") from error
        if self._threads is not None:
            torch.set_num_threads(self._threads)
        folder = str(self._spec.folder)
        try:
            tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True)
        except (OSError, ValueError) as error:
            raise ModelUnavailable(f"{self.name}: cannot be loaded: {error}") from error
        return torch, tokenizer, model.float().eval()


def read_spec(folder: Path) -> SentenceModel:
    """Reads how the model of a folder pools, cuts and scales.

    A folder without `modules.json` is a plain transformer: mean pooling, as sentence-transformers does.
    Raises InvalidInput naming the file and what in it is not supported.
    """
    config = _json(folder / "config.json")
    if config is None or not any(folder.glob("*.safetensors")):
        raise InvalidInput("embedder", f"{folder.name!r} holds no config.json with model.safetensors",
                           "give the folder of a sentence-transformers model")  # fmt: skip
    pooling, normalise = "mean", True
    modules = _json(folder / "modules.json")
    if modules is not None:
        kinds = {str(module["type"]).rsplit(".", 1)[-1]: str(module["path"]) for module in modules}
        if unknown := sorted(set(kinds) - {"Transformer", "Pooling", "Normalize"}):
            raise InvalidInput("embedder", f"{folder.name}/modules.json asks for {', '.join(unknown)}",
                               "Transformer, Pooling and Normalize are supported")  # fmt: skip
        pooling, normalise = _pooling(folder, kinds.get("Pooling")), "Normalize" in kinds
    lengths = _json(folder / "sentence_bert_config.json") or {}
    limit = lengths.get("max_seq_length") or min(512, int(config.get("max_position_embeddings", 512)))
    return SentenceModel(folder, pooling, int(limit), normalise, int(config["hidden_size"]))


def _pooling(folder: Path, path: str | None) -> str:
    found = (_json(folder / path / "config.json") if path else None) or {"pooling_mode_mean_tokens": True}
    asked = {key.removeprefix("pooling_mode_").removesuffix("_tokens").removesuffix("_token")
             for key, on in found.items() if key.startswith("pooling_mode_") and on is True}  # fmt: skip
    if isinstance(named := found.get("pooling_mode"), str):
        asked.add(named)
    if len(asked) != 1 or not asked <= {"mean", "cls"}:
        raise InvalidInput("embedder", f"{folder.name}/{path}/config.json pools by {sorted(asked)}",
                           "mean and cls are supported")  # fmt: skip
    return str(asked.pop())


def _fetched(name: str) -> Path:
    """The folder that transformers keeps a hub model in."""
    try:
        from transformers.utils import cached_file
    except ModuleNotFoundError as error:
        raise MissingExtra(f"the embedder {name}", "hf") from error
    try:
        config = cached_file(name, "config.json")
        for file in _HUB_FILES:
            cached_file(name, file, _raise_exceptions_for_missing_entries=False)
        from transformers import AutoTokenizer

        AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise ModelUnavailable(f"embedder: {name!r} is no folder here and cannot be fetched: {error}") from error
    return Path(str(config)).parent


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Rows of equal length together, about BATCH_TOKENS tokens a batch, the longest first."""
    by_length: dict[int, list[int]] = {}
    for row, length in enumerate(lengths):
        by_length.setdefault(length, []).append(row)
    batches: list[list[int]] = []
    for length in sorted(by_length, reverse=True):
        rows, size = by_length[length], max(1, BATCH_TOKENS // length)
        batches += [rows[start : start + size] for start in range(0, len(rows), size)]
    return batches


def _json(path: Path) -> Any:
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise InvalidInput("embedder", f"{path.parent.name}/{path.name} is not JSON: {error}") from error


def weights_sha256(files: Sequence[Path]) -> str:
    """Digest of one file of weights; of the list of digests when there are several."""
    digests = [_sha256(file) for file in files]
    return digests[0] if len(digests) == 1 else hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while piece := handle.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
