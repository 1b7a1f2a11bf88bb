"""Qwen3-Reranker by folder or hub name: a language model answers yes or no, run by transformers (extra `hf`).

Format of https://huggingface.co/Qwen/Qwen3-Reranker-0.6B: a chat whose system turn asks for yes or no, a user turn of
<Instruct>, <Query> and <Document>, and an answer whose thinking is already closed; the score comes from the logits of
the next token. The words are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ...errors import MissingExtra, ModelMisbehaved, ModelUnavailable
from ...protocols import Vectors

Judge = Callable[[Sequence[str]], Vectors]  # user turns -> (n, 2) logits of "no" and "yes"
INSTRUCTION = "The query is a question about past conversations. Find memories that hold its answer or a part of it."
BEFORE = (
    "<|im_start|>system\nDecide if the Document fulfils what Instruct and Query ask for. "
    'Answer with one word, "yes" or "no".<|im_end|>\n<|im_start|>user\n'
)
AFTER = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
MAX_TOKENS = 1024  # of a user turn; the model takes 32,000, a CPU does not
BATCH = 4


class Qwen3Reranker:
    """A `Reranker`. Scores are log-odds of yes against no, unbounded, higher is better.

    `source` is a folder, or a hub name, which is downloaded once. The model is loaded by the first question, which
    may find the time box too short. `judge` replaces it, for tests. Raises MissingExtra without transformers.
    """

    def __init__(self, source: str | Path, *, instruction: str = INSTRUCTION, judge: Judge | None = None) -> None:
        self.source, self.instruction = str(source), instruction
        self.id = f"qwen3-{Path(self.source).name}"
        self._given, self._lock = judge, Lock()
        if judge is None and (find_spec("transformers") is None or find_spec("torch") is None):
            raise MissingExtra(f"the reranker {self.id}", "hf")

    def score(self, question: str, documents: Sequence[str]) -> list[float]:
        """One score a document. Raises ModelUnavailable if it cannot be loaded, ModelMisbehaved."""
        if not documents:
            return []
        with self._lock:
            judge = self._given or self._model
        turns = [user_turn(self.instruction, question, document) for document in documents]
        logits = np.asarray(judge(turns), np.float32)
        if logits.shape != (len(documents), 2):
            raise ModelMisbehaved(f"{self.id}: expected ({len(documents)}, 2) logits, got {logits.shape}")
        return [float(odds) for odds in logits[:, 1] - logits[:, 0]]

    @cached_property
    def _model(self) -> Judge:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        try:
            tokenizer = AutoTokenizer.from_pretrained(self.source, padding_side="left")
            model = AutoModelForCausalLM.from_pretrained(self.source, torch_dtype="auto")
        except (OSError, ValueError) as error:
            raise ModelUnavailable(f"{self.source}: cannot be loaded: {error}") from error
        model.eval().requires_grad_(False)
        return YesOrNo(tokenizer, model)


def user_turn(instruction: str, question: str, document: str) -> str:
    """What is judged, in the three fields that the model was trained on."""
    return f"<Instruct>: {instruction}\n<Query>: {question}\n<Document>: {document}"


class YesOrNo:
    """Logits of "no" and "yes" after each user turn, of any causal model and tokenizer in transformers' protocol.

    The frame around a turn is never cut, the turn's end is. Raises ModelMisbehaved if either word is not one token.
    """

    def __init__(self, tokenizer: Any, model: Any) -> None:
        self._tokenizer, self._model = tokenizer, model
        words = [tokenizer.encode(word, add_special_tokens=False) for word in ("no", "yes")]
        if [len(ids) for ids in words] != [1, 1]:
            raise ModelMisbehaved("qwen3: its tokenizer has no single tokens for yes and no; give a Qwen3-Reranker")
        self._words = [int(ids[0]) for ids in words]
        self._before = list(tokenizer.encode(BEFORE, add_special_tokens=False))
        self._after = list(tokenizer.encode(AFTER, add_special_tokens=False))

    def __call__(self, turns: Sequence[str]) -> Vectors:
        """(n, 2) float32. Turns of like length share a batch, padded on the left, so that the last place counts."""
        framed = [
            self._before + self._tokenizer.encode(turn, add_special_tokens=False)[:MAX_TOKENS] + self._after
            for turn in turns
        ]
        logits = np.empty((len(turns), 2), np.float32)
        order = sorted(range(len(turns)), key=lambda row: (-len(framed[row]), row))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            inputs = self._tokenizer.pad({"input_ids": [framed[row] for row in rows]}, return_tensors="pt")
            last = self._model(**inputs.to(self._model.device)).logits[:, -1, self._words]
            logits[rows] = np.asarray(last.float().cpu(), np.float32)
        return logits
