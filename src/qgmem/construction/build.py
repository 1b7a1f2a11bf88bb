"""Construction by a language model over a whole history: planned, bounded, resumable at any point (SPEC §2.1–2.4).

Every window's outcome is recorded as soon as it is known, and every answer as soon as it is paid for. A run that is
killed loses what was under way and nothing else; the next run finds the rest pending.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from itertools import islice

from ..errors import ModelRefused, ModelUnavailable
from ..models.client import ModelClient
from ..protocols import AttributeExtractor
from ..types import LedgerRow, Turn
from .log import ConstructionLog, Status, WindowOutcome, WindowRecord
from .read_window import Reading, WindowReader
from .trajectory_llm import STAGE as TRAJECTORY
from .trajectory_llm import Wording
from .windows import OVERLAP, WIDTH, Cover, Window, plan, sessions

STAGES = ("units", "attributes")


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """`unavailable`: so many windows in a row without an answer end the run; the others stay pending."""

    width: int = WIDTH
    overlap: int = OVERLAP
    unavailable: int = 3
    reading: Reading = field(default_factory=Reading)


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What a run would do: `windows` to read, of all there are; `stale` ids are dropped first."""

    windows: tuple[Window, ...]
    total: int
    stale: tuple[str, ...]
    status: Mapping[Status, int]  # of all windows, before the run


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a run did.

    `windows` counts those it worked on, by how they ended; `left` those it did not come to. `failed` and `partial`
    name windows with the reason; `rejected` counts what was quarantined, `notes` what was set right, by reason.
    `spent` are the ledger's rows of this run. `stopped` says why it ended early. `turns` were new in the windows that
    were read. `trajectories`: what came of wording traces, None if nobody was asked to.
    """

    windows: Mapping[Status, int]
    left: int
    units: int
    empty: int  # windows that were read and hold no unit
    partial_units: int
    failed: tuple[tuple[str, str], ...]
    partial: tuple[tuple[str, str], ...]
    rejected: Mapping[str, int]
    notes: Mapping[str, int]
    spent: tuple[LedgerRow, ...]
    stopped: str | None = None
    pending: str | None = None  # why units still lack their vectors, if the embedder failed
    redacted: Mapping[str, int] = field(default_factory=dict)  # secrets kept from the model, by pattern
    turns: int = 0
    trajectories: Wording | None = None

    @property
    def calls(self) -> int:
        """Model calls for windows, retries apart: at most two each."""
        return sum(row.calls for row in self.spent if row.stage in STAGES)

    @property
    def trajectory_calls(self) -> int:
        """Model calls for traces, retries apart: at most one each."""
        return sum(row.calls for row in self.spent if row.stage == TRAJECTORY)

    @property
    def retries(self) -> int:
        """Further attempts, for whatever reason."""
        return sum(row.retries for row in self.spent)


def plan_build(
    turns: Iterable[Turn], log: ConstructionLog, options: BuildOptions | None = None, *, resume: bool = False
) -> BuildPlan:
    """The windows that have not been read; with `resume` also those that failed or lack something."""
    how = options or BuildOptions()
    known: dict[str, list[WindowRecord]] = {}
    for record in log.windows():
        known.setdefault(record.session_id, []).append(record)
    again = {"pending", "failed", "partial"} if resume else {"pending"}
    todo: list[Window] = []
    stale: list[str] = []
    total = 0
    for session_id, said in sessions(turns).items():
        records = {record.id: record for record in known.pop(session_id, [])}
        covers = [Cover(record.id, record.turn_ids, record.overlap) for record in records.values()]
        found = plan(said, covers, width=how.width, overlap=how.overlap)
        stale += found.stale
        total += len(found.windows)
        todo += [one for one in found.windows if one.id not in records or records[one.id].status in again]
    status = Counter(record.status for record in log.windows())
    return BuildPlan(tuple(todo), total, tuple(stale), dict(status))


def build(
    turns: Iterable[Turn],
    client: ModelClient,
    log: ConstructionLog,
    extractor: AttributeExtractor,
    options: BuildOptions | None = None,
    *,
    resume: bool = False,
    on_window: Callable[[WindowOutcome], None] = lambda _: None,
) -> BuildReport:
    """Read what has not been read. Running it again adds nothing; `on_window` hears of every recorded outcome."""
    how = options or BuildOptions()
    todo = plan_build(turns, log, how, resume=resume)
    before = {row.key: row for row in log.ledger()}
    log.drop(todo.stale)
    log.open([WindowRecord(one.id, one.session_id, one.turn_ids, one.overlap) for one in todo.windows])
    run = _Run(client, log, extractor, how, on_window)
    run.work(todo.windows)
    order = {one.id: place for place, one in enumerate(todo.windows)}
    outcomes = sorted(run.outcomes, key=lambda one: order[one.window_id])
    spent = spent_since(before, log.ledger(), how.reading.namespace)
    report = _report(outcomes, len(todo.windows), run.stopped, spent)
    read = {one.window_id for one in outcomes if one.status != "failed"}
    return replace(report, turns=sum(len(one.new) for one in todo.windows if one.id in read))


class _Run:
    """One pass over windows: some at a time, recorded as they come in."""

    def __init__(
        self,
        client: ModelClient,
        log: ConstructionLog,
        extractor: AttributeExtractor,
        how: BuildOptions,
        on_window: Callable[[WindowOutcome], None],
    ) -> None:
        self._reader = WindowReader(client, extractor, how.reading)
        self._concurrency, self._log, self._how, self._on_window = client.concurrency, log, how, on_window
        self.outcomes: list[WindowOutcome] = []
        self.stopped: str | None = None
        self._silent = 0  # windows in a row that got no answer

    def work(self, windows: Iterable[Window]) -> None:
        waiting: Iterator[Window] = iter(windows)
        pool = ThreadPoolExecutor(self._concurrency, thread_name_prefix="qgmem-build")
        try:
            running: dict[Future[WindowOutcome], Window] = {}
            while True:
                if self.stopped is None:
                    for window in islice(waiting, self._concurrency - len(running)):
                        running[pool.submit(self._reader.read, window)] = window
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda one: running[one].id):
                    self._settle(future, running.pop(future))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def _settle(self, future: Future[WindowOutcome], window: Window) -> None:
        try:
            outcome = future.result()
            self._silent = 0
        except ModelRefused as error:  # says nothing about this window, which stays pending
            self.stopped = self.stopped or str(error)
            return
        except ModelUnavailable as error:
            outcome = WindowOutcome(window.id, "failed", "model-unavailable")
            self._silent += 1
            if self._silent >= self._how.unavailable:
                self.stopped = self.stopped or str(error)
        self._log.finish(outcome)
        self.outcomes.append(outcome)
        self._on_window(outcome)


def _report(
    outcomes: list[WindowOutcome], planned: int, stopped: str | None, spent: tuple[LedgerRow, ...]
) -> BuildReport:
    notes: Counter[str] = Counter()
    for outcome in outcomes:
        notes.update(dict(outcome.notes))
    records = [record for outcome in outcomes for record in outcome.units]
    return BuildReport(
        windows=dict(Counter(outcome.status for outcome in outcomes)),
        left=planned - len(outcomes),
        units=len(records),
        empty=sum(outcome.status == "done" and not outcome.units for outcome in outcomes),
        partial_units=sum(record.partial for record in records),
        failed=tuple((one.window_id, one.reason or "") for one in outcomes if one.status == "failed"),
        partial=tuple((one.window_id, one.reason or "") for one in outcomes if one.status == "partial"),
        rejected=dict(Counter(one.reason for outcome in outcomes for one in outcome.quarantined)),
        notes=dict(notes),
        spent=spent,
        stopped=stopped,
    )


def spent_since(
    before: Mapping[tuple[str, str, str], LedgerRow],
    after: Iterable[LedgerRow],
    namespace: str,
    stages: Sequence[str] = STAGES,
) -> tuple[LedgerRow, ...]:
    """What these stages were charged since `before`, rows by key."""
    rows = []
    for row in after:
        if row.namespace != namespace or row.stage not in stages:
            continue
        former = before.get(row.key)
        rows.append(row if former is None else row.minus(former))
    return tuple(row for row in rows if row.calls or row.retries or row.cached)
