"""Answers as JSON. Field names and meaning are part of the interface; times are ISO 8601, unknown ones null."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from ..types import AddReport, Hit, Interval, JsonValue, MemoryUnit, Turn

if TYPE_CHECKING:
    from ..generation.answer import Answer, Citation
    from ..generation.local_graph import LocalGraph
    from ..stores.records import HistoryEvent, Receipt, StoreStats
    from ..trajectory import Trajectory

Object = dict[str, JsonValue]


def unit(value: MemoryUnit) -> Object:
    """A unit with its source, both times and what was read off it."""
    return {
        "id": value.id,
        "kind": value.kind,
        "text": value.text,
        "quote": value.span.quote,
        "turn_ids": list(value.span.turn_ids),
        "speaker": value.speaker,
        "role": value.role,
        "session_id": value.session_id,
        "sequence": value.sequence,
        "utterance_time": time(value.utterance_time),
        "fact_times": [interval(each) for each in value.fact_times],
        "entities": [{"text": each.text, "type": each.type} for each in value.entities],
        "locations": list(value.locations),
        "metadata": dict(value.metadata),
        "agent_id": value.agent_id,
        "run_id": value.run_id,
    }


def hit(value: Hit) -> Object:
    """A unit and why it was found."""
    return {
        "rank": value.rank,
        "score": _rounded(value.score),
        "channels": {
            name: {"rank": found.rank, "score": _rounded(found.score)} for name, found in value.channels.items()
        },
        "contributions": {name: _rounded(part) for name, part in value.contributions.items()},
        "flags": list(value.flags),
        **unit(value.unit),
    }


def turn(value: Turn) -> Object:
    """A turn as it was said."""
    return {
        "id": value.id,
        "session_id": value.session_id,
        "sequence": value.sequence,
        "speaker": value.speaker,
        "role": value.role,
        "text": value.text,
        "utterance_time": time(value.utterance_time),
        "caption": value.caption,
        "caption_query": value.caption_query,
    }


def report(reports: Sequence[AddReport]) -> Object:
    """What became of each message."""
    items: list[JsonValue] = [
        {"status": item.status, "turn_id": item.turn_id, "reason": item.reason, "note": item.note}
        for one in reports
        for item in one.items
    ]
    pending = next((one.pending for one in reports if one.pending), None)
    return {
        "stored": sum(one.count("stored") for one in reports),
        "deduplicated": sum(one.count("deduplicated") for one in reports),
        "failed": sum(one.count("failed") for one in reports),
        "pending": pending,
        "redacted": dict(sum((Counter(one.redacted) for one in reports), Counter())),
        "items": items,
    }


def trajectory(value: Trajectory) -> Object:
    """One relation of one subject, state by state; `valid_to` is the first day on which it held no more."""
    return {
        "subject": value.subject,
        "subject_id": value.subject_id,
        "relation": value.relation,
        "one": value.one,
        "text": value.text,
        "states": [
            {
                "value": each.value,
                "valid_from": None if each.valid_from is None else each.valid_from.isoformat(),
                "valid_to": None if each.valid_to is None else each.valid_to.isoformat(),
                "known_from": time(each.known_from),
                "sequence": each.sequence,
                "status": each.status,
                "reason": each.reason,
                "flags": list(each.flags),
                "unit_id": each.unit_id,
                "quote": each.quote,
                "repeats": list(each.repeats),
                "source": each.source,
            }
            for each in value.states
        ],
    }


def answer(value: Answer) -> Object:
    """An answer with its evidence; seconds to the tenth of a millisecond."""
    return {
        "question": value.question,
        "answer": value.answer,
        "abstained": value.abstained,
        "reasoning_path": value.reasoning_path,
        "citations": [_citation(each) for each in value.citations],
        "working_memory": [hit(each) for each in value.working_memory],
        "context": {
            "text": value.context.text,
            "labels": dict(value.context.labels),
            "left_out": list(value.context.left_out),
        },
        "local_graph": graph(value.local_graph),
        "answerer": value.answerer,
        "tokens": dict(value.tokens),
        "seconds": {name: round(seconds, 4) for name, seconds in value.seconds.items()},
        "notes": list(value.notes),
    }


def _citation(value: Citation) -> Object:
    return {
        "label": value.label,
        "unit_id": value.unit_id,
        "text": value.text,
        "fact_times": [interval(each) for each in value.fact_times],
        "turns": [
            {
                "turn_id": each.turn_id,
                "speaker": each.speaker,
                "quote": each.quote,
                "utterance_time": time(each.utterance_time),
            }
            for each in value.turns
        ],
    }


def graph(value: LocalGraph) -> Object:
    """Nodes, and edges between their places."""
    return {
        "nodes": [{"key": each.key, "text": each.text} for each in value.nodes],
        "edges": [
            {
                "source": each.source,
                "target": each.target,
                "predicate": each.predicate,
                "unit_id": each.unit_id,
                "kind": each.kind,
            }
            for each in value.edges
        ],
        "left_out": list(value.left_out),
    }


def event(value: HistoryEvent) -> Object:
    """What a unit said before."""
    return {"event": value.event, "text": value.text, "recorded_at": value.recorded_at}


def receipt(value: Receipt) -> Object:
    """What went: ids and counts, never content."""
    return {**asdict(value), "unit_ids": list(value.unit_ids)}


def stats(user_id: str, value: StoreStats) -> Object:
    """Counts of one namespace."""
    return {"user_id": user_id, **asdict(value)}


def interval(value: Interval) -> Object:
    """First and last day, both included."""
    return {"start": value.start.isoformat(), "end": value.end.isoformat(), "granularity": value.granularity.value}


def time(value: datetime | None) -> str | None:
    """ISO 8601 with the offset that was given, or without one."""
    return None if value is None else value.isoformat()


def _rounded(value: float) -> float:
    return round(value, 6)
