"""Times in running English text: from words to closed intervals of days (SPEC §2.3, "fact times").

The conventions are written down in `docs/design/timex.md`, with the table that holds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from ...types import Interval
from .points import read_point
from .scan import Found, Scan
from .spans import read_range, read_span
from .tense import perfect_before
from .tokens import might_hold_time, tokenise


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A time expression: `text` stands at [start, end) of the searched text and names `interval`."""

    text: str
    start: int
    end: int
    interval: Interval


def find_times(text: str, reference: datetime | date | None, *, day_first: bool = False) -> tuple[TimeMention, ...]:
    """All bounded times that `text` names, in order of appearance, without overlap.

    `reference` is when it was said. Its own date, in its own offset, is "today"; without it only absolute times
    are found. `day_first` reads 3/4/2023 as 3 April. Vague, repeated and half-open times give nothing, nor does
    anything in a language the rules don't know, dates in figures excepted. Works on questions as on statements.
    Never raises on any text; time is linear in its length.

        >>> find_times("I saw her two weeks ago.", date(2023, 5, 10))[0].interval.start
        datetime.date(2023, 4, 24)
    """
    if not might_hold_time(text):
        return ()
    tokens = tokenise(text)
    scan = Scan.of(text, tokens, reference, day_first)
    mentions: list[tuple[int, int, Found]] = []
    i, count = 0, len(tokens)
    while i < count:
        found = _read(scan, i)
        if found is None:
            i += 1
            continue
        if found.interval is not None:
            mentions.append((i, found.end, found))
        i = max(found.end, i + 1)
    return tuple(
        TimeMention(text[tokens[a].start : tokens[b - 1].end], tokens[a].start, tokens[b - 1].end, found.interval)
        for n, (a, b, found) in enumerate(mentions)
        if found.interval is not None and not (found.duration and _contradicted(scan, mentions, n))
    )


def fact_times(text: str, reference: datetime | date | None, *, day_first: bool = False) -> tuple[Interval, ...]:
    """The distinct intervals of `find_times`, sorted by start, end and granularity."""
    return tuple(sorted({mention.interval for mention in find_times(text, reference, day_first=day_first)}))


def _read(scan: Scan, i: int) -> Found | None:
    """The longest expression at token i: a span, a range or a single time."""
    best = point = read_point(scan, i)
    for found in (read_span(scan, i), read_range(scan, i, known=point)):
        if found is not None and (best is None or found.end > best.end):
            best = found
    return best


def _contradicted(scan: Scan, mentions: list[tuple[int, int, Found]], n: int) -> bool:
    """Does another time of the sentence place "for three years" elsewhere? "In 1990 I lived there for three years."

    Not if the verb is a perfect ("have lived"), which reaches today whatever else is said.
    """
    start, end, _ = mentions[n]
    if perfect_before(scan, start):
        return False
    before = n > 0 and _same_sentence(scan, mentions[n - 1][1], start)
    after = n + 1 < len(mentions) and _same_sentence(scan, end, mentions[n + 1][0])
    return before or after


def _same_sentence(scan: Scan, a: int, b: int) -> bool:
    return b - a < 40 and not any(low in (".", "!", "?", ";") for low in scan.lows[a:b])
