"""`export`, `forget` and `stats`: memories as files, gone, and counted."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...errors import InvalidInput
from .. import encode, render, screen
from ..options import FOLDER, USER, Agent, AnyUser, Folder, Json, Run, Session, User
from ..progress import waiting

if TYPE_CHECKING:
    from ...stores.records import Receipt, StoreStats


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write JSON Lines.")],
    user: User = USER,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Write a memory to a file that `import` reads back.

    \b
    qgmem export ana.jsonl --user ana
    """
    from ...memory import Memory

    if file.exists() and not force:
        raise InvalidInput("path", f"{file} is there already", "--force replaces it")
    with waiting("writing"), Memory.open(path) as memory:
        records = memory.export(file, user_id=user)
    if json:
        screen.emit({"user_id": user, "file": str(file), "records": records, "bytes": file.stat().st_size})
    else:
        print(f"{records} records to {file}")


def forget(
    units: Annotated[list[str] | None, typer.Argument(metavar="[UNIT]...", help="Ids of units.")] = None,
    user: User = USER,
    session: Session = None,
    agent: Agent = None,
    run: Run = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything of the user.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Delete units, a session or all, down to the last byte.

    \b
    qgmem forget t-3f1c9a --user ana
    qgmem forget --session 2024-05-02 --user ana
    qgmem forget --all --user ana --yes --json
    """
    from ...memory import Memory

    ids = units or []
    scoped = any(each is not None for each in (session, agent, run))
    if everything and (ids or scoped):
        raise InvalidInput("--all", "does not go together with ids or scopes", "name one or the other")
    if ids and scoped:  # together they would take the whole scope
        raise InvalidInput("UNIT", "ids do not go together with --session, --agent or --run", "forget one at a time")
    if not everything and not ids and not scoped:
        raise InvalidInput("UNIT", "nothing is named to forget", "give ids, --session, --agent, --run or --all")
    with Memory.open(path) as memory:
        memory.stats(user_id=user)  # says so before anything is asked, if there is no such memory
        if not yes:
            _confirm(_what(ids, session, agent, run, user))
        with waiting("forgetting"):
            if everything:
                receipt = memory.delete_all(user_id=user)
            else:
                receipt = memory.delete(ids or None, user_id=user, session_id=session, agent_id=agent, run_id=run)
    if json:
        screen.emit(encode.receipt(receipt))
    else:
        print(_receipt(receipt))


def update(
    unit: Annotated[str, typer.Argument(metavar="UNIT", help="A unit's id, as `search` shows it.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Its new words; - reads them from stdin.")],
    user: User = USER,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Give a unit new words; `history` keeps the former ones.

    \b
    qgmem update t-3f1c9a "I moved to Lisbon in April." --user ana
    """
    from ...construction.messages import altered_note
    from ...memory import Memory
    from ...text import altered

    with Memory.open(path) as memory:
        memory.stats(user_id=user)  # no memory is made for a user that is not there
        words = screen.stdin_text() if text == "-" else text
        changed = memory.update(unit, words, user_id=user)
    if altered(words):
        screen.note(f"note: {altered_note(['text'])}")
    if json:
        screen.emit({"unit": encode.unit(changed)})
    else:
        print(f"updated {render.plain(changed.id)}")


def stats(user: AnyUser = None, path: Folder = FOLDER, json: Json = False) -> None:
    """Count turns, units, bytes and missing vectors.

    \b
    qgmem stats
    qgmem stats --user ana --json
    """
    from ...memory import Memory
    from ...stores.folder import DATABASE

    with Memory.open(path) as memory:
        users = memory.namespaces() if user is None else [user]
        found = {each: memory.stats(user_id=each) for each in users}
    if json:
        screen.emit({"path": str(path), "namespaces": [encode.stats(each, value) for each, value in found.items()]})
        return
    others = len(list(path.glob(f"*/{DATABASE}"))) - len(found) if user is None else 0
    if not found and not others:
        screen.note(f"no memories in {path}; `qgmem add` makes one, --path names another folder")
    for each, value in found.items():
        print(_counts(each, value))
    if others > 0:
        screen.note(f"{others} more hold no turns or cannot be read; `qgmem doctor` looks at them")


def _confirm(what: str) -> None:
    """Asks on the terminal; without one the answer has to be given beforehand."""
    if not sys.stdin.isatty():
        raise InvalidInput("--yes", f"needed to forget {what} where nobody can be asked")
    if not typer.confirm(f"Forget {what}? This cannot be undone.", err=True):
        screen.note("nothing was forgotten")
        raise typer.Exit(1)


def _what(ids: list[str], session: str | None, agent: str | None, run: str | None, user: str) -> str:
    parts = [f"{len(ids)} unit{'s' * (len(ids) != 1)}"] if ids else []
    scopes = (("session", session), ("agent", agent), ("run", run))
    parts += [f"{name} {value!r}" for name, value in scopes if value is not None]
    return f"{' and '.join(parts) or 'everything'} of {user!r}"


def _receipt(receipt: Receipt) -> str:
    return (
        f"forgotten: {receipt.units} units, {receipt.turns} turns, {receipt.phrases} phrases, "
        f"{receipt.vectors} vectors, {receipt.history} former wordings"
    )


def _counts(user: str, value: StoreStats) -> str:
    waiting = value.pending_units + value.pending_phrases
    lines = [
        f"{render.plain(user)}",
        f"  {value.turns} turns in {value.sessions} sessions, {value.units} units, {value.phrases} phrases",
        f"  {value.bytes / 1e6:.1f} MB, {value.history} former wordings",
        f"  embedder {value.embedder or 'none yet'}"
        + (f", {value.dimension} dimensions" if value.dimension else "")
        + (f", {waiting} vectors missing: run `qgmem reembed`" if waiting else ""),
    ]
    return "\n".join(lines)
