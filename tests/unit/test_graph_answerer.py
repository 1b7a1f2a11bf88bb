"""`ask` by a local model that reads graph tokens. Needs torch; skipped by name without."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qgmem.errors import InvalidInput
from qgmem.generation.answer_form import SHORT
from qgmem.generation.graph_answerer import GraphAnswerer
from qgmem.generation.graph_token import GraphToken, GraphTokenShape
from qgmem.generation.local_graph import Edge, LocalGraph, Node
from qgmem.memory import Memory
from qgmem.models.chat import ChatAnswer, ChatRequest
from qgmem.models.hf_chat import Ended, HfChat, Prompt
from qgmem.models.scripted import HashEmbedder
from qgmem.protocols import Answerer

for needed in ("torch", "torch_geometric", "transformers"):
    pytest.importorskip(needed, reason=f"needs {needed}: pip install 'qgmem[graph]'")

from tiny_models import tiny  # noqa: E402 - needs what may be missing

EMBEDDER = HashEmbedder(16)
GRAPH = LocalGraph((Node("ana", "Ana"), Node("oslo", "Oslo")), (Edge(0, 1, "lives in", "u1"),))
REQUEST = ChatRequest("answer/1", "Be brief.", "Where does Ana live?", max_tokens=12)


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> HfChat:
    return HfChat(tiny("qwen", tmp_path_factory.mktemp("models")), threads=1)


def answerer(llm: HfChat, tokens: int = 2, rms: float = 1.0) -> GraphAnswerer:
    shape = GraphTokenShape(16, llm.width, tokens)
    return GraphAnswerer(llm, GraphToken(shape, output_rms=rms), EMBEDDER.embed)


def test_the_graph_is_read_as_so_many_tokens_and_decides(llm: HfChat) -> None:
    """Two tokens more than the words alone; another graph, another answer of a model with random weights."""
    with_graph = answerer(llm)
    assert isinstance(with_graph, Answerer)
    found = with_graph.complete(REQUEST, GRAPH)
    assert found.tokens_in == llm.complete(REQUEST).tokens_in + 2
    assert found == with_graph.complete(REQUEST, GRAPH)
    others = [replace(GRAPH, edges=(replace(GRAPH.edges[0], predicate=word),)) for word in ("left", "hates", "drew")]
    assert {answerer(llm, rms=9.0).complete(REQUEST, one).text for one in [GRAPH, *others, LocalGraph()]} != {
        found.text
    }
    assert list(with_graph.stream(REQUEST, GRAPH)) == [found.text, found]


def test_the_name_tells_tokens_apart_by_their_weights(llm: HfChat) -> None:
    shape = GraphTokenShape(16, llm.width)
    first, second = (GraphAnswerer(llm, GraphToken(shape, seed=seed), EMBEDDER.embed).id for seed in (0, 1))
    assert first.startswith(f"{llm.id}+graph-1-sha256:")
    assert first != second


def test_a_token_for_another_model_is_refused(llm: HfChat) -> None:
    with pytest.raises(InvalidInput, match="graph_token: is 7 wide, tiny-qwen is 32"):
        GraphAnswerer(llm, GraphToken(GraphTokenShape(16, 7)), EMBEDDER.embed)


def test_ask_hands_it_the_local_graph(llm: HfChat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The vectors that reach the model are those of the answer's own local graph."""
    seen: list[np.ndarray] = []

    def generate(prompts: list[Prompt], vectors: np.ndarray, *, max_tokens: int, ended: Ended) -> list[ChatAnswer]:
        assert max_tokens > 0
        seen.append(vectors)
        opening = llm._tokenizer.decode(prompts[0].after)[-len(SHORT.opening) :]
        assert opening == SHORT.opening
        assert ended('"MU1"], "answer": "Oslo"}')
        return [ChatAnswer('"MU1"], "answer": "Oslo"}', 9, 9) for _ in prompts]

    monkeypatch.setattr(llm, "generate", generate)
    model = GraphToken(GraphTokenShape(16, llm.width))
    with Memory.open(tmp_path / "m", embedder=EMBEDDER) as memory:
        memory.add([{"role": "user", "name": "Ana", "content": "I live in Oslo."}], user_id="ana")
        found = memory.ask("Where does Ana live?", user_id="ana", chat=GraphAnswerer(llm, model, EMBEDDER.embed))
    assert (found.answer, [each.label for each in found.citations]) == ("Oslo", ["MU1"])
    assert found.tokens["graph"] == 1
    assert "[F1]" not in found.context.text
    expected = answerer_vectors(model, found.local_graph)
    assert seen[0] == pytest.approx(expected)


def answerer_vectors(model: GraphToken, graph: LocalGraph) -> np.ndarray:
    from qgmem.generation.graph_arrays import graph_arrays

    edges = [(edge.source, edge.predicate, edge.target) for edge in graph.edges]
    assert edges
    return model.tokens(graph_arrays([node.text for node in graph.nodes], edges, EMBEDDER.embed, 16))[None]
