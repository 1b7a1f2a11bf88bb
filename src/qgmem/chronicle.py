"""What was true of whom, and when: trajectories read off a namespace's turns when asked for (SPEC §2.5, §2.6).

Nothing of this is stored. Turns are read by the rules of `construction/triples`, without a model, and kept in memory
until the namespace changes; then only sessions that changed are read again, and a session that has grown goes on
where it stood. Reading takes about 2 ms a turn, once: 1 to 2 s for a LoCoMo conversation, 0.03 s after a write to it.
A unit whose words were changed is read as it says now.

Claims share a trace when they have one subject id and one relation. The rules name relations out of one table, so
that cosines, which join predicates that no table knows, have nothing to add here (docs/results/traces.md).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from weakref import WeakKeyDictionary

from .construction.traces import Claim, known_by, relation_of, states
from .construction.traces.claims import KnownAt
from .construction.triples import ReadTurn, SessionReader, claims_of, introduced
from .errors import InvalidInput, NotFound
from .moments import Moment, last_day, last_moment, serial
from .namespace import Namespace
from .trajectory import Trajectory, told
from .types import Turn

NEAREST = 5  # names that are offered for an unknown one


@dataclass(slots=True)
class _Session:
    """A session as far as it was read."""

    reader: SessionReader = field(default_factory=SessionReader)
    turns: list[Turn] = field(default_factory=list)
    read: list[ReadTurn] = field(default_factory=list)  # of turns that say something of somebody

    def go_on(self, turns: list[Turn]) -> _Session:
        """This session if `turns` begin with those that were read, else a new one; everything is read then."""
        session = self if turns[: len(self.turns)] == self.turns else _Session()
        for turn in turns[len(session.turns) :]:
            session._take(turn)
        return session

    def _take(self, turn: Turn) -> None:
        readings = self.reader.read(turn.text, turn.speaker, turn.role, turn.utterance_time)
        people = introduced(turn.text, turn.speaker) if turn.role == "user" else ()
        self.turns.append(turn)
        if readings or people:
            self.read.append(
                ReadTurn(turn.id, turn.session_id, turn.sequence, turn.speaker, turn.utterance_time, readings, people)
            )


@dataclass(slots=True)
class _Kept:
    """What is known of one namespace. `change`: the store's number that it belongs to; -1 for nothing yet.

    `names`: subject id → how it is shown. `speakers` have said something, if nothing that could be read.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    change: int = -1
    sessions: dict[str, _Session] = field(default_factory=dict)
    claims: dict[str, dict[str, list[Claim]]] = field(default_factory=dict)  # subject id → relation → claims
    names: dict[str, str] = field(default_factory=dict)
    speakers: tuple[str, ...] = ()


class Chronicle:
    """Trajectories of namespaces; may be shared between threads. `black_out` is done to every turn before reading."""

    def __init__(self, black_out: Callable[[Turn], Turn] | None = None) -> None:
        self._black_out = black_out
        self._kept: WeakKeyDictionary[Namespace, _Kept] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def trajectory(
        self, space: Namespace, subject: str, relation: str | None, as_of: Moment, known_at: Moment
    ) -> tuple[Trajectory, ...]:
        """The trajectories of whoever bears that name, by subject and relation; those without a state are left out.

        Raises NotFound for a name that nobody bears, InvalidInput.
        """
        for name, value in (("subject", subject), ("relation", "-" if relation is None else relation)):
            if not isinstance(value, str) or not value.strip():
                raise InvalidInput(name, f"expected a name, got {value!r}")
        day = None if as_of is None else last_day(as_of)
        heard = _heard(known_at)
        with self._lock:
            kept = self._kept.setdefault(space, _Kept())
        with kept.lock:
            self._renew(space, kept)
            traces = [
                states(claims)
                for subject_id in _meant(kept, subject)
                for name, claims in sorted(kept.claims.get(subject_id, {}).items())
                if relation is None or _names(relation, name)
            ]
        then = [trace for trace in (known_by(trace, heard) for trace in traces) if trace is not None]
        return tuple(found for found in (told(trace, day) for trace in then) if found.states)

    def _renew(self, space: Namespace, kept: _Kept) -> None:
        """Read what was written since the last time, by whichever process."""
        change = space.store.change  # before the turns: what is written meanwhile is read the next time
        if change == kept.change:
            return
        changed = {unit.id: unit.text for unit in space.store.edited()}
        sessions: dict[str, list[Turn]] = {}
        for turn in space.store.turns():
            said = replace(turn, text=changed.get(turn.id, turn.text))
            sessions.setdefault(turn.session_id, []).append(self._black_out(said) if self._black_out else said)
        kept.sessions = {
            session_id: kept.sessions.get(session_id, _Session()).go_on(turns)
            for session_id, turns in sessions.items()
        }
        read = [turn for session in kept.sessions.values() for turn in session.read]
        people = {turn.speaker for turns in sessions.values() for turn in turns if turn.role == "user"}
        kept.speakers = tuple(sorted(people))
        kept.claims, kept.names = _by_relation(claims_of(read, kept.speakers))
        kept.change = change


def _by_relation(claims: Iterable[Claim]) -> tuple[dict[str, dict[str, list[Claim]]], dict[str, str]]:
    found: dict[str, dict[str, list[Claim]]] = {}
    names: dict[str, str] = {}
    for claim in claims:
        relation = relation_of(claim.predicate, claim.object).name
        found.setdefault(claim.subject_id, {}).setdefault(relation, []).append(claim)
        names[claim.subject_id] = max(names.get(claim.subject_id, ""), claim.subject_name, key=lambda n: (len(n), n))
    return found, names


def _heard(known_at: Moment) -> KnownAt:
    number = serial(known_at)
    return number if number is not None or known_at is None else last_moment(known_at)


def _meant(kept: _Kept, subject: str) -> list[str]:
    """Ids of those who bear the name: all namesakes, unless what tells them apart is said too; else by first name."""
    name = _key(subject)
    whose, _, kin = name.rpartition("'s ")
    wanted = {name, f"{kin} of {whose}"}
    exact = [each for each, shown in kept.names.items() if _key(shown) in wanted or each in wanted]
    bearers = exact or [each for each in kept.names if each.partition("|")[0] in wanted]
    found = bearers or [each for each in kept.names if each.startswith(f"{name} ") and " of " not in each]
    if not found and name not in map(_key, kept.speakers):
        raise NotFound(f"subject: nothing was said of {subject!r}; {_nearest(kept, name)}")
    return sorted(found)


def _nearest(kept: _Kept, name: str) -> str:
    """Names that are spelled alike, as a whole or in one word, for the message."""
    shown = {_key(each): each for each in sorted({*kept.speakers, *kept.names.values()})}
    spelled = {word: key for key in shown for word in (*key.split(), key)}
    close = get_close_matches(name, spelled, NEAREST, 0.6)
    near = list(dict.fromkeys([*(key for key in shown if name in key), *(spelled[word] for word in close)]))
    if near:
        return f"nearest are {', '.join(shown[key] for key in near[:NEAREST])}"
    some = ", ".join(list(shown.values())[:NEAREST])
    return f"among those known are {some}" if some else "nobody is known here"


def _names(asked: str, relation: str) -> bool:
    """Does the caller's word mean the relation? "home", "lives in", "favourite food", "feeling"."""
    plain = _key(relation.replace("_", " "))
    names = {_key(asked.replace("_", " ")), _key(relation_of(asked, "").name.replace("_", " "))}
    return any(plain == name or plain.startswith(f"{name} ") for name in names)


def _key(text: str) -> str:
    return " ".join(text.split()).casefold()
