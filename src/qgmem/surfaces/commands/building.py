"""`build`: a chat model reads what was said, at most two calls a window, and words what changed. Resumable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...types import JsonValue
from .. import screen
from ..guard import FAILED
from ..options import FOLDER, USER, Folder, Json, User
from ..progress import progress

if TYPE_CHECKING:
    from ...construction.build import BuildReport
    from ...construction.forecast import Forecast
    from ...stores.records import WindowRecord

LISTED = 20  # windows named one by one


def build(
    user: User = USER,
    model: Annotated[
        str | None, typer.Option("--model", help="What the server calls it; QGMEM_CHAT_MODEL.", metavar="NAME")
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="What comes before /chat/completions; QGMEM_CHAT_URL.", metavar="URL"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what it would take.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Also windows that failed or lack something.")] = False,
    path: Folder = FOLDER,
    json: Json = False,
) -> None:
    """Have a language model read what was said, add units, and word the trajectories that have changed.

    Any server with OpenAI's protocol will do; a key, where one is wanted, is read from QGMEM_CHAT_KEY alone. Prices
    come from QGMEM_CHAT_PRICE_IN and _OUT, US dollars for a million tokens. Ctrl-C keeps what was read; the same
    command goes on. What was said stays findable word for word whatever the model does. A claim is turned away,
    and counted by reason, where the words that it quotes have another name, number, date or speaker, or where their
    clause says it as a wish or a maybe, denies it, or says it of another. Words are judged, not sense, and clauses
    in English alone.

    \b
    qgmem build --user ana --dry-run
    qgmem build --user ana --base-url http://localhost:8080/v1 --model qwen2.5
    qgmem build --user ana --resume
    """
    from ...memory import Memory
    from ...settings import Settings

    named: dict[str, object] = {"chat_model": model, "chat_url": base_url}
    settings = Settings.load(None, **{name: value for name, value in named.items() if value is not None})
    with Memory.open(path, settings=settings) as memory:
        plan = memory.plan_build(user_id=user, resume=resume)
        report: BuildReport | None = None
        if not dry_run:
            with (
                progress("windows read", plan.windows) as bar,
                screen.resumable(lambda: f"{bar.done} windows were read and stay; the same command goes on"),
            ):
                report = memory.build(user_id=user, resume=resume, on_window=lambda _: bar.advance())
        earlier = _earlier(memory.windows(user_id=user), report)
    if json:
        told = None if report is None else _report(report)
        screen.emit({"user_id": user, "plan": asdict(plan), "report": told, "earlier": dict(earlier)})
    elif report is None:
        print(_plan(plan))
    else:
        print("\n".join(_lines(report)))
    if earlier:
        screen.note(f"windows of earlier runs that are not whole: {_counted(earlier)}")
        screen.note("  hint: `qgmem build --resume` reads them again; their turns are found word for word meanwhile")
    if report is not None:
        _end(report)
        if earlier["failed"]:
            raise typer.Exit(FAILED)


def _earlier(windows: list[WindowRecord], report: BuildReport | None) -> Counter[str]:
    """How many windows failed, or lack something, that this run did not come to, by status."""
    now = set() if report is None else {name for name, _ in (*report.failed, *report.partial)}
    return Counter(one.status for one in windows if one.status in ("failed", "partial") and one.id not in now)


def _plan(plan: Forecast) -> str:
    cost = "" if plan.cost is None else f", ${plan.cost:.4f}"
    return (
        f"{plan.windows} windows to read of {plan.total}: at most {plan.calls} calls, retries apart, "
        f"about {plan.tokens_in:,} tokens in and {plan.tokens_out:,} out; at most {plan.trajectories} more to word "
        f"trajectories, {plan.trajectory_tokens_in:,} in and {plan.trajectory_tokens_out:,} out{cost}"
    )


def _report(report: BuildReport) -> dict[str, JsonValue]:
    windows: list[JsonValue] = [
        {"id": name, "status": status, "reason": reason}
        for status, found in (("failed", report.failed), ("partial", report.partial))
        for name, reason in found
    ]
    spent: list[JsonValue] = [{**asdict(row)} for row in report.spent]
    return {
        "windows": {str(status): count for status, count in report.windows.items()},
        "left": report.left,
        "units": report.units,
        "empty": report.empty,
        "partial_units": report.partial_units,
        "incomplete": windows,
        "rejected": dict(report.rejected),
        "notes": dict(report.notes),
        "redacted": dict(report.redacted),
        "calls": report.calls,
        "retries": report.retries,
        "trajectory_calls": report.trajectory_calls,
        "trajectories": None if report.trajectories is None else asdict(report.trajectories),
        "spent": spent,
        "stopped": report.stopped,
        "pending": report.pending,
    }


def _lines(report: BuildReport) -> list[str]:
    rows = report.spent
    cost = sum(row.cost for row in rows)
    lines = [
        f"{sum(report.windows.values())} windows read ({_counted(report.windows)}), {report.left} left, "
        f"{report.units} units added",
        f"{report.calls} calls for windows, {report.trajectory_calls} for trajectories, {report.retries} retries, "
        f"{sum(row.cached for row in rows)} answers kept from before, "
        f"{sum(row.tokens_in for row in rows):,} tokens in, {sum(row.tokens_out for row in rows):,} out"
        + (f", ${cost:.4f}" if cost else ""),
    ]
    told = report.trajectories
    if told and (told.written or told.composed or told.left):
        lines.append(
            f"{told.written} trajectories worded, {sum(told.composed.values())} keep the composed text "
            f"({_counted(told.composed)}), {told.left} left"
        )
    lines += [f"not borne out and set apart: {_counted(report.rejected)}"] if report.rejected else []
    return lines + ([f"kept from the model: {_counted(report.redacted)}"] if report.redacted else [])


def _counted(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


def _end(report: BuildReport) -> None:
    """Names what is incomplete, and ends with the code for it."""
    incomplete = [("failed", *one) for one in report.failed] + [("partial", *one) for one in report.partial]
    for status, name, reason in incomplete[:LISTED]:
        screen.note(f"{status} {name}: {reason}")
    if len(incomplete) > LISTED:
        screen.note(f"and {len(incomplete) - LISTED} more; `qgmem doctor` lists them")
    if incomplete:
        screen.note("  hint: `qgmem build --resume` reads them again; their turns are found word for word meanwhile")
    if report.stopped:
        screen.note(f"stopped: {report.stopped}")
        screen.note("  hint: what was read stays; the same command goes on")
    elif report.trajectories and report.trajectories.stopped:
        screen.note(f"stopped while wording trajectories: {report.trajectories.stopped}")
        screen.note("  hint: the composed texts stand; the same command goes on")
    if report.pending:
        screen.note(f"stored, but not yet searchable by meaning: {report.pending}")
        screen.note("  hint: `qgmem reembed` makes the missing vectors")
    unsaid = report.trajectories and report.trajectories.stopped
    if report.failed or report.stopped or report.pending or unsaid:
        raise typer.Exit(FAILED)
