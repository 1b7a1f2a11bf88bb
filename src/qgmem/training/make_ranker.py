"""The recipe of `activation/ranker.npz`: from BEAM-100K chats 1–14 and synthetic lives to weights and a report.

    make train-ranker BEAM=DIR OUT=DIR

Every domain has the same weight: BEAM, lives told to an assistant, lives told between friends, and the friends'
questions asked again about the other speaker, because people misremember who said a thing. The speaker's name is
left out of the features for the same reason. Memories are kept in OUT, so a second run is quick.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from ..activation.learned import LearnedReranker, Network
from ..activation.rank_features import standardised
from ..errors import InvalidInput
from ..evals.datasets.beam import load_beam
from ..memory import Memory
from ..settings import Settings
from ..synthetic import simulate
from .ranker import Recipe, recall, save, train
from .ranker_examples import Asked, Example, Witness, examples

T = TypeVar("T")

BEAM_CHATS = range(1, 15)
LIVES, YEARS, SEED, QUESTIONS = 24, 1.5, 101, 8
DROPPED = ("speaker_named", "other_named")
CUTOFFS = (5, 10, 25, 50)
DOMAINS = ("beam", "assistant", "friends", "misattributed")


def make(beam: Path, out: Path) -> dict[str, list[float]]:
    """Train, write `ranker.npz` and `ranker.json` into `out`, return recall by held-out domain and system."""
    out.mkdir(parents=True, exist_ok=True)
    witness = Witness()
    with Memory.open(out / "memories", settings=Settings(rerank="none"), reranker=witness) as memory:
        asked = [*_beam(memory, beam), *_lives(memory)]
        found = list(examples(memory, witness, _said("questions", asked)))
    report = _held_out(found)
    save(_fit(found), out / "ranker.npz")
    (out / "ranker.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    return report


def _beam(memory: Memory, folder: Path) -> Iterator[Asked]:
    wanted = frozenset(f"100K/{number}" for number in BEAM_CHATS)
    data = load_beam(folder, chats=wanted)
    if {conversation.id for conversation in data.conversations} != wanted:
        raise InvalidInput("beam", "expected a folder with 100K/1 to 100K/14", "name the folder that holds 100K")
    present = set(memory.namespaces())
    for conversation in _said("chats", data.conversations):
        if conversation.id not in present:
            for session in conversation.sessions:
                memory.add(
                    [dict(message) for message in session.messages],
                    user_id=conversation.id,
                    session_id=session.id,
                    timestamp=session.timestamp,
                )
    for question in data.questions:
        if question.evidence:
            yield Asked(question.conversation_id, question.text, frozenset(question.evidence), kind="beam")


def _lives(memory: Memory) -> Iterator[Asked]:
    present = set(memory.namespaces())
    for life in _said("lives", list(simulate(LIVES, YEARS, SEED, questions=QUESTIONS))):
        if life.case_id not in present:
            for session in life.dialogue.sessions:
                memory.add([message.record() for message in session.messages], user_id=life.case_id)
        speakers = sorted({message.name for session in life.dialogue.sessions for message in session.messages})
        friends = [name.split()[0] for name in speakers] if life.dialogue.kind == "friends" else []
        for question in life.questions:
            if not question.evidence:
                continue
            one = Asked(
                life.case_id,
                question.text,
                frozenset(question.evidence),
                frozenset(question.support),
                question.question_time.isoformat() if question.question_time else None,
                "friends" if friends else "assistant",
            )
            yield one
            named = [name for name in friends if name in question.text]
            if len(friends) == 2 and len(named) == 1:
                other = friends[1 - friends.index(named[0])]
                yield replace(one, text=question.text.replace(named[0], other), kind="misattributed")


def _fit(found: Sequence[Example]) -> Network:
    counts = {domain: sum(example.asked.kind == domain for example in found) for domain in DOMAINS}
    weight = {domain: 1 / count for domain, count in counts.items() if count}
    return train(found, weight, Recipe(), DROPPED)


def _held_out(found: Sequence[Example]) -> dict[str, list[float]]:
    """Recall at the cutoffs of every domain under a network that saw none of it; friends are split by lives."""
    report: dict[str, list[float]] = {}
    friends = sorted({e.asked.user_id for e in found if e.asked.kind in ("friends", "misattributed")})
    tested = {user_id for place, user_id in enumerate(friends) if place % 2 == 0}
    for domain in DOMAINS:
        lives = domain in ("friends", "misattributed")
        mine = [e for e in found if e.asked.kind == domain and (not lives or e.asked.user_id in tested)]
        rest = [e for e in found if (e.asked.user_id not in tested if lives else e.asked.kind != domain)]
        network = _fit(rest)
        report[f"{domain}, fusion"] = recall(mine, None, CUTOFFS)
        report[f"{domain}, network"] = recall(mine, network, CUTOFFS)
        report[f"{domain}, both"] = recall([_blended(example, network) for example in mine], None, CUTOFFS)
    return report


def _blended(example: Example, network: Network) -> Example:
    """The example with the reranker's final score in place of the fusion's."""
    columns = dict(zip(example.names, example.inputs.T, strict=True))
    share = LearnedReranker.share
    score = (1 - share) * standardised(example.fused) + share * standardised(network.score(columns))
    return replace(example, fused=np.asarray(score, np.float32))


def _said(what: str, items: Sequence[T]) -> Iterator[T]:
    """The items, counted on standard error."""
    for place, item in enumerate(items, 1):
        print(f"\r{what} {place}/{len(items)}", end="" if place < len(items) else "\n", file=sys.stderr)
        yield item


def main() -> None:
    """Command line of the recipe."""
    parser = argparse.ArgumentParser(description="Train the learned ranker.")
    parser.add_argument("--beam", type=Path, required=True, help="folder with 100K/1 … 100K/14")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    for name, values in make(given.beam, given.out).items():
        print(f"{name:26}", " ".join(f"{value:.4f}" for value in values))


if __name__ == "__main__":
    main()
