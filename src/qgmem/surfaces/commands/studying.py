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
    qgmem study graph-branch --llm smollm2.gguf --out out/graph
    """,
)


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


@study.command()
def graph_branch(
    llm: Annotated[Path, typer.Option("--llm", help="A model folder or GGUF file.", metavar="PATH")],
    out: Out,
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder of `synth`; else lives are simulated.", metavar="DIR")
    ] = None,
    lives: Annotated[int, typer.Option("--lives", help="Lives to simulate.", metavar="N", min=6)] = 60,
    years: Annotated[float, typer.Option("--years", help="How long each is.", metavar="N")] = 2.0,
    seed: Annotated[
        list[int] | None, typer.Option("--seed", help="Repeatable; 0 1 2 if left out.", metavar="N")
    ] = None,
    tokens: Annotated[
        list[int] | None, typer.Option("--tokens", help="Repeatable; 1 2 4 if left out.", metavar="N", min=1)
    ] = None,
    k: Annotated[int, typer.Option("--limit", "-n", help="Units a question.", metavar="N", min=1)] = 10,
    context: Annotated[int, typer.Option("--context", help="What they may take.", metavar="TOKENS", min=1)] = 700,
    per_type: Annotated[int | None, typer.Option("--per-type", help="Questions a type.", metavar="N", min=1)] = None,
    train_limit: Annotated[
        int | None, typer.Option("--train-limit", help="Examples to train on; all.", metavar="N", min=1)
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", help="Passes over the examples.", metavar="N", min=1)] = 10,
    accumulate: Annotated[int, typer.Option("--accumulate", help="Batches of 4 a step.", metavar="N", min=1)] = 4,
    rate: Annotated[float, typer.Option("--rate", help="Adam's learning rate.", metavar="N")] = 1e-4,
    ablation_questions: Annotated[
        int, typer.Option("--ablation-questions", help="Questions a part taken away.", metavar="N", min=1)
    ] = 200,
    history: Annotated[
        list[float] | None, typer.Option("--history", help="Years; repeatable; 0.5 2 8 if left out.", metavar="N")
    ] = None,
    part: Annotated[
        list[str] | None, typer.Option("--part", help="answers, ablations, costs; all.", metavar="NAME")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="As torch names it.", metavar="NAME")] = "cpu",
    dtype: Annotated[
        str, typer.Option("--dtype", help="Of the model: float32, bfloat16.", metavar="NAME")
    ] = "float32",
    json: Json = False,
) -> None:
    """No graph, text graph, graph tokens, and controls.

    Units and retrieval are frozen, cases split. In full it takes a CPU days. Also parts taken away, and costs by
    length of history. A second run goes on.

    \b
    qgmem study graph-branch --llm smollm2.gguf --out out/graph
    qgmem study graph-branch --llm m.gguf --out out --per-type 2 --train-limit 12
    """
    from ...models.hf_chat import HfChat
    from ...training.graph_branch.run import PARTS, StudySettings, study_graph_branch

    settings = StudySettings(
        lives=lives,
        years=years,
        seeds=tuple(seed or (0, 1, 2)),
        tokens=tuple(tokens or (1, 2, 4)),
        k=k,
        budget=context,
        per_type=per_type,
        limit=train_limit,
        epochs=epochs,
        accumulate=accumulate,
        rate=rate,
        ablation_questions=ablation_questions,
        histories=tuple(history or (0.5, 2.0, 8.0)),
        parts=tuple(part or PARTS),
    )
    with screen.resumable(lambda: f"answers and trainings are kept in {out.name}; run the same command to go on"):
        found = study_graph_branch(HfChat(llm, device=device, dtype=dtype), out, settings, data=data)
    if json:
        screen.emit(found)  # type: ignore[arg-type]
    else:
        print((out / "study.md").read_text(encoding="utf-8"), end="")
        screen.note(f"written to {out}")
