"""The promises of `qgmem.stores.protocol.ConstructionLog`, for the log in memory and the one in the store.

A build is killed at a random moment and resumed; what both logs hold afterwards is what an undisturbed build holds.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from qgmem.construction.build import BuildOptions, BuildReport, build
from qgmem.construction.entities import RuleExtractor
from qgmem.construction.log import ConstructionLog, MemoryLog, Quarantined, WindowOutcome, WindowRecord
from qgmem.construction.read_window import Reading
from qgmem.models.chat import ChatAnswer, ChatRequest
from qgmem.models.client import ModelClient
from qgmem.models.retry import RetryPolicy
from qgmem.models.scripted_chat import ScriptedChat
from qgmem.stores.folder import namespace_folder
from qgmem.stores.records import NewTurn
from qgmem.stores.sqlite import SqliteStore
from qgmem.types import LedgerRow, Turn

PLACES = tuple("Porto Oslo Lima Rome Cork Graz Bern Lyon Bonn Kyiv Baku Bari Nice Faro".split())
SAID = datetime(2023, 5, 8, 12)
NEW = [
    NewTurn(f"t{n}", f"s{n % 2}", "Ana" if n % 4 < 2 else "Ben", "user", f"I saw {place} yesterday.", SAID)
    for n, place in enumerate(PLACES)
]  # two sessions whose turns take turns


class Killed(BaseException):
    """The process ends here."""


class DyingChat(ScriptedChat):
    """Ends the process at one call."""

    def __init__(self, at: int) -> None:
        super().__init__(PAIRS)
        self.at = at

    def complete(self, request: ChatRequest) -> ChatAnswer:
        """As scripted, but for the call that kills."""
        if len(self.requests) >= self.at:
            raise Killed
        return super().complete(request)


def pair(request: ChatRequest) -> str:
    """One unit that rests on all new turns, and one that nobody said."""
    from qgmem.models.scripted_chat import _NEW_LINE

    said = _NEW_LINE.findall(request.user)
    (first, _, _, text), (last, speaker, _, quote) = said[0], said[-1]
    unit = {"start_turn": first, "end_turn": last, "quote": quote, "fact_text": f"{speaker}: {text} {quote}"}
    invented = {"start_turn": last, "end_turn": last, "quote": "I left.", "fact_text": "Zed left."}
    return json.dumps({"memory_units": [unit, invented]})


PAIRS = {"units": pair}


class Log:
    """One namespace's turns and log, opened anew as often as wanted."""

    def __init__(self, store: SqliteStore | None) -> None:
        self.store, self._memory = store, MemoryLog()
        if store is not None:
            store.add(NEW)
            self.turns = list(store.turns())
        else:
            names = [name for name in Turn.__dataclass_fields__ if name != "sequence"]
            self.turns = [
                Turn(sequence=n + 1, **{name: getattr(new, name) for name in names}) for n, new in enumerate(NEW)
            ]

    @property
    def log(self) -> ConstructionLog:
        return self._memory if self.store is None else self.store.log

    def build(self, chat: ScriptedChat, **more: Any) -> BuildReport:
        log = self.log
        client = ModelClient(chat, ledger=log, cache=log, retry=RetryPolicy(1), concurrency=1)
        return build(self.turns, client, log, RuleExtractor(), BuildOptions(reading=Reading("ana")), **more)


@pytest.fixture(params=["memory", "sqlite"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    if request.param == "memory":
        yield Log(None)
        return
    store = SqliteStore(namespace_folder(tmp_path, "ana"), "ana")
    yield Log(store)
    store.close()


def everything(log: ConstructionLog) -> tuple[Any, ...]:
    """What a log holds, attempts and account apart."""
    windows = [(one.id, one.session_id, one.turn_ids, one.overlap, one.status, one.reason) for one in log.windows()]
    return windows, log.units(), log.quarantine()


def test_both_logs_hold_the_same(tmp_path: Path) -> None:
    store = SqliteStore(namespace_folder(tmp_path, "ana"), "ana")
    worlds = [Log(None), Log(store)]
    reports = [world.build(ScriptedChat(PAIRS)) for world in worlds]
    assert reports[0].units == reports[1].units == 4
    held = [everything(world.log) for world in worlds]
    assert held[0] == held[1]
    first = held[1][1][0].unit
    assert first.span.turn_ids == ("t0", "t2", "t4", "t6", "t8", "t10")  # not t1, which another session holds between
    assert (first.speaker, first.span.quote) == ("Ben", "I saw Baku yesterday")  # the quoted turn's
    store.close()


@pytest.mark.parametrize("seed", range(4))
def test_killed_at_a_random_call_and_resumed_is_as_if_undisturbed(world: Log, seed: int) -> None:
    calls = 8  # 4 windows of two calls
    at = random.Random(seed).randrange(calls)
    with pytest.raises(Killed):
        world.build(DyingChat(at))
    if world.store is not None:
        world.store.close()  # as another process would open it
    chat = ScriptedChat(PAIRS)
    world.build(chat)
    undisturbed = Log(None)
    undisturbed.build(ScriptedChat(PAIRS))
    assert everything(world.log) == everything(undisturbed.log)
    assert at + len(chat.requests) == calls  # nothing was paid for twice
    assert sum(row.calls for row in world.log.ledger()) == calls


def test_charges_add_up_by_stage_and_model(world: Log) -> None:
    world.log.charge(LedgerRow("ana", "units", "m", calls=1, tokens_in=5, seconds=0.5, cost=0.25))
    world.log.charge(LedgerRow("ana", "units", "m", calls=1, retries=2, tokens_in=1, cost=0.25, unpriced=1))
    world.log.charge(LedgerRow("ana", "attributes", "m", cached=1))
    assert world.log.ledger() == [
        LedgerRow("ana", "attributes", "m", cached=1),
        LedgerRow("ana", "units", "m", 2, 2, tokens_in=6, seconds=0.5, cost=0.5, unpriced=1),
    ]


def test_opening_leaves_what_is_there(world: Log) -> None:
    record = WindowRecord("w", "s0", ("t0", "t2"), 0)
    world.log.open([record])
    world.log.finish(WindowOutcome("w", "failed", "unreadable-answer"))
    world.log.open([record, WindowRecord("w2", "s0", ("t4",), 0)])
    assert [(one.id, one.status, one.attempts) for one in world.log.windows("s0")] == [
        ("w", "failed", 1),
        ("w2", "pending", 0),
    ]
    assert world.log.windows("s1") == []


def test_a_window_forgotten_meanwhile_records_nothing(world: Log) -> None:
    world.log.open([WindowRecord("w", "s0", ("t0", "t2"), 0), WindowRecord("w2", "s0", ("t4",), 0)])
    world.log.cache("w", "k", "words")
    assert world.log.cached("w", "k") == "words"
    assert world.log.cached("w2", "k") is None
    assert world.log.forget_turns(["t2", "t9"]).windows == 1
    world.log.cache("w", "k", "words")
    world.log.finish(WindowOutcome("w", "done", quarantined=(Quarantined("unit", "overlap-only", "words"),)))
    assert world.log.cached("w", "k") is None
    assert (world.log.quarantine(), [one.id for one in world.log.windows()]) == ([], ["w2"])


def test_dropped_windows_take_all_with_them(world: Log) -> None:
    world.build(ScriptedChat(PAIRS))
    [first, second] = world.log.windows("s0")
    units = [record.unit.id for record in world.log.units(first.id)]
    gone = world.log.drop([first.id, "unknown"])
    assert (gone.unit_ids, gone.windows, gone.cached, gone.quarantined) == (tuple(units), 1, 2, 1)
    assert [one.id for one in world.log.windows("s0")] == [second.id]
    assert world.log.units(first.id) == []
