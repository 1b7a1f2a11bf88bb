"""The command line: which commands there are, in the order in which a newcomer needs them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from .commands import (
    adding,
    asking,
    building,
    caring,
    finding,
    keeping,
    measuring,
    studying,
    tracing,
    training,
    trying,
)
from .guard import INTERRUPTED, Guarded

HELP = """Long-term memory for conversations, on this machine alone.
--json answers in JSON. Exit codes: 0 done, 1 failed, 2 misuse, 130 Ctrl-C.

\b
qgmem demo                                          see it work
"""

app = typer.Typer(
    cls=Guarded,
    help=HELP,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
for _command in (
    trying.demo,
    adding.add,
    adding.import_,
    finding.search,
    asking.ask,
    finding.show,
    finding.history,
    finding.list_,
    tracing.trace,
    keeping.export,
    keeping.update,
    keeping.forget,
    keeping.stats,
    building.build,
    caring.doctor,
    caring.reembed,
    measuring.synth,
):
    app.command(_command.__name__.rstrip("_"))(_command)
app.add_typer(measuring.bench, name="bench")
app.add_typer(studying.study, name="study")
app.add_typer(training.train, name="train")


@app.callback(invoke_without_command=True)
def start(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
) -> None:
    """Says the version, or the help when no command is given."""
    if version:
        from .. import __version__

        print(f"qgmem {__version__}")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        print(ctx.get_help())
        raise typer.Exit


def main() -> None:
    """The entry point of `qgmem`."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a letter must not end a command
            stream.reconfigure(errors="backslashreplace")
    try:
        app(prog_name="qgmem")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
