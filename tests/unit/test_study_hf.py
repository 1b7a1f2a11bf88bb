"""The Hugging Face embedder: what it reads off a folder; its numbers only where torch is installed."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from qgmem.errors import InvalidInput, MissingExtra
from qgmem.models.hf import HfEmbedder, _batches
from qgmem.protocols import Embedder

MODULES = [
    {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "tiny-model"
    (place / "1_Pooling").mkdir(parents=True)
    (place / "model.safetensors").write_bytes(b"weights")
    _write(place / "config.json", {"hidden_size": 12, "max_position_embeddings": 64})
    _write(place / "modules.json", MODULES)
    _write(place / "sentence_bert_config.json", {"max_seq_length": 48})
    _write(place / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False})
    return place


def test_the_id_names_all_that_a_vector_depends_on(folder: Path) -> None:
    model = HfEmbedder(folder)
    assert model.id == f"tiny-model-mean-48-sha256:{hashlib.sha256(b'weights').hexdigest()}"
    assert model.dimension == 12
    assert isinstance(model, Embedder)


def test_cls_pooling_and_a_missing_length_are_read_too(folder: Path) -> None:
    (folder / "sentence_bert_config.json").unlink()
    _write(folder / "1_Pooling" / "config.json", {"pooling_mode": "cls"})
    assert HfEmbedder(folder).id.startswith("tiny-model-cls-64-sha256:")


def test_shards_are_one_digest_that_sees_each_of_them(folder: Path) -> None:
    (folder / "model-2.safetensors").write_bytes(b"more")
    before = HfEmbedder(folder).weights_sha256
    (folder / "model-2.safetensors").write_bytes(b"mode")
    assert HfEmbedder(folder).weights_sha256 != before


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("modules.json", [*MODULES, {"path": "3_Dense", "type": "x.Dense"}], "modules.json asks for Dense"),
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, r"pools by \['max'\]"),
        (
            "1_Pooling/config.json",
            {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True},
            r"pools by \['cls', 'mean'\]",
        ),
    ],
)
def test_what_cannot_be_honoured_is_refused(folder: Path, file: str, content: Any, problem: str) -> None:
    _write(folder / file, content)
    with pytest.raises(InvalidInput, match=problem):
        HfEmbedder(folder)


def test_a_folder_without_weights_says_so(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    with pytest.raises(InvalidInput, match=r"holds no config\.json with model\.safetensors"):
        HfEmbedder(folder)


def test_without_torch_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert HfEmbedder(folder).embed([]).shape == (0, 12)
    with pytest.raises(MissingExtra, match=r"pip install 'qgmem\[hf\]'"):
        HfEmbedder(folder).embed(["a"])
    for name in ("transformers", "transformers.utils"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'qgmem\[hf\]'"):
        HfEmbedder("some/hub-name")


def test_batches_hold_one_length_and_every_row_once() -> None:
    lengths = [5, 3, 5, 2000, 3000, 5]
    batches = _batches(lengths)
    assert sorted(row for rows in batches for row in rows) == list(range(6))
    assert all(len({lengths[row] for row in rows}) == 1 for rows in batches)


def test_vectors_are_the_mean_of_the_tokens_whatever_the_company(tmp_path: Path) -> None:
    """A tiny random BERT: against its own hidden states, alone and in a batch, to the last bit."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    place = tmp_path / "tiny-bert"
    place.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "red", "kite", "blue"]
    (place / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizerFast(vocab=dict(zip(words, range(8), strict=True))).save_pretrained(place)
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=8, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=32,
    )  # fmt: skip
    reference = transformers.BertModel(config).eval()
    reference.save_pretrained(place)
    model = HfEmbedder(place, threads=1)
    vectors = model.embed(["red kite", "blue", "red kite blue"])
    with torch.inference_mode():
        hidden = reference(torch.tensor([[2, 5, 6, 3]])).last_hidden_state[0].mean(0).numpy()
    assert vectors[0] == pytest.approx(hidden / np.linalg.norm(hidden), abs=1e-6)
    assert np.array_equal(model.embed(["blue"])[0], vectors[1])


def _write(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content))
