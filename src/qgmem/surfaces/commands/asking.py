"""`ask`: an answer by a chat model with the evidence for it, or the evidence alone."""

from __future__ import annotations

import json as jsonlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import InvalidInput
from ...types import JsonValue
from .. import encode, render, screen
from ..guard import FAILED
from ..options import FOLDER, USER, Agent, Folder, Json, Run, User, parse_filter
from ..progress import waiting
from .finding import nobody

if TYPE_CHECKING:
    from ...generation.answer import Answer, AnswerEvent
    from ...memory import Memory


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What is asked.")],
    user: User = USER,
    model: Annotated[
        str | None,
        typer.Option("--model", help="What the server calls it; QGMEM_CHAT_MODEL.", metavar="NAME"),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="What comes before /chat/completions; QGMEM_CHAT_URL.", metavar="URL"),
    ] = None,
    graph_token: Annotated[
        Path | None,
        typer.Option(
            "--graph-token",
            help="Folder of `train graph-token`; QGMEM_GRAPH_TOKEN.",
            metavar="DIR",
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Memories to answer from.", metavar="N")] = 10,
    context: Annotated[
        int | None, typer.Option("--context", help="What they may take of the prompt.", metavar="TOKENS")
    ] = None,
    filter: Annotated[str | None, typer.Option("--filter", help="Conditions on units.", metavar="JSON")] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Only what was true by then.", metavar="WHEN")] = None,
    known_at: Annotated[
        str | None, typer.Option("--known-at", help="Only what had been said by then.", metavar="WHEN")
    ] = None,
    question_time: Annotated[
        str | None, typer.Option("--question-time", help="When it is asked.", metavar="WHEN")
    ] = None,
    agent: Agent = None,
    run: Run = None,
    graph: Annotated[Path | None, typer.Option("--graph", help="Draw the local graph here.", metavar="FILE")] = None,
    stream: Annotated[bool, typer.Option("--stream", help="Show the answer while it is written.")] = False,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Answer a question from memory, with the evidence.

    By a server with OpenAI's protocol (key: QGMEM_CHAT_KEY) or a local model, hf:PATH; else the evidence is shown.
    --json --stream: an event a line.

    \b
    qgmem ask "Where?" --base-url http://localhost:8080/v1 --model qwen --stream
    qgmem ask "Where does Ana live?" --user ana --graph graph.svg --json
    qgmem ask "Where?" --model hf:m.gguf --graph-token out/token
    """
    from ...errors import AnswerFailed
    from ...memory import Memory
    from ...settings import Settings

    folder = str(graph_token) if graph_token else None
    named: dict[str, object] = {"chat_model": model, "chat_url": base_url, "graph_token": folder}
    settings = Settings.load(None, **{name: value for name, value in named.items() if value is not None})
    asked: dict[str, Any] = {
        "user_id": user,
        "limit": limit,
        "budget_tokens": context,
        "filters": parse_filter(filter),
        "as_of": as_of,
        "known_at": known_at,
        "question_time": question_time,
        "agent_id": agent,
        "run_id": run,
    }
    if graph is not None:
        _drawable(graph)
    failure: str | None = None
    told = ""
    with Memory.open(path, settings=settings) as memory:
        try:
            if stream:
                answer, told = _streamed(memory, question, asked, json=json)
            else:
                with waiting("asking"):
                    answer = memory.ask(question, **asked)
        except AnswerFailed as error:
            answer, failure = error.evidence, str(error)
        known = [] if answer.working_memory else memory.namespaces()
    undrawn = None if graph is None else _draw(answer, graph)
    if json:
        whole: dict[str, JsonValue] = {
            **encode.answer(answer),
            "error": failure,
            "graph": str(graph) if graph and undrawn is None else None,
        }
        _line({"kind": "done", **whole}) if stream else screen.emit(whole)
    else:
        _print(answer, told=bool(told) and told.strip() == answer.answer)
    if graph is not None:
        screen.note(undrawn or f"drawn to {graph}")
    if not answer.working_memory and user not in known:
        screen.note(nobody(user, known, path))
    if failure is not None:
        screen.note(f"error: {failure}")
    if failure is not None or undrawn is not None:
        raise typer.Exit(FAILED)


def _streamed(memory: Memory, question: str, asked: dict[str, Any], *, json: bool) -> tuple[Answer, str]:
    """The answer, shown in pieces as it is written; and what was shown as its answer, which may not be it."""
    answer: Answer | None = None
    last = told = ""
    try:
        for event in memory.ask_stream(question, **asked):
            answer = event.answer or answer
            if json and event.kind not in ("evidence", "done"):
                _line({"kind": event.kind, "text": event.text})
            elif json and event.kind == "evidence" and event.answer is not None:
                _line({"kind": event.kind, **encode.answer(event.answer)})
            elif not json:
                last = _piece(event, last)
                told = "" if event.kind == "again" else told + event.text * (event.kind == "answer")
    finally:
        if last and not json:
            print()  # also where it broke off
    assert answer is not None, "a stream without evidence"
    return answer, told


def _piece(event: AnswerEvent, last: str) -> str:
    """Shows one event to a person; says of which kind the last piece on the line is."""
    if event.kind in ("reasoning_path", "answer"):
        if event.kind != last:
            sys.stdout.write(("\n" if last else "") + ("because " if event.kind == "reasoning_path" else ""))
        sys.stdout.write(render.plain(event.text))
        sys.stdout.flush()
        return event.kind
    if event.kind == "again":
        print()
        screen.note(f"again: {event.text}")
        return ""
    return last


def _line(value: JsonValue) -> None:
    sys.stdout.write(jsonlib.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()


def _drawable(file: Path) -> None:
    """Before anybody is asked: is there room for a picture? Raises InvalidInput; a former picture may be replaced."""
    if not file.parent.is_dir():
        raise InvalidInput("--graph", f"there is no folder {str(file.parent)!r}", "make it, or name another")
    if file.is_dir():
        raise InvalidInput("--graph", f"{file.name!r} is a folder", "name a file")
    if file.exists():
        with file.open("rb") as there:
            if there.read(5) not in (b"<svg ", b"<?xml"):
                raise InvalidInput("--graph", f"{file.name!r} is there and is no picture", "name another file")


def _draw(answer: Answer, file: Path) -> str | None:
    """Draws it; what kept it from being drawn, if anything, since the answer is there all the same."""
    from ...generation.graph_svg import graph_svg

    labels = {unit_id: name for name, unit_id in answer.context.labels.items() if name.startswith("MU")}
    try:
        file.write_text(graph_svg(answer.local_graph, answer.question, labels), encoding="utf-8")
    except OSError as error:
        return f"error: --graph: {file}: {error.strerror}"
    return None


def _print(answer: Answer, *, told: bool) -> None:
    """The answer, unless it was `told`, then what it rests on, or all that was found where nothing is cited."""
    from rich.text import Text

    if answer.answer is not None and not told:
        screen.show(Text(render.plain(answer.answer), "bold"))
        if answer.reasoning_path:
            screen.show(Text(f"because {render.plain(answer.reasoning_path)}", "dim"))
    units = {hit.id: hit.unit for hit in answer.working_memory}
    for each in answer.citations:
        unit = units[each.unit_id]
        head = Text(f"[{each.label}] ").append(render.plain(unit.speaker), "bold").append(f"  {render.times(unit)}")
        quotes = [Text(f'   "{render.shortened(turn.quote)}"', "cyan") for turn in each.turns]
        screen.show(head, *quotes, Text(f"   {render.source(unit)}", "dim"))
    if not answer.citations:
        screen.show(*render.hits(answer.working_memory))
    for note in answer.notes:
        screen.note(note)
    screen.note(_spent(answer))


def _spent(answer: Answer) -> str:
    tokens = f"{len(answer.working_memory)} memories, {answer.tokens.get('context', 0)} tokens of context"
    if "graph" in answer.tokens:
        tokens += f", graph tokens: {answer.tokens['graph']}"
    if "prompt" in answer.tokens:
        tokens += f", prompt {answer.tokens['prompt']} and answer {answer.tokens['completion']} tokens"
    return f"{tokens}, {answer.seconds.get('total', 0.0):.2f} s"
