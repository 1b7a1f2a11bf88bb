"""The recipe of the default fusion's weights (`settings.SupportWeights`): BEAM-100K chats 1–14 and written dialogues.

    make tune-fusion BEAM=DIR OUT=DIR

Measure: mean share of a question's evidence among the first 5, 10, 25 and 50 units, averaged over the two corpora.
Settings are drawn from a grid. The conversations of each corpus are drawn anew with replacement (cluster bootstrap),
the best setting of every draw is noted, and the mean of those is the result, rounded to .05: near a flat optimum the
single best setting is an accident of which questions were asked. Synthetic lives are left out, because how much words
count on them is decided by the grammar that wrote their questions.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..activation.fusion import Evidence, support
from ..activation.rerank import RerankTask
from ..memory import Memory
from ..settings import Settings, SupportWeights
from .corpora import Asked, beam, said, written
from .ranker_examples import Witness

CUTOFFS = (5, 10, 25, 50)
SHARES = tuple(round(0.1 * step, 1) for step in range(11))  # of cosine in the own match; the rest is BM25's
ATTRIBUTES = (0.0, 0.1, 0.2, 0.3)
NEIGHBOUR = tuple(round(0.1 * step, 1) for step in range(13))
SECOND = (0.0, 0.1, 0.2, 0.3, 0.4)
SESSION = (0.0, 0.1, 0.2, 0.3, 0.4)
SPEAKER = (0.0, 0.05, 0.1, 0.2, 0.3)
DRAWS, RESAMPLES, SEED = 3000, 1000, 11
WRITERS = "ab"  # of the dialogues that the shipped weights come from; the others came later, for the ranker
EVERYTHING = 10**6  # candidates: none is cut before it is weighed

Setting = tuple[float, float, float, float, float, float]  # share, attributes, neighbour, second, session, speaker
NAMES = ("share", "attributes", "neighbour", "second_neighbour", "session", "speaker")


@dataclass(frozen=True, slots=True)
class Parts:
    """One question: for each (share, attributes), what the parts of weight 1 add to each candidate, (candidates, 5).

    Columns: own match, neighbour, second neighbour, session, speaker. Candidates are in order of their ids.
    """

    asked: Asked
    gold: NDArray[np.bool_]
    columns: dict[tuple[float, float], NDArray[np.float32]]

    def recall(self, setting: Setting) -> float:
        """Mean over the cutoffs of the share of evidence among the first units. Ties break by id."""
        share, attributes, neighbour, second, session, speaker = setting
        weights = np.array([1, neighbour, second, session, speaker], np.float32)
        scores = self.columns[share, attributes] @ weights
        order = np.argsort(-scores, kind="stable")[: max(CUTOFFS)]
        hits = np.cumsum(self.gold[order])
        found = [int(hits[min(k, len(hits)) - 1]) if len(hits) else 0 for k in CUTOFFS]
        return float(np.mean(found)) / len(self.asked.evidence)


def parts(memory: Memory, witness: Witness, questions: Iterable[Asked]) -> Iterator[Parts]:
    """One a question; `memory` was opened with `witness` as its reranker."""
    for asked in questions:
        memory.search(asked.text, user_id=asked.user_id, question_time=asked.time, limit=max(CUTOFFS))
        task, witness.task = witness.task, None
        if task is not None:
            yield _weighed(asked, task)


def _weighed(asked: Asked, task: RerankTask) -> Parts:
    evidence = Evidence(task.lexical, task.attributes, task.asking.vector, task.asking.named)
    columns: dict[tuple[float, float], NDArray[np.float32]] = {}
    ids: list[str] = []
    for share in SHARES:
        for attributes in ATTRIBUTES:
            weights = SupportWeights(
                semantic=share,
                lexical=1 - share,
                attributes=attributes,
                neighbour=1,
                second_neighbour=1,
                session=1,
                speaker=1,
            )
            fused = support(task.index, task.lists, evidence, weights, EVERYTHING, task.allowed)
            order = np.argsort(fused.rows)
            nothing = np.zeros(len(fused.rows), np.float32)
            own = sum((fused.parts.get(n, nothing) for n in ("lexical", "semantic", "event_attributes")), nothing)
            rest = [fused.parts.get(n, nothing) for n in ("neighbour", "second_neighbour", "session", "speaker")]
            ids = ids or task.index.ids(fused.rows[order])
            by_id = order[np.argsort(ids, kind="stable")]
            columns[share, attributes] = np.stack([own, *rest], axis=1)[by_id]
    return Parts(asked, np.array([unit_id in asked.evidence for unit_id in sorted(ids)]), columns)


def settings() -> list[Setting]:
    """The settings that are tried: drawn from the grid, seeded."""
    random = np.random.default_rng(SEED)
    axes = (SHARES, ATTRIBUTES, NEIGHBOUR, SECOND, SESSION, SPEAKER)
    drawn = {tuple(float(random.choice(axis)) for axis in axes) for _ in range(DRAWS)}
    return sorted(drawn)  # type: ignore[arg-type]


def table(found: Sequence[Parts], tried: Sequence[Setting]) -> NDArray[np.float64]:
    """(settings, questions) recall."""
    return np.array([[one.recall(setting) for one in found] for setting in said("settings", tried)])


def bagged(
    corpora: Sequence[tuple[NDArray[np.float64], Sequence[str]]], tried: Sequence[Setting]
) -> NDArray[np.float64]:
    """(resamples, 6) the best setting of each draw of conversations.

    `corpora`: of each its (settings, questions) recall, and the conversation that each question belongs to.
    """
    random = np.random.default_rng(SEED)
    sums = [_by_conversation(recall, owners) for recall, owners in corpora]
    best = []
    for _ in range(RESAMPLES):
        mean = np.zeros(len(tried))
        for totals, counts in sums:
            drawn = random.integers(0, len(counts), len(counts))
            mean += totals[:, drawn].sum(axis=1) / counts[drawn].sum()
        best.append(tried[int(np.argmax(mean))])
    return np.array(best)


def _by_conversation(
    recall: NDArray[np.float64], owners: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    names, member = np.unique(list(owners), return_inverse=True)
    totals = np.stack([recall[:, member == place].sum(axis=1) for place in range(len(names))], axis=1)
    return totals, np.bincount(member).astype(float)


def make(beam_folder: Path, dialogues: Path, out: Path) -> dict[str, object]:
    """Run the recipe, write `fusion.json` into `out`, return it."""
    out.mkdir(parents=True, exist_ok=True)
    witness = Witness()
    with Memory.open(out / "memories", settings=Settings(rerank="none"), reranker=witness) as memory:
        found = {
            "beam": list(parts(memory, witness, said("questions", list(beam(memory, beam_folder))))),
            "written": list(parts(memory, witness, said("questions", list(written(memory, dialogues, WRITERS))))),
        }
    tried = settings()
    recall = {name: table(rows, tried) for name, rows in found.items()}
    owners = {name: [one.asked.user_id for one in rows] for name, rows in found.items()}
    report: dict[str, object] = {}
    for name, used in (("both", list(found)), *((name, [name]) for name in found)):
        best = bagged([(recall[n], owners[n]) for n in used], tried)
        report[name] = _told(best, [recall[n] for n in used], tried)
    (out / "fusion.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    return report


def _told(best: NDArray[np.float64], recalls: Sequence[NDArray[np.float64]], tried: Sequence[Setting]) -> object:
    mean = np.mean([recall.mean(axis=1) for recall in recalls], axis=0)
    error = np.sqrt(sum(recall.var(axis=1) / recall.shape[1] for recall in recalls)) / len(recalls)
    first = int(np.argmax(mean))
    return {
        "bagged": dict(zip(NAMES, best.mean(axis=0).round(3).tolist(), strict=True)),
        "spread": dict(zip(NAMES, best.std(axis=0).round(3).tolist(), strict=True)),
        "single best": dict(zip(NAMES, tried[first], strict=True)),
        "recall of the single best": round(float(mean[first]), 4),
        "standard error": round(float(error[first]), 4),
        "questions": [recall.shape[1] for recall in recalls],
    }


def main() -> None:
    """Command line of the recipe."""
    parser = argparse.ArgumentParser(description="Tune the default fusion's weights.")
    parser.add_argument("--beam", type=Path, required=True, help="folder with 100K/1 … 100K/14")
    parser.add_argument("--dialogues", type=Path, required=True, help="folder of written dialogues")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    json.dump(make(given.beam, given.dialogues, given.out), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
