"""`python wheel_contents.py qgmem-….whl`: does the wheel hold all that the source tree does, and its papers?

Not a test by itself, since building a wheel needs the package index; `make wheel-test` runs it.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"


def missing(wheel: Path) -> list[str]:
    """Files that should be in the wheel and are not, and files that should not be there."""
    names = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        path.relative_to(SOURCE).as_posix()
        for path in (SOURCE / "qgmem").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    papers = {name for name in ("LICENSE", "NOTICE") if not any(each.endswith(f"licenses/{name}") for each in names)}
    extra = {name for name in names if not name.startswith("qgmem") or "__pycache__" in name}
    return sorted((expected - names) | papers | extra)


if __name__ == "__main__":
    problems = missing(Path(sys.argv[1]))
    sys.exit(f"wheel: missing or unwanted: {', '.join(problems)}" if problems else 0)
