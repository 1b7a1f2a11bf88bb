"""States through the facade, with oracle units: put into a store in any order and cut, asked by two times.

Of each simulated life the turns that claim something are added as turns that say nothing the rules could read; what
they claim comes as units of a language model, with the subject's id and the kind of claim, in random windows.
"""

from __future__ import annotations

import random
import sys
from datetime import date, timedelta
from pathlib import Path

from test_traces_oracle import oracle

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
from trace_rows import stored

from qgmem import Memory
from qgmem.construction.traces import Claim
from qgmem.models.scripted import HashEmbedder
from qgmem.stores.records import ClaimMarks, UnitRecord, WindowOutcome, WindowRecord
from qgmem.synthetic import Claim as Told
from qgmem.synthetic import Life, simulate
from qgmem.types import MemoryUnit, SourceSpan, Triple

EMBEDDER = HashEmbedder(16)
LIVES, YEARS, QUESTIONS = 20, 0.6, 50
SILENT = ("end", "retraction")


def told(path: Path, life: Life, draw: random.Random) -> tuple[Memory, dict[int, int]]:
    """A memory of one life, and the sequences that the store gave to positions in the dialogue."""
    memory = Memory.open(path, embedder=EMBEDDER)
    times = {claim.turn_id: (claim.position[0], claim.utterance_time) for claim in life.claims}
    turns = sorted(times, key=lambda turn: times[turn][0])
    memory.add(
        [
            {"id": turn, "role": "user", "name": "Q", "content": f"note {n}", "timestamp": times[turn][1]}
            for n, turn in enumerate(turns)
        ],
        session_id="s",
    )
    places = {times[turn][0]: memory.turn(turn).sequence for turn in turns}
    units = [unit(oracle(claim, draw), places[claim.position[0]], claim.turn_id) for claim in life.claims]
    draw.shuffle(units)
    space = memory._existing("default")
    while units:
        size = draw.randint(1, 60)
        batch, units = units[:size], units[size:]
        ids = tuple(dict.fromkeys(record.unit.span.first_turn for record in batch))
        window = WindowRecord(f"w{len(units)}", "s", ids, 0)
        space.store.log.open([window])
        space.store.log.finish(WindowOutcome(window.id, "done", None, tuple(batch)))
        if draw.random() < 0.3:
            memory.embed_pending()
    memory.embed_pending()
    return memory, places


def unit(c: Claim, sequence: int, turn_id: str) -> UnitRecord:
    """An oracle claim as an extractor would hand it in."""
    made = MemoryUnit(
        id=c.unit_id, kind="extracted", text=c.text, span=SourceSpan(turn_id, turn_id, c.text), session_id="s",
        sequence=sequence, speaker="Q", role="user", utterance_time=c.utterance_time,
        fact_times=() if c.fact_time is None else (c.fact_time,),
        triple=Triple(c.subject_name, c.predicate, c.object),
    )  # fmt: skip
    return UnitRecord(made, claim=ClaimMarks(c.kind, c.subject_id, c.source))


def test_oracle_units_give_the_true_states_and_searches_show_what_held(tmp_path: Path) -> None:
    """20 lives, 1,000 questions: no state is wrong, and no search shows a unit of a state that was over.

    A unit is shown exactly if it had been said, its own time had come, and what it says held on the day.
    """
    draw = random.Random(8)
    wrong = []
    for number, life in enumerate(simulate(LIVES, YEARS, 8, questions=0)):
        memory, places = told(tmp_path / str(number), life, draw)
        first = min(c.valid_from for c in life.claims) - timedelta(days=30)
        span = (max(c.valid_from for c in life.claims) - first).days + 90
        subjects = life.truth.subjects()
        with memory:
            for turn in range(QUESTIONS):
                subject, relation = draw.choice(subjects)
                as_of = first + timedelta(days=draw.randint(0, span))
                position = draw.choice((None, draw.choice(list(places))))
                known_at = None if position is None else f"serial-{places[position]}"
                found = memory.trajectory(subject, relation, as_of=as_of, known_at=known_at)
                values = {state.value for each in found for state in each.states}
                expected = life.truth.state(subject, relation, as_of, position)
                if values != expected or len(found) > 1:
                    wrong.append((subject, relation, as_of, position, values, expected))
                if turn % 5 == 0:
                    mine = [c for c in life.claims if (c.subject_id, c.predicate) == (subject, relation)]
                    hits = memory.search(
                        " ".join(sorted({c.object for c in mine})), as_of=as_of, known_at=known_at, limit=500,
                        filters={"kind": "extracted"},
                    )  # fmt: skip
                    shown = {hit.id for hit in hits}
                    wrong += [
                        (claim, as_of, position, "shown")
                        for claim in life.claims
                        if claim.id in shown and not _stands(life, claim, as_of, position)
                    ]
                    seen = {claim.object for claim in mine if claim.id in shown and claim.kind not in SILENT}
                    wrong += [(subject, relation, value, as_of, position) for value in expected - seen]
    assert wrong == []


def _stands(life: Life, claim: Told, as_of: date, position: int | None) -> bool:
    """May a claim be shown: it had been said, its time had come, and what it says held. Ends say no state."""
    if claim.kind in SILENT:
        return True
    said = position is None or claim.position[0] <= position
    held = claim.object in life.truth.state(claim.subject_id, claim.predicate, as_of, position)
    return said and held and claim.valid_from <= as_of


def test_any_order_and_cut_of_units_gives_the_same_tables(tmp_path: Path) -> None:
    """One life put in twice, in other orders and windows."""
    for seed in (1, 2, 3):
        life = next(simulate(1, 1, 20 + seed, questions=0))
        draw = random.Random(4)
        words = {claim.id: oracle(claim, draw).predicate for claim in life.claims}
        for number in (0, 1):
            memory, _ = told(tmp_path / f"{seed}-{number}", life, _Fixed(seed * 10 + number, words))
            memory.close()
        assert stored(tmp_path / f"{seed}-0") == stored(tmp_path / f"{seed}-1")


class _Fixed(random.Random):
    """Draws orders and cuts; of ways to word a predicate it takes the first."""

    def __init__(self, seed: int, words: dict[str, str]) -> None:
        super().__init__(seed)
        self.words = words

    def choice(self, seq: object) -> object:  # type: ignore[override]
        return seq[-1]  # type: ignore[index]
