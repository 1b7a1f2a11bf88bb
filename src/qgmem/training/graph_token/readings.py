"""Triples and trajectories of one case, read by rules off its turns: no model takes part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...construction.traces import Trace, relation_of, states
from ...construction.traces.claims import Claim
from ...construction.traces.trajectory import span
from ...construction.triples import ReadTurn, SessionReader, claims_of, introduced
from ...memory import Memory
from ...types import Hit, MemoryUnit, Triple


@dataclass(frozen=True, slots=True)
class CaseReading:
    """`triples`: the first claim of each unit that makes one; `traces`: of each unit, those with several states."""

    triples: Mapping[str, Triple]
    traces: Mapping[str, tuple[Trace, ...]]

    def trajectory(self, hits: Sequence[Hit], label: Mapping[str, str]) -> list[str]:
        """One line for every trace that a unit of working memory belongs to: oldest state → newest."""
        found = {trace.id: trace for hit in hits for trace in self.traces.get(hit.unit.id, ())}
        return [_line(trace, label) for trace in found.values()]


def read_case(memory: Memory, user_id: str) -> CaseReading:
    """Reads every unit of a user, about 2 ms each."""
    sessions: dict[str, list[MemoryUnit]] = {}
    units = memory.get_all(user_id=user_id)
    for unit in units:
        sessions.setdefault(unit.session_id, []).append(unit)
    read = [turn for held in sessions.values() for turn in _read(held)]
    speakers = sorted({unit.speaker for unit in units if unit.role == "user"})
    triples: dict[str, Triple] = {}
    lanes: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims_of(read, speakers):
        triples.setdefault(claim.unit_id, Triple(claim.subject_name, claim.predicate, claim.object))
        lanes.setdefault((claim.subject_id, relation_of(claim.predicate, claim.object).name), []).append(claim)
    traces: dict[str, tuple[Trace, ...]] = {}
    for claims in lanes.values():
        trace = states(claims)
        if len(trace.states) > 1:
            for unit_id in dict.fromkeys(claim.unit_id for claim in claims):
                traces[unit_id] = (*traces.get(unit_id, ()), trace)
    return CaseReading(triples, traces)


def _read(units: Sequence[MemoryUnit]) -> list[ReadTurn]:
    reader = SessionReader()
    found = []
    for unit in units:
        readings = reader.read(unit.text, unit.speaker, unit.role, unit.utterance_time)
        people = introduced(unit.text, unit.speaker) if unit.role == "user" else ()
        found.append(
            ReadTurn(unit.id, unit.session_id, unit.sequence, unit.speaker, unit.utterance_time, readings, people)
        )
    return found


def _line(trace: Trace, label: Mapping[str, str]) -> str:
    told = []
    for state in trace.states:
        source = f" ({label[state.unit_id]})" if state.unit_id in label else ""
        told.append(f"{span(state)} {state.value}{source}")
    return f"{trace.subject_name}, {trace.relation}: {'; '.join(told)}"
