"""A trace drawn with characters, for the terminal: bars for days that hold, dots for when it was said."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from .claims import Claim
from .states import State, Trace

SHORTEST = 30  # days that are drawn at least
LABEL = 24


@dataclass(frozen=True, slots=True)
class Axis:
    """The days from `first` to `last` laid over `width` units."""

    first: date
    last: date
    width: float

    def at(self, day: date) -> float:
        """Distance of a day from the left, in [0, width]."""
        share = (day - self.first).days / (self.last - self.first).days
        return self.width * min(1.0, max(0.0, share))


def axis(trace: Trace, width: float) -> Axis | None:
    """From the first day that is known of to a little after the last; None when no day is known."""
    days = [state.valid_from for state in trace.states if state.valid_from is not None]
    days += [state.valid_to for state in trace.states if state.valid_to is not None]
    days += [claim.utterance_time.date() for claim in trace.claims if claim.utterance_time is not None]
    if not days:
        return None
    first, last = min(days), max(days)
    margin = timedelta(days=max(SHORTEST, (last - first).days // 12))
    return Axis(first, min(last, date.max - margin) + margin, width)


def said(trace: Trace, state: State) -> list[Claim]:
    """The claims that say a state, in the order said."""
    units = {state.unit_id, *state.repeats}
    return [claim for claim in trace.claims if claim.unit_id in units and claim.kind not in ("end", "retraction")]


def timeline(trace: Trace, width: int = 100) -> str:
    """One row a state: value, bar of the days it held, status. `•` marks when it was said, `>` an open end.

    Rows of states that were taken back are dotted; of unknown time they have no bar. `width` in characters.
    """
    label = min(LABEL, max((len(state.value) for state in trace.states), default=0))
    scale = axis(trace, max(10, width - label - 16) - 1)
    lines = [f"{trace.subject_name} · {trace.relation}"]
    for state in trace.states:
        bar = "" if scale is None else _bar(trace, state, scale)
        length = 0 if scale is None else int(scale.width) + 1
        lines.append(f"{_cut(state.value, label):<{label}} |{bar:<{length}}| {state.status}")
    if scale is not None:
        left, right = scale.first.isoformat(), scale.last.isoformat()
        lines.append(f"{'':<{label}}  {left}{right:>{max(11, int(scale.width) + 1 - len(left))}}")
    return "\n".join(lines)


def _bar(trace: Trace, state: State, scale: Axis) -> str:
    cells = [" "] * (int(scale.width) + 1)
    if state.valid_from is not None and state.status != "retracted":
        start = round(scale.at(state.valid_from))
        stop = len(cells) if state.valid_to is None else max(start + 1, round(scale.at(state.valid_to)))
        cells[start:stop] = ["━"] * (stop - start)
        if state.valid_to is None:
            cells[-1] = "?" if "end-unknown" in state.flags else ">"
    elif state.status == "retracted" and state.valid_from is not None:
        cells[round(scale.at(state.valid_from))] = "×"
    for claim in said(trace, state):
        if claim.utterance_time is not None:
            cells[round(scale.at(claim.utterance_time.date()))] = "•"
    return "".join(cells)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: max(1, length - 1)] + "…"
