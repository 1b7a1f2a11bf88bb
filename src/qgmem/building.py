"""The way of construction by a language model: turns of a namespace → windows → units beside the verbatim ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from .construction.build import BuildOptions, BuildReport, build, spent_since
from .construction.forecast import Forecast, dry_run
from .construction.read_window import Reading
from .construction.redaction import Redactor
from .construction.trajectory_check import check_text
from .construction.trajectory_llm import STAGE, Untold, Wording, Written, wants_text, write_all
from .models.chat import ChatModel
from .models.client import ModelClient
from .models.ledger import Price
from .namespace import Namespace
from .protocols import AttributeExtractor
from .registry import chat_price
from .settings import Settings
from .stores.records import WindowOutcome
from .stores.trace_texts import TrajectoryText
from .types import Turn

OnWindow = Callable[[WindowOutcome], None]


class Building:
    """Reads what has not been read, in one namespace at a time. Holds no state of its own.

    When redaction is on, for writing or for recall, no secret it knows leaves for a model or enters a unit.
    """

    def __init__(self, extractor: AttributeExtractor, settings: Settings, redactor: Redactor | None) -> None:
        self._extractor, self._settings, self._redactor = extractor, settings, redactor

    def build(self, space: Namespace, chat: ChatModel, on_window: OnWindow | None, *, resume: bool) -> BuildReport:
        """Windows that were not read before; with `resume` also those that failed or lack something."""
        log, client = space.store.log, self._client(space, chat)
        redactor = None if self._redactor is None else self._redactor.fresh()
        turns = _shown(space.store.turns(), redactor)
        report = build(
            turns,
            client,
            log,
            self._extractor,
            self._options(space),
            resume=resume,
            on_window=on_window or (lambda _: None),
        )
        return replace(report, redacted=dict(redactor.counts)) if redactor else report

    def word(
        self,
        space: Namespace,
        chat: ChatModel,
        untold: Callable[[], Sequence[Untold]],
        report: BuildReport,
        waited: Sequence[Untold],
    ) -> BuildReport:
        """Have the model tell the traces whose states no text tells, after `build`; the report with what came of it.

        `untold` brings traces up to date and names them; before the build they were `waited`. At most as many are
        told as the forecast said. Units that are found off a trace leave it before its text is kept.
        """
        log, client, texts = space.store.log, self._client(space, chat), space.store.trace_texts
        waiting = [one for one in untold() if wants_text(one.trace)]
        if report.stopped is not None:
            return replace(report, trajectories=Wording(left=len(waiting), stopped=report.stopped))
        chosen = waiting[: sum(wants_text(one.trace) for one in waited) + report.turns]
        one_of = {one.trace.id: one for one in chosen}
        before = {row.key: row for row in log.ledger()}

        def keep(written: Written) -> None:
            told = one_of[written.trace_id]
            if written.off:
                texts.set_apart(written.off)
                left = [one for one in untold() if one.trace.id == told.trace.id]
                if not left or check_text(written.text or "", left[0].trace) is not None:
                    return  # it fell apart otherwise than the model was told; the next run tells what is left
                told = left[0]
            # without a text: what it was asked about is remembered, so that it is not asked again
            texts.put_trajectory_text(TrajectoryText(told.trace.id, written.text or "", chat.id, told.states))

        done = write_all([one.trace for one in chosen], client, space.store.user_id, keep)
        spent = spent_since(before, log.ledger(), space.store.user_id, (STAGE,))
        done = replace(done, left=done.left + len(waiting) - len(chosen))
        return replace(report, trajectories=done, spent=(*report.spent, *spent))

    def forecast(self, space: Namespace, untold: Sequence[Untold], *, resume: bool) -> Forecast:
        """What `build` and `word` would do. Calls nothing, changes nothing."""
        traces = [one.trace for one in untold if wants_text(one.trace)]
        turns = _shown(space.store.turns(), self._redactor.fresh() if self._redactor else None)
        how = self._options(space)
        return dry_run(turns, space.store.log, how, price=self._price, resume=resume, traces=traces)

    def _client(self, space: Namespace, chat: ChatModel) -> ModelClient:
        log, price = space.store.log, self._price
        prices = {chat.id: price} if price else None
        return ModelClient(chat, ledger=log, cache=log, prices=prices, concurrency=self._settings.chat_concurrency)

    @property
    def _price(self) -> Price | None:
        return chat_price(self._settings)

    def _options(self, space: Namespace) -> BuildOptions:
        settings = self._settings
        reading = Reading(space.store.user_id, language=settings.language, day_first=settings.day_first)
        return BuildOptions(reading=reading)


def _shown(turns: Iterator[Turn], redactor: Redactor | None) -> Iterator[Turn]:
    return turns if redactor is None else map(redactor.turn, turns)
