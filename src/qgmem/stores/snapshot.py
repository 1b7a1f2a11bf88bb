"""The derived index on disk: one file holding the base segment, written whole or not at all.

Layout: 8 bytes of magic, 8 bytes header length, a JSON header (recipe, change, arrays with dtype, shape, offset),
then the arrays, each at a multiple of 64 bytes. Losing the file costs time, never data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"qgmemix1"
ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Arrays by name, the recipe that made them, and the last change they have seen."""

    recipe: str
    change: int
    arrays: Mapping[str, NDArray[Any]]


def write(path: Path, snapshot: Snapshot) -> None:
    """Write beside, flush to the disk, then put in place. Raises OSError."""
    specs: dict[str, list[Any]] = {}
    offset = 0
    for name, array in snapshot.arrays.items():
        specs[name] = [array.dtype.str, list(array.shape), offset]
        offset += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    header = json.dumps(
        {"recipe": snapshot.recipe, "change": snapshot.change, "arrays": specs, "bytes": offset}
    ).encode()
    header += b" " * (-(len(header) + 16) % ALIGNMENT)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(MAGIC + len(header).to_bytes(8, "little") + header)
            for array in snapshot.arrays.values():
                file.write(np.ascontiguousarray(array).data)
                file.write(b"\0" * (-array.nbytes % ALIGNMENT))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def read(path: Path, recipe: str) -> Snapshot | None:
    """Map the file; None when there is none, or it is not one of this recipe, or it is not whole."""
    try:
        with path.open("rb") as file:
            lead = file.read(16)
            size = os.fstat(file.fileno()).st_size
            if len(lead) < 16 or lead[:8] != MAGIC:
                return None
            length = int.from_bytes(lead[8:], "little")
            if 16 + length > size:
                return None
            header = json.loads(file.read(length))
            if header["recipe"] != recipe or size != 16 + length + header["bytes"]:
                return None
            if header["bytes"] == 0:
                return None
            body = np.memmap(file, np.uint8, "r", offset=16 + length)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return None  # derived: the truth is in the store, and the index is made again
    arrays: dict[str, NDArray[Any]] = {}
    for name, (dtype, shape, offset) in header["arrays"].items():
        kind = np.dtype(dtype)
        count = int(np.prod(shape, dtype=np.int64))
        flat = np.frombuffer(body, kind, count, offset) if count else np.empty(0, kind)
        arrays[name] = flat.reshape(shape)
    return Snapshot(header["recipe"], int(header["change"]), arrays)


def remove(path: Path) -> None:
    """Remove the file and whatever an interrupted writer left beside it."""
    for left in [path, *path.parent.glob(f"{path.name}.*.tmp")]:
        left.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make a rename or an unlink in this folder durable, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
