"""The methods of `Memory`, one line each, as Markdown: `python -m qgmem.surfaces.api > docs/api.md` writes it."""

from __future__ import annotations

import inspect
import sys

from ..memory import Memory

HEAD = """# Memory, method by method

Made from the code by `python -m qgmem.surfaces.api`; a test fails when it is stale. `help` has the
rest.
`AsyncMemory` has the same methods for asyncio.

| | |
|---|---|
"""


def overview() -> str:
    """The whole page."""
    return HEAD + "".join(f"| `{name}({_arguments(name)})` | {_first_line(name)} |\n" for name in _methods())


def _methods() -> list[str]:
    """Public methods in the order of the class."""
    return [name for name, value in vars(Memory).items() if not name.startswith("_") and _callable(value)]


def _callable(value: object) -> bool:
    return inspect.isfunction(value) or isinstance(value, classmethod)


def _arguments(name: str) -> str:
    """Names alone; what has a default ends with `=`."""
    found = [each for each in inspect.signature(getattr(Memory, name)).parameters.values() if each.name != "self"]
    return ", ".join(
        f"**{each.name}"
        if each.kind is each.VAR_KEYWORD
        else each.name + ("=" if each.default is not each.empty else "")
        for each in found
    )


def _first_line(name: str) -> str:
    return " ".join((inspect.getdoc(getattr(Memory, name)) or "").split("\n\n")[0].split()).replace("|", "\\|")


if __name__ == "__main__":
    sys.stdout.write(overview())
