"""Which differences between two systems are real: bootstrap by question and by conversation, Holm.

[E] §4: both systems answer the same questions, so the unit is the per-question difference. Questions of
one conversation share its words and mistakes, so a second bootstrap resamples whole conversations. A
difference is called supported only when both survive Holm's correction within their family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from qgmem.errors import InvalidInput

RESAMPLES = 10_000
SEED = 20260727  # the seed of [E]'s published intervals
_BLOCK = 256  # resamples drawn at once; part of the result, since it orders the random draws

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """Mean of B - A with its percentile interval and two-sided p, in the unit of the scores."""

    difference: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A against B over the same questions; `holm_*` are p adjusted within the family."""

    name: str
    n: int
    clusters: int
    mean_a: float
    mean_b: float
    by_question: Estimate
    by_conversation: Estimate
    holm_by_question: float
    holm_by_conversation: float
    supported: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """Scores of two systems on the same questions, (n,) each, in one order."""

    a: Sequence[float]
    b: Sequence[float]


def compare_family(
    pairs: Mapping[str, Pair],
    conversations: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    alpha: float = 0.05,
) -> list[Comparison]:
    """Compares each pair both ways and corrects over all of them; order as given.

    `conversations`: (n,) the cluster of each question. Supported means: both Holm-adjusted p below
    `alpha`. Raises InvalidInput on lengths that differ, no questions, or values that are not numbers.
    """
    question = {
        name: paired_bootstrap(p.a, p.b, resamples=resamples, seed=seed, alpha=alpha) for name, p in pairs.items()
    }
    cluster = {
        name: cluster_bootstrap(p.a, p.b, conversations, resamples=resamples, seed=seed, alpha=alpha)
        for name, p in pairs.items()
    }
    holm_question = holm({name: e.p for name, e in question.items()})
    holm_cluster = holm({name: e.p for name, e in cluster.items()})
    return [
        Comparison(
            name=name,
            n=len(pair.a),
            clusters=len(set(conversations)),
            mean_a=float(np.mean(pair.a)),
            mean_b=float(np.mean(pair.b)),
            by_question=question[name],
            by_conversation=cluster[name],
            holm_by_question=holm_question[name],
            holm_by_conversation=holm_cluster[name],
            supported=holm_question[name] < alpha and holm_cluster[name] < alpha,
        )
        for name, pair in pairs.items()
    ]


def paired_bootstrap(
    a: ArrayLike, b: ArrayLike, *, resamples: int = RESAMPLES, seed: int = SEED, alpha: float = 0.05
) -> Estimate:
    """Mean of b - a, resampling questions. `a`, `b`: (n,). Percentile interval of level 1 - alpha."""
    difference = _differences(a, b)
    n = len(difference)
    rng = np.random.default_rng(seed)
    means = np.concatenate(
        [difference[rng.integers(0, n, size=(block, n))].mean(axis=1) for block in _blocks(resamples)]
    )
    return _estimate(float(difference.mean()), means, alpha)


def cluster_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    clusters: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    alpha: float = 0.05,
) -> Estimate:
    """Mean of b - a, resampling whole clusters with all their questions.

    `clusters`: (n,). A resample's mean runs over its questions, so a large conversation weighs more.
    """
    difference = _differences(a, b)
    if len(clusters) != len(difference):
        raise InvalidInput("clusters", f"expected {len(difference)}, got {len(clusters)}")
    names, member = np.unique(np.asarray(clusters), return_inverse=True)
    sums = np.bincount(member, weights=difference)  # (c,)
    sizes = np.bincount(member)  # (c,)
    drawn = np.random.default_rng(seed).integers(0, len(names), size=(resamples, len(names)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    return _estimate(float(difference.mean()), means, alpha)


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Holm's step-down correction (1979): adjusted p, in the given order.

    The i-th smallest of m is multiplied by m - i + 1, made monotone, capped at 1.
    {a: .01, b: .04, c: .03} → {a: .03, b: .06, c: .06}.
    """
    adjusted: dict[str, float] = {}
    highest = 0.0
    ordered = sorted(p_values, key=lambda name: (p_values[name], name))
    for i, name in enumerate(ordered):
        highest = max(highest, min(1.0, (len(ordered) - i) * p_values[name]))
        adjusted[name] = highest
    return {name: adjusted[name] for name in p_values}


def _differences(a: ArrayLike, b: ArrayLike) -> Floats:
    left, right = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if left.ndim != 1 or left.shape != right.shape or left.size == 0:
        raise InvalidInput("scores", f"expected two (n,) arrays, got {left.shape} and {right.shape}")
    if not (np.isfinite(left).all() and np.isfinite(right).all()):
        raise InvalidInput("scores", "hold a value that is not a number")
    return right - left


def _blocks(resamples: int) -> list[int]:
    if resamples < 1:
        raise InvalidInput("resamples", f"{resamples} is below 1")
    full, rest = divmod(resamples, _BLOCK)
    return [_BLOCK] * full + ([rest] if rest else [])


def _estimate(difference: float, means: Floats, alpha: float) -> Estimate:
    low, high = np.quantile(means, [alpha / 2, 1 - alpha / 2])
    # Twice the smaller tail at zero; the resample that was seen counts too, so p is never 0.
    tail = min(int((means <= 0).sum()), int((means >= 0).sum()))
    return Estimate(difference, float(low), float(high), min(1.0, 2 * (tail + 1) / (len(means) + 1)))
