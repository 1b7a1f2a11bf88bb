"""Steps of training, validation after every epoch, and going on after a kill to the same bytes ([Q] III-C4, B).

A step is `batch` × `accumulate` examples; its loss is the cross-entropy of all their target tokens, divided by how
many there are, so that it does not matter how the step is cut into batches. Adam, constant rate, nothing else.
The order of examples is drawn anew for every epoch from (seed, epoch). Before the first step the fresh token is
validated: that is the value training has to beat.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidInput
from ...generation.graph_arrays import GraphArrays
from ...generation.graph_checkpoint import WEIGHTS, load_weights, metadata_of, save_weights
from ...generation.graph_token import GraphToken
from ...models.hf_chat import HfChat, Prompt

STATE = "state.safetensors"


@dataclass(frozen=True, slots=True)
class TrainSettings:
    """Hyper-parameters of [Q] B. `keep_every`: steps between two states on disk, 0 for epochs only.

    `blind` trains a control that sees no graph: every graph is replaced by the empty one, so what is learned is a
    prompt that is the same for all questions. Raises InvalidInput.
    """

    epochs: int = 10
    batch: int = 4
    accumulate: int = 4
    rate: float = 1e-4
    tokens: int = 1
    seed: int = 0
    keep_every: int = 8
    blind: bool = False

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "accumulate", "tokens"):
            if getattr(self, name) < 1:
                raise InvalidInput(f"train.{name}", f"is {getattr(self, name)}", "give at least 1")
        if not 0 < self.rate < 1:
            raise InvalidInput("train.rate", f"is {self.rate}", "give a number between 0 and 1, as 1e-4")


@dataclass(frozen=True, slots=True)
class Item:
    """One example ready to be read: its prompt, its graph, the ids of its target."""

    prompt: Prompt
    graph: GraphArrays
    target: tuple[int, ...]


@dataclass(slots=True)
class Progress:
    """Where a training stands. `losses`: one a step, nats a target token; `validation`: before it and every epoch.

    `seconds_llm`: the frozen model forward and back; `seconds_graph`: encoder, projector and Adam; of all processes
    that took part.
    """

    epoch: int = 0
    step: int = 0
    losses: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    best: int = 0
    seconds_llm: float = 0.0
    seconds_graph: float = 0.0


OnStep = Callable[[Progress], None]


class Trainer:
    """Trains one graph token against one frozen model, in one folder. `fingerprint` is of all that it rests on."""

    def __init__(
        self, llm: HfChat, model: GraphToken, settings: TrainSettings, folder: Path, fingerprint: str
    ) -> None:
        import torch

        self._torch, self._llm, self._model, self._settings = torch, llm, model, settings
        self._state, self._fingerprint = folder / STATE, fingerprint
        self._best = folder / WEIGHTS
        self._adam = torch.optim.Adam(model.parameters(), lr=settings.rate, foreach=False)
        self.progress = Progress()
        if self._state.is_file():
            self._resume()

    def run(self, train: Sequence[Item], validation: Sequence[Item], on_step: OnStep = lambda _: None) -> Progress:
        """Train to the last epoch; the weights of the best validation are in the folder then.

        Raises InvalidInput for an empty part, or a loss that is no number.
        """
        if not train or not validation:
            raise InvalidInput("data", f"{len(train)} examples to train on, {len(validation)} to validate")
        now = self.progress
        if not now.validation:
            self._validate(validation)
        size = self._settings.batch * self._settings.accumulate
        while now.epoch < self._settings.epochs:
            order = _order(len(train), self._settings.seed, now.epoch)
            for start in range(now.step * size, len(train), size):
                now.losses.append(self._step([train[at] for at in order[start : start + size]]))
                now.step += 1
                if self._settings.keep_every and now.step % self._settings.keep_every == 0:
                    self._keep()
                on_step(now)
            now.epoch, now.step = now.epoch + 1, 0
            self._validate(validation)
        return now

    def loss(self, items: Sequence[Item]) -> float:
        """Mean over target tokens, nats; nothing is learned."""
        total = 0.0
        with self._torch.inference_mode():
            for start in range(0, len(items), self._settings.batch):
                part = items[start : start + self._settings.batch]
                vectors = self._model([self._seen(one.graph) for one in part])
                total += float(self._llm.losses([o.prompt for o in part], vectors, [o.target for o in part]).sum())
        return total / sum(len(one.target) for one in items)

    def _step(self, items: Sequence[Item]) -> float:
        """One step of Adam over all items. The model's gradient ends at the vectors, the graph's begins there."""
        count, total = sum(len(one.target) for one in items), 0.0
        self._adam.zero_grad(set_to_none=True)
        for start in range(0, len(items), self._settings.batch):
            part = items[start : start + self._settings.batch]
            begun = time.perf_counter()
            vectors = self._model([self._seen(one.graph) for one in part])
            leaf = vectors.detach().requires_grad_()
            encoded = time.perf_counter()
            loss = self._llm.losses([o.prompt for o in part], leaf, [o.target for o in part]).sum() / count
            loss.backward()
            read = time.perf_counter()
            vectors.backward(leaf.grad)
            total += float(loss.detach())
            self.progress.seconds_llm += read - encoded
            self.progress.seconds_graph += encoded - begun + time.perf_counter() - read
        begun = time.perf_counter()
        self._adam.step()
        self.progress.seconds_graph += time.perf_counter() - begun
        if not np.isfinite(total):
            raise InvalidInput(
                "train.rate", f"the loss is {total} at step {len(self.progress.losses) + 1}", "lower it"
            )
        return total

    def _seen(self, graph: GraphArrays) -> GraphArrays:
        if not self._settings.blind:
            return graph
        return GraphArrays(graph.nodes[:0], graph.edges[:, :0], graph.predicates[:0])

    def _validate(self, validation: Sequence[Item]) -> None:
        now = self.progress
        now.validation.append(self.loss(validation))
        if len(now.validation) == 1 or now.validation[-1] < min(now.validation[:-1]):
            now.best = len(now.validation) - 1
            save_weights(self._model.state(), self._best)
        self._keep()

    def _keep(self) -> None:
        tensors = {f"model.{name}": value for name, value in self._model.state().items()}
        for at, state in self._adam.state_dict()["state"].items():
            tensors |= {f"adam.{at}.{name}": value.clone() for name, value in state.items()}
        kept = {"fingerprint": self._fingerprint, "progress": json.dumps(asdict(self.progress))}
        save_weights(tensors, self._state, kept)

    def _resume(self) -> None:
        kept = metadata_of(self._state)
        if kept.get("fingerprint") != self._fingerprint:
            raise InvalidInput(
                "out", f"{self._state.parent.name!r} holds a training with other data, models or settings",
                "name another folder, or remove it",
            )  # fmt: skip
        tensors = load_weights(self._state)
        self.progress = Progress(**json.loads(kept["progress"]))
        self._model.load({n.removeprefix("model."): t for n, t in tensors.items() if n.startswith("model.")})
        state: dict[int, dict[str, Any]] = {}
        for name, value in tensors.items():
            if name.startswith("adam."):
                _, at, part = name.split(".")
                state.setdefault(int(at), {})[part] = value
        self._adam.load_state_dict({**self._adam.state_dict(), "state": state})


def _order(count: int, seed: int, epoch: int) -> list[int]:
    drawn = int.from_bytes(sha256(f"{seed}|{epoch}".encode()).digest()[:8], "big")
    return [int(at) for at in np.random.default_rng(drawn).permutation(count)]
