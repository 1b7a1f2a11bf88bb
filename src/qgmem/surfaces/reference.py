"""The command line's reference as Markdown, made from the commands themselves: `make docs` writes it.

Nothing here depends on the version of typer, so that the text changes only when a command does.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

import typer

from .cli import app

HEAD = """# qgmem, command by command

Made by `make docs` from the commands; a test fails when it is stale. `qgmem COMMAND --help` says the same.
"""


# Top-level names of what --json answers; units and hits have the fields of `surfaces/encode.py`.
JSON = {
    "demo": "ingest, seconds, searches: [{query, hits}]",
    "add": "stored, deduplicated, failed, pending, redacted, items: [{status, turn_id, reason, note}]",
    "import": "stored, deduplicated, failed, pending, failures, failures_left_out, notes, notes_left_out",
    "search": "query, hits: [{rank, score, channels, contributions, flags, id, text, …}]",
    "ask": "question, answer, abstained, reasoning_path, citations: [{label, unit_id, turns, …}], "
    "working_memory: [{rank, id, text, …}], context: [text, labels, left_out], "
    "local_graph: [nodes, edges, left_out], answerer, tokens, seconds, notes, error, graph",
    "show": "unit, turns",
    "history": "id, text, events: [{event, text, recorded_at}]",
    "trace": "subject, trajectories: [{subject, relation, states: {value, valid_from, …}, text, …}], svg",
    "export": "user_id, file, records, bytes",
    "list": "user_id, units: [{id, text, speaker, utterance_time, …}], more",
    "update": "unit",
    "forget": "user_id, unit_ids, turns, units, phrases, vectors, history, windows, cached, quarantined",
    "stats": "path, namespaces: [{user_id, turns, units, sessions, bytes, pending_units, …}]",
    "build": "user_id, plan: [{windows, calls, cost, …}], report: [{windows, units, …}], earlier: {failed, partial}",
    "doctor": "path, damaged, blocked, removed, namespaces: [{folder, user_id, problems, blocked, notes, …}]",
    "reembed": "embedder, dimension, units",
    "synth": "out, lives, sessions, turns, claims, questions, sha256",
}


def reference() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(line for path, command in commands() for line in _section(path, command))])


def json_names(command: str) -> list[str]:
    """Top-level names of a command's JSON."""
    return [name.partition(":")[0] for name in re.sub(r"\[.*?\]|\{.*?\}", "", JSON[command]).split(", ")]


def commands() -> Iterator[tuple[str, Any]]:
    """(`qgmem bench locomo`, command) of every command and group, in the order of the help."""
    yield from _walk("qgmem", typer.main.get_command(app))


def _walk(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from _walk(f"{path} {name}", inner)


def _section(path: str, command: Any) -> list[str]:
    own = [each for each in command.params if each.name != "help"]
    arguments = [_metavar(each) for each in own if _is_argument(each)]
    usage = " ".join([path, *(["[OPTIONS]"] if len(arguments) < len(own) else []), *arguments])
    if hasattr(command, "commands"):
        usage += " COMMAND"
    lines = [f"## {path}", "", f"    {usage}", "", *_prose(command.help or ""), ""]
    rows = [f"| `{_flags(each)}` | {each.help or ''}{_default(each)} |" for each in own]
    lines += ["| | |", "|---|---|", *rows, ""] if rows else []
    answer = JSON.get(path.removeprefix("qgmem "))
    return [*lines, f"JSON: `{answer}`", ""] if answer else lines


def _prose(text: str) -> list[str]:
    """Help text with its examples, which stand behind a \\b, as code."""
    paragraphs = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b\n"):
            paragraph = "\n".join(["```sh", *paragraph.splitlines()[1:], "```"])
        paragraphs.append(paragraph)
    return "\n\n".join(paragraphs).splitlines()


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _flags(parameter: Any) -> str:
    if _is_argument(parameter):
        return _metavar(parameter)
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    return names if parameter.is_flag else f"{names} {_metavar(parameter)}"


def _default(parameter: Any) -> str:
    value = parameter.default
    if parameter.required:
        return " Required."
    shown = value not in (None, False, "") and not callable(value) and not isinstance(value, list | tuple)
    return f" Default: `{value}`." if shown else ""


def main() -> None:
    """Writes the page to stdout."""
    sys.stdout.write(reference())


if __name__ == "__main__":
    main()
