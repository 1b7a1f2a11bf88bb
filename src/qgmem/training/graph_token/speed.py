"""How long a local graph and its token take, whatever the size of the memory.

    python -m qgmem.training.graph_token.speed OUT [TURNS …]

For memories of so many turns: 30 questions, k = 10, texts embedded before; build, arrays, encoding, three times each.
"""

from __future__ import annotations

import sys
import time
from itertools import islice
from pathlib import Path

import numpy as np

from ...generation.graph_arrays import graph_arrays
from ...generation.graph_token import GraphToken, GraphTokenShape
from ...generation.local_graph import local_graph
from ...synthetic import load_turns, simulate
from ...types import Triple
from .run import unanswered

WIDTHS = (576, 4096)  # SmolLM2-135M, Qwen3-8B
QUESTIONS, REPEATS, K, SEED = 30, 3, 10, 3


def measure(folder: Path, turns: int, llm_width: int) -> list[tuple[float, float]]:
    """(CPU ms, wall ms) of every repeat of every question."""
    user = f"turns-{turns}"
    found = []
    with unanswered(folder / "memories", "minilm") as memory:
        if user not in memory.namespaces():
            memory.add([message.record() for message in load_turns(turns, SEED)], user_id=user)
        token = GraphToken(GraphTokenShape(memory.embedder.dimension, llm_width))
        asked = (question.text for life in simulate(3, 1.0, SEED) for question in life.questions)
        for text in islice(asked, QUESTIONS):
            activated = memory.ask(text, user_id=user, limit=K)
            units, graph = [hit.unit for hit in activated.working_memory], activated.local_graph
            triples = {
                edge.unit_id: Triple(graph.nodes[edge.source].text, edge.predicate, graph.nodes[edge.target].text)
                for edge in graph.facts
            }
            texts = list({*(node.text for node in graph.nodes), *(edge.predicate for edge in graph.edges)})
            known = dict(zip(texts, memory.embedder.embed(texts), strict=True))
            for repeat in range(REPEATS + 1):
                cpu, wall = time.process_time(), time.perf_counter()
                graph = local_graph(units, triples)
                edges = [(edge.source, edge.predicate, edge.target) for edge in graph.edges]
                arrays = graph_arrays(
                    [node.text for node in graph.nodes],
                    edges,
                    lambda wanted, known=known: np.stack([known[one] for one in wanted]),  # type: ignore[misc]
                    memory.embedder.dimension,
                )
                token.tokens(arrays)
                if repeat:  # the first one warms up
                    found.append((1e3 * (time.process_time() - cpu), 1e3 * (time.perf_counter() - wall)))
    return found


def main() -> None:
    """A line for each memory and width."""
    import torch

    torch.set_num_threads(1)
    folder, *sizes = sys.argv[1:]
    for turns in map(int, sizes or ("300", "3000")):
        for width in WIDTHS:
            cpu, wall = zip(*measure(Path(folder), turns, width), strict=True)
            shown = (f"{name} ms median {np.median(ms):.1f}, p95 {np.quantile(ms, 0.95):.1f}" for name, ms in
                     (("CPU", cpu), ("wall", wall)))  # fmt: skip
            print(f"{turns} turns, model width {width}: {'; '.join(shown)}")


if __name__ == "__main__":
    main()
