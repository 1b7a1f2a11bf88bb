"""`trace`: what was true of somebody, and when, as a timeline with the words it rests on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...types import JsonValue
from .. import encode, render, screen
from ..options import FOLDER, USER, Folder, Json, User

if TYPE_CHECKING:
    from ...trajectory import Trajectory


def trace(
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help='A name, or "Ana\'s sister".')],
    relation: Annotated[
        str | None, typer.Option("--relation", help="home, employer, …; all if left out.", metavar="NAME")
    ] = None,
    user: User = USER,
    as_of: Annotated[str | None, typer.Option("--as-of", help="Only what held then.", metavar="WHEN")] = None,
    known_at: Annotated[
        str | None, typer.Option("--known-at", help="As it was known by then.", metavar="WHEN")
    ] = None,
    svg: Annotated[Path | None, typer.Option("--svg", help="Draw it here too.", metavar="FILE")] = None,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Show what was true of somebody, and when; what begins later than today is upcoming.

    --as-of takes a day, month or year, or a time of day, which counts where messages carry one.

    \b
    qgmem trace Ana --relation home --user ana
    qgmem trace Ana --as-of 2023 --user ana
    qgmem trace Ana --svg ana.svg --user ana
    """
    from ...construction.traces.relations import named
    from ...errors import NotFound
    from ...memory import Memory

    with Memory.open(path) as memory:
        found = memory.trajectory(subject, relation, user_id=user, as_of=as_of, known_at=known_at)
        at_any_time = found or (relation is not None and memory.trajectory(subject, relation, user_id=user))
        others = [] if found else [each.relation for each in memory.trajectory(subject, user_id=user)]
    if relation is not None and not (at_any_time or named(relation)):
        known = ", ".join(dict.fromkeys(others))
        raise NotFound(f"relation: none is called {relation!r}; of {subject} there are: {known or 'none'}")
    if svg is not None and found:
        from ...trajectory import drawn

        svg.write_text(drawn(found), encoding="utf-8")
    if json:
        trajectories: list[JsonValue] = [encode.trajectory(each) for each in found]
        screen.emit({"subject": subject, "trajectories": trajectories, "svg": str(svg) if svg and found else None})
    for number, each in enumerate([] if json else found):
        _print(each, first=number == 0)
    if not found:
        known = ", ".join(dict.fromkeys(others))
        screen.note(f"nothing known; of other relations or times: {known}" if others else "nothing known")
    elif svg is not None:
        screen.note(f"drawn to {svg}")


def _print(found: Trajectory, *, first: bool) -> None:
    """The timeline, then one line a state with its words below."""
    from rich.text import Text

    if not first:
        print()
    width = screen.stdout().width
    print(render.plain(found.timeline(max(60, width))))
    title, *lines = found.text.splitlines()
    assert len(lines) == len(found.states) + 1, f"{title}: a state of several lines"
    for said, state in zip(lines, found.states, strict=False):
        screen.show(Text(f"  {render.plain(said)}"), hang=4)
        if state.quote:
            screen.show(Text(f'    "{render.shortened(state.quote)}"', "cyan"), hang=4)
    screen.show(Text(f"  {render.plain(lines[-1])}", "bold"), hang=4)
