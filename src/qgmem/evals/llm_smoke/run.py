"""The smoke run: a conversation's first sessions read by a real model, whose server is killed half-way.

All state is in the output folder, so a run that was stopped goes on with the same command: the memory itself, and
`outcomes.jsonl`, a line for each recorded outcome of a window with what passed and what was set apart.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from qgmem.construction.build import BuildReport
from qgmem.errors import InvalidInput
from qgmem.memory import Memory
from qgmem.settings import Settings
from qgmem.stores.records import WindowOutcome
from qgmem.types import Hit, JsonValue, LedgerRow

from ..datasets.dialogue import Conversation, Question
from ..datasets.locomo import load_locomo
from ..kept_lines import keep_line, kept_lines
from ..metrics.recall_acc import recall_acc
from ..metrics.turn_ids import turn_ids_at
from ..systems import MemorySystem
from .server import LocalServer

BUILT, PLAIN = "built", "verbatim"  # namespaces: with the model's units beside the turns, and turns alone
CUTOFFS = (5, 10, 25)
SIDES: Mapping[str, tuple[str, Mapping[str, JsonValue]]] = {
    "units": (BUILT, {"kind": "extracted"}),
    "verbatim": (PLAIN, {}),
    "both": (BUILT, {}),
}
KILL_AFTER = 3.0  # seconds after a window is recorded, so that a call of the next one is under way


@dataclass(frozen=True, slots=True)
class Passage:
    """The first sessions of a conversation, and the questions whose whole evidence lies in them."""

    conversation: Conversation
    questions: tuple[Question, ...]
    file: Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the run found. `recall`: side → category (or `all`) → recall_acc@k, [0, 1], higher is better.

    `covered`: evidence entries of the questions that some extracted unit rests on, of `entries`.
    `killed`: so many windows had been recorded when the server was killed; 0 if it was not.
    """

    turns: int
    windows: Mapping[str, int]
    units: int
    rejected: Mapping[str, int]
    notes: Mapping[str, int]
    ledger: tuple[LedgerRow, ...]
    seconds: float
    killed: int
    stopped: tuple[str, ...]
    recall: Mapping[str, Mapping[str, Mapping[str, float]]]
    questions: Mapping[str, int]
    covered: int
    entries: int


def passage(file: Path, sample: str | None, sessions: int) -> Passage:
    """Raises InvalidInput for a conversation that the file does not have."""
    data = load_locomo(file)
    found = [one for one in data.conversations if sample in (None, one.id)]
    if not found:
        raise InvalidInput("conversation", f"there is no {sample!r}", f"as {data.conversations[0].id}")
    shown = replace(found[0], sessions=found[0].sessions[:sessions])
    here = set(shown.turn_ids)
    asked = [one for one in data.questions_of(shown.id) if one.evidence and here.issuperset(one.evidence)]
    return Passage(shown, tuple(asked), file)


class SmokeRun:
    """One run in one folder. `clock` gives seconds; `say` hears a line a window."""

    def __init__(self, folder: Path, text: Passage, settings: Settings, say: Callable[[str], None] = print) -> None:
        self._folder, self._text, self._settings, self._say = folder, text, settings, say
        self._log, self._runs = folder / "outcomes.jsonl", folder / "runs.jsonl"
        folder.mkdir(parents=True, exist_ok=True)

    def build(self, server: LocalServer, *, kill: bool = True) -> None:
        """Read every window. With `kill` the server is killed once, half-way; restarted, the build goes on."""
        with Memory.open(self._folder / "memories", settings=self._settings) as memory:
            for name in (BUILT, PLAIN):
                MemorySystem(memory, name).build(self._text.conversation)
            total = memory.plan_build(user_id=BUILT, resume=True).total
            alive = not kill or any(run["killed"] for run in _lines(self._runs))
            while True:
                server.start()
                report = self._pass(memory, server, None if alive else total // 2)
                if (
                    report.stopped is None or server.running
                ):  # a server that is up and refuses is not mended by a pass
                    return
                alive = True

    def _pass(self, memory: Memory, server: LocalServer, deadly: int | None) -> BuildReport:
        read = sum(one.status in ("done", "partial") for one in memory.windows(user_id=BUILT))
        started = last = time.monotonic()
        timers: list[threading.Timer] = []

        def heard(outcome: WindowOutcome) -> None:
            nonlocal read, last
            now = time.monotonic()
            keep_line(self._log, {"seconds": round(now - last, 1), **_told(outcome)})
            last = now
            read += outcome.status in ("done", "partial")
            self._say(f"{read}: {outcome.status} {outcome.reason or ''} {len(outcome.units)} units")
            if deadly is not None and read >= deadly and not timers:
                timers.append(threading.Timer(KILL_AFTER, server.kill))
                timers[0].start()
                if not KILL_AFTER:
                    timers[0].join()

        report = memory.build(user_id=BUILT, resume=True, on_window=heard)
        for timer in timers:
            timer.cancel()
        keep_line(
            self._runs,
            {
                "seconds": round(time.monotonic() - started, 1),
                "killed": read if timers and not server.running else 0,
                "stopped": report.stopped,
                "retries": report.retries,
            },
        )
        return report

    def outcome(self) -> Outcome:
        """Measured on what is in the folder."""
        last = {str(line["window"]): line for line in _lines(self._log)}
        rejected: dict[str, int] = {}
        notes: dict[str, int] = {}
        for line in last.values():
            for one in line["rejected"]:
                name = f"{one['kind']}: {one['reason']}"
                rejected[name] = rejected.get(name, 0) + 1
            for name, count in line["notes"].items():
                notes[name] = notes.get(name, 0) + count
        runs = _lines(self._runs)
        with Memory.open(self._folder / "memories", settings=self._settings) as memory:
            windows: dict[str, int] = {}
            for window in memory.windows(user_id=BUILT):
                windows[window.status] = windows.get(window.status, 0) + 1
            units = memory.get_all(user_id=BUILT, filters={"kind": "extracted"})
            resting = {turn for unit in units for turn in unit.span.turn_ids}
            entries = [entry for one in self._text.questions for entry in one.evidence]
            return Outcome(
                turns=len(self._text.conversation.turn_ids),
                windows=windows,
                units=len(units),
                rejected=dict(sorted(rejected.items())),
                notes=dict(sorted(notes.items())),
                ledger=tuple(memory.ledger(user_id=BUILT)),
                seconds=sum(float(run["seconds"]) for run in runs),
                killed=max([0, *(int(run["killed"]) for run in runs)]),
                stopped=tuple(str(run["stopped"]) for run in runs if run["stopped"]),
                recall={side: _recall(memory, side, self._text.questions) for side in SIDES},
                questions=_counted(self._text.questions),
                covered=sum(entry in resting for entry in entries),
                entries=len(entries),
            )


def _recall(memory: Memory, side: str, questions: Sequence[Question]) -> dict[str, dict[str, float]]:
    namespace, filters = SIDES[side]
    scores: dict[str, list[tuple[float, ...]]] = {}
    for question in questions:
        found = turn_ids_at(_enough(memory, question.text, namespace, filters), max(CUTOFFS))
        got = tuple(recall_acc(question.evidence, found, k) for k in CUTOFFS)
        for name in ("all", question.category):
            scores.setdefault(name, []).append(got)
    return {
        name: {
            f"recall_acc@{k}": sum(column) / len(column)
            for k, column in zip(CUTOFFS, zip(*rows, strict=True), strict=True)
        }
        for name, rows in sorted(scores.items())
    }


def _enough(memory: Memory, question: str, namespace: str, filters: Mapping[str, JsonValue]) -> list[Hit]:
    """Hits that name as many turns as the largest cutoff, if there are so many."""
    limit = max(CUTOFFS)
    while True:
        hits = memory.search(question, user_id=namespace, filters=dict(filters), limit=limit)
        if len(hits) < limit or len(turn_ids_at(hits, max(CUTOFFS))) == max(CUTOFFS):
            return hits
        limit *= 2


def _counted(questions: Sequence[Question]) -> dict[str, int]:
    counts = {"all": len(questions)}
    for question in questions:
        counts[question.category] = counts.get(question.category, 0) + 1
    return counts


def _told(outcome: WindowOutcome) -> dict[str, JsonValue]:
    return {
        "window": outcome.window_id,
        "status": outcome.status,
        "reason": outcome.reason,
        "units": [
            {
                "text": one.unit.text,
                "quote": one.unit.span.quote,
                "turns": list(one.unit.span.turn_ids),
                "triple": [one.unit.triple.subject, one.unit.triple.predicate, one.unit.triple.object]
                if one.unit.triple
                else None,
                "times": [f"{time.start}..{time.end}" for time in one.unit.fact_times],
            }
            for one in outcome.units
        ],
        "rejected": [{"kind": one.kind, "reason": one.reason, "claim": one.claim} for one in outcome.quarantined],
        "notes": dict(outcome.notes),
    }


def _lines(path: Path) -> list[dict[str, Any]]:
    """Records of an earlier run."""
    return [json.loads(line) for line in kept_lines(path)]
