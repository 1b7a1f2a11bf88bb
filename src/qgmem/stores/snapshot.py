"""The derived index on disk: one file holding the base segment, written whole or not at all.

Layout: 8 bytes of magic, 8 bytes header length, a JSON header (recipe, name, change, arrays with dtype, shape,
offset and CRC-32), the header's own CRC-32 after it, then the arrays, each at a multiple of 64 bytes. Everything is
checked when the file is mapped (2 GB/s), so that a damaged one is made again instead of believed. Losing the file
costs time, never data.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

MAGIC = b"qgmemix2"
ALIGNMENT, LEAD, CHECK = 64, 16, 4  # bytes
SCATTERED = "vector"  # the array of which a search reads some rows only
CHUNK = 1 << 18  # bytes read at once to be checked: what fits into a processor's cache


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Arrays by name, the recipe that made them, and the last change they have seen.

    `name` is this file's alone: the store remembers which snapshots are its own. `pages`: of the mapped file, those
    of the array that searches read a row here and there.
    """

    recipe: str
    name: str
    change: int
    arrays: Mapping[str, NDArray[Any]]
    pages: Pages | None = None


@dataclass(frozen=True, slots=True)
class Pages:
    """Whole pages of a mapped file."""

    mapping: mmap.mmap
    start: int
    length: int

    @classmethod
    def inside(cls, mapping: mmap.mmap, start: int, length: int) -> Pages:
        """Those that lie in this range altogether; no neighbour is brought along when one of them is read."""
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        pages = cls(mapping, first, max(0, (start + length) // mmap.PAGESIZE * mmap.PAGESIZE - first))
        pages._advise("MADV_RANDOM")
        return pages

    def release(self) -> None:
        """Keep them in this process no longer; each comes back from the file when it is read."""
        self._advise("MADV_DONTNEED")

    def _advise(self, advice: str) -> None:
        if self.length and hasattr(mmap, advice):  # not every system has it, and nothing depends on it
            self.mapping.madvise(getattr(mmap, advice), self.start, self.length)


def write(path: Path, snapshot: Snapshot) -> None:
    """Write beside, flush to the disk, then put in place. Raises OSError."""
    specs: dict[str, list[Any]] = {}
    offset = 0
    arrays = {name: np.ascontiguousarray(array) for name, array in snapshot.arrays.items()}
    for name, array in arrays.items():
        specs[name] = [array.dtype.str, list(array.shape), offset, crc32(_bytes(array))]
        offset += -(-array.nbytes // ALIGNMENT) * ALIGNMENT
    content = {"recipe": snapshot.recipe, "name": snapshot.name, "change": snapshot.change}
    header = json.dumps(content | {"arrays": specs, "bytes": offset}).encode()
    header += b" " * (-(len(header) + LEAD + CHECK) % ALIGNMENT)
    header += crc32(header).to_bytes(CHECK, "little")
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb", opener=_private) as file:
            file.write(MAGIC + (len(header)).to_bytes(8, "little") + header)
            for array in arrays.values():
                file.write(_bytes(array))
                file.write(b"\0" * (-array.nbytes % ALIGNMENT))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def read(path: Path, recipe: str) -> Snapshot | None:
    """Map the file; None when there is none, or it is not of this recipe, or it is not what was written."""
    try:
        found = checked(path)
    except (OSError, ValueError):
        return None  # derived: the truth is in the store, and the index is made again
    return found if found.recipe == recipe else None


def checked(path: Path) -> Snapshot:
    """Map the file and check every byte of it. Raises OSError, and ValueError when it is not what was written."""
    try:
        with path.open("rb") as file:
            header, start = _header(file)
            specs = header["arrays"]
            for dtype, shape, offset, check in specs.values():
                _check(file, start + offset, _count(shape) * np.dtype(dtype).itemsize, check)
            body = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        arrays = {name: _array(body, start, *spec) for name, spec in specs.items()}
        pages = None
        if SCATTERED in arrays:
            pages = Pages.inside(body, start + specs[SCATTERED][2], arrays[SCATTERED].nbytes)
        return Snapshot(header["recipe"], header["name"], int(header["change"]), arrays, pages)
    except (KeyError, TypeError) as error:
        raise ValueError(f"header lacks {error}") from error


def peek(path: Path, recipe: str) -> int:
    """The last change that the file has seen, without checking its arrays; 0 when it would not be used."""
    try:
        with path.open("rb") as file:
            header, _ = _header(file)
        return int(header["change"]) if header["recipe"] == recipe else 0
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def _header(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """The header and where the arrays start. Raises ValueError."""
    lead, size = file.read(LEAD), os.fstat(file.fileno()).st_size
    length = int.from_bytes(lead[8:], "little")
    if len(lead) < LEAD or lead[:8] != MAGIC or LEAD + length > size:
        raise ValueError("is no snapshot")
    text = file.read(length)
    if crc32(text[:-CHECK]) != int.from_bytes(text[-CHECK:], "little"):
        raise ValueError("header is damaged")
    header: dict[str, Any] = json.loads(text[:-CHECK])
    if size != LEAD + length + header["bytes"]:
        raise ValueError("is cut short")
    return header, LEAD + length


def _check(file: BinaryIO, start: int, length: int, check: int) -> None:
    """Raise ValueError unless these bytes have that CRC-32. They are read, not mapped, so none stays in memory."""
    file.seek(start)
    buffer, found = memoryview(bytearray(min(length, CHUNK))), 0
    while length:
        got = file.readinto(buffer[: min(length, CHUNK)])  # type: ignore[attr-defined]
        if not got:
            raise ValueError("is cut short")
        found = crc32(buffer[:got], found)
        length -= got
    if found != check:
        raise ValueError("an array is damaged")


def _array(body: mmap.mmap, start: int, dtype: str, shape: list[int], offset: int, _: int) -> NDArray[Any]:
    kind, count = np.dtype(dtype), _count(shape)
    flat = np.frombuffer(body, kind, count, start + offset) if count else np.empty(0, kind)
    return flat.reshape(shape)


def _count(shape: list[int]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _bytes(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


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
