"""Do the memories that an answer cites hold it? Judged by words; no model takes part (SPEC §4.4).

What is judged: the answer's words that carry meaning (stems), its numbers and its dates. Left out are words of the
question, yes and no, words of time ("last week"), and numbers where the question counts, since these are worked out
and not read. Held means that one of what is left is there, in the text, quote, speaker, times, facts or trajectory of
a cited memory or in its turns. So an answer made up of whole cloth is noticed; one that is half right is not, nor is
one that says with the memory's words what the memory does not mean.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import lru_cache

from ..stores.analyser import terms
from ..types import Interval, MemoryUnit, Turn

NOTE = "unsupported: none of its words ({}) is in the memories that it cites"
SHOWN = 5  # words that a note names
NEAR = timedelta(days=45)  # what "two weeks ago" or "last month" is counted back from
_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_COUNTED = re.compile(
    r"\bhow (?:many|long|old|often|far|much (?:time|longer|older|more|earlier|later))\b"
    r"|\b(?:count|number of|total)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r"\b(?:ago|since|for|last|next|past|previous|old|later|earlier|in|coming)\b", re.IGNORECASE)
_ELAPSED = re.compile(r"\b(?:last|next|ago|past|previous|coming|a year)\b", re.IGNORECASE)
_FUNCTION = """
a an the this that these those some any each every both such same other another and or but nor so if then
because as at by for from in into of off on onto out over to up down with without about between through against
i me my mine we us our you your he him his she her hers it its they them their who whom whose which what when
where why how is are was were be been being am do does did done has have had having can could will would shall
should may might must not no nor yes yeah there here very too also just only more most than who's that's it's
"""
_TIME = """
second seconds minute minutes hour hours day days night week weeks weekend month months year years decade
decades ago last next past previous coming before after later earlier since until till during around about early
late mid beginning end today tonight yesterday tomorrow now then currently recently soon morning afternoon
evening once twice times always never often sometimes
"""
_NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
}

Dates = Callable[[str], Sequence[tuple[int, int, Interval]]]  # the dates that a text writes out: [start, end), days


def unsupported(
    answer: str,
    question: str,
    units: Iterable[MemoryUnit],
    turns: Mapping[str, Turn],
    beside: Mapping[str, str],
    dates: Dates,
    language: str = "english",
) -> str | None:
    """A note if nothing of the answer is in the units that it cites; None if something is, or nothing can be judged.

    `turns`: by id, those that the units rest on, as far as they are here. `beside`: by unit id, what else the
    answerer read of it. `dates` finds the dates in a text.
    """
    rest, days = _without_dates(answer, dates)
    words = _words(rest, question, language)
    if not words and not days:
        return None
    texts: list[str] = []
    known: list[Interval] = []
    said: list[date] = []
    for unit in units:
        here = [turns[turn_id] for turn_id in unit.span.turn_ids if turn_id in turns]
        texts += [unit.speaker, unit.text, unit.span.quote, beside.get(unit.id, "")]
        texts += [f"{turn.speaker} {turn.text} {turn.caption or ''}" for turn in here]
        known += unit.fact_times
        times = (unit.utterance_time, *(turn.utterance_time for turn in here))
        said += [time.date() for time in times if time is not None]
    text = "\n".join(texts)
    known += [interval for _, _, interval in dates(text)]
    years = _counted_back(said, text)
    held = _stems(f"{text} {_named(known, said)}", language) | set(map(str, years))
    if any(stems & held for stems in words.values()) or any(_dated(day, known, said, years) for day in days.values()):
        return None
    return NOTE.format(", ".join([*days, *words][:SHOWN]))


def _without_dates(text: str, dates: Dates) -> tuple[str, dict[str, Interval]]:
    """The text without its dates, and these by how they are written."""
    left, found = list(text), dict[str, Interval]()
    for start, end, interval in dates(text):
        found[text[start:end]] = interval
        left[start:end] = " " * (end - start)
    return "".join(left), found


def _words(text: str, question: str, language: str) -> dict[str, frozenset[str]]:
    """The words of an answer that can be looked for, each with its stems."""
    asked, counted = _stems(question, language), _COUNTED.search(question) is not None
    found: dict[str, frozenset[str]] = {}
    for word in _WORD.findall(text):
        stems = _stems(word, language)
        number = word.casefold() in _NUMBERS or word[0].isdigit()
        if word.casefold() not in _left_out() and not stems <= asked and not (counted and number):
            found[word] = frozenset(stems)
    return found


def _stems(text: str, language: str) -> set[str]:
    """Stems of all words; numbers as figures without separators, whatever way they are written."""
    plain = _NUMBER.sub(lambda number: number[0].replace(",", "").replace(".", "_"), text)
    found = set(terms(plain, language)) | {number.replace(",", "") for number in _NUMBER.findall(text)}
    return found | {_NUMBERS[word] for word in map(str.casefold, _WORD.findall(text)) if word in _NUMBERS}


def _named(known: Iterable[Interval], said: Iterable[date]) -> str:
    """Times in the words and figures that an answer may name them with: "Sunday 7 May 2023 05"."""
    days = {*said, *(day for one in known for day in (one.start, one.end))}
    return " ".join(f"{day:%A %a} {day.day} {day:%B %b %Y %m}" for day in sorted(days))


def _counted_back(said: Collection[date], text: str) -> set[int]:
    """Years that the text may mean by "ten years ago" or "last year", counted from when it was said."""
    if not _RELATIVE.search(text):
        return set()
    spans = {int(number) for number in _stems(text, "none") if number.isdecimal() and len(number) < 3}
    spans |= {1} if _ELAPSED.search(text) else set()
    return {one.year + sign * span for one in said for span in spans for sign in (-1, 1)}


def _dated(day: Interval, known: Collection[Interval], said: Collection[date], years: Collection[int]) -> bool:
    """Is a date told, or counted from when something was said, as "two weeks ago" is?"""
    if any(one.start <= day.end and day.start <= one.end for one in known):
        return True
    if any(day.start - NEAR <= one <= day.end + NEAR for one in said):
        return True
    return any(day.start.year <= year <= day.end.year for year in years)


@lru_cache(maxsize=1)
def _left_out() -> frozenset[str]:
    return frozenset(f"{_FUNCTION} {_TIME}".split())
