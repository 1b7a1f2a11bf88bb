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
from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True, slots=True)
class Subject:
    """Who a mention means. `unclear`: several people bear the name and nothing tells which."""

    id: str
    name: str
    unclear: bool = False


def subjects(mentions: Iterable[Mention], speakers: Sequence[str] = ()) -> dict[tuple[str, int], Subject]:
    """The subject of every mention, by (unit id, place). `speakers` are names known beforehand."""
    ordered = sorted(mentions, key=lambda m: (m.sequence, m.place, m.unit_id))
    full = _full_names([*speakers, *(m.name for m in ordered)])
    introduced = _introductions(ordered, full)
    contexts: dict[str, set[str]] = {}
    for mention in ordered:
        if mention.context:
            contexts.setdefault(_whole(mention, full, introduced), set()).add(_key(mention.context))
    last: dict[tuple[str, str], str] = {}
    found: dict[tuple[str, int], Subject] = {}
    for mention in ordered:
        name = _whole(mention, full, introduced)
        known = contexts.get(name, set())
        context, unclear = _key(mention.context), False
        if not context and known:
            context = last.get((mention.session_id, name), next(iter(known)) if len(known) == 1 else "")
            unclear = not context
        if context:
            last[mention.session_id, name] = context
        mark = context or ("?" if unclear else "")
        shown = f"{full.get(name, name)} {mention.context}".strip()
        found[mention.unit_id, mention.place] = Subject(f"{name}|{mark}" if mark else name, shown, unclear)
    return found


def _key(text: str) -> str:
    return SPACES.sub(" ", text.strip()).casefold()


def _full_names(names: Iterable[str]) -> dict[str, str]:
    """Key of every name → how it is shown: the first spelling by sort, so that order does not matter."""
    shown: dict[str, str] = {}
    for name in sorted({SPACES.sub(" ", name.strip()) for name in names if name.strip()}):
        shown.setdefault(_key(name), name)
    return shown


def _introductions(ordered: Sequence[Mention], full: dict[str, str]) -> dict[tuple[str, str], str]:
    """(speaker, kinship) → name, where exactly one name was given to it."""
    given: dict[tuple[str, str], set[str]] = {}
    for mention in ordered:
        if mention.kin and mention.name:
            given.setdefault((_key(mention.speaker), _key(mention.kin)), set()).add(
                _longest(_key(mention.name), full)
            )
    return {who: next(iter(names)) for who, names in given.items() if len(names) == 1}


def _whole(mention: Mention, full: dict[str, str], introduced: dict[tuple[str, str], str]) -> str:
    """The full name that is meant, as a key."""
    if mention.name.strip():
        return _longest(_key(mention.name), full)
    kin = _key(mention.kin)
    return introduced.get((_key(mention.speaker), kin), f"{kin} of {_longest(_key(mention.speaker), full)}")


def _longest(name: str, full: dict[str, str]) -> str:
    """A single name as the one full name that begins with it, if there is just one."""
    if " " in name:
        return name
    longer = [other for other in full if other.startswith(f"{name} ")]
    return longer[0] if len(longer) == 1 else name
