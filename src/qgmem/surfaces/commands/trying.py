"""`demo`: the bundled conversation taken in and five questions asked of it."""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...types import AddReport, JsonValue
from .. import encode, render, screen
from ..guard import FAILED
from ..options import Json

if TYPE_CHECKING:
    from ...memory import Memory

DEMO_USER = "demo"


def demo(
    path: Annotated[
        Path | None, typer.Option("--path", help="Keep the memory here; temporary if left out.", metavar="DIR")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Hits a question.", metavar="N")] = 3,
    json: Json = False,
) -> None:
    """See it work: a bundled conversation and five questions.

    \b
    qgmem demo
    qgmem demo --path memories && qgmem search "the wood stove" --user demo
    """
    from ...memory import Memory
    from ...sample import DEMO_QUESTIONS

    with ExitStack() as stack:
        folder = path or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="qgmem-demo-")))
        memory = stack.enter_context(Memory.open(folder))
        started = time.perf_counter()
        report = _take_in(memory)
        seconds = time.perf_counter() - started
        if not json:
            print(
                f"Two friends, nine months: {report.count('stored')} turns stored, "
                f"{report.count('deduplicated')} known already, {seconds:.1f} s."
            )
        searches: list[JsonValue] = []
        for question in DEMO_QUESTIONS:
            started = time.perf_counter()
            hits = memory.search(question.text, user_id=DEMO_USER, limit=limit, explain=json)
            milliseconds = 1000 * (time.perf_counter() - started)
            if json:
                searches.append({"query": question.text, "hits": [encode.hit(hit) for hit in hits]})
                continue
            print(f"\nQ: {question.text}  ({milliseconds:.0f} ms)")
            screen.show(*render.hits(hits))
    if json:
        screen.emit({"ingest": encode.report([report]), "seconds": round(seconds, 3), "searches": searches})
    elif path is not None:
        print(f'\nKept in {path}. Ask on: qgmem search "…" --user {DEMO_USER} --path {path}')
    if report.count("failed") or report.pending:
        screen.note(f"failed: {report.count('failed')} turns; {report.pending or ''}")
        raise typer.Exit(FAILED)


def _take_in(memory: Memory) -> AddReport:
    from ...sample import load_sample

    messages = [{**record.message, "session_id": record.session_id} for record in load_sample()]
    return memory.add(messages, user_id=DEMO_USER)
