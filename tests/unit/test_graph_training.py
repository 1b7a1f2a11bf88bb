"""Training of the graph token on tiny random models. Needs torch; skipped by name without."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qgmem.errors import InvalidInput
from qgmem.generation.graph_checkpoint import WEIGHTS, load_checkpoint, load_weights, write_manifest
from qgmem.generation.graph_token import GraphToken, GraphTokenShape
from qgmem.models.hf_chat import HfChat
from qgmem.models.scripted import HashEmbedder
from qgmem.training.graph_token.run import Trained, Vectors, items, train_on
from qgmem.training.graph_token.split import Split
from qgmem.training.graph_token.trainer import STATE, Progress, Trainer, TrainSettings

torch = pytest.importorskip("torch", reason="needs torch: pip install 'qgmem[graph]'")
for needed in ("torch_geometric", "transformers", "safetensors"):
    pytest.importorskip(needed, reason=f"needs {needed}: pip install 'qgmem[graph]'")

from test_graph_examples import example  # noqa: E402 - needs what may be missing
from tiny_models import KINDS, tiny  # noqa: E402

QUICK = TrainSettings(epochs=2, batch=2, accumulate=1, rate=3e-3, keep_every=2)
EMBEDDER = HashEmbedder(16)
VECTORS = Vectors(EMBEDDER.embed, EMBEDDER.id, 16)
TOWNS = ("Oslo", "Porto", "Lyon", "Cork", "Bath", "Brno", "Gent")


def split() -> Split:
    """Five questions to train on, two to validate; the graph alone tells the answer."""
    made = [
        example(
            f"{town}/q",
            nodes=("Ana", "Ben", town),
            edges=((0, "lives in", 2), (1, "left", 2)),
            answer=town,
            context="[MU1] Ana: hm",
            context_facts="[MU1] Ana: hm",
        )
        for town in TOWNS
    ]
    return Split(tuple(made[:5]), tuple(made[5:]), ())


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> HfChat:
    return HfChat(tiny("smollm", tmp_path_factory.mktemp("models")), threads=1)


def trained(llm: HfChat, out: Path, settings: TrainSettings = QUICK, **more: object) -> Trained:
    return train_on(split(), VECTORS, llm, out, settings, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_graph_learns(kind: str, tmp_path: Path) -> None:
    """Every weight of the language model has the bits that it had, and none has a gradient."""
    model = HfChat(tiny(kind, tmp_path), threads=1)
    before = [p.detach().clone() for p in model.parameters()]
    trained(model, tmp_path / "out")
    assert all(torch.equal(old, new) for old, new in zip(before, model.parameters(), strict=True))
    assert all(p.grad is None and not p.requires_grad for p in model.parameters())
    fresh = GraphToken(GraphTokenShape(16, model.width), seed=0, output_rms=model.embedding_rms).state()
    learned = load_weights(tmp_path / "out" / STATE)
    assert [n for n in fresh if torch.equal(fresh[n], learned[f"model.{n}"]) and not n.endswith("key.bias")] == []


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_training_beats_the_untrained_token_on_validation(llm: HfChat, tmp_path: Path, seed: int) -> None:
    done = trained(llm, tmp_path, TrainSettings(epochs=4, batch=2, accumulate=1, rate=3e-3, seed=seed))
    assert min(done.progress.validation[1:]) < done.progress.validation[0]
    assert done.manifest["best_epoch"] == int(np.argmin(done.progress.validation))


class Killed(Exception):
    """Stands for a process that ends in the middle."""


@pytest.mark.parametrize("at", [1, 3, 4])
def test_a_run_that_was_killed_ends_at_the_same_bytes(llm: HfChat, tmp_path: Path, at: int) -> None:
    """Three steps an epoch, a state every second: killed at step 1, 3 (end of an epoch) and 4 of 6."""

    def stop(now: Progress) -> None:
        if len(now.losses) == at:
            raise Killed

    whole = trained(llm, tmp_path / "whole")
    with pytest.raises(Killed):
        trained(llm, tmp_path / "killed", on_step=stop)
    again = trained(llm, tmp_path / "killed")
    assert again.progress.losses == whole.progress.losses
    assert again.progress.validation == whole.progress.validation
    for name, value in load_weights(whole.folder / WEIGHTS).items():
        assert torch.equal(load_weights(again.folder / WEIGHTS)[name], value)


def test_a_finished_training_is_read_not_repeated(llm: HfChat, tmp_path: Path) -> None:
    first = trained(llm, tmp_path)
    steps: list[Progress] = []
    assert trained(llm, tmp_path, on_step=steps.append).manifest == first.manifest
    assert steps == []


def test_a_finished_training_says_who_last_chose_its_examples(llm: HfChat, tmp_path: Path) -> None:
    first = trained(llm, tmp_path, counts={"reader": "a", "right": 7})
    again = trained(llm, tmp_path, counts={"reader": "b", "right": 7})
    assert again.manifest == first.manifest | {"kept": {"reader": "b", "right": 7}}
    assert trained(llm, tmp_path).manifest == again.manifest  # nobody was asked


def test_a_folder_of_another_training_is_refused(llm: HfChat, tmp_path: Path) -> None:
    trained(llm, tmp_path)
    with pytest.raises(InvalidInput, match="holds a training with other data, models or settings"):
        trained(llm, tmp_path, TrainSettings(epochs=2, batch=2, accumulate=1, rate=1e-3))


def test_a_step_does_not_depend_on_how_it_is_cut(llm: HfChat, tmp_path: Path) -> None:
    """Four examples at once, or one after the other: the same mean over target tokens, the same gradient."""
    losses = []
    for name, batch, accumulate in (("once", 4, 1), ("one by one", 1, 4)):
        settings = TrainSettings(epochs=1, batch=batch, accumulate=accumulate, rate=1e-3)
        losses.append(trained(llm, tmp_path / name, settings).progress.validation[-1])
    assert losses[0] == pytest.approx(losses[1], abs=1e-4)


def test_the_blind_control_learns_one_token_for_all_graphs(llm: HfChat, tmp_path: Path) -> None:
    settings = TrainSettings(epochs=1, batch=2, accumulate=1, rate=3e-3, blind=True)
    found = items(split().train, VECTORS, llm)
    model = GraphToken(GraphTokenShape(16, llm.width))
    trainer = Trainer(llm, model, settings, tmp_path, "x")
    trainer.run(found[:4], found[4:])
    swapped = [type(one)(one.prompt, found[0].graph, one.target) for one in found]
    assert trainer.loss(found) == trainer.loss(swapped)


def test_a_checkpoint_belongs_to_its_models(llm: HfChat, tmp_path: Path) -> None:
    trained(llm, tmp_path)
    model = load_checkpoint(tmp_path, llm_id=llm.id, embedder_id=EMBEDDER.id)
    graph = VECTORS.graphs(split().train)[0]
    assert model.tokens(graph).shape == (1, llm.width)
    with pytest.raises(
        InvalidInput, match=r"graph_token\.llm: .* was trained with tiny-smollm-sha256:\w+, not with q"
    ):
        load_checkpoint(tmp_path, llm_id="qwen", embedder_id=EMBEDDER.id)
    with pytest.raises(InvalidInput, match=r"graph_token\.embedder: .* was trained with hash-16, not with minilm"):
        load_checkpoint(tmp_path, llm_id=llm.id, embedder_id="minilm")
    with pytest.raises(InvalidInput, match="holds no manifest"):
        load_checkpoint(tmp_path / "nowhere", llm_id="", embedder_id="")


def test_weights_that_are_no_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS).write_bytes(b"nonsense")
    write_manifest(tmp_path, GraphTokenShape(8, 8), "l", "e", {})
    with pytest.raises(InvalidInput, match=r"graph_token\.safetensors cannot be read"):
        load_checkpoint(tmp_path, llm_id="l", embedder_id="e")


def test_settings_are_checked() -> None:
    with pytest.raises(InvalidInput, match=r"train\.epochs: is 0"):
        TrainSettings(epochs=0)
    with pytest.raises(InvalidInput, match=r"train\.rate: is 3"):
        TrainSettings(rate=3)
