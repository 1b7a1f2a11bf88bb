"""One window through both stages: asked, repaired, asked once more where that can help, checked (SPEC §2.1–2.3)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from ..errors import ModelError, ModelMisbehaved, ModelRefused, ModelUnavailable
from ..models.chat import ChatAnswer, ChatRequest
from ..models.client import ModelClient, Scope
from ..protocols import AttributeExtractor
from ..types import MemoryUnit
from .attributes_llm import Proposed, attribute_request, by_rules, checked, complete, read_attributes
from .log import Quarantined, Status, UnitRecord, WindowOutcome
from .units import Draft, Drafts, read_units, unit_request
from .validate import Passed, validate
from .windows import Window

_AGAIN = "\n\nAn earlier answer could not be used: {problem}. Answer again: the complete JSON object, nothing else."


@dataclass(frozen=True, slots=True)
class Reading:
    """How windows are read. `again`: how often a stage asks once more after an answer that cannot be used."""

    namespace: str = ""
    again: int = 1
    unit_tokens: int = 1536  # longest answer of stage 1; the second try gets twice as many
    attribute_tokens: int = 1536
    language: str = "english"
    day_first: bool = False


class WindowReader:
    """Reads windows with one client. Safe to share between threads; holds no state of its own.

    Raises ModelUnavailable and a hopeless ModelRefused of stage 1, since the next window will fare no better; every
    other failure is the outcome of its window.
    """

    def __init__(self, client: ModelClient, extractor: AttributeExtractor, reading: Reading | None = None) -> None:
        self._client, self._extractor, self._how = client, extractor, reading or Reading()

    def read(self, window: Window) -> WindowOutcome:
        """Everything that a model could make of this window, and what is missing."""
        try:
            drafts = self._units(window)
        except ModelRefused as error:
            if error.hopeless:
                raise
            return WindowOutcome(window.id, "failed", f"refused-{error.status}")
        except ModelUnavailable:
            raise
        except ModelError:
            return WindowOutcome(window.id, "failed", "unreadable-answer")
        notes: Counter[str] = Counter()
        notes["contract-repaired"] += not drafts.clean
        notes["records-without-text"] += drafts.unreadable
        notes["answer-repeating"] += drafts.repeating
        passed, cut, aside = self._validated(window, drafts, notes)
        units, missing = self._attributed(window, passed, aside, notes)
        records = tuple(
            UnitRecord(unit, partial=name in cut or name in missing) for name, unit in zip(passed, units, strict=True)
        )
        reason = "units-cut" if drafts.truncated else "attributes-missing" if missing else None
        if drafts.truncated and not drafts.units:
            return WindowOutcome(window.id, "failed", "units-cut")
        status: Status = "partial" if reason else "done"
        counted = tuple(sorted((name, count) for name, count in notes.items() if count))
        return WindowOutcome(window.id, status, reason, records, tuple(aside), counted)

    def _units(self, window: Window) -> Drafts:
        """Stage 1. Raises ModelError when no answer could be read."""
        request = unit_request(window, self._how.unit_tokens)
        best: Drafts | None = None
        problem = ""
        for attempt in range(self._how.again + 1):
            asked = request if not attempt else _once_more(request, problem)
            try:
                answer = self._client.ask(
                    asked, self._scope("units", window), usable=lambda one: _whole(one, window), again=attempt > 0
                )
                drafts = read_units(answer.text, window)
                drafts = replace(drafts, truncated=drafts.truncated or (answer.truncated and not drafts.repeating))
            except ModelMisbehaved as error:
                problem = str(error)
                if attempt == self._how.again and best is None:
                    raise
                continue
            except ModelError:
                if best is None:
                    raise
                return best
            if best is None or not drafts.truncated or len(drafts.units) > len(best.units):
                best = drafts
            if not best.truncated:
                return best
            problem = "it ended too early"
        if best is None:
            raise ModelMisbehaved(f"window {window.id}: no answer")
        return best

    def _validated(
        self, window: Window, drafts: Drafts, notes: Counter[str]
    ) -> tuple[dict[str, Passed], set[str], list[Quarantined]]:
        """Units by short id, the ids of those that were cut, and what was turned away."""
        passed: dict[str, Passed] = {}
        cut: set[str] = set()
        aside: list[Quarantined] = []
        seen: set[str] = set()
        for draft in drafts.units:
            found = validate(draft, window, language=self._how.language, day_first=self._how.day_first)
            if isinstance(found, Passed) and found.unit.id in seen:
                found = "duplicate"
            if isinstance(found, str):
                aside.append(Quarantined("unit", found, draft.text))
                continue
            seen.add(found.unit.id)
            name = f"u{len(passed) + 1}"
            passed[name] = found
            if draft.partial:
                cut.add(name)
            if found.triple_dropped:
                aside.append(Quarantined("triple", "triple-unsupported", _told(draft)))
            notes["span-corrected"] += found.span_corrected
            notes["quote-supplied"] += not found.quote_found
        return passed, cut, aside

    def _attributed(
        self, window: Window, passed: dict[str, Passed], aside: list[Quarantined], notes: Counter[str]
    ) -> tuple[list[MemoryUnit], set[str]]:
        """Stage 2: every unit with attributes, and the ids of those for which the model never gave all."""
        proposals = self._proposals(window, passed, notes) if passed else {}
        units = []
        for name, one in passed.items():
            if name not in proposals:
                units.append(by_rules(one, self._extractor, day_first=self._how.day_first))
                continue
            found = checked(
                one, proposals[name], self._extractor, language=self._how.language, day_first=self._how.day_first
            )
            units.append(found.unit)
            aside += found.quarantined
            notes.update(found.notes)
        missing = {name for name in passed if name not in proposals or not complete(proposals[name])}
        return units, missing

    def _proposals(self, window: Window, passed: dict[str, Passed], notes: Counter[str]) -> dict[str, Proposed]:
        found: dict[str, Proposed] = {}
        waiting = dict(passed)
        problem = ""
        for attempt in range(self._how.again + 1):
            request = attribute_request(waiting, self._how.attribute_tokens)
            asked = request if not attempt else _once_more(request, problem)
            names = tuple(waiting)

            def answered(one: ChatAnswer, names: tuple[str, ...] = names) -> bool:
                return not one.truncated and _covers(one.text, names)

            try:
                answer = self._client.ask(
                    asked, self._scope("attributes", window), usable=answered, again=attempt > 0
                )
                proposals, cut, strange = read_attributes(answer.text, names)
            except ModelMisbehaved as error:
                problem = str(error)
                continue
            except ModelError:
                break  # the units are kept as they are, and a resumed run asks again
            notes["attributes-of-no-unit"] += strange
            found.update({name: one for name, one in proposals.items() if complete(one) or name not in found})
            waiting = {name: one for name, one in waiting.items() if name not in found or not complete(found[name])}
            if not waiting:
                break
            problem = "it ended too early" if cut or answer.truncated else "units were missing from it"
        return found

    def _scope(self, stage: str, window: Window) -> Scope:
        return Scope(self._how.namespace, stage, window.id)


def _once_more(request: ChatRequest, problem: str) -> ChatRequest:
    said = _AGAIN.format(problem=problem.removeprefix("answer: "))
    return replace(request, user=request.user + said, max_tokens=2 * request.max_tokens)


def _whole(answer: ChatAnswer, window: Window) -> bool:
    """Worth keeping: readable to its end."""
    try:
        drafts = read_units(answer.text, window)
    except ModelMisbehaved:
        return False
    return not drafts.truncated and (drafts.repeating > 0 or not answer.truncated)


def _covers(text: str, names: tuple[str, ...]) -> bool:
    try:
        proposals, cut, _ = read_attributes(text, names)
    except ModelMisbehaved:
        return False
    return not cut and all(name in proposals and complete(proposals[name]) for name in names)


def _told(draft: Draft) -> str:
    triple = draft.triple
    return f"{triple.subject} | {triple.predicate} | {triple.object}" if triple else draft.text
