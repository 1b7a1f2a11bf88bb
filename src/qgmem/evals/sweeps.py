"""Sweeps of activation's choices over memories that are built once: fusions × channels, n, k, rerankers.

`python -m qgmem.evals.sweeps --data DIR --cache DIR --out FILE`, or `make sweeps DATA=DIR`. DIR holds
`locomo/locomo10.json` and `beam/100K`. Nothing is chosen here: the numbers say what a choice costs. BEAM chats 1–14,
on which the default was fitted, are reported apart from 15–20, which it has not seen.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from qgmem.errors import StoreError
from qgmem.generation.serialise import estimate_tokens, unit_line
from qgmem.memory import Memory
from qgmem.protocols import TokenEmbedder, Vectors
from qgmem.settings import Settings
from qgmem.types import Hit, JsonValue

from .datasets.beam import load_beam
from .datasets.dialogue import Dataset, Question
from .datasets.locomo import load_locomo
from .manifest import build_manifest, model_identity
from .metrics.recall_acc import recall_acc
from .metrics.turn_ids import turn_ids_at
from .progress import progress
from .systems import MemorySystem

CUTOFFS = (5, 10, 25, 50)
K_VALUES = (1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 50, 75, 100)
N_VALUES = (10, 25, 50, 100, 200, 400)
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


@dataclass(frozen=True, slots=True)
class Measured:
    """One setting on one group of questions: mean recall_acc by cutoff, and p50 of a search in milliseconds.

    Searches are timed with the questions' vectors at hand: what activation itself takes. `tokens`: mean length
    of the context by cutoff.
    """

    questions: int
    recall: Mapping[int, float]
    tokens: Mapping[int, float]
    p50_ms: float
    not_reranked: int = 0


def benches(data: Path, cache: Path) -> list[Bench]:
    """The two benchmarks with the folders of their memories."""
    everyone: Callable[[Question], bool] = lambda _: True  # noqa: E731
    unseen: Callable[[Question], bool] = lambda q: q.conversation_id not in FITTED  # noqa: E731
    fitted: Callable[[Question], bool] = lambda q: q.conversation_id in FITTED  # noqa: E731
    return [
        Bench(load_locomo(data / "locomo" / "locomo10.json"), cache / "locomo", {"LoCoMo": everyone}),
        Bench(
            load_beam(data / "beam" / "100K"),
            cache / "100K",
            {"BEAM-100K 15–20": unseen, "BEAM-100K 1–14 (fitted)": fitted},
        ),
    ]


def built(bench: Bench, embedder: TokenEmbedder) -> None:
    """Makes the memories that are not there yet, or not whole. Raises StoreError when a message is not stored."""
    with Memory.open(bench.folder, embedder=embedder, settings=Settings(rerank="none")) as memory:
        there = set(memory.namespaces()) if bench.folder.is_dir() else set()
        with progress(f"building {bench.folder.name}", len(bench.dataset.conversations)) as bar:
            for conversation in bench.dataset.conversations:
                wanted = len(set(conversation.turn_ids))
                if conversation.id not in there or memory.stats(user_id=conversation.id).turns < wanted:
                    report = MemorySystem(memory, conversation.id).build(conversation)
                    if report.failed:
                        raise StoreError(f"{conversation.id}: {report.failed[0]}")
                bar.advance()


def measured(
    bench: Bench, settings: Settings, embedder: TokenEmbedder, cutoffs: Sequence[int]
) -> dict[str, Measured]:
    """Asks every question once, for as many units as the largest cutoff. One result a group."""
    rows: dict[str, list[tuple[list[float], list[float], float, bool]]] = {name: [] for name in bench.groups}
    with (
        Memory.open(bench.folder, embedder=embedder, settings=settings) as memory,
        progress(f"{bench.folder.name} {label(settings)}", len(bench.questions)) as bar,
    ):
        for question in bench.questions:
            embedder.embed([question.text])
            start = perf_counter()
            hits = memory.search(question.text, user_id=question.conversation_id, limit=max(cutoffs))
            taken = 1000 * (perf_counter() - start)
            found = turn_ids_at(hits, max(cutoffs))
            recall = [recall_acc(question.evidence, found, k) for k in cutoffs]
            failed = any(flag.startswith("not-reranked") for hit in hits for flag in hit.flags)
            for name, inside in bench.groups.items():
                if inside(question):
                    rows[name].append((recall, _tokens(hits, cutoffs), taken, failed))
            bar.advance()
    return {name: _summed(group, cutoffs) for name, group in rows.items()}


def _tokens(hits: Sequence[Hit], cutoffs: Sequence[int]) -> list[float]:
    total = np.cumsum([0] + [estimate_tokens(unit_line(hit.unit, hit.rank)) for hit in hits])
    return [float(total[min(k, len(hits))]) for k in cutoffs]


def _summed(rows: Sequence[tuple[list[float], list[float], float, bool]], cutoffs: Sequence[int]) -> Measured:
    recall = np.mean([row[0] for row in rows], axis=0)
    tokens = np.mean([row[1] for row in rows], axis=0)
    return Measured(
        len(rows),
        dict(zip(cutoffs, recall.tolist(), strict=True)),
        dict(zip(cutoffs, tokens.tolist(), strict=True)),
        float(np.median([row[2] for row in rows])),
        sum(row[3] for row in rows),
    )


def label(settings: Settings) -> str:
    """What a row is called."""
    off = [name for name in CHANNELS if name not in settings.channels]
    return f"{settings.fusion} {'−'.join(['all', *off])} n={settings.n} {settings.rerank}"


def channel_sets() -> Iterator[tuple[str, tuple[str, ...]]]:
    """All on, each off, each alone."""
    yield "all", CHANNELS
    for off in CHANNELS:
        yield f"without {off}", tuple(name for name in CHANNELS if name != off)
    for only in CHANNELS:
        yield f"{only} alone", (only,)


Measure = Callable[[Settings, Sequence[int]], dict[str, Measured]]


def fusion_table(measure: Measure) -> Iterator[tuple[list[str], dict[str, Measured]]]:
    """rrf, entity_memory, default by channels, no reranker. The entity–memory fusion has no lexical channel."""
    for fusion in ("rrf", "entity_memory", "default"):
        for name, channels in channel_sets():
            if fusion == "entity_memory" and name not in ("all", "without semantic"):
                continue
            shown = {"all": "entities + cosine", "without semantic": "entities alone"}.get(name, name)
            yield (
                [fusion, shown if fusion == "entity_memory" else name],
                measure(Settings.load({}, fusion=fusion, channels=channels, rerank="none"), CUTOFFS),
            )


def n_table(measure: Measure) -> Iterator[tuple[list[str], dict[str, Measured]]]:
    """Candidates a channel; no more than n are asked for, since asking for more would raise n."""
    for fusion in ("rrf", "default"):
        for n in N_VALUES:
            settings = Settings.load({}, fusion=fusion, n=n, rerank="none")
            yield [fusion, str(n)], measure(settings, [k for k in CUTOFFS if k <= n])


def rerank_table(measure: Measure, rerankers: Sequence[str]) -> Iterator[tuple[list[str], dict[str, Measured]]]:
    """The fused order against each local reranker's."""
    for fusion in ("rrf", "entity_memory", "default"):
        for name in rerankers:
            settings = Settings.load({}, fusion=fusion, rerank=name, rerank_seconds=600)
            yield [fusion, name], measure(settings, CUTOFFS)


def table(head: Sequence[str], rows: Sequence[tuple[list[str], Measured]], cutoffs: Sequence[int]) -> str:
    """A Markdown table; recall in per cent, `–` where it was not asked for."""
    lines = [f"| {' | '.join([*head, *(f'@{k}' for k in cutoffs), 'ms'])} |"]
    lines.append(f"|{'---|' * len(head)}{'---:|' * (len(cutoffs) + 1)}")
    for names, found in rows:
        cells = [f"{100 * found.recall[k]:.2f}" if k in found.recall else "–" for k in cutoffs]
        note = f" ({found.not_reranked} not reranked)" if found.not_reranked else ""
        lines.append(f"| {' | '.join([*names, *cells, f'{found.p50_ms:.1f}{note}'])} |")
    return "\n".join(lines)


def k_table(rerankers: Sequence[str], found: Sequence[Measured]) -> str:
    """Recall and context length by k, one pair of columns a reranker."""
    lines = ["| k |" + "".join(f" {name} recall | {name} tokens |" for name in rerankers)]
    lines.append("|---:|" + "---:|---:|" * len(rerankers))
    for k in K_VALUES:
        cells = "".join(f" {100 * one.recall[k]:.2f} | {one.tokens[k]:.0f} |" for one in found)
        lines.append(f"| {k} |{cells}")
    return "\n".join(lines)


def report(data: Path, cache: Path, embedder: TokenEmbedder, rerankers: Sequence[str]) -> str:
    """The whole page."""
    parts = [_HEAD]
    found = benches(data, cache)
    remembered = Remembered(embedder)
    sections: dict[str, list[str]] = {}
    for bench in found:
        built(bench, embedder)
        measure = partial(_asked, bench, remembered)
        fusions, ns = list(fusion_table(measure)), list(n_table(measure))
        reranked = list(rerank_table(measure, rerankers))
        by_k = [measure(Settings(rerank=name, rerank_seconds=600), K_VALUES) for name in ("none", "learned")]
        for group in bench.groups:
            rows = partial(_of, group)
            sections[group] = [
                f"## {group}: {reranked[0][1][group].questions} questions",
                "### Fusions and channels, no reranker",
                table(("fusion", "channels"), rows(fusions), CUTOFFS),
                "### Candidates a channel (n), no reranker",
                table(("fusion", "n"), rows(ns), CUTOFFS),
                "### Rerankers",
                table(("fusion", "reranker"), rows(reranked), CUTOFFS),
                "### Units of working memory (k), default fusion",
                k_table(("none", "learned"), [one[group] for one in by_k]),
            ]
    for section in sections.values():
        parts += section
    manifest = build_manifest(
        files=[file for bench in found for file in bench.dataset.files],
        settings=_dumped(Settings()),
        system={"name": "qgmem", "models": {"embedder": model_identity(embedder)}},
        seed=None,
    )
    manifest["data"] = manifest["data"]["sha256"]  # type: ignore[index,call-overload]
    parts += ["## Manifest", "```json\n" + json.dumps(manifest, indent=1, ensure_ascii=False) + "\n```"]
    return "\n\n".join(parts) + "\n"


def _asked(bench: Bench, embedder: TokenEmbedder, settings: Settings, cutoffs: Sequence[int]) -> dict[str, Measured]:
    return measured(bench, settings, embedder, cutoffs)


def _of(group: str, rows: Sequence[tuple[list[str], dict[str, Measured]]]) -> list[tuple[list[str], Measured]]:
    return [(names, found[group]) for names, found in rows]


def _dumped(settings: Settings) -> dict[str, JsonValue]:
    dumped: dict[str, JsonValue] = settings.model_dump(mode="json")
    return dumped


_HEAD = """# Sweeps of activation

Made by `make sweeps DATA=DIR`; what it says is discussed in `docs/design/activation.md`. Evidence recall (recall_acc,
per cent, higher is better) over distinct turns; verbatim construction, the default embedder, no language model. `ms`
is the median time of a search with the question's vector at hand, on the machine of the run, which had other work."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads the arguments, writes the page."""
    from qgmem.models.onnx import MiniLM

    parser = argparse.ArgumentParser(prog="python -m qgmem.evals.sweeps", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of benchmark data")
    parser.add_argument("--cache", type=Path, default=Path("out/sweeps"), help="where the memories are kept")
    parser.add_argument("--out", type=Path, default=Path("docs/results/sweeps.md"))
    parser.add_argument("--rerankers", default="none,learned", help="local ones, comma between; `late` takes an hour")
    given = parser.parse_args(arguments)
    page = report(given.data, given.cache, MiniLM(2), given.rerankers.split(","))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
