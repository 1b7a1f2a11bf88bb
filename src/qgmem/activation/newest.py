"""The last step of the order: among the best, wording before age, and of versions of one claim the newest first.

1. Units that hold the same words of the question are ordered by how closely they follow its wording (`wording.py`),
   as far as a small step of score allows.
2. Versions of one claim (`versions.py`) stand newest first: "Fatah is chaired by A", "Fatah is chaired by B". Which
   is shown first is then a matter of age, not of a hair's breadth of score.
3. A question that says "now" puts what tells of a long past behind the rest.

It is a matter of order only: every version stays in the list. A question about its own time is left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..stores.index import Index, Mask, Rows
from ..stores.segment import CHAIN_SHIFT, NO_DAY, term_hash
from .fusion import Fused
from .rerank import Documents
from .versions import Question, words
from .wording import Wording

Terms = Callable[[str], Sequence[str]]
DEPTH = 20  # units compared with each other
LONGEST = 100  # terms; what is longer states more than one claim
MANY = 62  # terms of a question that are told apart: bits of a number
STEP = 0.1  # of the spread of the scores compared: what wording may change; the sequential model's share of pairs
LONG_PAST = 90  # days between what a unit tells of and its telling, from which it is a story of the past
_NOW = re.compile(
    r"\b(now|currently|nowadays|at (the moment|present)|these days|present(ly)?|still)\b", re.IGNORECASE
)


class Statement(NamedTuple):
    """A unit's words, none for a long one, the code of who says them, and its age: larger is newer.

    `held`: the question's terms that the unit holds, one bit each.
    """

    words: Sequence[str]
    held: int
    age: tuple[int, int] = (0, 0)
    voice: int = 0


def newest_first(question: Question, statements: Sequence[Statement], kind: int = 0) -> list[int]:
    """Places of the statements, best first, in their new order: versions change places among themselves only.

    `kind`: bits of `held` that a value may hold, for words that say of what kind the answer is.

    >>> question = Question.of("Who chairs the club?", str.split)
    >>> one, other = "a chairs the club".split(), "b chairs the club".split()
    >>> newest_first(question, [Statement(one, 1, age=(0, 1)), Statement(other, 1, age=(0, 2))])
    [1, 0]
    """
    claims: dict[tuple[int, int], list[list[int]]] = {}  # places of versions, by what they hold and who says it
    for place, one in enumerate(statements):
        if one.words and one.held & ~kind:
            claim = claims.setdefault((one.held & ~kind, one.voice), [])
            for versions in claim:
                if question.versions(statements[versions[0]].words, one.words):
                    versions.append(place)
                    break
            else:
                claim.append([place])
    order = list(range(len(statements)))
    for versions in (versions for claim in claims.values() for versions in claim if len(versions) > 1):
        newest = sorted(versions, key=lambda place: statements[place].age, reverse=True)
        for place, member in zip(versions, newest, strict=True):
            order[place] = member
    return order


def worded_first(wording: Wording, statements: Sequence[Statement], scores: Sequence[float]) -> list[int]:
    """Places in the order of score and wording, changed only among statements that hold the same question words.

    `scores`: best first.
    """
    order = list(range(len(statements)))
    alike: dict[int, list[int]] = {}
    for place, statement in enumerate(statements):
        if statement.held and statement.words:
            alike.setdefault(statement.held, []).append(place)
    step = STEP * (scores[0] - scores[-1]) if len(scores) else 0.0
    for places in alike.values():
        if len(places) < 2:
            continue
        marks = wording.marks([statements[place].words for place in places])
        value = {place: scores[place] + step * mark for place, mark in zip(places, marks, strict=True)}
        for place, member in zip(places, sorted(places, key=lambda at: -value[at]), strict=True):
            order[place] = member
    return order


def reorder(index: Index, text: str, question: Sequence[str], fused: Fused, read: Documents, terms: Terms) -> Fused:
    """The pool with its `DEPTH` best in their last order; scores keep to their places.

    `text`, `question`: the question and its terms without function words; `read`: rows -> words of the units as they
    stand; `terms`: the analyser.
    """
    rows = fused.rows[:DEPTH]
    if len(rows) < 2:
        return fused
    asked = Question.of(text, terms, question)
    about = list(dict.fromkeys(question))[:MANY]
    kind = sum(1 << place for place, term in enumerate(about) if term in asked.kind)
    statements = _statements(index, rows, _held(index, about, rows), kind, read)
    scores = fused.scores[:DEPTH].tolist()
    order = worded_first(Wording.of(text, terms), statements, scores)
    new = np.array([order[place] for place in newest_first(asked, [statements[at] for at in order], kind)])
    if _NOW.search(text):
        past = _of_the_past(index, rows)[new]
        new = np.concatenate([new[~past], new[past]])
    return fused if (new == np.arange(len(new))).all() else _moved(fused, new)


def _moved(fused: Fused, order: NDArray[np.intp]) -> Fused:
    """The pool with its first places in this order, and what that adds to each score said."""
    place = np.concatenate([order, np.arange(len(order), len(fused.rows))])
    parts = {name: values[place] for name, values in fused.parts.items()}
    parts["newest"] = fused.scores - fused.scores[place]
    return Fused(fused.rows[place], fused.scores, parts)


def _statements(index: Index, rows: Rows, held: Sequence[int], kind: int, read: Documents) -> list[Statement]:
    """The units, with their words where another of them holds the same words of the question and neither is long."""
    lengths = np.asarray(index.gather("length", rows)).tolist()
    keys = [(one & ~kind or one) if length <= LONGEST else 0 for one, length in zip(held, lengths, strict=True)]
    count = Counter(keys)
    wanted = [place for place, key in enumerate(keys) if key and count[key] > 1]
    texts = read(rows[wanted]) if wanted else []
    found: list[Sequence[str]] = [()] * len(rows)
    if len(texts) == len(wanted):  # fewer: a unit was deleted since the index was read
        for place, text in zip(wanted, texts, strict=True):
            found[place] = words(text)
    said = np.asarray(index.gather("utterance_us", rows)).tolist()
    sequence = (np.asarray(index.gather("chain", rows)) & ((1 << CHAIN_SHIFT) - 1)).tolist()
    voices = np.asarray(index.gather("speaker", rows)).tolist()
    ages = zip(said, sequence, strict=True)
    return [Statement(*values) for values in zip(found, held, ages, voices, strict=True)]


def _held(index: Index, about: Sequence[str], rows: Rows) -> list[int]:
    """Which of these terms each row holds, one bit each: a few rows are looked up in the postings, not these read."""
    held = np.zeros((len(about), len(rows)), np.bool_)
    numbers = np.array([term_hash(term) for term in about], np.uint64)
    start = 0
    for part in index.parts:
        segment, local = part.segment, (rows - start).astype(np.int32)
        for holds, span in zip(held, segment.postings(numbers), strict=True):
            holders = segment.posting_row[span]
            if len(holders):
                holds |= holders.take(holders.searchsorted(local), mode="clip") == local
        start += len(segment)
    bits: list[int] = ((1 << np.arange(len(about))) @ held).tolist()
    return bits


def _of_the_past(index: Index, rows: Rows) -> Mask:
    """(len(rows),) units whose stated times had all ended long before they were told."""
    ended = index.fact_ends(rows).astype(np.int64)
    told = np.asarray(index.gather("utterance_day", rows), np.int64)
    past: Mask = (ended != NO_DAY) & (told != NO_DAY) & (told - ended > LONG_PAST)
    return past
