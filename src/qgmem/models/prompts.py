"""The texts that language models are given: files of a package, one a version.

A changed text is a new version, never an edit: name and version enter every cache key, so that answers to an older
text are never taken for answers to a newer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from ..types import JsonValue
from .chat import ChatRequest

_SEPARATOR = "\n---user---\n"


@dataclass(frozen=True, slots=True)
class Prompt:
    """`name` as `units/1`; `system` is sent as it is, `user` is filled in."""

    name: str
    system: str
    user: str

    def request(self, schema: dict[str, JsonValue], max_tokens: int, **values: str) -> ChatRequest:
        """The request with `$name` replaced by values; a `$` inside a value stays."""
        return ChatRequest(self.name, self.system, Template(self.user).substitute(values), schema, max_tokens)


@cache
def read_prompt(package: str, name: str, version: int) -> Prompt:
    """The prompt in the file `name-version.md` of a package: what comes before `---user---` is the system's part."""
    text = files(package).joinpath(f"{name}-{version}.md").read_text(encoding="utf-8")
    system, _, user = text.partition(_SEPARATOR)
    return Prompt(f"{name}/{version}", system.strip(), user.strip())
