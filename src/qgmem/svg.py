"""The frame that all pictures share: plain SVG 1.1 without scripts, fonts or links; every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

FONT = 'font-family="system-ui, sans-serif"'
INK, FAINT = "#1f2933", "#616e7c"


def picture(width: int, height: int, label: str, body: Iterable[str]) -> str:
    """A white picture of that size in pixels; `label` is read out where it cannot be seen."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{safe(label)}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        *body,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def words(text: str, x: float, y: float, size: int, *, fill: str = INK, more: str = "") -> str:
    """A text at a place; `more`: other attributes."""
    return (
        f'<text x="{x:g}" y="{y:g}" {FONT} font-size="{size}" {more}{" " if more else ""}fill="{fill}">'
        f"{safe(text)}</text>"
    )


def safe(text: str) -> str:
    """The text escaped, and without characters that no XML may hold."""
    return escape("".join(char if char.isprintable() else " " for char in text))


def cut(text: str, length: int) -> str:
    """The text on one line, shortened to a number of characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
