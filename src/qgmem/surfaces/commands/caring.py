"""`doctor` and `reembed`: is everything as it was written, and vectors anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import NotFound
from ...types import JsonValue
from .. import encode, render, screen
from ..guard import FAILED
from ..options import FOLDER, AnyUser, Folder, Json
from ..progress import counting, progress

if TYPE_CHECKING:
    from ...doctor import Health


def doctor(
    fix: Annotated[bool, typer.Option("--fix", help="Remove leftovers that can be made again.")] = False,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Check every memory for damage, gaps and leftovers.

    Reads every file whole: its pages, whether turns, units, vectors and windows have what they rest on, and whether
    dates and metadata can be read back. Words that somebody changed inside a file that is still whole are not
    noticed. Ends with 1 for damage, or for what could not be looked at; notes alone end with 0. --fix touches no
    content.

    \b
    qgmem doctor
    qgmem doctor --path /srv/memories --json
    """
    from ...doctor import diagnose, folders, tidy

    found: list[Health] = []
    removed: list[str] = []
    with progress("memories checked", len(folders(path))) as bar:
        for health in diagnose(path):
            if fix:
                gone = [] if health.blocked else [f"{health.folder}/{name}" for name in tidy(path / health.folder)]
                health.notes = [note for note in health.notes if note.partition(": ")[0] not in gone]
                removed += gone
            found.append(health)
            bar.advance()
    damaged = sum(bool(health.problems) for health in found)
    blocked = sum(bool(health.blocked) for health in found)
    if json:
        namespaces: list[JsonValue] = [_health(health) for health in found]
        counts: dict[str, JsonValue] = {"damaged": damaged, "blocked": blocked, "removed": list(removed)}
        screen.emit({"path": str(path), **counts, "namespaces": namespaces})
    else:
        for health in found:
            print(_line(health))
        for name in removed:
            print(f"removed {name}")
        unseen = f", {blocked} could not be looked at" if blocked else ""
        print(f"{len(found) - blocked} memories checked, {damaged} damaged{unseen}")
    if damaged or blocked:
        raise typer.Exit(FAILED)


def reembed(
    user: AnyUser = None,
    embedder: Annotated[str, typer.Option("--embedder", help="Embedder, by name.", metavar="NAME")] = "minilm",
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Make missing vectors, or all for another embedder.

    Until it is done the former vectors answer. Ctrl-C keeps the vectors made; the same command goes on.

    \b
    qgmem reembed --user ana
    qgmem reembed --embedder minilm
    """
    from ...memory import Memory
    from ...registry import make_embedder
    from ...settings import Settings

    made: dict[str, JsonValue] = {}
    settings = Settings.load()
    so_far: Callable[[], JsonValue] | None = (lambda: {"interrupted": True, "units": made}) if json else None
    with progress("texts embedded") as bar:
        counted = counting(make_embedder(embedder, settings), bar)
        with (
            Memory.open(path, embedder=counted, settings=settings) as memory,
            screen.resumable(
                lambda: f"{bar.done} vectors were made and stay; run the same command again to go on", so_far
            ),
        ):
            known = memory.namespaces()
            if user is not None and user not in known:
                raise NotFound(f"user_id: no memory of {user!r} in {path}")
            for each in known if user is None else [user]:
                made[each] = memory.reembed(user_id=each)
    if json:
        screen.emit({"embedder": counted.id, "dimension": counted.dimension, "units": made})
        return
    for each, count in made.items():
        print(f"{render.plain(each)}: {count} units embedded with {counted.id}")


def _health(health: Health) -> dict[str, JsonValue]:
    stats = encode.stats(health.user_id, health.stats) if health.user_id is not None and health.stats else None
    return {
        "folder": health.folder,
        "user_id": health.user_id,
        "index": health.snapshot,
        "problems": list(health.problems),
        "blocked": list(health.blocked),
        "notes": list(health.notes),
        "stats": stats,
    }


def _line(health: Health) -> str:
    who = health.folder if health.user_id is None else f"{render.plain(health.user_id)} ({health.folder})"
    size = f", {health.stats.units} units, index {health.snapshot}" if health.stats else ""
    state = "DAMAGED" if health.problems else "NOT CHECKED" if health.blocked else "ok"
    lines = [f"{state} {who}{size}"]
    lines += [f"  problem: {each}" for each in health.problems]
    lines += [f"  blocked: {each}" for each in health.blocked]
    lines += [f"  note: {each}" for each in health.notes]
    return "\n".join(lines)
