"""A trained graph token on disk: `graph_token.safetensors`, and `manifest.json`: models, prompt and sizes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..errors import InvalidInput, MissingExtra
from ..types import JsonValue
from .answer_form import SHORT
from .graph_token import GraphToken, GraphTokenShape

FORMAT = 1
WEIGHTS, MANIFEST = "graph_token.safetensors", "manifest.json"


def save_weights(state: Mapping[str, Any], path: Path, metadata: Mapping[str, str] | None = None) -> None:
    """Tensors by name as safetensors; the file is whole or not there."""
    part = path.with_suffix(".part")
    _safetensors().save_file(dict(state), part, metadata=dict(metadata or {}))
    part.replace(path)


def load_weights(path: Path) -> dict[str, Any]:
    """Tensors by name. Raises InvalidInput for a file that cannot be read."""
    torch = _safetensors()
    try:
        found: dict[str, Any] = torch.load_file(path)
    except (OSError, torch.SafetensorError) as error:
        raise InvalidInput("graph_token", f"{path.name} cannot be read: {error}") from error
    return found


def metadata_of(path: Path) -> dict[str, str]:
    """What was written beside the tensors. Raises InvalidInput for a file that cannot be read."""
    torch = _safetensors()
    try:
        with torch.safe_open(path, framework="pt") as file:
            return dict(file.metadata() or {})
    except (OSError, torch.SafetensorError) as error:
        raise InvalidInput("graph_token", f"{path.name} cannot be read: {error}") from error


def write_manifest(
    folder: Path, shape: GraphTokenShape, llm_id: str, embedder_id: str, rest: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """The manifest, which makes a folder of weights a checkpoint."""
    manifest: dict[str, JsonValue] = {
        "format": FORMAT, "shape": asdict(shape), "llm": llm_id, "embedder": embedder_id,
        "prompt": SHORT.prompt, **rest,
    }  # fmt: skip
    return put_manifest(folder, manifest)


def put_manifest(folder: Path, manifest: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Write a manifest, whole or not at all."""
    part = folder / "manifest.part"
    part.write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(folder / MANIFEST)
    return manifest


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a checkpoint. Raises InvalidInput where there is none, or one of another format."""
    path = folder / MANIFEST
    if not path.is_file():
        raise InvalidInput(
            "graph_token", f"{folder.name!r} holds no {MANIFEST}", "train one: qgmem train graph-token"
        )
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise InvalidInput("graph_token", f"{folder.name}/{MANIFEST} is no JSON: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InvalidInput("graph_token", f"{folder.name}/{MANIFEST} is not of format {FORMAT}")
    return manifest


def load_checkpoint(folder: Path, *, llm_id: str, embedder_id: str) -> GraphToken:
    """The graph token of a folder, for the models and the prompt that it was trained with.

    Raises InvalidInput naming both when the language model, the embedder or the version of the prompt is another one.
    """
    manifest = read_manifest(folder)
    for role, given in (("llm", llm_id), ("embedder", embedder_id), ("prompt", SHORT.prompt)):
        if (trained := manifest.get(role)) != given:
            raise InvalidInput(
                f"graph_token.{role}", f"{folder.name!r} was trained with {trained}, not with {given}",
                "train a token for this one" + (", or use that one" if role != "prompt" else ""),
            )  # fmt: skip
    model = GraphToken(GraphTokenShape(**manifest["shape"]))
    model.load(load_weights(folder / WEIGHTS))
    return model


class _Safetensors:
    """The few names of safetensors that are used here."""

    def __init__(self) -> None:
        from safetensors import SafetensorError, safe_open
        from safetensors.torch import load_file, save_file

        self.SafetensorError, self.safe_open = SafetensorError, safe_open
        self.load_file, self.save_file = load_file, save_file


def _safetensors() -> _Safetensors:
    try:
        return _Safetensors()
    except ModuleNotFoundError as error:
        raise MissingExtra("the graph token's files", "graph") from error
