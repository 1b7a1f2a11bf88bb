"""Everything that is measured at one size, as one record that can be kept as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from qgmem.activation.learned import LearnedReranker
from qgmem.construction.entities import RuleExtractor
from qgmem.models.onnx import MiniLM
from qgmem.namespace import Namespace
from qgmem.protocols import Embedder
from qgmem.settings import Settings
from qgmem.stores.folder import DATABASE, SNAPSHOT, namespace_folder
from qgmem.types import JsonValue

from ..progress import progress
from . import exact, opening, writing
from .asking import Answer, Asker, by_stage, questions
from .drawn import DrawnEmbedder
from .load import READ_UP_TO, fill
from .measure import Spread, TimedEmbedder, folder_bytes

SizeResult = dict[str, JsonValue]

QUESTIONS, COMPARED = 200, 50  # asked; compared with exact search
ROUNDS = 20  # of ten turns
VECTORS = ("embedded", "drawn")


def measure_size(n: int, embed_up_to: int, folder: Path, *, show: bool = True) -> SizeResult:
    """Fill a namespace under `folder` with `n` turns, or take the one that is there, and measure it.

    Vectors of more than `embed_up_to` turns are drawn, and the result says so.
    """
    drawn = n > embed_up_to
    model: Embedder = DrawnEmbedder() if drawn else MiniLM(threads=1)
    embedder, extractor, user = TimedEmbedder(model, remember=False), RuleExtractor(), str(n)
    place = namespace_folder(folder, user)
    space = Namespace(place, user, Settings(), embedder.id, embedder.dimension)
    try:
        ingested = n - space.store.stats().turns
        ingest = fill(space, n, embedder, extractor, show=show)
        found: SizeResult = {
            "units": n,
            "vectors": VECTORS[drawn],
            "attributes": "drawn" if n > READ_UP_TO else "read",
            "embedder": embedder.id,
        }
        found["phrases"] = space.store.stats().phrases
        if not (place / SNAPSHOT).exists():  # a run was interrupted before it was made
            space.index.fold(force=True)
        found["ingest"] = {
            "turns": ingested,
            "wall_s": ingest.wall,
            "cpu_s": ingest.cpu,
            "embedding_cpu_s": embedder.cpu,
        }
        space.close(fold=False)  # the log goes into the file, and nobody else has it open
        found["disk_bytes"] = {"store": folder_bytes(place, f"{DATABASE}*"), "index": folder_bytes(place, SNAPSHOT)}
        found |= _opened(place, user, embedder.id, n)
        space = Namespace(place, user, Settings(), embedder.id, embedder.dimension)
        asked = questions(n, QUESTIONS)
        answers = _asked(space, model, extractor, asked, show)
        found["query_cpu_ms"] = _by_stage(answers)
        found["query_wall_ms"] = asdict(Spread.of([answer.wall for answer in answers]))
        index = space.index.current()
        vectors = embedder.embed(asked[:: max(1, len(asked) // COMPARED)])
        found["dense"] = exact.dense(index, vectors).to_json()
        found["words"] = exact.words(space, index, asked[:: max(1, len(asked) // COMPARED)]).to_json()
        added, ids = writing.add(space, model, extractor, ROUNDS)
        found["add"] = added.to_json()
        answers = _asked(space, model, extractor, asked[::4], show)
        found["query_cpu_ms_with_delta"] = _by_stage(answers)
        found["delete"] = writing.delete(space, ids, 2 if n <= 100_000 else 1).to_json()
    finally:
        space.close(fold=False)
    return found


def _asked(
    space: Namespace, embedder: Embedder, extractor: RuleExtractor, asked: Sequence[str], show: bool
) -> list[Answer]:
    asker = Asker(space, embedder, extractor, LearnedReranker())
    for question in asked:  # embedded and looked up once: what is measured is the steady state
        asker.ask(question)
    answers = []
    with progress("ask", len(asked), show) as bar:
        for question in asked:
            answers.append(asker.ask(question))
            bar.advance()
    return answers


def _by_stage(answers: Sequence[Answer]) -> dict[str, JsonValue]:
    return {stage: asdict(Spread.of(seconds)) for stage, seconds in by_stage(answers).items()}


def _opened(place: Path, user: str, embedder_id: str, n: int) -> dict[str, JsonValue]:
    """Seconds of a cold open, the best of three processes, and what is resident before, after, and after asking."""
    warm = [opening.open_cold(place, user, embedder_id, n, drop=False) for _ in range(3)]
    return {
        "open": {
            "s": min(one.wall for one in warm),
            "cpu_s": min(one.cpu for one in warm),
            "from_disk_s": opening.open_cold(place, user, embedder_id, n, drop=True).wall,
        },
        "resident_bytes": {
            "before": dict(warm[-1].before),
            "opened": dict(warm[-1].opened),
            "asked": dict(warm[-1].asked),
        },
    }
