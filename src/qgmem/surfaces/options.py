"""Options that commands share, under one name and one meaning each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import InvalidInput
from .guard import JSON_KEY


def _remember(ctx: typer.Context, value: bool) -> bool:
    ctx.meta[JSON_KEY] = value
    return value


Json = Annotated[bool, typer.Option("--json", help="Answer in JSON on stdout.", callback=_remember, is_eager=True)]
Folder = Annotated[Path, typer.Option("--path", help="Folder of memories.", metavar="DIR")]
User = Annotated[str, typer.Option("--user", help="Whose memory.", metavar="ID")]
AnyUser = Annotated[str | None, typer.Option("--user", help="Whose memory; all, if left out.", metavar="ID")]
Session = Annotated[str | None, typer.Option("--session", help="Session id.", metavar="ID")]
Agent = Annotated[str | None, typer.Option("--agent", help="Agent id, a scope within the user.", metavar="ID")]
Run = Annotated[str | None, typer.Option("--run", help="Run id, a scope within the user.", metavar="ID")]

FOLDER = Path("memories")
USER = "default"


def parse_filter(text: str | None) -> Mapping[str, Any] | None:
    """A search filter as written on the command line. Raises InvalidInput."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InvalidInput("filters", f"is no JSON: {error}", """write it like '{"speaker": "Ana"}'""") from error
    if not isinstance(value, dict):
        raise InvalidInput("filters", f"expected an object, got {type(value).__name__}")
    return value
