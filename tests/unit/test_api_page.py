"""docs/api.md says what the code says."""

from __future__ import annotations

from pathlib import Path

from qgmem import Memory
from qgmem.surfaces.api import overview

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_not_stale_and_is_linked() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert page == overview(), "run: python -m qgmem.surfaces.api > docs/api.md"
    assert "(docs/api.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_public_method_has_a_line_and_a_word_about_it() -> None:
    names = [name for name, value in vars(Memory).items() if not name.startswith("_") and callable(value)]
    lines = {line.split("`")[1].partition("(")[0]: line for line in overview().splitlines() if line.startswith("| `")}
    assert set(names) <= set(lines)
    assert [name for name, line in lines.items() if line.endswith("|  |")] == []
