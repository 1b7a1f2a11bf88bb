"""A local causal language model that reads vectors beside words, run by transformers and torch (extra `graph`).

The model is frozen: no weight of it ever has a gradient. Vectors, as a graph token, enter through `inputs_embeds` at
one place of the chat template: before the first word of the user's message, so that the model reads

    [template, system] [vectors] [user's words] [template] [opening of the answer]

Training and answering build their input by the same function. What stands before the vectors is the same for every
question of one prompt: it is read once, and its keys and values are kept. Only the template may hold special tokens:
what stands in the user's words is text, whatever it looks like. torch is imported when a model is loaded.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from ..errors import InvalidInput, MissingExtra, ModelUnavailable
from .chat import ChatAnswer, ChatRequest
from .hf import weights_sha256

MARK = "\ue000"  # a private character: where the user's words go while the template is rendered
DAY = "26 Jul 2024"  # of every prompt; the one that Llama 3's template falls back on
DTYPES = ("float32", "bfloat16", "float16")
IGNORED = -100  # label that costs nothing

Ended = Callable[[str], bool]  # of the text so far: is the answer complete?


@dataclass(frozen=True, slots=True)
class Prompt:
    """Token ids before and after the place for vectors. The answer's opening, if any, ends `after`."""

    before: tuple[int, ...]
    after: tuple[int, ...]


class HfChat:
    """A chat model of Llama's, Qwen's or SmolLM's kind: a folder with safetensors, or a GGUF file.

    `threads` sets torch's, for the whole process; None leaves them. Answers are greedy: same prompt, same answer. It
    has no grammar, so a request's `schema` is left to its words. May be shared between threads; calls wait for
    each other. Raises InvalidInput for what is no model, MissingExtra, ModelUnavailable.
    """

    def __init__(
        self, source: str | Path, *, device: str = "cpu", dtype: str = "float32", threads: int | None = None
    ):
        self._source, self._device, self._dtype, self._threads = Path(source), device, dtype, threads
        if self._source.suffix == ".gguf" and self._source.is_file():
            self._files = [self._source]
        else:
            self._files = sorted(self._source.glob("*.safetensors"))
            if not self._files or not (self._source / "config.json").is_file():
                raise InvalidInput(
                    "llm", f"{self._source.name!r} is neither a GGUF file nor a folder of a model",
                    "give FILE.gguf, or a folder with config.json and *.safetensors",
                )  # fmt: skip
        if dtype not in DTYPES:
            raise InvalidInput("dtype", f"is {dtype!r}", f"use one of {', '.join(DTYPES)}")
        self.name = self._source.name
        self._lock = Lock()
        self._kept: tuple[tuple[int, ...], Any] | None = None  # the latest beginning, with its keys and values

    @cached_property
    def id(self) -> str:
        """Name and digest of the weights."""
        return f"{self.name}-sha256:{weights_sha256(self._files)}"

    @property
    def computed(self) -> str:
        """`id`, and the precision where it is not float32: what decides its numbers."""
        return self.id if self._dtype == "float32" else f"{self.id}:{self._dtype}"

    @property
    def width(self) -> int:
        """D, the width of its embedding space."""
        return int(self._embedding.weight.shape[1])

    @cached_property
    def embedding_rms(self) -> float:
        """Root mean square of the entries of its token embeddings: how large a vector among them is."""
        return float(self._embedding.weight.detach().float().pow(2).mean().sqrt())

    def prompt(self, system: str, user: str, opening: str = "") -> Prompt:
        """The ids of a question, by the model's own template; `opening` are the first words of its answer.

        Raises InvalidInput for a system text with the mark in it, or a template that repeats the user's words.
        """
        before, _, after = self._around(system).partition(MARK)
        words = self._ids(user, plain=True) + self._ids(after) + self._ids(opening, plain=True)
        return Prompt(tuple(self._ids(before)), tuple(words))

    def target(self, *parts: str) -> tuple[int, ...]:
        """The ids of an answer as training shows it: its words, and the token that ends a turn.

        No token reaches over the border of two parts, so that `count_tokens` of each part adds up.
        """
        return (*(token for part in parts for token in self._ids(part, plain=True)), self.end_tokens[0])

    def losses(self, prompts: Sequence[Prompt], vectors: Any, targets: Sequence[Sequence[int]]) -> Any:
        """(B,) tensor: each target's summed −log p(token | prompt, vectors, tokens before), in nats.

        `vectors`: (B, T, D) tensor, or None for words alone. Gradients flow into it and nowhere else.
        """
        torch = self._torch
        longest = max(map(len, targets))
        labels = torch.full((len(targets), longest), IGNORED, device=self._device)
        for row, target in enumerate(targets):
            labels[row, longest - len(target) :] = torch.tensor(list(target))
        given = self._inputs(prompts, vectors, targets)
        with self._lock:
            logits = self._model(**given, logits_to_keep=longest + 1).logits[:, :-1]
        return self._nats(logits, labels).sum(dim=1)

    def generate(
        self, prompts: Sequence[Prompt], vectors: Any = None, *, max_tokens: int = 256, ended: Ended | None = None
    ) -> list[ChatAnswer]:
        """Greedy answers, one a prompt, without the prompt's opening. `vectors`: (B, T, D) or None.

        `ended`: of the text so far, is the answer complete? Each ends there, or with the template's end of a turn.
        """
        return self.generate_and_score(prompts, vectors, None, max_tokens=max_tokens, ended=ended)[0]

    def generate_and_score(
        self, prompts: Sequence[Prompt], vectors: Any, targets: Sequence[Sequence[int]] | None, *,
        max_tokens: int = 256, ended: Ended | None = None,
    ) -> tuple[list[ChatAnswer], list[list[float]]]:  # fmt: skip
        """As `generate`, and −log p of each token of each target, in nats; the prompt is read once for both."""
        ends = self.end_tokens  # asks the tokenizer, which takes the lock
        with self._torch.inference_mode():
            given = self._inputs(prompts, vectors)
            with self._lock:
                read = self._model(**given | {"use_cache": True}, logits_to_keep=1)
            mask, cache = given["attention_mask"], read[self._cache]
            scores = [] if targets is None else self._scored(read.logits, copy.deepcopy(cache), mask, targets)
            ids = self._continued(read.logits, cache, mask, max_tokens, ends, ended)
        sizes = mask.sum(dim=1).tolist()
        return [self._answer(row, size, max_tokens) for row, size in zip(ids, sizes, strict=True)], scores

    def _scored(self, logits: Any, cache: Any, mask: Any, targets: Sequence[Sequence[int]]) -> list[list[float]]:
        """Nats of every target token after what the cache has read."""
        torch = self._torch
        longest = max(map(len, targets))
        labels = torch.full((len(targets), longest), IGNORED, device=self._device)
        for row, target in enumerate(targets):
            labels[row, : len(target)] = torch.tensor(list(target))
        if longest > 1:
            there = (labels[:, :-1] != IGNORED).long()
            with self._lock:
                more = self._model(
                    input_ids=labels[:, :-1].clamp(min=0), attention_mask=torch.cat([mask, there], dim=1),
                    position_ids=mask.sum(dim=1, keepdim=True) + torch.arange(longest - 1, device=self._device),
                    **{self._cache: cache},
                )  # fmt: skip
            logits = torch.cat([logits, more.logits], dim=1)
        nats = self._nats(logits, labels).tolist()
        return [row[: len(target)] for row, target in zip(nats, targets, strict=True)]

    def _continued(
        self, logits: Any, cache: Any, mask: Any, max_tokens: int, ends: Sequence[int], ended: Ended | None
    ) -> list[list[int]]:
        """The likeliest token, one after the other, until every row has ended."""
        torch = self._torch
        rows: list[list[int]] = [[] for _ in range(len(mask))]
        going = [True] * len(rows)
        while True:
            best = logits[:, -1].argmax(dim=-1)
            for at, token in enumerate(best.tolist()):
                if going[at]:
                    rows[at].append(token)
                    stops = ended is not None and ended(self._decoded(rows[at]))
                    going[at] = token not in ends and not stops and len(rows[at]) < max_tokens
            if not any(going):
                return rows
            mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=1)
            with self._lock:
                read = self._model(
                    input_ids=best[:, None], attention_mask=mask,
                    position_ids=mask.sum(dim=1, keepdim=True) - 1, **{self._cache: cache},
                )  # fmt: skip
            logits, cache = read.logits, read[self._cache]

    def _nats(self, logits: Any, labels: Any) -> Any:
        """(B, L, vocabulary), (B, L) → (B, L); 0 where nothing is asked for."""
        flat = self._torch.nn.functional.cross_entropy(
            logits.float().flatten(0, 1), labels.flatten(), ignore_index=IGNORED, reduction="none"
        )
        return flat.reshape(labels.shape)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text, as a part of a user's message."""
        return len(self._ids(text, plain=True))

    def complete(self, request: ChatRequest) -> ChatAnswer:
        """One answer from words alone. Raises InvalidInput for a temperature above 0."""
        self.checked(request)
        return self.generate([self.prompt(request.system, request.user)], max_tokens=request.max_tokens)[0]

    def checked(self, request: ChatRequest) -> None:
        """Raises InvalidInput for a temperature above 0."""
        if request.temperature > 0:
            raise InvalidInput("temperature", f"is {request.temperature}", "this model answers greedily: give 0")

    def parameters(self) -> list[Any]:
        """The frozen weights, for whoever wants to check that they are."""
        return list(self._model.parameters())

    @cached_property
    def end_tokens(self) -> tuple[int, ...]:
        """Tokens that end an answer: the template's own first, then the tokenizer's."""
        ends = []
        if self._tokenizer.chat_template:
            turns = [{"role": "user", "content": "?"}, {"role": "assistant", "content": MARK}]
            ends = self._ids(self._render(turns, answering=False).partition(MARK)[2])[:1]
        own = self._tokenizer.eos_token_id
        found = tuple(dict.fromkeys([*ends, *([] if own is None else [own])]))
        if not found:
            raise InvalidInput("llm", f"{self.name} has no token that ends an answer")
        return found

    def _answer(self, ids: list[int], size: int, max_tokens: int) -> ChatAnswer:
        end = next((at for at, one in enumerate(ids) if one in self.end_tokens), None)
        kept = ids[:end] if end is not None else ids
        return ChatAnswer(self._decoded(kept), int(size), len(kept), truncated=end is None and len(ids) >= max_tokens)

    def _decoded(self, ids: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=True))

    def _inputs(
        self, prompts: Sequence[Prompt], vectors: Any, targets: Sequence[Sequence[int]] = ()
    ) -> dict[str, Any]:
        """Embeddings (B, L, D) with mask and positions. The one place where vectors go in.

        What all prompts begin with is read once, and comes as keys and values; rows are padded behind it.
        """
        torch = self._torch
        if vectors is not None:
            vectors = torch.as_tensor(vectors, device=self._device)
            if vectors.ndim != 3 or len(vectors) != len(prompts) or vectors.shape[2] != self.width:
                raise InvalidInput(
                    "vectors", f"expected ({len(prompts)}, T, {self.width}), got {tuple(vectors.shape)}"
                )
        first = prompts[0].before if all(prompt.before == prompts[0].before for prompt in prompts) else ()
        rows = []
        for at, prompt in enumerate(prompts):
            tail = list(prompt.after) + (list(targets[at]) if targets else [])
            parts = [self._embedded(prompt.before[len(first) :]), self._embedded(tail)]
            if vectors is not None:
                parts.insert(1, vectors[at].to(parts[0].dtype))
            rows.append(torch.cat(parts))
        longest = max(map(len, rows))
        mask = torch.ones((len(rows), len(first) + longest), dtype=torch.long, device=self._device)
        padded = []
        for at, row in enumerate(rows):
            mask[at, len(first) : len(first) + longest - len(row)] = 0
            padded.append(torch.nn.functional.pad(row, (0, 0, longest - len(row), 0)))
        positions = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, len(first) :]
        given = {"inputs_embeds": torch.stack(padded), "attention_mask": mask, "position_ids": positions}
        return given | ({self._cache: self._begun(first, len(rows))} if first else {"use_cache": False})

    def _begun(self, first: tuple[int, ...], count: int) -> Any:
        """Keys and values of the prompts' common beginning, once a row."""
        kept = self._kept  # another thread may put another one in its place
        if kept is None or kept[0] != first:
            torch = self._torch
            ids = torch.tensor([list(first)], dtype=torch.long, device=self._device)
            with self._lock, torch.no_grad():  # not inference_mode: training reads them too
                kept = first, self._model(input_ids=ids, use_cache=True, logits_to_keep=1)[self._cache]
            self._kept = kept
        cache = copy.deepcopy(kept[1])
        cache.batch_repeat_interleave(count)
        return cache

    def _embedded(self, ids: Sequence[int]) -> Any:
        torch = self._torch
        return self._embedding(torch.tensor(list(ids), dtype=torch.long, device=self._device))

    def _around(self, system: str) -> str:
        if MARK in system:
            raise InvalidInput("system", f"holds the character {MARK!r}", "it marks the user's place")
        if not self._tokenizer.chat_template:  # a base model: plain paragraphs
            return f"{system}\n\n{MARK}\n\n"
        said = self._render(
            [{"role": "system", "content": system}, {"role": "user", "content": MARK}], answering=True
        )
        if said.count(MARK) != 1:
            raise InvalidInput(
                "llm", f"the chat template of {self.name} shows the user's words {said.count(MARK)} times"
            )
        return said

    def _render(self, turns: list[dict[str, str]], *, answering: bool) -> str:
        """`enable_thinking` is Qwen3's: an answer begins at once. `date_string` is Llama 3's, which else shows today.

        Templates that do not know them ignore them.
        """
        return str(
            self._tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=answering, enable_thinking=False, date_string=DAY
            )
        )

    def _ids(self, text: str, *, plain: bool = False) -> list[int]:
        with self._lock:
            found = self._tokenizer(text, add_special_tokens=False, split_special_tokens=plain)["input_ids"]
        return [int(one) for one in found]

    @cached_property
    def _cache(self) -> str:
        """What this release of transformers calls keys and values: `cache`, formerly `past_key_values`."""
        known = inspect.signature(self._model.forward).parameters
        return "cache" if "cache" in known else "past_key_values"

    @property
    def _torch(self) -> Any:
        return self._parts[0]

    @property
    def _tokenizer(self) -> Any:
        return self._parts[1]

    @property
    def _model(self) -> Any:
        return self._parts[2]

    @property
    def _embedding(self) -> Any:
        return self._model.get_input_embeddings()

    @cached_property
    def _parts(self) -> tuple[Any, Any, Any]:
        try:
            import torch
            from transformers import AutoModelForCausalLM, AutoTokenizer
        except ModuleNotFoundError as error:
            raise MissingExtra(f"the language model {self.name}", "graph") from error
        if self._threads is not None:
            torch.set_num_threads(self._threads)
        folder, more = self._source, {}
        if self._source.is_file():
            folder, more = self._source.parent, {"gguf_file": self._source.name}
        try:
            tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True, **more)
            model = AutoModelForCausalLM.from_pretrained(
                str(folder), local_files_only=True, dtype=getattr(torch, self._dtype), **more
            )
        except ImportError as error:  # transformers names the package that a GGUF file needs
            raise MissingExtra(f"the language model {self.name}", "graph") from error
        except (OSError, ValueError) as error:
            raise ModelUnavailable(f"{self.name}: cannot be loaded: {error}") from error
        try:
            model = model.to(self._device)
        except (RuntimeError, AssertionError) as error:  # torch's, for a device that is not there or nobody knows
            reason = str(error).partition("\n")[0]
            raise InvalidInput(
                "device", f"{self._device!r} cannot be used: {reason}", "leave it out for cpu"
            ) from error
        return torch, tokenizer, model.eval().requires_grad_(False)
