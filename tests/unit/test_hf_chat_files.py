"""What can be said of a language model's files without torch."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from qgmem.errors import InvalidInput, MissingExtra
from qgmem.models.hf_chat import HfChat


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="neither a GGUF file nor a folder of a model"):
        HfChat(tmp_path)
    with pytest.raises(InvalidInput, match=r"'nothing\.gguf' is neither"):
        HfChat(tmp_path / "nothing.gguf")


def test_the_id_names_the_file_and_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(b"weights")
    assert HfChat(file).id == f"m.gguf-sha256:{hashlib.sha256(b'weights').hexdigest()}"


def test_without_torch_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "m.gguf").write_bytes(b"weights")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"pip install 'qgmem\[graph\]'"):
        HfChat(tmp_path / "m.gguf").prompt("s", "q")
