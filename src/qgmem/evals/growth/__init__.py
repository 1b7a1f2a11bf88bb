"""How cost grows with the number of units: synthetic lives in one namespace, from a thousand turns to a million.

Reading order: `run` (one size after the other), `size` (all that is measured at one), `load` (filling a namespace),
`asking`, `opening`, `exact`, `writing`; `namespaces` (many small ones); `report` and `plot`.
"""

from __future__ import annotations

from .run import Growth, grow

__all__ = ["Growth", "grow"]
