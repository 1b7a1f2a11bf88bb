"""Is a draft borne out by the dialogue? The checks between what a model says and what is kept (SPEC §2.2).

A draft passes with its source span, quote, speaker and time, or it is turned away with one reason. Small slips are
set right where the words leave no doubt: a quote in the turn beside the one named, labels in the wrong order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise

from ..types import MemoryUnit, SourceSpan, Triple, Turn
from .clause_check import contradicted_by_clause, flat_triple
from .fact_dates import contradicted
from .roles import misattributed
from .speakers import wrong_speaker
from .support import OWN, SUPPORT, content, foreign_names, foreign_numbers, locate, sentences, share
from .timex import find_times
from .units import Draft
from .windows import Window

REASONS = {
    "outside-window": "names a turn that the window does not have, and no words of it are found there",
    "overlap-only": "rests on turns that were handled in the window before",
    "quote-not-in-source": "quotes words that nobody said",
    "unsupported-name": "has a name that nobody said",
    "unsupported-number": "has a number that nobody said",
    "unsupported-words": "says something else than the turns it cites",
    "unsupported-object": "has an object that nobody spoke of",
    "negation-lost": "says that it is so where the quoted words say that it is not",
    "hedge-lost": "says that it is so where its clause says that it may be, or is wished for or planned",
    "other-subject": "says of the speaker what the quoted words say of another person",
    "roles-swapped": "says that it was done by the one to whom it was done",
    "parts-apart": "has its verb from one clause and its object from another",
    "date-contradicts-source": "dates it otherwise, or more precisely, than its source",
    "wrong-speaker": "gives to one speaker what was said of another",
    "assistant-is-not-user": "takes what the assistant said for what the user did",
    "question-is-no-deed": "takes what was asked for for something done",
    "triple-unsupported": "has a triple whose parts the claim does not have",
    "duplicate": "repeats another unit of the window",
}


_NEGATION = re.compile(
    r"\b(?:not|never|no|nobody|none|nothing|neither|nor|cannot|without|hardly|stopped|quit|gave up|refus\w+|"
    r"avoid\w*|lost|hates?|dislikes?)\b|n['’]t\b",
    re.IGNORECASE,
)


_DENIAL = re.compile(
    r"\b(?:not(?! (?:long|only|just|bad))|never|no longer|cannot)\b"
    r"|(?<!do)(?<!ca)n['’]t\b|\bdon['’]t(?! (?:forget|worry|know|mind))|\bcan['’]t(?! (?:wait|believe|stop|help))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Passed:
    """A unit that is borne out, without attributes yet. `evidence`: the words of all cited turns."""

    unit: MemoryUnit
    evidence: str
    triple_dropped: bool = False
    span_corrected: bool = False
    quote_found: bool = True  # False: the model gave none, and the nearest sentence stands in


@dataclass(frozen=True, slots=True)
class _Source:
    first: int
    last: int
    quoted: int  # the turn that holds the quote
    quote: str
    corrected: bool
    given: bool


def validate(draft: Draft, window: Window, *, language: str = "english", day_first: bool = False) -> Passed | str:
    """The unit, or the reason (a key of REASONS) why it is none."""
    found = _source(draft, window, language)
    if isinstance(found, str):
        return found
    cited = window.turns[found.first : found.last + 1]
    evidence = "\n".join(heard(turn) for turn in cited)
    around = "\n".join(f"{turn.speaker} {turn.role}: {heard(turn)}" for turn in window.turns)
    turn = window.turns[found.quoted]
    reason = _unsupported(draft, evidence, around, turn, language, day_first)
    if reason is None and contradicted(draft.text, evidence, turn.utterance_time, day_first=day_first):
        reason = "date-contradicts-source"
    reason = reason or misattributed(draft.text, draft.triple, window.turns, cited, language)
    if reason is None and wrong_speaker(draft.text, found.quote, turn, window.turns, cited, language):
        reason = "wrong-speaker"
    clause = (found.quote, turn, window.turns, language)
    reason = reason or contradicted_by_clause(draft.text, draft.triple, *clause)
    if reason is not None:
        return reason
    triple = draft.triple
    if triple is not None and (
        not _triple_supported(triple, draft.text, around, language)
        or contradicted_by_clause(flat_triple(triple), triple, *clause) is not None  # the claim kept its "might"
    ):
        triple = None
    first, last = window.turns[found.first], window.turns[found.last]
    unit = MemoryUnit(
        id=unit_id(first.id, last.id, draft.text),
        kind="extracted",
        text=draft.text,
        span=SourceSpan(first.id, last.id, found.quote, tuple(turn.id for turn in cited) if len(cited) > 1 else ()),
        session_id=window.session_id,
        sequence=turn.sequence,
        speaker=turn.speaker,
        role=turn.role,
        utterance_time=turn.utterance_time,
        triple=triple,
        metadata=turn.metadata,
        agent_id=turn.agent_id,
        run_id=turn.run_id,
    )
    dropped = draft.triple is not None and triple is None
    return Passed(unit, evidence, dropped, found.corrected, found.given)


def unit_id(first_turn: str, last_turn: str, text: str) -> str:
    """The same for the same claim about the same turns, so that reading a window again adds nothing."""
    parts = (first_turn, last_turn, " ".join(text.casefold().split()))
    return "u-" + sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()[:24]


def heard(turn: Turn) -> str:
    """All that a turn gives to rest on: its words and what its image shows."""
    return f"{turn.text} [image: {turn.caption}]" if turn.caption else turn.text


def _source(draft: Draft, window: Window, language: str) -> _Source | str:
    """The cited turns and the quote in them, or why there are none."""
    first, last, corrected = _ordered(draft)
    cited = [place for place in range(first, last + 1) if place >= window.overlap]
    new = range(window.overlap, len(window.turns))
    if draft.quote:
        found = _quoted(draft.quote, window, cited) or _quoted_across(draft.quote, window, cited)
        if found is not None:
            return _Source(first, last, *found, corrected, given=True)
        found = _quoted(draft.quote, window, new)
        if found is not None:  # said, though not where the label points
            return _Source(found[0], found[0], *found, corrected=True, given=True)
        if _quoted(draft.quote, window, range(window.overlap)) is not None:
            return "overlap-only"
        return "quote-not-in-source" if first <= last or not draft.labelled else "outside-window"
    if not cited and draft.labelled:
        return "overlap-only" if first <= last else "outside-window"
    best = _nearest(draft.text, window, cited or new, language)
    if best is None:
        return "unsupported-words"
    if not cited:
        first = last = best[0]
    return _Source(first, last, *best, corrected, given=False)


def _ordered(draft: Draft) -> tuple[int, int, bool]:
    """First and last place, and whether they had to be turned around; (0, -1) if a label names nothing."""
    if draft.start is None or draft.end is None:
        return 0, -1, False
    return min(draft.start, draft.end), max(draft.start, draft.end), draft.start > draft.end


def _quoted(quote: str, window: Window, places: range | list[int]) -> tuple[int, str] | None:
    """(turn, its own words) of the first turn that says the quote; an ellipsis stands for anything."""
    for place in places:
        text = heard(window.turns[place])
        start = end = None
        at = 0
        for part in quote.replace("…", "...").split("..."):
            if not part.strip():
                continue
            found = locate(part, text[at:])
            if found is None:
                start = None
                break
            start = at + found[0] if start is None else start
            at = end = at + found[1]
        if start is not None:
            return place, text[start:end]
    return None


def _quoted_across(quote: str, window: Window, places: list[int]) -> tuple[int, str] | None:
    """A quote that runs over from one cited turn into the next: shown as the part in the last of them."""
    for before, after in pairwise(places):
        text, following = heard(window.turns[before]), heard(window.turns[after])
        found = locate(quote, f"{text}\n{following}")
        if found and found[0] < len(text) < found[1]:
            return after, following[: found[1] - len(text) - 1]
    return None


def _nearest(text: str, window: Window, places: range | list[int], language: str) -> tuple[int, str] | None:
    """The sentence that shares most with a claim that came without a quote; None if none shares anything."""
    claim = content(text, language)
    best: tuple[float, int, str] | None = None
    for place in places:
        turn = window.turns[place]
        whole = heard(turn)
        for start, end in sentences(whole):
            alike = share(claim, content(f"{turn.speaker} {whole[start:end]}", language))
            own = share(claim, content(whole[start:end], language))
            if own > 0 and (best is None or alike > best[0]):
                best = alike, place, whole[start:end]
    return (best[1], best[2]) if best else None


def _unsupported(draft: Draft, evidence: str, around: str, turn: Turn, language: str, day_first: bool) -> str | None:
    undated = list(draft.text)
    for time in find_times(draft.text, turn.utterance_time, day_first=day_first):
        undated[time.start : time.end] = " " * (time.end - time.start)  # figures of a date have their own check
    subject = draft.triple.subject if draft.triple else ""
    if foreign_names(draft.text, around, language, subject):
        return "unsupported-name"
    if foreign_numbers("".join(undated), around):
        return "unsupported-number"
    said, own = content(around, language), content(evidence, language)
    claim = content(draft.text, language) - content(f"{turn.speaker} {subject}", language)
    thing = content(draft.triple.object, language) if draft.triple else set()
    if share(thing, said) <= SUPPORT < share(thing, content(draft.text, language)):
        return "unsupported-object"
    # With subject and object borne out, the words between them are free: "moved to" for "packed and left for".
    least = OWN if thing and share(thing, own) >= SUPPORT else SUPPORT
    if share(claim, said) < least or share(claim, own) < OWN:
        return "unsupported-words"
    return "negation-lost" if _negation_lost(draft) else None


def _negation_lost(draft: Draft) -> bool:
    """Judged on short quotes of one clause only: in longer ones the negation may belong to something else."""
    quote = draft.quote
    plain = len(quote.split()) <= 12 and not re.search(r"[,;?]|\b(?:but|and|or|until|because)\b", quote)
    return plain and _DENIAL.search(quote) is not None and not _negated(draft.text)


def _negated(text: str) -> bool:
    return _NEGATION.search(text) is not None


def _triple_supported(triple: Triple, text: str, around: str, language: str) -> bool:
    """Subject and object must be in the claim or the dialogue, and the triple as negative as the claim.

    A predicate is a word of the model's choice ("lives in" for "is based in"); it must only bring in nobody's name.
    """
    source = content(f"{text} {around}", language)
    parts = [content(part.replace("_", " "), language) for part in (triple.subject, triple.object)]
    if any(share(part, source) < SUPPORT for part in parts):
        return False
    predicate = triple.predicate.replace("_", " ")
    if foreign_names(f"x {predicate}", f"{text} {around}", language) or foreign_numbers(
        predicate, f"{text} {around}"
    ):
        return False
    return _negated(f"{predicate} {triple.object}") == _negated(text)
