"""Sweeps of activation's choices over memories that are built once: fusions × channels, n, k, rerankers.

`python -m qgmem.evals.sweeps --data DIR --cache DIR --out FILE`, or `make sweeps DATA=DIR`. DIR holds
`locomo/locomo10.json` and `beam/100K`. Nothing is chosen here: the numbers say what a choice costs. BEAM chats 1–14,
on which the default was fitted, are reported apart from 15–20, which it has not seen.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from qgmem.activation.rerank import PoolReranker, RerankTask, rerank
from qgmem.errors import StoreError
from qgmem.generation.tokens import estimate_tokens
from qgmem.memory import Memory
from qgmem.protocols import TokenEmbedder, Vectors
from qgmem.registry import make_reranker
from qgmem.settings import Settings
from qgmem.stores.index import Rows
from qgmem.types import JsonValue

from .datasets.beam import load_beam
from .datasets.dialogue import Dataset, Question
from .datasets.locomo import load_locomo
from .manifest import build_manifest, model_identity
from .metrics.recall_acc import recall_acc
from .systems import MemorySystem

CUTOFFS = (5, 10, 25, 50)
K_VALUES = (1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 50, 75, 100)
N_VALUES = (10, 50, 100, 200)
FITTED = frozenset(f"100K/{number}" for number in range(1, 15))  # chats that the default's weights have seen
CHANNELS = ("lexical", "semantic", "event_attributes")


class Remembered:
    """An embedder that embeds a text once. Token vectors are kept as float16: 3e-4 of a cosine, half the memory."""

    def __init__(self, inner: TokenEmbedder) -> None:
        self.inner = inner
        self.id, self.dimension = inner.id, inner.dimension
        self.sem_match_threshold = float(getattr(inner, "sem_match_threshold", 0.60))
        self._vectors: dict[str, Vectors] = {}
        self._tokens: dict[str, Any] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, d) float32, rows of length 1."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._vectors]:
            self._vectors |= zip(new, self.inner.embed(new), strict=True)
        return np.stack([self._vectors[text] for text in texts])

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """One (tokens, d) array a text."""
        if new := [text for text in dict.fromkeys(texts) if text not in self._tokens]:
            found = self.inner.embed_tokens(new)
            self._tokens |= {text: rows.astype(np.float16) for text, rows in zip(new, found, strict=True)}
        return [self._tokens[text].astype(np.float32) for text in texts]


class Seen:
    """Puts the candidates in another reranker's order, or none's, and keeps the ids of the first hundred.

    A search for one unit then says what a search for a hundred would, without reading a hundred units. What follows
    reranking in a search (codes first, newest version first) is the same for every row, and not in these tables.
    """

    id = "seen"
    inline = True

    def __init__(self, inner: PoolReranker | None) -> None:
        self._inner = inner
        self.ids: list[str] = []
        self.failure: str | None = None

    def rerank(self, task: RerankTask) -> tuple[Rows, Any]:
        """The order, as it is."""
        fused = task.fused
        if self._inner is not None:
            outcome = rerank(task, self._inner, len(fused.rows), 600.0)
            fused, self.failure = outcome.fused, outcome.failure
        self.ids = task.index.ids(fused.rows[: max(K_VALUES)])
        return fused.rows, fused.scores


@dataclass(frozen=True, slots=True)
class Bench:
    """A memory folder with every conversation of `dataset` in it, and the groups that its questions fall into."""

    dataset: Dataset
    folder: Path
    groups: Mapping[str, Callable[[Question], bool]]

    @property
    def questions(self) -> list[Question]:
        """Those that can be scored: BEAM's without evidence cannot, LoCoMo's four count as found."""
        return [q for q in self.dataset.questions if q.evidence or self.dataset.name == "locomo"]

    def lengths(self) -> dict[str, dict[str, int]]:
        """Conversation → turn → estimated tokens of its words."""
        conversations = self.dataset.conversations
        return {c.id: {id: estimate_tokens(text) for id, text in c.texts().items()} for c in conversations}


@dataclass(frozen=True, slots=True)
class Measured:
    """One setting on one group of questions, at each of `K_VALUES`.

    `recall`: mean recall_acc; `tokens`: mean estimate for the turns' words; `not_reranked`: questions whose reranker
    did not do its part.
    """

    questions: int
    recall: Mapping[int, float]
    tokens: Mapping[int, float]
    not_reranked: int = 0


Row = tuple[list[str], Settings]  # names in the first columns, and what is measured


def benches(data: Path, cache: Path) -> list[Bench]:
    """The two benchmarks with the folders of their memories."""
    locomo = load_locomo(data / "locomo" / "locomo10.json")
    beam = load_beam(data / "beam" / "100K")
    return [
        Bench(locomo, cache / "locomo", {"LoCoMo": lambda _: True}),
        Bench(
            beam,
            cache / "100K",
            {
                "BEAM-100K, chats 15–20": lambda q: q.conversation_id not in FITTED,
                "BEAM-100K, chats 1–14 (the default was fitted on them)": lambda q: q.conversation_id in FITTED,
            },
        ),
    ]


def built(bench: Bench, embedder: TokenEmbedder) -> None:
    """Makes the memories that are not there yet, or not whole. Raises StoreError when a message is not stored."""
    with Memory.open(bench.folder, embedder=embedder, settings=Settings(rerank="none")) as memory:
        there = set(memory.namespaces()) if bench.folder.is_dir() else set()
        for conversation in bench.dataset.conversations:
            wanted = len(set(conversation.turn_ids))
            if conversation.id not in there or memory.stats(user_id=conversation.id).turns < wanted:
                report = MemorySystem(memory, conversation.id).build(conversation)
                if report.failed:
                    raise StoreError(f"{conversation.id}: {report.failed[0]}")


def measured(bench: Bench, settings: Settings, embedder: TokenEmbedder) -> dict[str, Measured]:
    """Asks every question once. One result a group."""
    rows: dict[str, list[tuple[list[float], list[float], bool]]] = {name: [] for name in bench.groups}
    lengths = bench.lengths()
    seen = Seen(make_reranker(settings, embedder))
    with Memory.open(bench.folder, embedder=embedder, settings=settings, reranker=seen) as memory:
        for question in bench.questions:
            embedder.embed([question.text])
            seen.ids = []
            memory.search(question.text, user_id=question.conversation_id, limit=1)
            recall = [recall_acc(question.evidence, seen.ids, k) for k in K_VALUES]
            spent = np.cumsum([0] + [lengths[question.conversation_id][id] for id in seen.ids])
            tokens = [float(spent[min(k, len(seen.ids))]) for k in K_VALUES]
            for name, inside in bench.groups.items():
                if inside(question):
                    rows[name].append((recall, tokens, seen.failure is not None))
    return {name: _summed(group) for name, group in rows.items()}


def _summed(rows: Sequence[tuple[list[float], list[float], bool]]) -> Measured:
    recall = np.mean([row[0] for row in rows], axis=0)
    tokens = np.mean([row[1] for row in rows], axis=0)
    return Measured(
        len(rows),
        dict(zip(K_VALUES, recall.tolist(), strict=True)),
        dict(zip(K_VALUES, tokens.tolist(), strict=True)),
        sum(row[2] for row in rows),
    )


def fusion_rows() -> Iterator[Row]:
    """Each fusion with all channels, each off, and each alone; entity–memory knows entities and cosine only."""
    for fusion in ("rrf", "default"):
        sets: dict[str, tuple[str, ...]] = {"all": CHANNELS}
        sets |= {f"without {off}": tuple(name for name in CHANNELS if name != off) for off in CHANNELS}
        sets |= {f"{only} alone": (only,) for only in CHANNELS if fusion == "rrf"}
        for name, channels in sets.items():
            yield [fusion, name], Settings.load({}, fusion=fusion, channels=channels, rerank="none")
    yield ["entity_memory", "entities and cosine"], Settings(fusion="entity_memory", rerank="none")
    yield ["entity_memory", "entities alone"], Settings(fusion="entity_memory", channels=("lexical",), rerank="none")


def n_rows() -> Iterator[Row]:
    """Candidates a channel."""
    for fusion in ("rrf", "default"):
        for n in N_VALUES:
            yield [fusion, str(n)], Settings.load({}, fusion=fusion, n=n, rerank="none")


def rerank_rows(rerankers: Sequence[str]) -> Iterator[Row]:
    """The fused order against each local reranker's."""
    for fusion in ("rrf", "entity_memory", "default"):
        for name in rerankers:
            yield [fusion, name], Settings.load({}, fusion=fusion, rerank=name)


def table(head: Sequence[str], rows: Sequence[tuple[list[str], Measured]]) -> str:
    """A Markdown table; recall in per cent."""
    lines = [f"| {' | '.join([*head, *(f'@{k}' for k in CUTOFFS)])} |"]
    lines.append(f"|{'---|' * len(head)}{'---:|' * len(CUTOFFS)}")
    for names, found in rows:
        cells = [f"{100 * found.recall[k]:.2f}" for k in CUTOFFS]
        note = f" ({found.not_reranked} not reranked)" if found.not_reranked else ""
        lines.append(f"| {' | '.join([*names, *cells])}{note} |")
    return "\n".join(lines)


def k_table(columns: Mapping[str, Measured]) -> str:
    """Recall and length by k, one pair of columns a reranker."""
    lines = ["| k |" + "".join(f" {name}: recall | {name}: tokens |" for name in columns)]
    lines.append("|---:|" + "---:|---:|" * len(columns))
    for k in K_VALUES:
        cells = "".join(f" {100 * one.recall[k]:.2f} | {one.tokens[k]:.0f} |" for one in columns.values())
        lines.append(f"| {k} |{cells}")
    return "\n".join(lines)


def sections(bench: Bench, embedder: TokenEmbedder, rerankers: Sequence[str]) -> Iterator[str]:
    """The page's part about one benchmark. A setting that stands in two tables is measured once."""
    known: dict[str, dict[str, Measured]] = {}

    def of(settings: Settings) -> dict[str, Measured]:
        key = settings.model_dump_json()
        if key not in known:
            known[key] = measured(bench, settings, embedder)
            recall = " ".join(f"{100 * known[key][next(iter(bench.groups))].recall[k]:.2f}" for k in CUTOFFS)
            what = f"{settings.fusion} {'+'.join(settings.channels)} n={settings.n} {settings.rerank}"
            print(f"{bench.folder.name} {what}: {recall}", file=sys.stderr, flush=True)
        return known[key]

    tables = [
        ("Fusions and channels, no reranker", ("fusion", "channels"), list(fusion_rows())),
        ("Candidates a channel (n), no reranker", ("fusion", "n"), list(n_rows())),
        ("Rerankers", ("fusion", "reranker"), list(rerank_rows(rerankers))),
    ]
    for group in bench.groups:
        yield f"## {group}: {of(tables[0][2][0][1])[group].questions} questions"
        for title, head, rows in tables:
            yield f"### {title}"
            yield table(head, [(names, of(settings)[group]) for names, settings in rows])
        yield "### Units of working memory (k), default fusion"
        yield k_table({name: of(Settings.load({}, rerank=name))[group] for name in rerankers})


def page(data: Path, cache: Path, embedder: TokenEmbedder, rerankers: Sequence[str]) -> str:
    """The whole of `docs/results/sweeps.md`."""
    found, parts = benches(data, cache), [_HEAD]
    remembered = Remembered(embedder)
    for bench in found:
        built(bench, embedder)
        parts += sections(bench, remembered, rerankers)
    settings: dict[str, JsonValue] = Settings().model_dump(mode="json")
    manifest = build_manifest(
        files=[file for bench in found for file in bench.dataset.files],
        settings=settings,
        system={"name": "qgmem", "models": {"embedder": model_identity(embedder)}},
        seed=None,
    )
    data_sha256 = manifest.pop("data")
    del manifest["command"]
    manifest["data_sha256"] = data_sha256["sha256"] if isinstance(data_sha256, dict) else None
    parts += ["## Manifest", "```json\n" + json.dumps(manifest, indent=1, ensure_ascii=False) + "\n```"]
    return "\n\n".join(parts) + "\n"


_HEAD = """# What each choice of activation costs

Made by `make sweeps DATA=DIR`; `docs/design/activation.md` says what it shows. Nothing is chosen from this page.

recall_acc in per cent over distinct turns, higher is better; verbatim units, no language model. `rrf` over three
channels, n = 100, κ = 60 is QGMem's hybrid retrieval ([Q] III-B1) with SemMatch at the embedder's own threshold (.36;
the paper's .60 belongs to BGE); `entity_memory` is [E] over our rules' graph and keys. Tokens are estimated from the
turns' words. The order is that of fusion or reranker: what a search does after them (units with a code of the
question first, the newest version of a claim first) is not in these tables."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the arguments, writes the page."""
    from qgmem.models.onnx import MiniLM

    parser = argparse.ArgumentParser(prog="python -m qgmem.evals.sweeps", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of benchmark data")
    parser.add_argument("--cache", type=Path, default=Path("out/sweeps"), help="where the memories are kept")
    parser.add_argument("--out", type=Path, default=Path("docs/results/sweeps.md"))
    parser.add_argument("--rerankers", default="none,learned", help="local ones, comma between; `late` takes an hour")
    given = parser.parse_args(arguments)
    text = page(given.data, given.cache, MiniLM(2), given.rerankers.split(","))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
