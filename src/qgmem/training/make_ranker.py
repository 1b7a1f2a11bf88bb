"""The recipe of `activation/ranker.npz` and `ranker-plain.npz`: from `corpora.py` to weights and a report.

    make train-ranker BEAM=DIR OUT=DIR

Three corpora with the same weight: BEAM, written dialogues, and lives, which come in three parts: told to an
assistant, told between friends, and the friends' questions asked again about the other speaker, since people
misremember who said what. What is left open is chosen by recall on BEAM, held out whole, and on the written
dialogues, each writer's under a network that never saw that writer: how much the network counts beside the fusion,
and whether it sees who is named, which has to pay by more than a standard error. The plain network is the same
without word pieces, for memories that have none. Memories are kept in OUT, so a second run is quick.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..activation.learned import Network
from ..activation.piece_match import NAMES
from ..activation.rank_features import standardised
from ..memory import Memory
from ..settings import Settings
from .corpora import beam, lives, said, written
from .ranker import Recipe, recall, save, train
from .ranker_examples import Example, Witness, examples

SPEAKER = ("speaker_named", "other_named")
DROPS: dict[str, tuple[str, ...]] = {"who is named left out": SPEAKER, "who is named seen": ()}
PLAIN = "without word pieces"  # and without who is named
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the network; the rest is the fusion's
CUTOFFS = (5, 10, 25, 50)
UNSEEN = ("beam", "written")  # the lives share one grammar, so no part of them is unseen to a network of the rest
STANDARD_ERROR = 0.01  # of the mean over both, 251 and 1,715 questions
DOMAINS = ("beam", "written", "assistant", "friends", "misattributed")

HeldOut = dict[str, dict[str, dict[str, list[float]]]]  # features -> domain -> share -> recall at the cutoffs


def make(beam_folder: Path, dialogues: Path, out: Path) -> HeldOut:
    """Train, write `ranker.npz` and `ranker.json` into `out`, return recall on held-out domains."""
    out.mkdir(parents=True, exist_ok=True)
    witness = Witness()
    with Memory.open(out / "memories", settings=Settings(rerank="none"), reranker=witness) as memory:
        asked = [*beam(memory, beam_folder), *written(memory, dialogues), *lives(memory)]
        found = list(examples(memory, witness, said("questions", asked)))
    report = {features: held_out(found, drop) for features, drop in DROPS.items()}
    features, share = chosen(report)
    save(_fit(found, DROPS[features]), out / "ranker.npz")
    plain = (*SPEAKER, *NAMES)
    report[PLAIN] = held_out(found, plain)
    save(_fit(found, plain), out / "ranker-plain.npz")
    told = {"chosen": {"features": features, "share": share}, "held out": report}
    (out / "ranker.json").write_text(json.dumps(told, indent=1), encoding="utf-8")
    return report


def chosen(report: HeldOut) -> tuple[str, str]:
    """Features and share with the best mean over the unseen corpora and cutoffs; the fewer features when close."""
    mean = {
        (features, share): float(np.mean([by_domain[domain][share] for domain in UNSEEN]))
        for features, by_domain in report.items()
        for share in map(str, SHARES)
    }
    best = {features: max(map(str, SHARES), key=lambda share: mean[features, share]) for features in report}
    fewer, more = DROPS
    taken = more if mean[more, best[more]] > mean[fewer, best[fewer]] + STANDARD_ERROR else fewer
    return taken, best[taken]


def held_out(found: Sequence[Example], drop: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """Recall by domain and share under networks that saw nothing of the domain, or of the part of it asked about.

    Written dialogues go writer by writer, friends by lives.
    """
    report: dict[str, dict[str, list[float]]] = {}
    friends = sorted({e.asked.user_id for e in found if e.asked.kind in ("friends", "misattributed")})
    tested = {user_id for place, user_id in enumerate(friends) if place % 2 == 0}
    for domain in said("domains", DOMAINS):
        blended: dict[float, list[Example]] = {share: [] for share in SHARES}
        for hidden in _parts(found, domain, tested):
            lives = domain in ("friends", "misattributed")
            network = _fit([e for e in found if e.asked.user_id not in (tested if lives else hidden)], drop)
            mine = [e for e in found if e.asked.kind == domain and e.asked.user_id in hidden]
            for share, examples_of in blended.items():
                examples_of += [_blended(example, network, share) for example in mine]
        report[domain] = {str(share): recall(examples_of, None, CUTOFFS) for share, examples_of in blended.items()}
    return report


def _parts(found: Sequence[Example], domain: str, tested: set[str]) -> list[set[str]]:
    """The users whose examples one network must not see; each part is asked about under a network of its own."""
    users = {e.asked.user_id for e in found if e.asked.kind == domain}
    if domain == "written":  # "written/a3": the third dialogue of writer a
        writers = sorted({user_id.split("/")[1][0] for user_id in users})
        return [{user_id for user_id in users if user_id.split("/")[1][0] == writer} for writer in writers]
    return [users & tested if domain in ("friends", "misattributed") else users]


def _fit(found: Sequence[Example], drop: Sequence[str]) -> Network:
    counts = {domain: sum(example.asked.kind == domain for example in found) for domain in DOMAINS}
    weight = {domain: (1 if domain in UNSEEN else 1 / 3) / count for domain, count in counts.items() if count}
    return train(found, weight, Recipe(), drop)


def _blended(example: Example, network: Network, share: float) -> Example:
    """The example with the reranker's final score in place of the fusion's."""
    columns = dict(zip(example.names, example.inputs.T, strict=True))
    score = (1 - share) * standardised(example.fused) + share * standardised(network.score(columns))
    return replace(example, fused=np.asarray(score, np.float32))


def main() -> None:
    """Command line of the recipe."""
    parser = argparse.ArgumentParser(description="Train the learned ranker.")
    parser.add_argument("--beam", type=Path, required=True, help="folder with 100K/1 … 100K/14")
    parser.add_argument("--dialogues", type=Path, required=True, help="folder of written dialogues")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    for features, by_domain in make(given.beam, given.dialogues, given.out).items():
        for domain, by_share in by_domain.items():
            for share, values in by_share.items():
                print(f"{features:24} {domain:14} {share:5}", " ".join(f"{value:.4f}" for value in values))


if __name__ == "__main__":
    main()
