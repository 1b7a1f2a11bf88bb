"""The memory, with and without its reranker, beside the plain controls: same texts, same vectors, one run.

    make bench-matched DATA=DIR OUT=DIR

Runs LoCoMo whole and BEAM's held-out chats (100K/15–20, and those of 500K), compares question by question, and
writes a folder a system, `comparison.md`, and the tables of `summary.md`. Vectors are made once and shared, so the
latencies of later systems leave the embedding out; `qgmem bench` measures latency.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ..models.onnx import MiniLM
from ..pieces import AskedPieces, Pieces
from ..protocols import Vectors
from ..settings import Settings
from .compare import compare_runs, comparisons_table, read_run
from .protocol import SystemFactory
from .report import Report
from .systems import open_system
from .tasks.beam import run_beam
from .tasks.locomo import run_locomo

HELD_OUT = frozenset({*(f"100K/{number}" for number in range(15, 21)), "500K/1", "500K/2"})
SYSTEMS = ("bm25", "dense", "rrf", "qgmem-plain", "qgmem")
CUTOFFS = {"locomo": (5, 10, 25, 50), "beam": (10, 25)}


class RememberingEmbedder:
    """MiniLM that embeds each text once in a run."""

    sem_match_threshold = MiniLM.sem_match_threshold

    def __init__(self, threads: int) -> None:
        self._inner = MiniLM(threads)
        self.id, self.dimension = self._inner.id, self._inner.dimension
        self._seen: dict[str, tuple[Vectors, Pieces]] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """(n, 384) float32."""
        return self.embed_pieces(texts)[0]

    def embed_pieces(self, texts: Sequence[str]) -> tuple[Vectors, list[Pieces]]:
        """(n, 384) float32, and the pieces of each text."""
        new = list(dict.fromkeys(text for text in texts if text not in self._seen))
        vectors, pieces = self._inner.embed_pieces(new)
        self._seen.update(zip(new, zip(vectors, pieces, strict=True), strict=True))
        return np.stack([self._seen[text][0] for text in texts]), [self._seen[text][1] for text in texts]

    def embed_question(self, text: str) -> tuple[Vectors, AskedPieces]:
        """(1, 384) float32, and the question's pieces."""
        return self._inner.embed_question(text)


def run(data: Path, out: Path, embedder: RememberingEmbedder) -> None:
    """Everything, into `out`. `data` holds `locomo/locomo10.json` and `beam/`."""
    tasks: dict[str, Callable[[SystemFactory, Path], Report]] = {
        "locomo": lambda factory, folder: run_locomo(data / "locomo" / "locomo10.json", folder, factory),
        "beam": lambda factory, folder: run_beam(data / "beam", folder, factory, chats=HELD_OUT),
    }
    lines: list[str] = []
    for task, measure in tasks.items():
        names = [f"recall_acc@{k}" for k in CUTOFFS[task]]
        lines += [f"## {task}", "", f"| system | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
        for system in SYSTEMS:
            settings = Settings.load(rerank="none") if system == "qgmem-plain" else Settings.load()
            with open_system(system.removesuffix("-plain"), embedder=embedder, settings=settings) as factory:
                report = measure(factory, out / task / system)
            lines.append(f"| {system} | " + " | ".join(f"{report.metrics[name]:.4f}" for name in names) + " |")
        ours = read_run(out / task / "qgmem")
        table = []
        for system in SYSTEMS[:-1]:
            table += compare_runs(read_run(out / task / system), {f"qgmem − {system}": ours}, names)
        lines += ["", comparisons_table(table), ""]
        (out / "summary.md").write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="The memory beside plain controls, in one run.")
    parser.add_argument("--data", type=Path, required=True, help="folder with locomo/ and beam/")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    run(given.data, given.out, RememberingEmbedder(Settings.load().threads))
    print((given.out / "summary.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
