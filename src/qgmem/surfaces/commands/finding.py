"""`search`, `show` and `history`: what is remembered, and where it comes from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .. import encode, render, screen
from ..options import FOLDER, USER, Agent, Folder, Json, Run, User, parse_filter

UnitId = Annotated[str, typer.Argument(metavar="UNIT", help="A unit's id, as `search` shows it.")]


def search(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question, or words.")],
    user: User = USER,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many, at most.", metavar="N")] = 10,
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
    context: Annotated[
        int | None, typer.Option("--context", help="Print text for a prompt instead.", metavar="TOKENS")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the parts of each score.")] = False,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Find what was said, with source and reason, best first.

    \b
    qgmem search "Where does she live?" --user ana
    qgmem search "her job" --as-of 2023 --filter '{"speaker": "Ana"}' --json
    """
    from ...memory import Memory

    asked: dict[str, Any] = {
        "user_id": user,
        "limit": limit,
        "filters": parse_filter(filter),
        "as_of": as_of,
        "known_at": known_at,
        "question_time": question_time,
        "agent_id": agent,
        "run_id": run,
    }
    with Memory.open(path) as memory:
        if context is not None:
            text = memory.context(query, budget_tokens=context, **asked)
            screen.emit({"query": query, "context": text}) if json else print(render.plain(text))
            return
        hits = memory.search(query, **asked, explain=explain)
        known = [] if hits else memory.namespaces()
    if json:
        screen.emit({"query": query, "hits": [encode.hit(hit) for hit in hits]})
    else:
        screen.show(*render.hits(hits, explain=explain))
    if not hits:
        screen.note("nothing found" if user in known else nobody(user, known, path))


def show(unit: UnitId, user: User = USER, path: Folder = FOLDER, json: Json = False) -> None:
    """Show one unit whole, with the turns it comes from.

    \b
    qgmem show t-3f1c9a --user ana
    """
    from ...memory import Memory

    with Memory.open(path) as memory:
        found = memory.get(unit, user_id=user)
        turns = [memory.turn(turn_id, user_id=user) for turn_id in found.span.turn_ids]
    if json:
        screen.emit({"unit": encode.unit(found), "turns": [encode.turn(turn) for turn in turns]})
        return
    changed = found.kind == "verbatim" and found.text != turns[0].text
    screen.show(*render.unit_card(found, turns[0].text if changed else None), hang=render.CARD)


def history(unit: UnitId, user: User = USER, path: Folder = FOLDER, json: Json = False) -> None:
    """Show what a unit said before it was changed, and which states it says.

    \b
    qgmem history t-3f1c9a --user ana
    """
    from ...memory import Memory

    with Memory.open(path) as memory:
        now = memory.get(unit, user_id=user)
        events = memory.history(unit, user_id=user)
    if json:
        screen.emit({"id": now.id, "text": now.text, "events": [encode.event(event) for event in events]})
        return
    for event in events:
        if event.event != "state":
            print(f"until {event.recorded_at}: {render.plain(event.text)}")
    print(f"now: {render.plain(now.text)}")
    for event in events:
        if event.event == "state":
            print(f"says: {render.plain(event.text)}")


def list_(
    user: User = USER,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many, at most.", metavar="N", min=1)] = 100,
    filter: Annotated[str | None, typer.Option("--filter", help="Conditions on units.", metavar="JSON")] = None,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """List units in the order they came in.

    \b
    qgmem list --user ana
    qgmem list --user ana --filter '{"speaker": "Ana"}' --limit 5 --json
    """
    from ...memory import Memory

    with Memory.open(path) as memory:
        found = memory.get_all(user_id=user, filters=parse_filter(filter), limit=limit + 1)
        known = [] if found else memory.namespaces()
    units, more = found[:limit], len(found) > limit
    if json:
        screen.emit({"user_id": user, "units": [encode.unit(each) for each in units], "more": more})
    for each in [] if json else units:
        print(f"{render.plain(each.id)}  {render.plain(each.speaker)}, {render.times(each)}")
        print(f"{render.INDENT}{render.shortened(each.text)}")
    if more:
        screen.note(f"and more; --limit shows more than {limit}")
    if not units:
        screen.note("nothing found" if user in known else nobody(user, known, path))


def nobody(user: str, known: list[str], path: Path) -> str:
    """What is said where nothing is found because nobody has that memory."""
    if not known:
        return f"nothing found: no memories in {path}; --path names another folder"
    others = ", ".join(known[:5]) + (f" and {len(known) - 5} more" if known[5:] else "")
    return f"nothing found: no memory of {user!r} in {path}; there are {others}"
