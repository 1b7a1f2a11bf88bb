"""Atoms that changed → traces and their states, written where they differ."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..construction.traces import Trace, states
from ..stores.trace_records import StateRow, TraceRow, TripleRow
from ..stores.trace_tables import TraceTables
from .claims import claim_of

Groups = Mapping[int, tuple[int, ...]]  # atom → the atoms that share its trace, itself among them


def settle(tables: TraceTables, atoms: set[int], groups: Groups) -> None:
    """Write the traces of these atoms anew. `groups`: where the comparison by cosines found something new."""
    former = tables.traces_of(atoms)
    together: dict[int, tuple[int, ...]] = {}
    for key in former:
        members = tables.atoms_of(key)
        atoms |= set(members)
        together |= dict.fromkeys(members, tuple(atom for atom in members if atom not in groups))
    wanted = {tuple(sorted(groups.get(atom) or together.get(atom) or (atom,))) for atom in atoms}
    written: list[tuple[Trace, list[TripleRow]]] = []
    for group in sorted(wanted):
        rows = tables.claims_of(group)
        if rows:
            written.append((states(map(claim_of, rows)), rows))
    ids = {trace.id for trace, _ in written}
    for key, trace_id in tables.trace_ids(former):
        if trace_id not in ids:
            tables.drop_trace(key)
    for trace, rows in written:
        _write(tables, trace, rows)


def _write(tables: TraceTables, trace: Trace, rows: list[TripleRow]) -> None:
    keys = {claim_of(row).key: row.key for row in rows}
    names: dict[int, str] = {}
    for row in rows:
        names[row.atom] = max(names.get(row.atom, ""), row.name, key=lambda name: (len(name), name))
    asserting: dict[int, int | None] = dict.fromkeys(keys.values())
    found: list[StateRow] = []
    for place, (state, said) in enumerate(zip(trace.states, trace.asserting, strict=True)):
        opening = keys[said[0]]
        asserting |= dict.fromkeys((keys[key] for key in said), opening)
        found.append(
            StateRow(
                opening, place, state.value,
                None if state.valid_from is None else state.valid_from.toordinal(),
                None if state.valid_to is None else state.valid_to.toordinal(),
                None if state.known_from is None else state.known_from.isoformat(),
                state.status, state.reason, json.dumps(state.flags),
            )
        )  # fmt: skip
    ignored = json.dumps(trace.ignored, ensure_ascii=False)
    row_of = TraceRow(trace.id, trace.subject_id, trace.subject_name, trace.relation, trace.one, ignored)
    tables.put_trace(row_of, names, found)
    tables.assert_states(asserting)
