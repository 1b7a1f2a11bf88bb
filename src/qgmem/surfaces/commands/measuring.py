"""`bench` and `synth`: what the memory finds on public benchmarks, and simulated lives to try it on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import InvalidInput
from ...types import JsonValue
from .. import screen
from ..guard import FAILED
from ..options import Json
from ..progress import Bar, progress

if TYPE_CHECKING:
    from ...evals.protocol import SystemFactory
    from ...evals.report import Report

bench = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="""Measure evidence recall on a benchmark you have.

    Writes report.json, report.md and questions.jsonl.

    \b
    qgmem bench locomo --data locomo10.json --out out/locomo
    qgmem bench beam --data beam/100K --out out/beam --system bm25
    """,
)

Data = Annotated[Path, typer.Option("--data", help="The benchmark's file or folder.", metavar="PATH")]
Out = Annotated[Path, typer.Option("--out", help="Folder of the report.", metavar="DIR")]
Limit = Annotated[int | None, typer.Option("--limit-conversations", help="Only the first ones.", metavar="N", min=1)]
System = Annotated[str, typer.Option("--system", help="qgmem, bm25, dense or rrf.", metavar="NAME")]


@bench.command()
def locomo(
    data: Data,
    out: Out,
    limit_conversations: Limit = None,
    system: System = "qgmem",
    caption_query: Annotated[
        bool, typer.Option(help="Let the words that images were searched by reach the memory.")
    ] = True,
    both: Annotated[bool, typer.Option("--both", help="Report a second pass without those words too.")] = False,
    answers: Annotated[bool, typer.Option("--answers", help="Have a model answer; official F1 too.")] = False,
    llm: Annotated[str | None, typer.Option("--llm", help="The answering model's name.", metavar="NAME")] = None,
    chat_url: Annotated[str | None, typer.Option("--chat-url", help="Its server.", metavar="URL")] = None,
    systems: Annotated[
        str, typer.Option("--systems", help="In answers: bm25, default, dense, rrf, entity_memory.")
    ] = "bm25,default",
    k: Annotated[str, typer.Option("--k", help="Memories an answer is made from.")] = "5,10,25",
    sample: Annotated[int | None, typer.Option("--sample", help="Questions answered; all if left out.")] = None,
    json: Json = False,
) -> None:
    """LoCoMo: recall_acc at 5, 10, 25 and 50; with --answers official F1.

    Answers are kept as they come: after Ctrl-C the same command goes on.

    \b
    qgmem bench locomo --data locomo10.json --out out --limit-conversations 1
    qgmem bench locomo --data locomo10.json --out out --answers --sample 60
    """
    if answers:
        _answer(data, out, llm, chat_url, systems.split(","), _numbers(k), sample, limit_conversations, json=json)
        return
    if given := [name for name, value in (("--llm", llm), ("--chat-url", chat_url), ("--sample", sample)) if value]:
        raise InvalidInput(given[0], "is for --answers", "add --answers, or leave it out")
    from ...evals.tasks.locomo import run_locomo

    _measure(
        system,
        lambda factory: run_locomo(
            data,
            out,
            factory,
            limit_conversations=limit_conversations,
            caption_query=caption_query,
            also_without_caption_query=both,
        ),
        out,
        json=json,
    )


@bench.command()
def beam(
    data: Data, out: Out, limit_conversations: Limit = None, system: System = "qgmem", json: Json = False
) -> None:
    """BEAM: evidence recall by message id over the chats below a folder.

    \b
    qgmem bench beam --data beam/100K --out out/beam
    """
    from ...evals.tasks.beam import run_beam

    _measure(
        system,
        lambda factory: run_beam(data, out, factory, limit_conversations=limit_conversations),
        out,
        json=json,
    )


@bench.command()
def factconsolidation(
    data: Data,
    out: Out,
    size: Annotated[list[str] | None, typer.Option("--size", help="6k, 32k, 64k, 262k; all if left out.")] = None,
    system: System = "qgmem",
    json: Json = False,
) -> None:
    """FactConsolidation: is the newest answer among the facts found?

    \b
    qgmem bench factconsolidation --data Conflict_Resolution.json --out out
    """
    from ...evals.datasets.factconsolidation import SIZES
    from ...evals.tasks.factconsolidation import run_factconsolidation

    _measure(
        system,
        lambda factory: run_factconsolidation(data, out, factory, sizes=tuple(size) if size else SIZES),
        out,
        json=json,
    )


@bench.command()
def longmemeval(
    data: Data, out: Out, limit_conversations: Limit = None, system: System = "qgmem", json: Json = False
) -> None:
    """LongMemEval: the official retrieval scores, by turn and by session.

    \b
    qgmem bench longmemeval --data longmemeval_s.json --out out/longmemeval
    """
    from ...evals.tasks.longmemeval import run_longmemeval

    _measure(
        system,
        lambda factory: run_longmemeval(data, out, factory, limit_conversations=limit_conversations),
        out,
        json=json,
    )


def synth(
    out: Annotated[Path, typer.Option("--out", help="Folder to write to.", metavar="DIR")],
    people: Annotated[int, typer.Option("--people", help="How many lives.", metavar="N")] = 5,
    years: Annotated[float, typer.Option("--years", help="How long each is.", metavar="N")] = 3.0,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same bytes.", metavar="N")] = 7,
    json: Json = False,
) -> None:
    """Write simulated lives: dialogues, truth, questions.

    \b
    qgmem synth --people 5 --years 3 --seed 7 --out out/lives
    """
    from ...synthetic import Life, simulate, write

    def counted(lives: Iterator[Life], bar: Bar) -> Iterator[Life]:
        for life in lives:
            yield life
            bar.advance()

    settings = {"people": people, "years": years, "seed": seed}
    with progress("lives", people) as bar:
        report = write(counted(simulate(people, years, seed), bar), out, settings)
    if json:
        screen.emit(
            {
                "out": str(report.out),
                "lives": report.lives,
                "sessions": report.sessions,
                "turns": report.turns,
                "claims": dict(report.claims),
                "questions": dict(report.questions),
                "sha256": dict(report.sha256),
            }
        )
        return
    questions = sum(report.questions.values())
    print(f"{report.lives} lives, {report.sessions} sessions, {report.turns} turns, {questions} questions in {out}")


def _answer(
    data: Path,
    out: Path,
    llm: str | None,
    chat_url: str | None,
    systems: list[str],
    ks: list[int],
    sample: int | None,
    conversations: int | None,
    *,
    json: bool,
) -> None:
    """Runs the questions by a chat model and shows the tables; ends with 1 if one got no usable answer."""
    from ...evals.tasks.locomo_answers import run_locomo_answers
    from ...registry import make_answerer
    from ...settings import Settings

    named: dict[str, object] = {"chat_model": llm, "chat_url": chat_url}
    settings = Settings.load(None, **{name: value for name, value in named.items() if value is not None})
    answerer = make_answerer(None, settings)
    if answerer is None:
        raise InvalidInput("--llm", "no model is named", "give its name, or set QGMEM_CHAT_MODEL")
    with screen.resumable(lambda: f"answers so far are in {out}; the same command goes on"):
        run = run_locomo_answers(
            data, out, answerer, systems=systems, ks=ks, sample=sample, limit_conversations=conversations
        )
    if json:
        screen.emit(run.report)
    else:
        print(run.to_markdown(), end="")
        screen.note(f"written to {out}")
    if failed := sum(row.failure is not None for row in run.rows):
        screen.note(f"{failed} questions got no usable answer; see failure in questions.jsonl")
        raise typer.Exit(FAILED)


def _numbers(text: str) -> list[int]:
    numbers = [int(part) for part in text.split(",") if part.strip().isdecimal()]
    if len(numbers) < len(text.split(",")) or 0 in numbers:
        raise InvalidInput("--k", f"is {text!r}", "write whole numbers, as 5,10,25")
    return numbers


def _measure(system: str, task: Callable[[SystemFactory], Report], out: Path, *, json: bool) -> None:
    """Runs a task on a system and shows its table; ends with 1 if a question failed."""
    from ...evals.report import to_markdown
    from ...evals.systems import open_system

    with (
        screen.resumable(lambda: "no report was written; run the same command again from the start"),
        open_system(system) as factory,
    ):
        report = task(factory)
    if json:
        written: dict[str, JsonValue] = report.to_json()
        screen.emit(written)
    else:
        print(to_markdown(report), end="")
        screen.note(f"written to {out}")
    if any(row.failure for row in report.rows) or report.ingest.failed:
        screen.note("some questions or messages failed; see failures and ingest.failed in report.json")
        raise typer.Exit(FAILED)
