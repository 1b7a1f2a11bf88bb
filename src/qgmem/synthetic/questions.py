"""Questions about a finished dialogue, answered from the truth, with the turns that carry the answer.

Each kind of question is one generator of candidates; `ask` keeps at most so many of each. A question names a person
as the conversation would: "I" for the user of an assistant, the name for everybody else.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import pairwise

from .cast import Cast, Member
from .grammar import render, tidy
from .records import NO_ANSWER, Claim, Dialogue, Question, QuestionType
from .relation import Relation, Templates
from .relations import RELATIONS
from .seeds import Draw
from .truth import State, Truth
from .voice import PRONOUNS, value_slots
from .when import MONTHS, first_part, month, year

OPENING = ("state", "update", "late", "hearsay", "coexist")
COUNTED = {
    "pet": "How many pets <do I/does {N}> have?",
    "hobby": "How many hobbies <do I/does {N}> have?",
    "language": "How many foreign languages <do I/does {N}> know?",
    "allergy": "How many allergies <do I/does {N}> have?",
}
IN_ORDER = {
    "home": "Which cities <have I/has {N}> lived in, one after the other?",
    "employer": "Which companies <have I/has {N}> worked for over time?",
    "role": "Which professions <have I/has {N}> had over time?",
    "car": "Which cars <have I/has {N}> had over the years?",
    "phone": "Which phones <have I/has {N}> had, oldest first?",
    "reading": "Which books <have I/has {N}> been reading, in order?",
    "gym": "Which gyms <have I/has {N}> belonged to over time?",
}
EVENTS = {
    "pet": "got the {obj}", "hobby": "took up {obj}", "possession": "got the {obj}", "car": "got the {obj}",
    "phone": "got the {obj}", "employer": "joined {obj}", "health": "was diagnosed with {obj}",
    "plan": "decided to {obj}", "partner": "got together with {obj}", "home": "moved to {obj}",
}  # fmt: skip
KINSHIP_ROLE = "partner"
ASIDE = {"P", "O", "p"}  # slots that do not fit "who"
SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question before it has an id."""

    text: str
    answer: str
    evidence: tuple[str, ...]
    support: tuple[str, ...]
    as_of: date | None
    subject_id: str
    predicate: str


def ask(
    draw: Draw, dialogue: Dialogue, crew: Cast, claims: tuple[Claim, ...], truth: Truth,
    introductions: dict[str, str], most: int,
) -> tuple[Question, ...]:  # fmt: skip
    """At most `most` questions of each type, in a fixed order of types."""
    times = [m.timestamp for m in dialogue.messages() if m.timestamp is not None]
    if not times or most < 1:
        return ()
    asker = _Asker(draw, crew, claims, truth, introductions, times[-1])
    kinds: tuple[tuple[QuestionType, Iterator[Candidate]], ...] = (
        ("single", asker.single()), ("update", asker.update()), ("as_of", asker.as_of(late=False)),
        ("late_report", asker.as_of(late=True)), ("retraction", asker.retraction()),
        ("namesake", asker.namesake()), ("multi_hop", asker.multi_hop()), ("aggregation", asker.aggregation()),
        ("when", asker.when()), ("unanswerable", asker.unanswerable()),
    )  # fmt: skip
    out: list[Question] = []
    for kind, candidates in kinds:
        for c in draw.sample(list(candidates), most):  # candidates are few: one dialogue's
            out.append(
                Question(f"{dialogue.case_id}/q{len(out) + 1}", dialogue.case_id, kind, c.text, c.answer, c.evidence,
                         c.support, c.as_of, asker.now, c.subject_id, c.predicate)
            )  # fmt: skip
    return tuple(out)


class _Asker:
    """Candidates of each type for one life."""

    def __init__(
        self,
        draw: Draw,
        crew: Cast,
        claims: tuple[Claim, ...],
        truth: Truth,
        introductions: dict[str, str],
        last: datetime,
    ) -> None:
        self.draw, self.crew, self.truth, self.introductions = draw, crew, truth, introductions
        self.now = last + timedelta(days=2)
        self.by_id = {c.id: c for c in claims}
        self.claims: dict[tuple[str, str], list[Claim]] = defaultdict(list)
        for claim in claims:
            self.claims[claim.subject_id, claim.predicate].append(claim)
        self.members = {m.person.id: m for m in crew.members}

    # Words

    def _speaks(self, member: Member) -> bool:
        return member.person.first_name in self.crew.speakers

    def _name(self, member: Member) -> str:
        person = member.person
        if member.namesake:
            return f"{person.name} {person.qualifier}"
        if person.relation and self.crew.kind == "assistant" and self.draw.chance(0.4):
            return f"my {person.relation} {person.first_name}"
        return person.name if self.draw.chance(0.15) else person.first_name

    def _text(self, templates: Templates, member: Member, value: str = "", then: str = "", name: str = "") -> str:
        first = not name and self._speaks(member) and self.crew.kind == "assistant"
        who = name or self._name(member)
        possessive = f"{member.person.name}'s ({member.person.qualifier})" if member.namesake else f"{who}'s"
        slots = {"N": who, "P": possessive, "O": who, "p": PRONOUNS[member.person.pronoun]["p"], "then": then}
        template = self.draw.pick(templates)
        return tidy(render(template, first, self.draw, slots | value_slots(value)))

    # Facts

    def _histories(self, functional: bool) -> Iterator[tuple[Member, Relation, list[State]]]:
        for subject, relation in self.claims:
            rule = RELATIONS[relation]
            if rule.functional == functional:
                states = self.truth.history(subject, relation)
                if states:
                    yield self.members[subject], rule, states

    def _turns(self, states: list[State], *more: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Evidence (the opening turns) and support (what completes or repeats them)."""
        evidence = list(dict.fromkeys([*(self.by_id[s.claim_id].turn_id for s in states), *more]))
        support: list[str] = []
        for state in states:
            opening = self.by_id[state.claim_id]
            support += opening.support
            for claim in self.claims[opening.subject_id, opening.predicate]:
                if claim.object == state.object and claim.kind == "repeat":
                    support += [claim.turn_id, *claim.support]
        return tuple(evidence), tuple(t for t in dict.fromkeys(support) if t not in evidence)

    def _candidate(
        self, text: str, answer: str, states: list[State], *more: str, as_of: date | None = None
    ) -> Candidate:
        evidence, support = self._turns(states, *more)
        claim = self.by_id[states[-1].claim_id]
        return Candidate(text, answer, evidence, support, as_of, claim.subject_id, claim.predicate)

    def _retracted(self, member: Member, relation: Relation) -> list[Claim]:
        return [c for c in self.claims[member.person.id, relation.name] if c.kind == "retraction"]

    # Types

    def single(self) -> Iterator[Candidate]:
        plain: list[Candidate] = []
        for member, relation, states in self._histories(functional=True):
            settled = len(states) == 1 and states[0].valid_to is None
            if settled and not member.namesake and not self._retracted(member, relation):
                plain.append(self._candidate(self._text(relation.q_now, member), states[0].object, states))
        yield from plain
        share = max(2, len(plain))
        yield from self.draw.sample(list(self._who()), share)
        yield from self.draw.sample(list(self._told_by()), share)

    def _who(self) -> Iterator[Candidate]:
        """ "Who is allergic to kiwi fruit?", of a value that only one person has."""
        owners: dict[tuple[str, str], set[str]] = defaultdict(set)
        for (subject, name), claims in self.claims.items():
            for claim in claims:
                owners[name, claim.object].add(subject)
        for functional in (True, False):
            for member, relation, states in self._histories(functional):
                fitting = tuple(t for t in relation.say if t.startswith("<I") and not ASIDE & set(SLOT.findall(t)))
                if not fitting or (self._speaks(member) and self.crew.kind == "assistant"):
                    continue
                for state in states:
                    if state.valid_to is None and len(owners[relation.name, state.object]) == 1:
                        slots = {"N": "who"} | value_slots(state.object)
                        text = tidy(render(self.draw.pick(fitting), False, self.draw, slots) + "?")
                        yield self._candidate(text, member.person.name, [state])

    def _told_by(self) -> Iterator[Candidate]:
        """ "Who told me that Piet moved to Oslo?", of hearsay that still stands."""
        for functional in (True, False):
            for member, relation, states in self._histories(functional):
                for state in states:
                    claim = self.by_id[state.claim_id]
                    if claim.source and not member.namesake:
                        teller = self.crew.members[member.teller].person.first_name
                        whom = "me" if self.crew.kind == "assistant" else teller
                        slots = {"O": "them", "when": "", "p": PRONOUNS[member.person.pronoun]["p"]}
                        slots |= {"N": member.person.first_name, "P": f"{member.person.first_name}'s"}
                        told = render(
                            self.draw.pick(relation.change), False, self.draw, slots | value_slots(state.object)
                        )
                        yield self._candidate(tidy(f"Who told {whom} that {told}?"), claim.source, [state])

    def update(self) -> Iterator[Candidate]:
        for member, relation, states in self._histories(functional=True):
            if len(states) > 1 and states[-1].valid_to is None and not member.namesake:
                moved = self.by_id[states[-1].claim_id].kind == "update" and self.draw.chance(0.5)
                text = self._text(relation.q_new if moved else relation.q_now, member)
                yield self._candidate(text, states[-1].object, states[-1:])

    def as_of(self, late: bool) -> Iterator[Candidate]:
        for member, relation, states in self._histories(functional=True):
            for state in states[:-1]:
                if (self.by_id[state.claim_id].kind == "late") != late or member.namesake:
                    continue
                then, at = self._moment(state)
                text = self._text(relation.q_then, member, then=then)
                yield self._candidate(text, state.object, [state], as_of=at)

    def _moment(self, state: State) -> tuple[str, date]:
        """A past time within a state, as coarse as the state allows, and its day in the middle."""
        assert state.valid_to is not None, "only states that ended are asked about in the past"
        middle = state.valid_from + (state.valid_to - state.valid_from) / 2
        for interval, words in (
            (year(middle), f"in {middle.year}"),
            (month(middle), f"in {MONTHS[middle.month]} {middle.year}"),
        ):
            if interval.start >= state.valid_from and interval.end < state.valid_to and self.draw.chance(0.8):
                return words, interval.start + (interval.end - interval.start) / 2
        return f"on {middle.day} {MONTHS[middle.month]} {middle.year}", middle

    def retraction(self) -> Iterator[Candidate]:
        for member, relation, states in self._histories(functional=True):
            for claim in self._retracted(member, relation):
                held = [s for s in states if s.valid_from <= claim.valid_from]
                if held and held[-1].valid_to is None and not member.namesake:
                    text = self._text(relation.q_now, member)
                    yield self._candidate(text, held[-1].object, held[-1:], claim.turn_id)

    def namesake(self) -> Iterator[Candidate]:
        for member, relation, states in self._histories(functional=True):
            if member.namesake and states[-1].valid_to is None:
                yield self._candidate(self._text(relation.q_now, member), states[-1].object, states[-1:])

    def multi_hop(self) -> Iterator[Candidate]:
        people, events, order = list(self._through_people()), list(self._at_events()), list(self._neighbours())
        share = max(2, len(people))  # people are fewest; keep the kinds balanced
        yield from people
        yield from self.draw.sample(events, share)
        yield from self.draw.sample(order, share)

    def _through_people(self) -> Iterator[Candidate]:
        """ "Where does my sister work?" from "my sister Lena" and "Lena works at …"."""
        for member, relation, states in self._histories(functional=True):
            if states[-1].valid_to is not None or member.namesake or self._speaks(member):
                continue
            teller = self.crew.members[member.teller]
            mine = "my" if self.crew.kind == "assistant" else f"{teller.person.first_name}'s"
            claim = self.by_id[states[-1].claim_id]
            if member.partner:
                bond = [s for s in self.truth.history(teller.person.id, "partner") if s.valid_to is None]
                if not bond or bond[-1].object != member.person.name:
                    continue
                link, word = self.by_id[bond[-1].claim_id].turn_id, "partner"
            else:
                link, word = self.introductions.get(member.person.id, ""), member.person.relation
            if link and link != claim.turn_id and link not in claim.support:
                text = self._text(relation.q_now, member, name=f"{mine} {word}")
                yield self._candidate(text, states[-1].object, states[-1:], link)

    def _neighbours(self) -> Iterator[Candidate]:
        """ "Where was I living before Porto?": two states of one relation in a row."""
        for member, relation, states in self._histories(functional=True):
            if member.namesake or relation.name in ("health", "diet", "commute", "role"):
                continue  # "before tinnitus" is no time
            for earlier, later in pairwise(states):
                given, wanted, word = (
                    (earlier, later, "after") if self.draw.chance(0.5) else (later, earlier, "before")
                )
                if sum(s.object == given.object for s in states) == 1 and earlier.valid_to == later.valid_from:
                    text = self._text(relation.q_then, member, then=f"{word} {given.object}")
                    turn = self.by_id[given.claim_id].turn_id
                    yield self._candidate(text, wanted.object, [wanted], turn, as_of=wanted.valid_from)

    def _at_events(self) -> Iterator[Candidate]:
        """ "Where was I living when I got the cat?": two states of one person joined by time."""
        for member, relation, states in self._histories(functional=True):
            if relation.name not in ("home", "employer", "role", "partner", "car", "project") or member.namesake:
                continue
            for other in EVENTS:
                for claim in self.claims.get((member.person.id, other), ()):
                    if other == relation.name or claim.fact_time is None or claim.kind not in OPENING:
                        continue
                    span = first_part(claim.fact_time)
                    if span.days > 31:
                        continue
                    if claim.valid_to is not None and claim.valid_to <= claim.valid_from:
                        continue  # taken back later
                    held = [
                        s for s in states
                        if s.valid_from <= span.start and (s.valid_to is None or span.end < s.valid_to)
                    ]  # fmt: skip
                    if held:
                        first = self._speaks(member) and self.crew.kind == "assistant"
                        who = "I" if first else PRONOUNS[member.person.pronoun]["N"]
                        then = f"when {who} {EVENTS[other]}".replace("{obj}", claim.object)
                        text = self._text(relation.q_then, member, then=then)
                        yield self._candidate(text, held[0].object, held[:1], claim.turn_id, as_of=span.start)

    def aggregation(self) -> Iterator[Candidate]:
        for member, relation, states in self._histories(functional=False):
            current = [s for s in states if s.valid_to is None]
            if len(current) < 2:
                continue
            if relation.name in COUNTED and self.draw.chance(0.3):
                yield self._candidate(self._text((COUNTED[relation.name],), member), str(len(current)), current)
            else:
                answer = "; ".join(s.object for s in current)
                yield self._candidate(self._text(relation.q_now, member), answer, current)
        for member, relation, states in self._histories(functional=True):
            if relation.name in IN_ORDER and len(states) > 1 and not member.namesake:
                answer = "; ".join(s.object for s in states)
                yield self._candidate(self._text((IN_ORDER[relation.name],), member), answer, states)

    def when(self) -> Iterator[Candidate]:
        for functional in (True, False):
            for member, relation, states in self._histories(functional):
                for state in states:
                    claim = self.by_id[state.claim_id]
                    if claim.fact_time is not None and not member.namesake:
                        text = self._text(relation.q_when, member, value=state.object)
                        yield self._candidate(text, _written(claim), [state])

    def unanswerable(self) -> Iterator[Candidate]:
        for member in self.crew.members:
            if member.namesake or not (member.person.id in self.introductions or self._speaks(member)):
                continue
            for relation in RELATIONS.values():
                if (member.person.id, relation.name) not in self.claims and relation.name != KINSHIP_ROLE:
                    text = self._text(relation.q_now, member)
                    yield Candidate(text, NO_ANSWER, (), (), None, member.person.id, relation.name)


def _written(claim: Claim) -> str:
    """The fact time of a claim in words, no finer than it was said."""
    assert claim.fact_time is not None, "asked only of claims with a fact time"
    span = first_part(claim.fact_time)
    if span.days == 1:
        return f"{span.start.day} {MONTHS[span.start.month]} {span.start.year}"
    if span.days == 7:
        return f"the week of {span.start.day} {MONTHS[span.start.month]} {span.start.year}"
    return f"{MONTHS[span.start.month]} {span.start.year}" if span.days < 32 else str(span.start.year)
