"""The triple rules on simulated lives, from raw text: how much they read, how much of it is right, and what follows.

`python tests/unit/test_triples_lives.py [lives] [seed]` prints the tables of docs/results/traces.md.

A triple is right if its turn claims it: same object, same subject, same act (state, end, retraction), same relation.
An end is said of every relation that it may end ("left Acme": the job and the post held there); it counts once.
A question about a state is right if the states of the traces made of these triples are exactly the true ones.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from qgmem.construction.traces import Claim, Trace, relation_of, state_at, states, value_key
from qgmem.construction.triples import ReadTurn, SessionReader, claims_of, introduced
from qgmem.synthetic import Claim as Told
from qgmem.synthetic import Life, Person, Question, simulate

ASKED = ("single", "update", "as_of", "late_report", "retraction", "namesake", "aggregation")


@dataclass(slots=True)
class Score:
    """Counts over lives. `wrong`: (why, turn, triple); `missed`: (relation, turn)."""

    turns: int = 0
    made: int = 0
    right: int = 0
    right_but_relation: int = 0
    told: int = 0
    found: int = 0
    timed: int = 0
    time_right: int = 0
    per_relation: Counter[tuple[str, bool]] = field(default_factory=Counter)
    wrong: list[tuple[str, str, str]] = field(default_factory=list)
    missed: list[tuple[str, str]] = field(default_factory=list)
    answers: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def precision(self) -> float:
        """Share of triples that are right."""
        return self.right / max(1, self.made)

    @property
    def recall(self) -> float:
        """Share of claims that were read."""
        return self.found / max(1, self.told)


def is_subject(claim: Claim, person: Person) -> bool:
    """Does the id mean this person? A full or a first name; namesakes need what tells them apart."""
    name, _, context = claim.subject_id.partition("|")
    named = name in (person.name.casefold(), person.first_name.casefold())
    return named and context == person.qualifier.casefold()


def read(life: Life) -> list[Claim]:
    """All claims of the dialogue by the rules."""
    turns = []
    for session in life.dialogue.sessions:
        reader = SessionReader()
        for m in session.messages:
            readings = reader.read(m.content, m.name, m.role, m.timestamp)
            people = introduced(m.content, m.name) if m.role == "user" else ()
            turns.append(ReadTurn(m.id, session.id, m.sequence, m.name, m.timestamp, readings, people))
    return claims_of(turns, life.dialogue.speakers)


def act(told: Told) -> str:
    """What an extractor would call it."""
    return told.kind if told.kind in ("retraction", "end") else "state"


def measure(lives: Iterable[Life]) -> Score:
    """Read every life and compare with its truth."""
    score = Score()
    for life in lives:
        people = {person.id: person for person in life.people}
        texts = {m.id: m.content for m in life.dialogue.messages()}
        score.turns += len(texts)
        told: dict[str, list[Told]] = {}
        for claim in life.claims:
            told.setdefault(claim.turn_id, []).append(claim)
        hits: set[str] = set()
        claims = read(life)
        for claim in _once(claims, told):
            score.made += 1
            why = _compare(score, claim, told.get(claim.unit_id, []), people, hits)
            if why:
                triple = f"{claim.subject_name} | {claim.predicate} | {claim.object} | {claim.kind}"
                score.wrong.append((why, texts[claim.unit_id], triple))
        for each in life.claims:
            score.told += 1
            score.found += each.id in hits
            score.per_relation[each.predicate, each.id in hits] += 1
            if each.id not in hits:
                score.missed.append((each.predicate, texts[each.turn_id]))
        _ask(score, life, people, claims)
    return score


def _once(claims: Iterable[Claim], told: dict[str, list[Told]]) -> list[Claim]:
    """The claims, of ends and retractions that differ in the relation alone only the one told, else the first."""
    kept: dict[tuple[str, ...], Claim] = {}
    for claim in claims:
        acts = claim.kind in ("end", "retraction")
        key = (claim.unit_id, claim.subject_id, claim.kind, value_key(claim.object), "" if acts else claim.key)
        said = {t.predicate for t in told.get(claim.unit_id, [])}
        if key not in kept or relation_of(claim.predicate, claim.object).name in said:
            kept.setdefault(key, claim)
            if relation_of(kept[key].predicate, claim.object).name not in said:
                kept[key] = claim
    return list(kept.values())


def _compare(score: Score, claim: Claim, said: list[Told], people: dict[str, Person], hits: set[str]) -> str:
    """Why the claim is wrong; empty if it is right."""
    if not said:
        return "nothing was claimed"
    same = [t for t in said if value_key(t.object) == value_key(claim.object)]
    if not same:
        return "object"
    same = [t for t in same if is_subject(claim, people[t.subject_id])]
    if not same:
        return "subject"
    same = [t for t in same if act(t) == claim.kind]
    if not same:
        return "act"
    relation = relation_of(claim.predicate, claim.object).name
    exact = [t for t in same if t.predicate == relation]
    if not exact:
        score.right_but_relation += 1
        return f"relation: {relation} for {same[0].predicate}"
    score.right += 1
    hits.add(exact[0].id)
    if exact[0].fact_time is not None:
        score.timed += 1
        score.time_right += claim.fact_time is not None and claim.fact_time.start == exact[0].fact_time.start
    return ""


def _ask(score: Score, life: Life, people: dict[str, Person], claims: list[Claim]) -> None:
    grouped: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        grouped.setdefault((claim.subject_id, relation_of(claim.predicate, claim.object).name), []).append(claim)
    traces = [states(group) for group in grouped.values()]
    for question in life.questions:
        if question.type in ASKED:
            score.answers[question.type, _answer(question, life, people[question.subject_id], traces)] += 1


def _answer(question: Question, life: Life, person: Person, traces: list[Trace]) -> str:
    mine = [t for t in traces if t.relation == question.predicate and is_subject(t.claims[0], person)]
    found = {value_key(state.value) for trace in mine for state in state_at(trace, question.as_of)}
    day = question.as_of or question.question_time.date()
    true = {value_key(value) for value in life.truth.state(question.subject_id, question.predicate, day)}
    return "right" if found == true else "wrong" if found else "no answer"


def test_triples_of_lives_are_precise() -> None:
    """Four lives of two years: of a hundred triples, 95 or more are right; more than half of all claims are read."""
    score = measure(simulate(4, 2, 17))
    assert score.made > 250
    assert score.precision >= 0.95, score.wrong
    assert score.recall >= 0.5
    assert score.time_right / score.timed >= 0.9


def test_states_from_raw_text_answer_most_questions() -> None:
    """Without a model: more than half of the questions about states are answered exactly, few wrongly."""
    answers = measure(simulate(4, 2, 17)).answers
    total = Counter(
        {kind: sum(n for (_, k), n in answers.items() if k == kind) for kind in ("right", "wrong", "no answer")}
    )
    assert total["right"] > total.total() / 2
    assert total["right"] > 4 * total["wrong"]


if __name__ == "__main__":
    asked_lives = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    asked_seed = int(sys.argv[2]) if len(sys.argv) > 2 else 77
    result = measure(simulate(asked_lives, 2, asked_seed))
    print(f"{asked_lives} lives, {result.turns} turns, {result.told} claims, {result.made} triples")
    aside = (result.right + result.right_but_relation) / result.made
    print(f"precision {result.precision:.3f} (relation aside {aside:.3f})")
    print(f"recall {result.recall:.3f}, fact time right {result.time_right / result.timed:.3f} of {result.timed}")
    print(Counter(why for why, *_ in result.wrong).most_common(12))
    for name in sorted({name for name, _ in result.per_relation}):
        yes, no = result.per_relation[name, True], result.per_relation[name, False]
        print(f"| {name} | {yes + no} | {yes / (yes + no):.2f} |")
    for name in ASKED:
        row = [result.answers[name, kind] for kind in ("right", "no answer", "wrong")]
        print(f"| {name} | {sum(row)} | {row[0] / max(1, sum(row)):.2f} | {row[1]} | {row[2]} |")
    for row in (*result.wrong[::7][:25], *result.missed[::61][:25]):
        print(row)
