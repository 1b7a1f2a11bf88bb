"""The graph token against a plain computation, and what must not change it. Needs torch; skipped by name without."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from qgmem.errors import InvalidInput
from qgmem.generation.graph_arrays import GraphArrays, graph_arrays
from qgmem.generation.graph_token import GraphToken, GraphTokenShape, stacked

torch = pytest.importorskip("torch", reason="needs torch: pip install 'qgmem[graph]'")
pytest.importorskip("torch_geometric", reason="needs torch-geometric: pip install 'qgmem[graph]'")

SHAPE = GraphTokenShape(width=8, llm_width=6, tokens=2, heads=4, hidden=16)


def drawn(seed: int, n: int, edges: list[tuple[int, int]], width: int = 8) -> GraphArrays:
    """A graph with random vectors and the given edges."""
    random = np.random.default_rng(seed)
    return GraphArrays(
        random.standard_normal((n, width)).astype(np.float32),
        np.array(edges, np.int64).reshape(-1, 2).T.copy(),
        random.standard_normal((len(edges), width)).astype(np.float32),
    )


def test_one_layer_is_the_equation_of_the_docstring() -> None:
    """Four nodes, two edges into one of them, two parallel edges, one node apart: the sums written out by hand."""
    graph = drawn(1, 4, [(0, 2), (1, 2), (2, 0), (2, 0)])
    layer = GraphToken(replace(SHAPE, layers=1), seed=3).layers[0]
    weights = {name: value.detach().numpy().astype(np.float64) for name, value in layer.state_dict().items()}
    x, r = graph.nodes.astype(np.float64), graph.predicates.astype(np.float64)

    def linear(name: str, rows: np.ndarray) -> np.ndarray:
        return rows @ weights[f"lin_{name}.weight"].T + weights.get(f"lin_{name}.bias", 0.0)

    query, key, value = linear("query", x), linear("key", x), linear("value", x)
    edge, out = linear("edge", r), linear("skip", x)
    for node in range(4):
        into = [at for at in range(4) if graph.edges[1, at] == node]
        for head in range(4):
            part = slice(2 * head, 2 * head + 2)  # d/H = 8/4
            logits = [query[node, part] @ (key[graph.edges[0, at]] + edge[at])[part] / 2**0.5 for at in into]
            share = np.exp(logits) / np.exp(logits).sum() if into else []
            for alpha, at in zip(share, into, strict=True):
                out[node, part] += alpha * (value[graph.edges[0, at]] + edge[at])[part]
    with torch.inference_mode():
        found = layer(*(torch.from_numpy(each) for each in (graph.nodes, graph.edges, graph.predicates))).numpy()
    assert found == pytest.approx(out, abs=1e-5)


def test_the_token_is_the_projected_mean_of_relu_separated_layers() -> None:
    graph, model = drawn(2, 5, [(0, 1), (1, 2), (4, 2)]), GraphToken(SHAPE, seed=1)
    with torch.inference_mode():
        x, edges, r = (torch.from_numpy(each) for each in (graph.nodes, graph.edges, graph.predicates))
        for place in range(4):
            x = model.layers[place](x, edges, r)
            x = x.relu() if place < 3 else x
        first, last = model.projector[0], model.projector[2]
        z = (x.mean(0) @ first.weight.T + first.bias).relu() @ last.weight.T + last.bias
    assert model.tokens(graph) == pytest.approx(z.numpy().reshape(2, 6), abs=1e-5)


def test_the_order_of_nodes_and_edges_does_not_matter() -> None:
    graph, model = drawn(3, 6, [(0, 1), (2, 1), (3, 4), (5, 0), (0, 1)]), GraphToken(SHAPE)
    random = np.random.default_rng(0)
    for _ in range(5):
        to, order = random.permutation(6), random.permutation(5)  # node i becomes node to[i]
        nodes = np.empty_like(graph.nodes)
        nodes[to] = graph.nodes
        moved = GraphArrays(nodes, to[graph.edges][:, order], graph.predicates[order])
        assert model.tokens(moved) == pytest.approx(model.tokens(graph), abs=1e-5)


def test_direction_and_predicates_matter() -> None:
    graph, model = drawn(4, 3, [(0, 1), (1, 2)]), GraphToken(SHAPE)
    turned = replace(graph, edges=graph.edges[::-1].copy())
    renamed = replace(graph, predicates=graph.predicates[::-1].copy())
    assert np.abs(model.tokens(turned) - model.tokens(graph)).max() > 1e-3
    assert np.abs(model.tokens(renamed) - model.tokens(graph)).max() > 1e-3


def test_a_batch_gives_what_each_graph_gives_alone() -> None:
    """Also with graphs of no node and of one node between them."""
    graphs = [drawn(5, 4, [(0, 1), (3, 2)]), drawn(6, 0, []), drawn(7, 1, []), drawn(8, 3, [(2, 0)])]
    model = GraphToken(SHAPE)
    with torch.inference_mode():
        together = model(graphs).numpy()
    assert together.shape == (4, 2, 6)
    for place, graph in enumerate(graphs):
        assert together[place] == pytest.approx(model.tokens(graph), abs=1e-5)


def test_no_node_is_the_projection_of_zero_and_one_node_its_own_root() -> None:
    model, one = GraphToken(SHAPE), drawn(7, 1, [])
    with torch.inference_mode():
        zero = model.project(torch.zeros(1, 8))[0].numpy()
        x = torch.from_numpy(one.nodes)
        for place in range(4):
            x = model.layers[place].lin_skip(x)
            x = x.relu() if place < 3 else x
        root = model.project(x)[0].numpy()
    assert model.tokens(drawn(0, 0, [])) == pytest.approx(zero, abs=1e-6)
    assert model.tokens(one) == pytest.approx(root, abs=1e-5)


def test_same_seed_same_bytes_and_the_process_keeps_its_random_numbers() -> None:
    graph = drawn(9, 5, [(0, 1), (1, 2), (3, 2)])
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first, second, other = (GraphToken(SHAPE, seed=seed).tokens(graph) for seed in (1, 1, 2))
    assert first.tobytes() == second.tobytes()
    assert first.tobytes() != other.tobytes()
    assert torch.equal(torch.rand(3), expected)


def test_every_parameter_of_encoder_and_projector_learns() -> None:
    """W_k's bias is the exception: it adds the same to every edge into a node, which the softmax cancels."""
    model = GraphToken(SHAPE)
    model([drawn(1, 4, [(0, 2), (1, 2), (2, 0), (3, 0)])]).pow(2).sum().backward()
    still = [name for name, p in model.module.named_parameters() if p.grad is None or not p.grad.abs().max() > 1e-9]
    assert [name for name in still if not name.endswith("lin_key.bias")] == []


@pytest.mark.parametrize(("width", "llm_width", "tokens"), [(384, 576, 1), (768, 4096, 4), (20, 7, 3)])
def test_sizes_follow_the_models(width: int, llm_width: int, tokens: int) -> None:
    model = GraphToken(GraphTokenShape(width, llm_width, tokens))
    assert model.tokens(drawn(1, 3, [(0, 1)], width)).shape == (tokens, llm_width)
    assert model.projector[0].weight.shape == (2048, width)


def test_a_fresh_token_is_as_large_as_asked() -> None:
    """Mean over pooled vectors of length 1/√2, the mean of many unit vectors being shorter than one of them."""
    model = GraphToken(GraphTokenShape(384, 576), output_rms=0.13)
    pooled = torch.from_numpy(np.random.default_rng(0).standard_normal((50, 384)).astype(np.float32))
    with torch.inference_mode():
        rms = float(model.project(pooled / pooled.norm(dim=1, keepdim=True) / 2**0.5).pow(2).mean().sqrt())
    assert rms == pytest.approx(0.13, rel=0.15)


def test_weights_of_another_shape_are_refused() -> None:
    model = GraphToken(SHAPE)
    with pytest.raises(InvalidInput, match=r"projector\.2\.bias is \(6,\), this module has \(12,\)"):
        model.load(GraphToken(replace(SHAPE, tokens=1)).state())
    with pytest.raises(InvalidInput, match="this encoder reads 8"):
        model.tokens(drawn(1, 3, [(0, 1)], 16))


def test_graphs_are_stacked_with_their_edges_moved() -> None:
    nodes, edges, predicates, owner = stacked([drawn(1, 2, [(0, 1)]), drawn(2, 3, [(2, 0), (1, 0)])])
    assert (nodes.shape, predicates.shape) == ((5, 8), (3, 8))
    assert edges.tolist() == [[0, 4, 3], [1, 2, 2]]
    assert owner.tolist() == [0, 0, 1, 1, 1]


def test_texts_become_arrays_and_a_claim_about_itself_is_left_out() -> None:
    asked: list[list[str]] = []

    def embed(texts: list[str]) -> np.ndarray:
        asked.append(list(texts))
        return np.eye(4, dtype=np.float32)[: len(texts)]

    graph = graph_arrays(["Ana", "Oslo"], [(0, "lives in", 1), (0, "is", 0)], embed, 4)
    assert asked == [["Ana", "Oslo", "lives in"]]
    assert graph.edges.tolist() == [[0], [1]]
    assert graph.predicates.tolist() == [[0, 0, 1, 0]]
    assert graph_arrays([], [], embed, 4).nodes.shape == (0, 4)
