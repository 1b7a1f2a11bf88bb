"""Training of the learned ranker: listwise cross-entropy over each question's candidates, in NumPy.

Plain enough to be read: two hidden layers beside a linear path, Adam with decay, a few members that start from
different seeds and are averaged. Same examples and seed, same weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..activation.learned import Network
from .ranker_examples import Example

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train; frozen before any reported question is looked at."""

    hidden: int = 8
    members: int = 5
    steps: int = 700
    batch: int = 16  # questions a step
    rate: float = 3e-3
    decay: float = 0.1
    jitter: float = 0.1  # spread of a per-question shift of all inputs: forgets what is only true of one corpus
    seed: int = 7


def train(
    examples: Sequence[Example], weight: Mapping[str, float], recipe: Recipe, drop: Sequence[str] = ()
) -> Network:
    """A network of the examples' features. `weight`: share of a step's questions by the examples' `asked.kind`.

    Examples without a gold candidate teach nothing and are left out.
    """
    useful = [example for example in examples if example.gold.any()]
    columns = [place for place, name in enumerate(useful[0].names) if name not in drop]
    stacked = np.concatenate([example.inputs[:, columns] for example in useful])
    mean, spread = stacked.mean(axis=0), np.maximum(stacked.std(axis=0), 1e-3)
    lists = [_Listed(example, columns, mean, spread) for example in useful]
    chance = np.array([weight.get(example.asked.kind, 0.0) for example in useful])
    chance /= chance.sum()
    members = [_member(lists, chance, recipe, recipe.seed + number) for number in range(recipe.members)]
    stack = [np.stack(arrays).astype(np.float32) for arrays in zip(*members, strict=True)]
    names = tuple(useful[0].names[place] for place in columns)
    return Network(names, mean.astype(np.float32), spread.astype(np.float32), *stack)


class _Listed:
    """One question's candidates, standardised; `target` spreads the mass evenly over its evidence."""

    def __init__(self, example: Example, columns: Sequence[int], mean: Any, spread: Any) -> None:
        kept = ~(example.ignored & ~example.gold)
        inputs = (example.inputs[kept][:, columns] - mean) / spread
        self.inputs = np.clip(inputs, -6, 6).astype(np.float64)
        gold = example.gold[kept].astype(np.float64)
        self.target = gold / gold.sum()


def _member(lists: Sequence[_Listed], chance: Array, recipe: Recipe, seed: int) -> list[Array]:
    random = np.random.default_rng(seed)
    width, hidden = lists[0].inputs.shape[1], recipe.hidden
    weights: list[Array] = [
        random.normal(0, (2 / width) ** 0.5, (width, hidden)),
        np.zeros(hidden),
        random.normal(0, (2 / hidden) ** 0.5, (hidden, hidden)),
        np.zeros(hidden),
        random.normal(0, 0.05, hidden),
        np.zeros(width),
    ]
    first = [np.zeros_like(array) for array in weights]
    second = [np.zeros_like(array) for array in weights]
    for step in range(1, recipe.steps + 1):
        chosen = random.choice(len(lists), recipe.batch, p=chance)
        shift = random.normal(0, recipe.jitter, (recipe.batch, width))
        inputs = [lists[at].inputs + shift[place] for place, at in enumerate(chosen)]
        slopes = _slopes(weights, inputs, [lists[at].target for at in chosen])
        rate = recipe.rate * (0.5 + 0.5 * np.cos(np.pi * step / recipe.steps))
        for place, slope in enumerate(slopes):
            first[place] = 0.9 * first[place] + 0.1 * slope
            second[place] = 0.999 * second[place] + 0.001 * slope**2
            ahead = first[place] / (1 - 0.9**step)
            scale = np.sqrt(second[place] / (1 - 0.999**step)) + 1e-8
            weights[place] = weights[place] - rate * (ahead / scale + recipe.decay * weights[place])
    return weights


def _slopes(weights: Sequence[Array], inputs: Sequence[Array], targets: Sequence[Array]) -> list[Array]:
    """Gradients of the mean listwise cross-entropy by the six weight arrays."""
    first, first_bias, second, second_bias, last, linear = weights
    rows = np.concatenate(inputs)
    one = np.maximum(rows @ first + first_bias, 0)
    two = np.maximum(one @ second + second_bias, 0)
    logits = two @ last + rows @ linear
    error = np.empty(len(rows))
    start = 0
    for target in targets:
        part = logits[start : start + len(target)]
        share = np.exp(part - part.max())
        error[start : start + len(target)] = (share / share.sum() - target) / len(targets)
        start += len(target)
    back_two = np.outer(error, last) * (two > 0)
    back_one = (back_two @ second.T) * (one > 0)
    return [
        rows.T @ back_one,
        back_one.sum(axis=0),
        one.T @ back_two,
        back_two.sum(axis=0),
        two.T @ error,
        rows.T @ error,
    ]


def save(network: Network, path: Any) -> None:
    """Write the weights as `ranker.npz` holds them: float16, names beside."""
    arrays = {
        name: getattr(network, name).astype(np.float16)
        for name in ("first", "first_bias", "second", "second_bias", "last", "linear")
    }
    np.savez_compressed(path, names=np.array(network.names), mean=network.mean, spread=network.spread, **arrays)


def recall(examples: Sequence[Example], network: Network | None, cutoffs: Sequence[int]) -> list[float]:
    """Mean share of evidence among the first k, by the network or, without one, by the fusion."""
    found: list[list[float]] = []
    for example in examples:
        if not example.asked.evidence:
            continue
        columns = dict(zip(example.names, example.inputs.T, strict=True))
        scores = example.fused if network is None else network.score(columns)
        order = sorted(range(len(scores)), key=lambda at: (-float(scores[at]), example.ids[at]))
        first = [example.ids[at] for at in order[: max(cutoffs)]]
        gold = example.asked.evidence
        found.append([len(gold & set(first[:k])) / len(gold) for k in cutoffs])
    return [float(mean) for mean in np.mean(found, axis=0)]
