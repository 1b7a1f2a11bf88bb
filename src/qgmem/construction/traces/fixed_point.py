"""Cosines that are the same bits however they are computed.

A float32 matrix product depends in its last bits on shapes, blocks and threads, and then a similarity that is equal
to another, or to the threshold, depends on how the history was cut into calls. Vectors rounded to multiples of
1/4000 have whole-number products whose sums stay below 2^24, where float32 is exact in any order. Rounding moves a
cosine by about 0.0001, less than the float16 in which vectors are stored and far less than any threshold is known.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidInput

SCALE = 4000
ONE = float(SCALE * SCALE)  # the product that stands for cosine 1
WIDEST = 4096  # dimensions up to which sums stay below 2^24: (4000 + sqrt(4096) / 2)^2 = 16.26 million
BLOCK = 16_384  # rows of the base that are widened to float32 at once
Fixed = NDArray[np.int16]  # (n, d), multiples of 1/4000
Products = NDArray[np.float32]  # whole numbers; divided by ONE they are cosines
Dots = Callable[[Fixed, Fixed], Products]


def fixed(vectors: NDArray[np.floating]) -> Fixed:
    """(n, d) int16 from rows of length 1 (float16 or float32). Raises InvalidInput for anything else."""
    rows = np.asarray(vectors, dtype=np.float32)
    if rows.ndim != 2 or not 0 < rows.shape[1] <= WIDEST:
        raise InvalidInput("vectors", f"expected (n, d) with d up to {WIDEST}, got {rows.shape}")
    lengths = np.einsum("nd,nd->n", rows, rows)
    if not np.all(np.abs(lengths - 1) < 0.02):  # also refuses NaN
        raise InvalidInput("vectors", "rows must have length 1", "normalise them")
    rows = rows / np.sqrt(lengths)[:, None]  # a length off by 1 % could leave the exact range
    steps: Fixed = np.rint(rows * SCALE).astype(np.int16)
    return steps


def products(queries: Fixed, base: Fixed) -> Products:
    """(m, n) float32: every query with every base row, exact. Brute force, one block of the base at a time."""
    wide = queries.astype(np.float32)
    out = np.empty((len(queries), len(base)), dtype=np.float32)
    for start in range(0, len(base), BLOCK):
        block = base[start : start + BLOCK].astype(np.float32)
        np.matmul(wide, block.T, out=out[:, start : start + len(block)])
    return out


def paired(left: Fixed, right: Fixed) -> Products:
    """(n,) float32: row by row, exact."""
    sums: Products = np.einsum("nd,nd->n", left.astype(np.float32), right.astype(np.float32))
    return sums


def product(cosine: float) -> float:
    """The least product that counts as this cosine or more."""
    return float(np.ceil(cosine * ONE - 1e-6))
