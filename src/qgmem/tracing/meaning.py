"""Who is meant by every name, and where every claim belongs: people → subjects, claims → atoms (CASES 19)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import groupby

from ..construction.traces import relation_of
from ..construction.traces.subjects import Named, Names
from ..stores.trace_records import PersonRow
from ..stores.trace_tables import TraceTables


def place_claims(tables: TraceTables, sessions: Collection[int]) -> tuple[set[int], bool]:
    """Give every claim the atom of its subject and relation; the atoms that changed, and whether any lost a claim.

    `sessions` are those in which something was read or is gone. Who is meant may change for claims of other sessions
    too, when a full name, a namesake or a kinship becomes known; only those are touched.
    """
    touched, decided = _people(tables, sessions)
    lost = bool(touched)
    if lost:
        tables.keep("uncompared", 1)
    for triple, subject, _, predicate, value in tables.unplaced():
        who = subject or decided[triple]
        touched.add(tables.place(triple, who, relation_of(predicate, value).name))
    return touched, lost


def _people(tables: TraceTables, sessions: Collection[int]) -> tuple[set[int], dict[int, str]]:
    """Work out who is meant; (atoms that changed, subjects of claims that the session decides)."""
    rows = tables.people()
    names = Names((_named(row) for row in rows if not row.given), tables.users())
    moved: list[int] = []
    renamed: list[int] = []
    open_names: dict[str, bool] = {}  # names that several people bear → did this become so just now?
    for row in rows:
        subject, shown = _meant(row, names)
        if (subject, shown) != (row.subject, row.shown):
            tables.mean(row.key, subject, shown)
            (moved if subject != row.subject else renamed).append(row.key)
        if not subject:
            name = names.whole(_named(row))
            open_names[name] = open_names.get(name, False) or subject != row.subject
    tables.recompare(renamed)
    touched = tables.unplace(moved) | tables.atoms_of_people(renamed)
    decided: dict[int, str] = {}
    bearers: dict[str, dict[int, Named]] = {}
    for row in rows if open_names else ():
        if not row.given and (name := names.whole(_named(row))) in open_names:
            bearers.setdefault(name, {})[row.key] = _named(row)
    for name, people in sorted(bearers.items()):
        found, atoms = _by_session(tables, names, people, None if open_names[name] else sessions)
        decided |= found
        touched |= atoms
    return touched, decided


def _by_session(
    tables: TraceTables, names: Names, people: Mapping[int, Named], sessions: Collection[int] | None
) -> tuple[dict[int, str], set[int]]:
    """Claims of one name that the session decides: (claim → subject where it is new, atoms that lose some)."""
    decided: dict[int, str] = {}
    touched: set[int] = set()
    spoken = sorted(tables.spoken(sorted(people), sessions), key=lambda each: each.session)  # stable: as said
    for _, group in groupby(spoken, key=lambda each: each.session):
        mentions = list(group)
        found = names.decided(((str(n), 0), people[each.person]) for n, each in enumerate(mentions))
        for number, each in enumerate(mentions):
            subject = found[str(number), 0]
            if each.triple is not None and names.settled(people[each.person]) is None and subject.id != each.subject:
                touched |= tables.lift(each.triple)
                decided[each.triple] = subject.id
    return decided, touched


def _meant(row: PersonRow, names: Names) -> tuple[str, str]:
    if row.given:
        return row.given, row.name
    subject = names.settled(_named(row))
    return ("" if subject is None else subject.id), names.shown(_named(row))


def _named(row: PersonRow) -> Named:
    return Named(row.name, row.speaker, row.context, row.kin)
