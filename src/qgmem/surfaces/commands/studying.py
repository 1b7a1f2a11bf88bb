"""`study`: matched experiments, each factor changed alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .. import screen
from ..options import Json
from .measuring import Limit, Out

study = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="""Run a matched study: one factor changed at a time.

    \b
    qgmem study evidence-recall --data locomo10.json --out out/study
    """,
)


@study.callback()
def start() -> None:
    """Keeps `evidence-recall` a command of its own while it is the only one."""


@study.command()
def evidence_recall(
    data: Annotated[Path, typer.Option("--data", help="LoCoMo's file.", metavar="FILE")],
    out: Out,
    graphs: Annotated[
        Path | None, typer.Option("--graphs", help="Published entity graphs and question keys.", metavar="FILE")
    ] = None,
    embedder: Annotated[
        list[str] | None,
        typer.Option("--embedder", help="A name, or a model folder (hf extra); may be repeated.", metavar="NAME"),
    ] = None,
    resamples: Annotated[int, typer.Option("--resamples", help="Bootstrap resamples.", metavar="N", min=1)] = 10_000,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the bootstrap.", metavar="N")] = 20260727,
    limit_conversations: Limit = None,
    json: Json = False,
) -> None:
    """Dense against entity graph, part by part, with intervals and plots.

    \b
    qgmem study evidence-recall --data locomo10.json --out out/study
    """
    from ...evals.study import run_study
    from ...evals.study.report import to_json

    with screen.resumable(lambda: f"vectors are kept in {out.name}/cache; run the same command again to go on"):
        found = run_study(
            data,
            out,
            graphs=graphs,
            embedders=tuple(embedder) if embedder else ("minilm",),
            resamples=resamples,
            seed=seed,
            limit_conversations=limit_conversations,
        )
    if json:
        screen.emit(to_json(found))
    else:
        print((out / "study.md").read_text(encoding="utf-8"), end="")
        screen.note(f"written to {out}")
