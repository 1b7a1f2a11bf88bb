"""A trace as a picture: one row a state, a bar for the days that it held, marks for when it was said.

Colours differ in lightness too, and each status is also written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from html import escape

from ...svg import FONT, picture, words
from .states import State, Trace
from .timeline import Axis, axis, said
from .trajectory import line

WIDTH, LEFT, RIGHT, ROW, TOP, FOOT = 960, 214, 110, 34, 68, 52
COLOURS = {
    "current": "#1b7f5c",
    "coexisting": "#2f6fb2",
    "superseded": "#9aa5b1",
    "retracted": "#c0392b",
    "upcoming": "#8a6d1d",
}
WORDS = COLOURS | {"superseded": "#52606d"}  # of texts: dark enough to read on white


def timelines_svg(traces: Sequence[Trace]) -> str:
    """Several pictures below each other, as one."""
    parts, y = [], 0
    for each in traces:
        parts.append(timeline_svg(each).replace("<svg ", f'<svg y="{y}" ', 1))
        y += _height(each)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" viewBox="0 0 {WIDTH} {y}">\n'
    return "".join([head, *parts, "</svg>\n"]) if len(parts) != 1 else timeline_svg(traces[0])


def timeline_svg(trace: Trace) -> str:
    """The picture as text. Bars run from the first day to the day of the next state; an open end has an arrow, an
    unknown end or time a dashed outline; a state that was taken back is a struck outline. Dots are the days on
    which it was said, hollow for hearsay. Hovering over a row shows the state with its units.
    """
    height = _height(trace)
    scale = axis(trace, WIDTH - LEFT - RIGHT)
    title = f"{trace.subject_name} · {trace.relation}"
    out = [words(title, 16, 30, 17, more='font-weight="600"')]
    if scale is not None:
        out += _grid(scale, height)
    for place, state in enumerate(trace.states):
        out.append(f"<g><title>{escape(line(state))}</title>")
        out += _row(trace, state, scale, TOP + ROW * place)
        out.append("</g>")
    return picture(WIDTH, height, f"Timeline: {title}", [*out, *_legend(height)])


def _height(trace: Trace) -> int:
    return TOP + ROW * max(1, len(trace.states)) + FOOT


def _row(trace: Trace, state: State, scale: Axis | None, y: int) -> list[str]:
    colour, middle = COLOURS[state.status], y + ROW // 2
    struck = ' text-decoration="line-through"' if state.status == "retracted" else ""
    name = state.value if len(state.value) <= 24 else state.value[:23] + "…"
    out = [
        # a picture of its own, which cuts off what is too wide
        f'<svg x="16" y="{y}" width="{LEFT - 30}" height="{ROW}"><text y="{ROW // 2 + 5}" {FONT} font-size="13" '
        f'fill="#1f2933"{struck}>{escape(name)}</text></svg>',
        f'<text x="{WIDTH - RIGHT + 14}" y="{middle + 5}" {FONT} font-size="12" fill="{WORDS[state.status]}">'
        f"{state.status}</text>",
    ]
    if scale is None:
        return out
    out += _bar(state, scale, y, colour)
    for claim in said(trace, state):
        if claim.utterance_time is not None:
            x = LEFT + scale.at(claim.utterance_time.date())
            fill = "#ffffff" if claim.source is not None else "#1f2933"
            out.append(
                f'<circle cx="{x:.1f}" cy="{middle}" r="4.5" fill="{fill}" stroke="#1f2933" stroke-width="1.5"/>'
            )
    return out


def _bar(state: State, scale: Axis, y: int, colour: str) -> list[str]:
    unknown = state.valid_from is None or "end-unknown" in state.flags
    dash = ' stroke-dasharray="5 4"' if unknown or state.status == "retracted" else ""
    opacity = "0.12" if dash else "0.85"
    start = LEFT + (scale.at(state.valid_from) if state.valid_from is not None else 0.0)
    stop = LEFT + (scale.at(state.valid_to) if state.valid_to is not None else scale.width)
    if state.status == "retracted":
        stop = start + 46
    out = [
        f'<rect x="{start:.1f}" y="{y + 8}" width="{max(3.0, stop - start):.1f}" height="{ROW - 16}" rx="3" '
        f'fill="{colour}" fill-opacity="{opacity}" stroke="{colour}"{dash}/>'
    ]
    if state.status in ("current", "coexisting", "upcoming") and state.valid_to is None:
        middle = y + ROW // 2
        tip = f"{stop:.1f},{y + 6} {stop + 9:.1f},{middle} {stop:.1f},{y + ROW - 6}"
        out.append(f'<polygon points="{tip}" fill="{colour}"/>')
    return out


def _grid(scale: Axis, height: int) -> list[str]:
    """A line and a date at each tick."""
    out, bottom = [], height - FOOT + 4
    for day, label in _ticks(scale):
        x = LEFT + scale.at(day)
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="#e4e7eb"/>')
        out.append(
            f'<text x="{x:.1f}" y="{TOP - 14}" {FONT} font-size="11" fill="#616e7c" text-anchor="middle">'
            f"{label}</text>"
        )
    return out


def _ticks(scale: Axis) -> list[tuple[date, str]]:
    """Years, or months where fewer than three years are shown; at most twelve."""
    years = range(scale.first.year, scale.last.year + 1)
    if len(years) > 3:
        step = -(-len(years) // 12)
        found = [(date(year, 1, 1), str(year)) for year in years[::step]]
    else:
        months = [date(year, month, 1) for year in years for month in range(1, 13)]
        months = [day for day in months if scale.first <= day <= scale.last]
        found = [(day, day.strftime("%Y-%m")) for day in months[:: -(-len(months) // 10) or 1]]
    shown = [(day, label) for day, label in found if scale.first <= day <= scale.last]
    return shown or [(scale.first, scale.first.isoformat())]


def _legend(height: int) -> list[str]:
    out, x = [], 16
    y = height - 18
    for status, colour in COLOURS.items():
        out.append(f'<rect x="{x}" y="{y - 10}" width="14" height="10" rx="2" fill="{colour}"/>')
        out.append(words(status, x + 20, y, 12, fill="#3e4c59"))
        x += 34 + 8 * len(status)
    for fill, label in (("#1f2933", "said"), ("#ffffff", "said, hearsay")):
        out.append(f'<circle cx="{x + 6}" cy="{y - 5}" r="4.5" fill="{fill}" stroke="#1f2933" stroke-width="1.5"/>')
        out.append(words(label, x + 18, y, 12, fill="#3e4c59"))
        x += 34 + 7 * len(label)
    return out
