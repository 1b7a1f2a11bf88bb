"""The trajectory of a trace in words, composed without a model: oldest → newest, ending in what holds (SPEC §2.5)."""

from __future__ import annotations

from datetime import date, datetime

from .states import State, Trace


def trajectory(trace: Trace) -> str:
    """One line a state and one for what holds now; every line names the units that it rests on.

    Starts with the subject and the relation. What was taken back stands where it was believed, marked as such.

        Ana · home
        from 2021-01-01 to 2024-03-01: Oslo, said 2024-08-01 [u5]
        from 2024-03-01: Porto, said 2024-04-05 [u2; again u6]
        now: Porto [u2]

    What begins later than now (`as_of.as_seen`) is marked as upcoming.
    """
    lines = [f"{trace.subject_name} · {trace.relation}"]
    lines += [line(state) + ("; upcoming" if state.status == "upcoming" else "") for state in trace.states]
    lines.append(latest(trace))
    return "\n".join(lines)


def line(state: State) -> str:
    """One state: when it held, its value, who says so, when it was said, and its units."""
    said = f"said {_said(state.known_from, state.sequence)}"
    by = f" by {state.source}, not first hand" if state.source is not None and "hearsay" in state.flags else ""
    back = f"; {state.reason}" if state.status == "retracted" else ""
    units = state.unit_id + (f"; again {', '.join(state.repeats)}" if state.repeats else "")
    return f"{span(state)}: {state.value}, {said}{by}{back} [{units}]"


def span(state: State) -> str:
    """The days of a state in words."""
    if state.status == "retracted":
        return "never"
    begun = _day(state.valid_from)
    if state.valid_to is not None:
        return f"from {begun} to {state.valid_to.isoformat()}"
    return f"from {begun}, until an unknown time" if "end-unknown" in state.flags else f"from {begun}"


def latest(trace: Trace) -> str:
    """What holds now, or that nothing does."""
    current = trace.current
    if not current:
        supported = [state for state in trace.states if state.status == "superseded"]
        return f"now: none, since {_day(supported[-1].valid_to)}" if supported else "now: nothing known"
    return "now: " + "; ".join(f"{state.value} [{state.unit_id}]" for state in current)


def _day(day: date | None) -> str:
    return day.isoformat() if day is not None else "an unknown time"


def _said(time: datetime | None, sequence: int) -> str:
    return time.date().isoformat() if time is not None else f"at an unknown time (serial-{sequence})"
