"""`python -m qgmem.evals.growth 1000 10000 100000 --out out/growth`; `make bench-growth` calls it."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from qgmem.errors import QgmemError

from .plot import write_plot
from .report import markdown
from .run import EMBED_UP_TO, grow


def main(arguments: list[str] | None = None) -> int:
    """Measure, write `growth.json`, `growth.md`, `growth.svg` and `growth.png`, print the tables."""
    parser = argparse.ArgumentParser(prog="python -m qgmem.evals.growth", description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=[1000, 10_000, 100_000], help="turns in one namespace")
    parser.add_argument("--out", type=Path, default=Path("out/growth"), help="results, and the memories meanwhile")
    parser.add_argument("--namespaces", type=int, default=200, help="memories of 100 turns; 0: none")
    parser.add_argument("--embed-up-to", type=int, default=EMBED_UP_TO, help="larger sizes get drawn vectors")
    parser.add_argument("--again", action="store_true", help="measure again what was measured before")
    parser.add_argument("--keep", action="store_true", help="leave the memories on disk")
    given = parser.parse_args(arguments)
    try:
        growth = grow(given.sizes, given.out, namespaces=given.namespaces, embed_up_to=given.embed_up_to,
                      again=given.again, keep=given.keep)  # fmt: skip
        write_plot(growth, given.out)
    except QgmemError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    (given.out / "growth.json").write_text(json.dumps(growth.to_json(), indent=1) + "\n")
    (given.out / "growth.md").write_text(markdown(growth))
    print(markdown(growth))
    return 0


if __name__ == "__main__":
    sys.exit(main())
