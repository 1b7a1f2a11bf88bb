"""States at (as_of, known_at) against the truth of simulated lives, with oracle units, for any order and cut.

The suite asks some thousands of questions. `python tests/property/test_traces_oracle.py [lives] [questions]` asks as
many as are wanted (200 lives and 24,000 questions by default) and prints what docs/results/traces.md reports.

Of an oracle unit the engine sees: ids, subject id and name, a predicate worded in one of the ways that the
table of relations knows, the object,
fact time, utterance time, position, who is quoted, and of its kind only "retraction" and "end", which is what an
extractor says. Whether the relation has one value at a time it must know from its own table.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Sequence
from datetime import timedelta
from functools import cache

import numpy as np
from numpy.typing import NDArray

from qgmem.construction.traces import Claim, ClaimVectors, TraceKeeper, relation_of, state_at, states
from qgmem.synthetic import Claim as Told
from qgmem.synthetic import Life, simulate
from qgmem.synthetic.phrases import PREDICATES

WIDTH = 32
Vectors = NDArray[np.float32]


@cache
def _vector(text: str) -> Vectors:
    """A text as the normalised sum of seeded word vectors."""
    words = [int.from_bytes(hashlib.sha256(w.encode()).digest()[:4], "big") for w in text.lower().split()]
    whole = sum((np.random.default_rng(seed).normal(size=WIDTH) for seed in words), np.zeros(WIDTH))
    unit: Vectors = (whole / np.linalg.norm(whole)).astype(np.float32)
    return unit


def vectors(claims: Sequence[Claim]) -> ClaimVectors:
    """Cheap vectors: related texts are near, and nothing is certain."""
    facts, names, words = (
        np.stack([_vector(text) for text in texts])
        for texts in ([c.text for c in claims], [c.subject_name for c in claims], [c.predicate for c in claims])
    )
    return ClaimVectors(facts, names, words)


def oracle(told: Told, draw: random.Random) -> Claim:
    """A claim as an extractor could give it."""
    kind = told.kind if told.kind in ("retraction", "end") else "state"
    worded = [p for p in PREDICATES[told.predicate] if relation_of(p, told.object).name == told.predicate]
    predicate = draw.choice((told.predicate, *worded))
    return Claim(
        told.id, told.subject_id, told.subject_name, predicate, told.object, kind, told.fact_time,
        told.utterance_time, *told.position, text=f"{told.subject_name} {predicate} {told.object}",
        source=told.source, subject_known=True,
    )  # fmt: skip


def ask(life: Life, keeper: TraceKeeper, draw: random.Random, questions: int) -> list[tuple[object, ...]]:
    """Random questions; those that were answered wrongly."""
    subjects = life.truth.subjects()
    first = min(c.valid_from for c in life.claims) - timedelta(days=30)
    span = (max(c.valid_from for c in life.claims) - first).days + 90
    times = [m.timestamp for m in life.dialogue.messages() if m.timestamp]
    wrong = []
    for _ in range(questions):
        subject, relation = draw.choice(subjects)
        as_of = first + timedelta(days=draw.randint(0, span))
        known_at = draw.choice((None, draw.randint(1, life.claims[-1].position[0] + 1), draw.choice(times)))
        traces = keeper.trajectory(subject, relation)
        found = {s.value for trace in traces for s in state_at(trace, as_of, known_at)}
        expected = life.truth.state(subject, relation, as_of, known_at)
        if found != expected or len(traces) != 1:
            wrong.append((subject, relation, as_of, known_at, found, expected))
    return wrong


def run(lives: int, questions: int, seed: int) -> tuple[int, list[tuple[object, ...]]]:
    """Each life in a random order, cut into random batches; (claims, wrong answers)."""
    draw = random.Random(seed)
    claims, wrong = 0, []
    for life in simulate(lives, 3, seed, questions=0):
        units = [oracle(told, draw) for told in life.claims]
        draw.shuffle(units)
        keeper = TraceKeeper(WIDTH, 0.5)
        while units:
            size = draw.randint(1, 60)
            batch, units = units[:size], units[size:]
            keeper.add(batch, vectors(batch))
            claims += len(batch)
        wrong += ask(life, keeper, draw, questions // lives)
    return claims, wrong


def test_oracle_units_in_any_order_and_cut_give_the_true_states() -> None:
    """8 lives, 2,000 questions: none is wrong."""
    claims, wrong = run(8, 2000, seed=41)
    assert claims > 1200
    assert wrong == []


def test_cuts_give_equal_traces_and_units_that_go_leave_nothing() -> None:
    """One call, many calls, and many calls with a detour over units that are removed again: the same traces."""
    life = next(simulate(1, 3, 5, questions=0))
    units = [oracle(told, random.Random(1)) for told in life.claims]
    whole = TraceKeeper(WIDTH, 0.5)
    whole.add(units, vectors(units))
    written = {trace.id: trace for trace in whole.traces()}

    pieces = TraceKeeper(WIDTH, 0.5)
    mirror: dict[str, object] = {}
    extra = [oracle(told, random.Random(2)) for told in next(simulate(1, 1, 6, questions=0)).claims]
    for start in range(0, len(units), 17):
        batch = units[start : start + 17]
        changes = [pieces.add(batch, vectors(batch))]
        if start == 34:
            changes += [pieces.add(extra, vectors(extra)), pieces.remove([c.unit_id for c in extra])]
        for change in changes:
            mirror = {key: t for key, t in mirror.items() if key not in change.dropped}
            mirror |= {trace.id: trace for trace in change.written}
    assert pieces.traces() == whole.traces()
    assert mirror == written, "what was reported to be written is what there is"
    assert len(written) > 20


def test_states_need_no_kind_but_retraction_and_end() -> None:
    """The oracle above gives no other; with every kind, and the functional flag, the states are the same."""
    life = next(simulate(1, 3, 7, questions=0))
    kinds = {"late": "state", "hearsay": "state"}
    by_trace: dict[tuple[str, str], list[Told]] = {}
    for told in life.claims:
        by_trace.setdefault((told.subject_id, told.predicate), []).append(told)
    for group in by_trace.values():
        plain = [oracle(told, random.Random(3)) for told in group]
        full = [
            Claim(
                c.unit_id, c.subject_id, c.subject_name, c.predicate, c.object, kinds.get(t.kind, t.kind),  # type: ignore[arg-type]
                c.fact_time, c.utterance_time, c.sequence, c.place, c.text, c.source, t.functional, True,
            )
            for c, t in zip(plain, group, strict=True)
        ]  # fmt: skip
        assert states(full).states == states(plain).states


if __name__ == "__main__":
    asked_lives = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    asked_questions = int(sys.argv[2]) if len(sys.argv) > 2 else 24_000
    count, mistakes = run(asked_lives, asked_questions, seed=99)
    each = asked_questions // asked_lives
    print(f"{asked_lives} lives, {count} claims, {each * asked_lives} questions, {len(mistakes)} wrong")
    for mistake in mistakes[:10]:
        print(mistake)
    sys.exit(bool(mistakes))
