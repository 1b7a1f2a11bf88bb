"""An embedder's two thresholds, measured on synthetic text (SPEC §6, the last paragraph).

`sem_match`: the 99th percentile of cosines of phrases that have nothing to do with each other.
`tau`: the similarity at which facts of one subject–relation are best told from other facts of the same life.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..protocols import Embedder
from . import pools
from .grammar import render, tidy
from .life import life
from .records import Claim, Life
from .relations import RELATIONS
from .seeds import Draw, derive
from .voice import person_slots, value_slots

Floats = NDArray[np.float32]
KINDS: tuple[Callable[[Draw], str], ...] = (
    pools.city, pools.firm, pools.job, pools.full_name, pools.dish, pools.phone, pools.car, pools.ailment,
    pools.gym, pools.commute, pools.diet, pools.doctor, pools.book, pools.project, pools.hobby, pools.pet,
    pools.language, pools.allergen, pools.plan, pools.thing, pools.paper,
)  # fmt: skip
# How an extractor might name the predicate of a relation; several ways each.
PREDICATES: dict[str, tuple[str, ...]] = {
    "home": ("lives in", "moved to", "is based in", "resides in"),
    "employer": ("works at", "is employed by", "joined", "started at"),
    "role": ("works as", "has the job of", "became", "is by profession"),
    "commute": ("commutes by", "gets to work by", "takes to work"),
    "project": ("works on", "was put on project", "is busy with project"),
    "favourite_food": ("has as favourite food", "likes best to eat", "loves the dish"),
    "diet": ("is on diet", "follows the diet", "eats"),
    "health": ("suffers from", "was diagnosed with", "has the condition"),
    "gym": ("trains at", "is a member of gym", "works out at"),
    "doctor": ("is a patient of", "sees doctor", "has as doctor"),
    "phone": ("uses phone", "owns phone", "upgraded to phone"),
    "car": ("drives", "owns car", "bought car"),
    "reading": ("is reading", "started reading book", "reads"),
    "partner": ("is in a relationship with", "has as partner", "is dating"),
    "hobby": ("does as hobby", "took up", "is into"),
    "pet": ("has pet", "adopted", "keeps animal"),
    "language": ("speaks", "is learning language", "knows language"),
    "allergy": ("is allergic to", "cannot tolerate", "reacts to"),
    "friend": ("is friends with", "made friends with", "hangs out with"),
    "plan": ("plans to", "decided to", "wants to"),
    "possession": ("owns", "bought", "has"),
    "subscription": ("subscribes to", "gets the magazine", "took a subscription to"),
}


@dataclass(frozen=True, slots=True)
class Fact:
    """One claim as traces see it: its text, subject and predicate, and the true subject–relation."""

    text: str
    subject: str
    predicate: str
    label: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What to store with an embedder, and the curves it was read from.

    `sem_curve`: (percentile, cosine) of unrelated phrases. `tau_curve`: (threshold, precision, recall, F1).
    """

    embedder_id: str
    dimension: int
    seed: int
    sem_match: float
    tau: float
    f1: float
    sem_curve: tuple[tuple[float, float], ...]
    tau_curve: tuple[tuple[float, float, float, float], ...]
    phrase_pairs: int
    fact_pairs: int
    related_fact_pairs: int


def unrelated_pairs(count: int, seed: int) -> list[tuple[str, str]]:
    """Pairs of phrases of two different kinds: "smoked ramen" and "Kestrel Logistics"."""
    draw = Draw(derive(seed, "unrelated"))
    pairs: list[tuple[str, str]] = []
    while len(pairs) < count:
        one, two = draw.sample(range(len(KINDS)), 2)
        pairs.append((KINDS[one](draw), KINDS[two](draw)))
    return pairs


def related_facts(seed: int, lives: int = 20, traces: int = 15, most: int = 6) -> list[list[Fact]]:
    """Facts of simulated lives, as an extractor would word them.

    Of each life, `traces` subject–relations that were spoken of twice or more; of each of those, at most `most`
    claims (first reports, updates, repeats, late reports).
    """
    return [
        _facts(Draw(derive(seed, "facts", number)), life(number, 2.0, seed, questions=0), traces, most)
        for number in range(lives)
    ]


def _facts(draw: Draw, told: Life, traces: int, most: int) -> list[Fact]:
    grouped: dict[tuple[str, str], list[Claim]] = {}
    for claim in told.claims:
        if claim.kind not in ("retraction", "end"):
            grouped.setdefault((claim.subject_id, claim.predicate), []).append(claim)
    evolving = [claims for claims in grouped.values() if len(claims) > 1]
    chosen = draw.sample(evolving, traces)
    return [_fact(draw, claim) for claims in chosen for claim in draw.sample(claims, most)]


def _fact(draw: Draw, claim: Claim) -> Fact:
    """One claim in the third person, with the full or the first name."""
    relation = RELATIONS[claim.predicate]
    subject = claim.subject_name if draw.chance(0.5) else claim.subject_name.split(" ", 1)[0]
    templates = {"late": relation.past, "update": relation.change}.get(claim.kind, relation.say)
    slots = person_slots(subject, "she") | value_slots(claim.object) | {"when": ""}
    text = tidy(render(draw.pick(templates), False, draw, slots) + ".")
    return Fact(text, subject, draw.pick(PREDICATES[claim.predicate]), (claim.subject_id, claim.predicate))


def calibrate(embedder: Embedder, seed: int = 20, phrase_pairs: int = 2000, lives: int = 20) -> Thresholds:
    """Measure both thresholds; a few thousand short texts are embedded. Same embedder and seed, same result.

    Similarity of two facts is the least of the cosines of text, subject and predicate (SPEC §2.5), over all
    pairs of facts of one life. Ties of F1 go to the higher threshold. `tau` is best for single pairs: complete
    linkage asks all cross pairs and wants a lower one (docs/results/traces.md). Raises InvalidInput, ModelError.
    """
    if phrase_pairs < 100 or lives < 2:
        raise InvalidInput("phrase_pairs, lives", f"too few to measure: {phrase_pairs}, {lives}",
                           "use at least 100 pairs and 2 lives")  # fmt: skip
    pairs = unrelated_pairs(phrase_pairs, seed)
    cosines = np.einsum("nd,nd->n", _embed(embedder, [a for a, _ in pairs]), _embed(embedder, [b for _, b in pairs]))
    percentiles = (50.0, 75.0, 90.0, 95.0, 97.5, 99.0, 99.5, 99.9)
    sem = tuple((p, round(float(np.percentile(cosines, p)), 4)) for p in percentiles)
    similarity, related = _similarities(embedder, related_facts(seed, lives))
    curve = _f1_curve(similarity, related)
    best = max(curve, key=lambda row: (row[3], row[0]))
    return Thresholds(
        embedder.id, embedder.dimension, seed, dict(sem)[99.0], best[0], best[3], sem, curve,
        len(pairs), len(related), int(related.sum()),
    )  # fmt: skip


def _embed(embedder: Embedder, texts: list[str]) -> Floats:
    """(n, d) vectors, each distinct text embedded once."""
    distinct = list(dict.fromkeys(texts))
    place = {text: i for i, text in enumerate(distinct)}
    vectors = np.asarray(embedder.embed(distinct), dtype=np.float32)
    rows: Floats = vectors[[place[text] for text in texts]]
    return rows


def _similarities(embedder: Embedder, lives: list[list[Fact]]) -> tuple[Floats, NDArray[np.bool_]]:
    """Least of three cosines, and whether subject and relation agree, for all pairs within each life."""
    facts = [fact for told in lives for fact in told]
    parts = [_embed(embedder, texts) for texts in (
        [f.text for f in facts], [f.subject for f in facts], [f.predicate for f in facts])]  # fmt: skip
    similarity: list[Floats] = []
    related: list[NDArray[np.bool_]] = []
    start = 0
    for told in lives:
        stop = start + len(told)
        upper = np.triu_indices(len(told), k=1)
        least = np.minimum.reduce([part[start:stop] @ part[start:stop].T for part in parts])
        similarity.append(least[upper])
        same = np.array([[a.label == b.label for b in told] for a in told], dtype=np.bool_)
        related.append(same[upper])
        start = stop
    return np.concatenate(similarity), np.concatenate(related)


def _f1_curve(similarity: Floats, related: NDArray[np.bool_]) -> tuple[tuple[float, float, float, float], ...]:
    """(threshold, precision, recall, F1) from 0 to 1 in steps of 0.01; a pair at the threshold counts as joined."""
    rows: list[tuple[float, float, float, float]] = []
    total = int(related.sum())
    for step in range(101):
        threshold = step / 100
        joined = similarity >= threshold
        right = int((joined & related).sum())
        precision = right / int(joined.sum()) if joined.any() else 0.0
        recall = right / total if total else 0.0
        f1 = 2 * precision * recall / (precision + recall) if right else 0.0
        rows.append((threshold, round(precision, 4), round(recall, 4), round(f1, 4)))
    return tuple(rows)
