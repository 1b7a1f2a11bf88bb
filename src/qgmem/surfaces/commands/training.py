"""`train`: what learns. Only the graph token does; the language model is frozen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import screen
from ..options import Json

if TYPE_CHECKING:
    from ...training.graph_token.trainer import Progress

train = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="""Train the graph token for a local language model (graph extra).

    \b
    qgmem synth --people 60 --out out/lives
    qgmem train graph-token --data out/lives --llm smollm2.gguf --out out/token
    """,
)


@train.callback()
def start() -> None:
    """Keeps `graph-token` a command of its own while it is the only one."""


@train.command()
def graph_token(
    data: Annotated[Path, typer.Option("--data", help="Folder of `synth`, or of ConvoMem.", metavar="DIR")],
    llm: Annotated[Path, typer.Option("--llm", help="A model folder or GGUF file.", metavar="PATH")],
    out: Annotated[Path, typer.Option("--out", help="Folder of the checkpoint.", metavar="DIR")],
    epochs: Annotated[int, typer.Option("--epochs", help="Passes over the examples.", metavar="N", min=1)] = 10,
    batch: Annotated[int, typer.Option("--batch", help="Examples at a time.", metavar="N", min=1)] = 4,
    accumulate: Annotated[int, typer.Option("--accumulate", help="Batches a step.", metavar="N", min=1)] = 4,
    rate: Annotated[float, typer.Option("--rate", help="Adam's learning rate.", metavar="N")] = 1e-4,
    tokens: Annotated[int, typer.Option("--tokens", help="Vectors a graph.", metavar="N", min=1)] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same bytes.", metavar="N")] = 0,
    k: Annotated[int, typer.Option("--limit", "-n", help="Units a question.", metavar="N", min=1)] = 10,
    context: Annotated[
        int, typer.Option("--context", help="What they may take of the prompt.", metavar="TOKENS", min=1)
    ] = 700,
    train_limit: Annotated[
        int | None, typer.Option("--train-limit", help="Examples to train on; all.", metavar="N", min=1)
    ] = None,
    reader: Annotated[
        str | None,
        typer.Option("--reader", help="Keep what this chat model answers right.", metavar="NAME"),
    ] = None,
    reader_url: Annotated[str | None, typer.Option("--reader-url", help="Its server.", metavar="URL")] = None,
    embedder: Annotated[str, typer.Option("--embedder", help="By name, as minilm.", metavar="NAME")] = "minilm",
    device: Annotated[str, typer.Option("--device", help="As torch names it.", metavar="NAME")] = "cpu",
    dtype: Annotated[
        str, typer.Option("--dtype", help="Of the model: float32, bfloat16.", metavar="NAME")
    ] = "float32",
    json: Json = False,
) -> None:
    """Train on dialogues with known answers, split by case.

    Keeps what the memory finds with evidence and answer in the context; with --reader what that model (key:
    QGMEM_CHAT_KEY) answers right from it. The best epoch by validation is written; a run that was stopped goes on to
    the same result.

    \b
    qgmem train graph-token --data out/lives --llm smollm2.gguf --out out/token
    qgmem train graph-token --data DIR --llm m.gguf --out OUT --reader qwen3
    """
    from ...errors import InvalidInput
    from ...models.hf_chat import HfChat
    from ...registry import make_chat
    from ...settings import Settings
    from ...training.graph_token.run import train_graph_token
    from ...training.graph_token.trainer import TrainSettings

    settings = TrainSettings(epochs, batch, accumulate, rate, tokens, seed)
    model = HfChat(llm, device=device, dtype=dtype)
    if reader_url is not None and not reader:
        raise InvalidInput("--reader-url", "is for --reader", "name the model, or leave it out")
    server = {"chat_url": reader_url} if reader_url else {}
    asked = None if reader is None else make_chat(reader, Settings.load(None, **server))
    with screen.resumable(lambda: f"what was learned is kept in {out.name}; run the same command to go on"):
        done = train_graph_token(
            data,
            model,
            out,
            settings,
            embedder=embedder,
            k=k,
            budget=context,
            limit=train_limit,
            reader=asked,
            on_step=_said,
        )
    if json:
        screen.emit(done.manifest)
        return
    losses = " ".join(f"{value:.4f}" for value in done.progress.validation)
    print(f"validation, untrained first, nats a token: {losses}")
    print(f"best after epoch {done.progress.best}, written to {out}")


def _said(now: Progress) -> None:
    """A line a step on stderr."""
    validated = f", validation {now.validation[-1]:.4f}" if now.step == 1 and now.validation else ""
    screen.note(f"epoch {now.epoch + 1}, step {now.step}: loss {now.losses[-1]:.4f}{validated}")
