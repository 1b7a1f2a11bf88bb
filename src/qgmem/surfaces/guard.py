"""How commands fail: one line and a way out on stderr, an exit code, no traceback.

0 done; 1 something failed, or a part of it; 2 the call cannot be understood; 130 stopped by Ctrl-C.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from ..errors import InvalidInput, NotFound, QgmemError
from ..types import JsonValue
from .screen import note

_Usage: Any = typer.BadParameter.__mro__[1]  # the framework's error of a call that it cannot understand
FAILED, MISUSED, INTERRUPTED = 1, 2, 130
JSON_KEY = "qgmem.json"  # in the context's `meta`: --json was given

# What a person typed, for fields of the facade that have another name there.
_OPTIONS = {
    "user_id": "--user", "session_id": "--session", "agent_id": "--agent", "run_id": "--run", "limit": "--limit",
    "filters": "--filter", "as_of": "--as-of", "known_at": "--known-at", "timestamp": "--time",
    "time_zone": "--time-zone", "question_time": "--question-time", "budget_tokens": "--context", "query": "QUERY",
    "format": "--format", "people": "--people", "years": "--years", "embedder": "--embedder", "data": "--data",
    "systems": "--systems", "k": "--k", "sample": "--sample", "out": "--out", "subject": "SUBJECT",
    "relation": "--relation", "path": "FILE", "chat": "--model", "base_url": "--base-url",
    "api_key": "QGMEM_CHAT_KEY", "settings.graph_token": "--graph-token", "parts": "--part",
}  # fmt: skip


class Guarded(TyperGroup):
    """The command group whose commands end with an exit code and a word about why."""

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; typed errors and Ctrl-C become exit codes."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of a pipe has gone: the framework ends quietly
        except _Usage as error:
            if "--json" not in sys.argv:
                raise  # the framework says it, with the usage
            message = " ".join(error.format_message().split())
            _say("UsageError", message, "")
            raise typer.Exit(MISUSED) from error
        except (QgmemError, OSError) as error:
            _tell(error, as_json=bool(ctx.meta.get(JSON_KEY)))
            code = MISUSED if isinstance(error, InvalidInput) else FAILED
            raise typer.Exit(code) from error
        except KeyboardInterrupt as stop:
            remarks = list(getattr(stop, "__notes__", []))
            if ctx.meta.get(JSON_KEY):
                _say("Interrupted", "interrupted", "; ".join(remarks))
            else:
                note("\n".join(["interrupted", *remarks]))
            raise typer.Exit(INTERRUPTED) from stop


def _tell(error: QgmemError | OSError, *, as_json: bool) -> None:
    message, hint = told(error)
    if as_json:
        _say(type(error).__name__, message, hint)
        return
    note(f"error: {message}")
    if hint:
        note(f"  hint: {hint}")
    for remark in getattr(error, "__notes__", []):
        note(f"  {remark}")


def _say(kind: str, message: str, hint: str) -> None:
    """An error as one line of JSON on stderr."""
    said: dict[str, JsonValue] = {"type": kind, "message": message, "hint": hint or None}
    sys.stderr.write(json.dumps({"error": said}, ensure_ascii=False) + "\n")


def told(error: QgmemError | OSError) -> tuple[str, str]:
    """(what went wrong, the way out or nothing), each on one line."""
    if isinstance(error, InvalidInput):
        name, dot, rest = error.field.partition(".")
        message, hint = f"{_OPTIONS.get(name, name)}{dot}{rest}: {error.problem}", error.hint
    elif isinstance(error, NotFound):
        name, colon, rest = str(error).partition(":")
        message = f"{_OPTIONS.get(name, name)}{colon}{rest}"
        hint = "`qgmem stats` lists the memories in a folder, --path names another" if name == "user_id" else ""
    elif isinstance(error, QgmemError):
        message, _, hint = str(error).partition("; ")
    else:
        message = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        hint = ""
    return " ".join(message.split()), " ".join(hint.split())
