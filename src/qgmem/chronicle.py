"""What was true of whom, and when: traces of a namespace, kept up to date and asked for (SPEC §2.5, §2.6).

Traces lie in the store beside the turns and units that they come from. Whoever writes brings them up to date right
after; what a writer could not finish is marked, and the next reader goes on with it before it answers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from weakref import WeakKeyDictionary

from .construction.redaction import Redactor
from .construction.traces import KnownAt, Now, Then, as_seen, known_by, relation_of, states
from .construction.traces.states import Trace, states_digest
from .construction.trajectory_llm import Untold
from .errors import InvalidInput, ModelError, NotFound
from .hiding import beside_units
from .models.checked import CheckedEmbedder
from .moments import Moment, asked_at, exact_moment, last_day, last_moment, serial
from .namespace import Namespace
from .stores.records import HistoryEvent, Receipt
from .stores.trace_reading import Asserted, TraceReading
from .stores.trace_tables import TraceTables
from .stores.trace_words import put_words
from .tracing import RULES, catch_up, claim_of
from .tracing.asked import wanted
from .tracing.comparing import Comparison
from .tracing.looking_back import WORDS, held_until
from .tracing.names import Bearers, key
from .tracing.sides import Sides, sides
from .tracing.standing import Passes, Standing, heard, looking_back, on
from .trails import Told, around
from .trajectory import Trajectory, blacked_out, state_event, told
from .types import Interval, MemoryUnit, Triple

AFTER_WRITE = 4  # steps of catching up that a writer makes; what is left, as after an upgrade, waits for a reader
KEPT = 64  # days and moments whose standing is remembered
BEFORE_ASKING = 1  # the same, before a question that traces only help to order


@dataclass(slots=True)
class _Held:
    """What is kept in memory of one namespace; all of it can be had again from the store."""

    comparison: Comparison
    lock: threading.RLock = field(default_factory=threading.RLock)
    bearers: tuple[int, Bearers] | None = None  # with the change that it belongs to
    change: int = -1  # that the following belong to
    last_days: dict[int, int] = field(default_factory=dict)  # of units that look back, with the change in `looked`
    looked: int = 0
    heard: dict[KnownAt, Asserted] = field(default_factory=dict)
    standing: dict[tuple[Then, KnownAt], Standing] = field(default_factory=dict)


class Chronicle:
    """Traces of namespaces; may be shared between threads.

    `redactor`: of what is shown. `clock`: what "now" means where a question does not say when it is asked.
    """

    def __init__(
        self,
        embedder: CheckedEmbedder,
        redactor: Redactor | None = None,
        clock: Callable[[], datetime] = partial(datetime.now, UTC),
    ) -> None:
        self._embedder, self._redactor, self._clock = embedder, redactor, clock
        self._held: WeakKeyDictionary[Namespace, _Held] = WeakKeyDictionary()
        self._lock = threading.Lock()

    # ---- keeping up

    def keep_up(self, space: Namespace, steps: int | None = AFTER_WRITE) -> bool:
        """Bring traces up to what is stored, in so many transactions at most; True if nothing is left to do."""
        held = self._of(space)
        with held.lock:
            with space.store.traced() as reading:
                if reading.up_to_date(RULES):
                    return True
            try:
                return self._steps(space, held.comparison, steps)
            except BaseException:
                held.comparison.forget()  # it may know of what was not committed
                raise

    def _steps(self, space: Namespace, comparison: Comparison, steps: int | None) -> bool:
        compare: Comparison | None = comparison
        while steps is None or steps > 0:
            with space.store.tracing() as tables:
                if catch_up(tables, compare):
                    return True
            if compare is not None and compare.wanted:
                compare = compare if self._worded(space, compare.wanted) else None
            elif steps is not None:
                steps -= 1
        return False

    def delete(self, space: Namespace, unit_ids: Sequence[str]) -> Receipt:
        """Remove units, and work out again, inside the same transaction, what rested on them and on others.

        No byte of what was said stays in a name, a state or a text. Where much is still to be read, as after an
        upgrade, all traces are forgotten instead, until they are asked for.
        """
        comparison = self._of(space).comparison
        if not self.keep_up(space):
            return space.store.delete(unit_ids)

        def renew(tables: TraceTables) -> None:
            compare: Comparison | None = comparison
            while not catch_up(tables, compare):
                if compare is not None and compare.wanted:
                    try:
                        vectors = self._embedder.embed(compare.wanted)
                    except ModelError:
                        compare = None  # nothing may keep a deletion from being done
                    else:
                        put_words(tables, dict(zip(compare.wanted, vectors, strict=True)))

        try:
            return space.store.delete(unit_ids, renew)
        except BaseException:
            comparison.forget()
            raise

    def _worded(self, space: Namespace, texts: tuple[str, ...]) -> bool:
        """Give these texts their vectors; False when the embedder fails, which leaves claims uncompared for now."""
        try:
            vectors = self._embedder.embed(texts)
        except ModelError:
            return False
        with space.store.tracing() as tables:
            put_words(tables, dict(zip(texts, vectors, strict=True)))
        return True

    def _of(self, space: Namespace) -> _Held:
        with self._lock:
            found = self._held.get(space)
            if found is None:
                model = self._embedder
                found = _Held(Comparison(model.id, model.dimension, model.trace_threshold))
                self._held[space] = found
            return found

    # ---- asking

    def trajectory(
        self, space: Namespace, subject: str, relation: str | None, as_of: Moment, known_at: Moment
    ) -> tuple[Trajectory, ...]:
        """The trajectories of whoever bears that name, by subject and relation; those without a state are left out.

        Raises NotFound for a name that nobody bears, InvalidInput.
        """
        for name, value in (("subject", subject), ("relation", "-" if relation is None else relation)):
            if not isinstance(value, str) or not value.strip():
                raise InvalidInput(name, f"expected a name, got {value!r}")
        day = None if as_of is None else point(as_of)
        by = said_by(known_at)
        self.keep_up(space, None)
        traces: dict[str, Trace] = {}
        with space.store.traced() as reading:
            bearers = self._bearers(space, reading)
            if not bearers.known(subject):
                raise NotFound(f"subject: nothing was said of {subject!r}; {self._nearest(bearers, subject)}")
            for subject_id in bearers.find(subject):
                for trace_id, rows in reading.traces(subject_id):
                    mine = [row for row in rows if row.subject == subject_id]
                    if relation is None or any(_names(relation, row.predicate, row.object) for row in mine):
                        traces.setdefault(trace_id, states(map(claim_of, rows)))
        then = [trace for trace in (known_by(trace, by) for trace in traces.values()) if trace is not None]
        now = self._now(None, known_at)
        found = tuple(found for found in (told(as_seen(trace, now), day) for trace in then) if found.states)
        return self._shown(space, found if day is not None else tuple(self._in_words(space, each) for each in found))

    def untold(self, space: Namespace, *, again: bool = False) -> list[Untold]:
        """Traces whose states no model has told, or tried to; `again`: also those that it told in vain."""
        self.keep_up(space, None)
        texts = space.store.trace_texts
        with space.store.traced() as reading:
            now = self._now(None, None)
            found = [as_seen(states(map(claim_of, rows)), now) for rows in reading.claims(reading.all_traces())]
        waiting: list[Untold] = []
        for trace in found:
            digest, kept = states_digest(trace), texts.trajectory_text(trace.id)
            if any(state.status == "upcoming" for state in trace.states):
                continue  # a text ends in what holds; it is written once that has begun
            if kept is None or kept.states != digest or (again and not kept.text):
                shown = trace if self._redactor is None else self._shown(space, (told(trace),))[0].trace
                waiting.append(Untold(digest, shown))
        return waiting

    def _in_words(self, space: Namespace, found: Trajectory) -> Trajectory:
        """With the text that a model wrote of these very states, if there is one."""
        kept = space.store.trace_texts.trajectory_text(found.trace.id)
        fits = kept is not None and kept.text and kept.states == states_digest(found.trace)
        return replace(found, text=kept.text) if kept is not None and fits else found

    def events(self, space: Namespace, unit_id: str) -> list[HistoryEvent]:
        """The states of the traces in which a unit claims something, as it says them, in the order of days."""
        self.keep_up(space, None)
        with space.store.traced() as reading:
            found = reading.claims(reading.traces_of_unit(unit_id))
        now = self._now(None, None)
        shown = self._shown(space, tuple(told(as_seen(states(map(claim_of, rows)), now)) for rows in found))
        return [state_event(each, state, unit_id) for each in shown for state in each.states if state.says(unit_id)]

    def around(
        self,
        space: Namespace,
        units: Sequence[MemoryUnit],
        known_at: Moment,
        question_time: Moment = None,
        passes: Passes | None = None,
    ) -> Told:
        """What these units claim, and the trajectories that they are part of, as far as traces have been kept up.

        Of the claims only those count that had been said by `known_at` and that pass.
        """
        found = around(space.store, units, said_by(known_at), self._now(question_time, known_at), passes)
        worded = [(each, self._in_words(space, each)) for each in found.trajectories]
        shown = self._shown(space, tuple(said for _, said in worded))
        pairs = zip(shown, worded, strict=True)
        written = {each.trace.id: each.text for each, (composed, said) in pairs if said is not composed}
        triples = {unit_id: self._black_out(space, unit_id, each) for unit_id, each in found.triples.items()}
        return Told(triples, shown, written)

    def _black_out(self, space: Namespace, unit_id: str, triples: tuple[Triple, ...]) -> tuple[Triple, ...]:
        if self._redactor is None:
            return triples
        return tuple(map(beside_units(space.store, [unit_id], self._redactor).triple, triples))

    def _shown(self, space: Namespace, found: tuple[Trajectory, ...]) -> tuple[Trajectory, ...]:
        if self._redactor is None:
            return found
        behind = [[claim.unit_id for claim in each.trace.claims] for each in found]
        known = [beside_units(space.store, unit_ids, self._redactor) for unit_ids in behind]
        return tuple(map(blacked_out, found, known))

    def _nearest(self, bearers: Bearers, subject: str) -> str:
        """Other names, for a message; none where one of them may be a secret."""
        return bearers.nearest(subject) if self._redactor is None else "names are not listed, since redaction is on"

    # ---- for searches

    def standing(self, space: Namespace, as_of: Moment, known_at: Moment, passes: Passes | None = None) -> Standing:
        """Units whose states were over by then, as far as was known and by what `passes` lets through alone."""
        then, by = point(as_of), said_by(known_at)
        self.keep_up(space, None)
        held = self._of(space)
        with held.lock, space.store.traced() as reading:
            if held.change != reading.change:
                held.change, held.heard, held.standing = reading.change, {None: reading.asserted()}, {}
            if passes is None and (then, by) in held.standing:
                return held.standing[then, by]
            if max(len(held.standing), len(held.heard)) >= KEPT:
                held.heard, held.standing = {None: held.heard[None]}, {}
            if by not in held.heard:
                held.heard[by] = heard(reading, held.heard[None], by)
            found = on(reading, held.heard[by], then, by, passes)
            found = looking_back(found, self._last_days(held, reading), then)
            if passes is None:
                held.standing[then, by] = found
            return found

    def sides(
        self,
        space: Namespace,
        question: str,
        times: Sequence[Interval] = (),
        question_time: Moment = None,
        known_at: Moment = None,
        passes: Passes | None = None,
    ) -> Sides | None:
        """Units of the states that are asked for, and units of the trace's other states; None where nothing is read.

        A question without a time asks for what holds when it is asked. `times`: the fact times in it. Of the claims
        only those count that had been said by `known_at` and that pass.
        """
        want = wanted(question, times, asked_at(question_time))
        if want is None or not self.keep_up(space, BEFORE_ASKING):
            return None
        with space.store.traced() as reading:
            now = self._now(question_time, known_at)
            return sides(reading, self._bearers(space, reading), want, now, said_by(known_at), passes)

    def _now(self, question_time: Moment, known_at: Moment) -> Now:
        """When a question is asked: as is said; else at the end of `known_at`; else on the clock's day.

        Where a trace tells of later days than the clock, it is the day of the last of its utterances.
        """
        if question_time is not None and (asked := asked_at(question_time)) is not None:
            return Now(Then(asked.date(), exact_moment(question_time)), given=True)
        if known_at is not None and serial(known_at) is None:
            heard = last_moment(known_at)
            return Now(Then(heard.date(), heard), given=True)
        return Now(Then(self._clock().date()))

    @staticmethod
    def _last_days(held: _Held, reading: TraceReading) -> dict[int, int]:
        """Units that tell of the past without saying since when: up to which day; read once each time they change."""
        if held.looked != reading.change:
            for unit, text, said in reading.worded(WORDS, held.looked):
                last = None if text is None or said is None else held_until(text, said)
                held.last_days.pop(unit, None)
                if last is not None:
                    held.last_days[unit] = last.toordinal()
            held.looked = reading.change
        return held.last_days

    def _bearers(self, space: Namespace, reading: TraceReading) -> Bearers:
        held = self._of(space)
        change = reading.change
        if held.bearers is None or held.bearers[0] != change:
            held.bearers = (change, Bearers(reading.subjects(), reading.users(), reading.kin()))
        return held.bearers[1]


def point(as_of: Moment) -> Then:
    """What `as_of` means for states: a day, and the moment where a time of day is given. Raises InvalidInput."""
    return Then(last_day(as_of), exact_moment(as_of))


def said_by(known_at: Moment) -> KnownAt:
    """What `known_at` means for claims."""
    number = serial(known_at)
    return number if number is not None or known_at is None else last_moment(known_at)


def _names(asked: str, predicate: str, value: str) -> bool:
    """Does the caller's word mean the relation? "home", "lives in", "favourite food", "feeling"."""
    plain = key(relation_of(predicate, value).name.replace("_", " "))
    names = {key(asked.replace("_", " ")), key(relation_of(asked, "").name.replace("_", " "))}
    return any(plain == name or plain.startswith(f"{name} ") for name in names)
