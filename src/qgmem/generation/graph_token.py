"""The graph token: a local graph as a few vectors in a language model's embedding space ([Q] III-C2).

Encoder: L = 4 layers of TransformerConv (Shi et al., 2021, arXiv:2009.03509) with H = 4 heads of width d/H. With
x_i (d,) the vector of node i, r_ji (d,) that of the predicate of the edge j → i, and one set of weights a head,

    α_ji = softmax over the edges j → i into i of (W_q x_i + b_q)ᵀ (W_k x_j + b_k + W_e r_ji) / √(d/H)
    m_i  = Σ_j α_ji (W_v x_j + b_v + W_e r_ji)                           (d/H,)
    x'_i = W_r x_i + b_r + concat over heads of m_i                      (d,)

ReLU stands between layers, not after the last. Direction is kept: messages run from subject to object only. There
are no self-loops; a node without an edge into it keeps W_r x_i + b_r. A graph is the mean of its nodes, (d,), and
zero when it has none. Projector, for T tokens of a model of width D:

    z = W_2 relu(W_1 g + b_1) + b_2,   W_1: (2048, d), W_2: (T·D, 2048),  read as (T, D)

Sizes come from the embedder (d) and the language model (D). There is no dropout, so one graph gives one token,
whichever graphs share its batch, up to rounding. torch and torch-geometric are loaded when a module is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, MissingExtra
from .graph_arrays import Float32, GraphArrays


@dataclass(frozen=True, slots=True)
class GraphTokenShape:
    """Sizes. `width`: d of the sentence encoder; `llm_width`: D; `tokens`: T. Raises InvalidInput."""

    width: int
    llm_width: int
    tokens: int = 1
    layers: int = 4
    heads: int = 4
    hidden: int = 2048

    def __post_init__(self) -> None:
        for name in ("width", "llm_width", "tokens", "layers", "heads", "hidden"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidInput(f"graph_token.{name}", f"expected a whole number of at least 1, got {value!r}")
        if self.width % self.heads:
            raise InvalidInput(
                "graph_token.heads", f"{self.heads} heads do not divide the embedder's width {self.width}"
            )


class GraphToken:
    """Encoder and projector: the only part of the system that learns.

    `seed` decides the first weights, and touches no other random number of the process. `output_rms` is the size that
    the entries of a token have before training: that of the language model's own embeddings, so that a token is
    neither drowned nor drowning; it scales W_2 once and is no parameter.
    Raises MissingExtra without torch and torch-geometric.
    """

    def __init__(self, shape: GraphTokenShape, *, seed: int = 0, output_rms: float | None = None) -> None:
        torch, conv = _parts()
        self.shape = shape
        d = shape.width
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.layers = torch.nn.ModuleList(
                conv(d, d // shape.heads, heads=shape.heads, concat=True, edge_dim=d, root_weight=True, bias=True)
                for _ in range(shape.layers)
            )
            self.projector = torch.nn.Sequential(
                torch.nn.Linear(d, shape.hidden),
                torch.nn.ReLU(),
                torch.nn.Linear(shape.hidden, shape.tokens * shape.llm_width),
            )
            self.module = torch.nn.ModuleDict({"layers": self.layers, "projector": self.projector})
            if output_rms is not None:
                self._scale(torch, output_rms)

    def _scale(self, torch: Any, rms: float) -> None:
        """Scale W_2 so that the token of a typical pooled vector, drawn at random with length 1/√2, has this rms."""
        last = self.projector[2]
        with torch.no_grad():
            drawn = torch.randn(64, self.shape.width) / (2 * self.shape.width) ** 0.5
            last.bias.zero_()
            last.weight.mul_(rms / self.projector(drawn).pow(2).mean().sqrt())

    def __call__(self, graphs: Sequence[GraphArrays]) -> Any:
        """(B, T, D) float32 tensor, one row a graph, in order. Gradients reach every parameter."""
        return self.project(self.pool(graphs))

    def pool(self, graphs: Sequence[GraphArrays]) -> Any:
        """(B, d): encoded and averaged over nodes. Raises InvalidInput for a graph of another width."""
        torch, _ = _parts()
        wrong = sorted({graph.width for graph in graphs} - {self.shape.width})
        if wrong:
            raise InvalidInput("graph.nodes", f"are {wrong[0]} wide", f"this encoder reads {self.shape.width}")
        device = self.projector[0].weight.device
        nodes, edges, predicates, owner = (torch.from_numpy(each).to(device) for each in stacked(graphs))
        x = self.encode(nodes, edges, predicates)
        sums = torch.zeros(len(graphs), self.shape.width, device=device).index_add(0, owner, x)
        sizes = torch.bincount(owner, minlength=len(graphs)).clamp(min=1)
        return sums / sizes[:, None]

    def encode(self, nodes: Any, edges: Any, predicates: Any) -> Any:
        """(n, d), (2, e), (e, d) → (n, d): all layers."""
        for place, layer in enumerate(self.layers):
            nodes = layer(nodes, edges, predicates)
            if place + 1 < len(self.layers):
                nodes = nodes.relu()
        return nodes

    def project(self, pooled: Any) -> Any:
        """(B, d) → (B, T, D)."""
        return self.projector(pooled).reshape(len(pooled), self.shape.tokens, self.shape.llm_width)

    def tokens(self, graph: GraphArrays) -> Float32:
        """(T, D) float32 of one graph, without gradients."""
        torch, _ = _parts()
        with torch.inference_mode():
            found: Float32 = self([graph])[0].cpu().numpy()
        return found

    def parameters(self) -> list[Any]:
        """Everything that learns."""
        return list(self.module.parameters())

    def state(self) -> dict[str, Any]:
        """Weights by name, copied."""
        return {name: value.detach().cpu().clone() for name, value in self.module.state_dict().items()}

    def digest(self) -> str:
        """sha256 of all weights, by name."""
        found = sha256()
        for name, value in sorted(self.state().items()):
            found.update(name.encode() + value.numpy().tobytes())
        return found.hexdigest()

    def load(self, state: Mapping[str, Any]) -> None:
        """Put weights in place. Raises InvalidInput when names or shapes are not these."""
        mine = {name: tuple(value.shape) for name, value in self.module.state_dict().items()}
        theirs = {name: tuple(value.shape) for name, value in state.items()}
        if mine != theirs:
            name = next(n for n in sorted({*mine, *theirs}) if mine.get(n) != theirs.get(n))
            raise InvalidInput(
                "graph_token.weights", f"{name} is {theirs.get(name)}, this module has {mine.get(name)}"
            )
        self.module.load_state_dict(dict(state))


def stacked(graphs: Sequence[GraphArrays]) -> tuple[Float32, NDArray[np.int64], Float32, NDArray[np.int64]]:
    """Graphs side by side as one: nodes (Σn, d), edges (2, Σe), predicates (Σe, d), and each node's graph (Σn,)."""
    sizes = [len(graph.nodes) for graph in graphs]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    return (
        np.concatenate([graph.nodes for graph in graphs]),
        np.concatenate([graph.edges + start for graph, start in zip(graphs, starts, strict=True)], axis=1),
        np.concatenate([graph.predicates for graph in graphs]),
        np.repeat(np.arange(len(graphs), dtype=np.int64), sizes),
    )


def _parts() -> tuple[Any, Any]:
    try:
        import torch
        from torch_geometric.nn import TransformerConv
    except ModuleNotFoundError as error:
        raise MissingExtra("the graph token", "graph") from error
    return torch, TransformerConv
