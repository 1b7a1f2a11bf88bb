"""One step towards traces of everything that is stored, inside one transaction."""

from __future__ import annotations

from collections.abc import Callable

from ..stores.trace_tables import TraceTables
from .meaning import place_claims
from .settling import Groups, settle
from .taking import take_turns, take_units

RULES = 3  # a new number when the rules read turns otherwise: everything is read again then
STEP = 500  # turns, and units, that one transaction reads
Compare = Callable[[TraceTables], Groups | None]  # what shares a trace by cosines where that changed; None: later


def catch_up(tables: TraceTables, compare: Compare | None = None, limit: int = STEP) -> bool:
    """Read what has not been read, `limit` turns and units at most; True when nothing is left.

    Turns whose session lost one or says something else now are read again first. What was read is placed and settled
    in the same step, so that every step leaves the traces of what was read so far.
    """
    if tables.number("traced") == tables.change and tables.number("traced_rules") == RULES:
        return True
    if tables.number("traced_rules") != RULES:
        tables.forget_all()
        tables.keep("traced_rules", RULES)
    until = tables.number("traced_turn")
    untidy = tables.kept("untidy") is not None
    touched: set[int] = set()
    sessions: set[int] = set()
    for session in tables.stale_sessions():
        touched |= tables.forget_readings(session)
        take_turns(tables, tables.session_turns(session, until))
        sessions.add(session)
        untidy = True
    turns = tables.unread_turns(until, limit)
    sessions |= take_turns(tables, turns)
    if turns:
        tables.keep("traced_turn", turns[-1].turn.sequence)
    units = tables.unread_units(tables.number("traced_unit"), limit)
    sessions |= take_units(tables, units)
    whole = len(units) < limit
    tables.keep("traced_unit", tables.last_unit() if whole else units[-1].key)
    if untidy:
        tables.tidy_people()
    placed, lost = place_claims(tables, sessions)
    touched |= placed | tables.unsettled()
    groups: Groups | None = {}
    if compare is not None and tables.kept("uncompared") is not None:
        groups = compare(tables)
    settle(tables, touched | (groups or {}).keys(), groups or {})
    if untidy or lost:
        tables.tidy_atoms()
    tables.keep("untidy", None)
    done = whole and len(turns) < limit and groups is not None
    if done:
        tables.keep("traced", tables.change)
    return done
