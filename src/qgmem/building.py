"""The way of construction by a language model: turns of a namespace → windows → units beside the verbatim ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .construction.build import BuildOptions, BuildReport, build
from .construction.forecast import Forecast, dry_run
from .construction.read_window import Reading
from .construction.redaction import Redactor
from .models.chat import ChatModel
from .models.client import ModelClient
from .models.ledger import Price
from .namespace import Namespace
from .protocols import AttributeExtractor
from .registry import chat_price
from .settings import Settings
from .stores.records import WindowOutcome
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
        log = space.store.log
        client = ModelClient(
            chat,
            ledger=log,
            cache=log,
            prices={chat.id: self._price} if self._price else None,
            concurrency=self._settings.chat_concurrency,
        )
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

    def forecast(self, space: Namespace, *, resume: bool) -> Forecast:
        """What `build` would do. Calls nothing, changes nothing."""
        turns = _shown(space.store.turns(), self._redactor.fresh() if self._redactor else None)
        return dry_run(turns, space.store.log, self._options(space), price=self._price, resume=resume)

    @property
    def _price(self) -> Price | None:
        return chat_price(self._settings)

    def _options(self, space: Namespace) -> BuildOptions:
        settings = self._settings
        reading = Reading(space.store.user_id, language=settings.language, day_first=settings.day_first)
        return BuildOptions(reading=reading)


def _shown(turns: Iterator[Turn], redactor: Redactor | None) -> Iterator[Turn]:
    return turns if redactor is None else map(redactor.turn, turns)
