"""Who is meant: subject ids by context, so that people who share a name stay apart (CASES 19).

A pure function of all mentions of one memory: it may be asked again after every call, and gives what it would have
given for the whole history at once. A mention is a name as it stands ("Lena", "John Smith"), what is said with it
("from Acme", "sister of Ana"), and where it stands. The rules, for each full name:

1. Mentions with different contexts are different people; without any context the name is one person.
2. A mention without context means the person whom the same session spoke of last under that name; else the only
   one there is; else nobody knows: such mentions stay together, apart from the others, and are called unclear.
3. A single name means the only full name of the memory that it begins; else it is a name of its own.
4. Kinship alone ("my sister") means whoever was introduced as that by the same speaker, else a person of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Mention:
    """A subject as it was named. `name` may be empty when only the kinship is said.

    `context`: what tells namesakes apart, as said ("from Acme"). `kin`: what the person is to the speaker.
    """

    unit_id: str
    name: str
    speaker: str
    session_id: str
    sequence: int
    context: str = ""
    kin: str = ""
    place: int = 0

    @property
    def named(self) -> Named:
        """How it was named, wherever that was."""
        return Named(self.name, self.speaker, self.context, self.kin)


@dataclass(frozen=True, slots=True)
class Named:
    """A way in which somebody was named: mentions that share it differ in place only."""

    name: str
    speaker: str
    context: str = ""
    kin: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """Who a mention means. `unclear`: several people bear the name and nothing tells which."""

    id: str
    name: str
    unclear: bool = False


class Names:
    """All ways in which a memory names people: who each means, as far as that does not depend on the session."""

    def __init__(self, named: Iterable[Named], speakers: Sequence[str] = ()) -> None:
        """`speakers` are names known beforehand."""
        found = sorted(set(named), key=lambda n: (n.name, n.speaker, n.context, n.kin))
        self._full = _full_names([*speakers, *(each.name for each in found)])
        self._longer: dict[str, list[str]] = {}
        for name in self._full:
            first, _, rest = name.partition(" ")
            if rest:
                self._longer.setdefault(first, []).append(name)
        self._introduced = self._introductions(found)
        self._contexts: dict[str, set[str]] = {}
        for each in found:
            if each.context:
                self._contexts.setdefault(self.whole(each), set()).add(_key(each.context))

    def whole(self, named: Named) -> str:
        """The full name that is meant, as a key."""
        if named.name.strip():
            return self._longest(_key(named.name))
        kin = _key(named.kin)
        return self._introduced.get((_key(named.speaker), kin), f"{kin} of {self._longest(_key(named.speaker))}")

    def settled(self, named: Named) -> Subject | None:
        """Who is meant; None where several people bear the name and the session decides."""
        name, known = self.whole(named), self._contexts.get(self.whole(named), set())
        if not named.context and len(known) > 1:
            return None
        return self._subject(named, name, _key(named.context) or next(iter(known), ""))

    def shown(self, named: Named) -> str:
        """How the person is shown: the name in full, with what is said to tell it from others."""
        name = self.whole(named)
        return f"{self._full.get(name, name)} {named.context}".strip()

    def decided(self, session: Iterable[tuple[tuple[str, int], Named]]) -> dict[tuple[str, int], Subject]:
        """The subjects of one session's mentions, in the order said: who was spoken of last counts."""
        last: dict[str, str] = {}
        found: dict[tuple[str, int], Subject] = {}
        for place, named in session:
            subject = self.settled(named)
            name = self.whole(named)
            if subject is None:
                subject = self._subject(named, name, last.get(name, "?"))
            elif named.context:
                last[name] = _key(named.context)
            found[place] = subject
        return found

    def _subject(self, named: Named, name: str, mark: str) -> Subject:
        return Subject(f"{name}|{mark}" if mark else name, self.shown(named), mark == "?")

    def _introductions(self, found: Sequence[Named]) -> Mapping[tuple[str, str], str]:
        """(speaker, kinship) → name, where exactly one name was given to it."""
        given: dict[tuple[str, str], set[str]] = {}
        for each in found:
            if each.kin and each.name:
                given.setdefault((_key(each.speaker), _key(each.kin)), set()).add(self._longest(_key(each.name)))
        return {who: next(iter(names)) for who, names in given.items() if len(names) == 1}

    def _longest(self, name: str) -> str:
        """A single name as the one full name that begins with it, if there is just one."""
        longer = () if " " in name else self._longer.get(name, ())
        return longer[0] if len(longer) == 1 else name


def subjects(mentions: Iterable[Mention], speakers: Sequence[str] = ()) -> dict[tuple[str, int], Subject]:
    """The subject of every mention, by (unit id, place). `speakers` are names known beforehand."""
    ordered = sorted(mentions, key=lambda m: (m.sequence, m.place, m.unit_id))
    names = Names((mention.named for mention in ordered), speakers)
    sessions: dict[str, list[tuple[tuple[str, int], Named]]] = {}
    for mention in ordered:
        sessions.setdefault(mention.session_id, []).append(((mention.unit_id, mention.place), mention.named))
    return {place: who for session in sessions.values() for place, who in names.decided(session).items()}


def _key(text: str) -> str:
    return SPACES.sub(" ", text.strip()).casefold()


def _full_names(names: Iterable[str]) -> dict[str, str]:
    """Key of every name → how it is shown: the first spelling by sort, so that order does not matter."""
    shown: dict[str, str] = {}
    for name in sorted({SPACES.sub(" ", name.strip()) for name in names if name.strip()}):
        shown.setdefault(_key(name), name)
    return shown
