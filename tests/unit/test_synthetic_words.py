"""Grammars, times as said, seeds: the small parts that every sentence rests on."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from qgmem.synthetic.grammar import article, render, tidy
from qgmem.synthetic.relations import RELATIONS
from qgmem.synthetic.seeds import Draw, derive
from qgmem.synthetic.voice import person_slots, value_slots
from qgmem.synthetic.when import choose, relative, since
from qgmem.types import Granularity, Interval


def test_seed_is_the_head_of_a_sha256() -> None:
    """First 8 bytes of sha256("7:life:0"), big-endian, computed with coreutils' sha256sum."""
    assert derive(7, "life", 0) == int("b9b2a09620a8e4e0", 16)


def test_one_template_serves_both_persons() -> None:
    """The first half of a pair is the speaker's own form."""
    slots = {"N": "Ana", "obj": "Oslo"}
    assert render("<I live/{N} lives> in {obj}", True, Draw(1), slots) == "I live in Oslo"
    assert render("<I live/{N} lives> in {obj}", False, Draw(1), slots) == "Ana lives in Oslo"


def test_alternatives_are_all_reached_and_nest() -> None:
    """[a|b[c|]] yields a, bc and b."""
    draw = Draw(3)
    assert {render("[a|b[c|]]", True, draw, {}) for _ in range(200)} == {"a", "b", "bc"}


def test_unbalanced_template_is_an_error() -> None:
    """A template with a stray bracket must not pass silently."""
    for bad in ("[a|b", "a]b"):
        with pytest.raises(ValueError, match="template"):
            render(bad, True, Draw(1), {})


def test_tidy_spacing_and_capitals() -> None:
    """Single spaces, no space before punctuation, sentences begin with a capital."""
    assert tidy("so , i moved .  really?  yes .") == "So, i moved. Really? Yes."


def test_articles() -> None:
    """By sound for the words in use; a noun with its own determiner stays."""
    assert [article(n) for n in ("actuary", "used car", "umbrella", "the tram", "")] == [
        "an actuary", "a used car", "an umbrella", "the tram", "",
    ]  # fmt: skip


def test_relative_expressions_by_hand() -> None:
    """Said on Wednesday 6 March 2024. Friday 1 March is in the week before (Mon 26 Feb to Sun 3 March), five days
    ago; 20 January is two months back; 15 December 2023 is last year and the last December."""
    said = date(2024, 3, 6)
    meant = {w.text: w.interval for w in relative(date(2024, 3, 1), said)}
    assert meant["five days ago"] == Interval(date(2024, 3, 1), date(2024, 3, 1), Granularity.DAY)
    assert meant["last Friday"] == Interval(date(2024, 3, 1), date(2024, 3, 1), Granularity.DAY)
    assert meant["last week"] == Interval(date(2024, 2, 26), date(2024, 3, 3), Granularity.WEEK)
    assert "last month" not in meant
    meant = {w.text: w.interval for w in relative(date(2024, 1, 20), said)}
    assert meant["two months ago"] == Interval(date(2024, 1, 1), date(2024, 1, 31), Granularity.MONTH)
    assert meant["in January"] == Interval(date(2024, 1, 1), date(2024, 1, 31), Granularity.MONTH)
    meant = {w.text: w.interval for w in relative(date(2023, 12, 15), said)}
    assert meant["last year"] == Interval(date(2023, 1, 1), date(2023, 12, 31), Granularity.YEAR)
    assert meant["in December"] == Interval(date(2023, 12, 1), date(2023, 12, 31), Granularity.MONTH)
    assert relative(said - timedelta(days=1), said)[0].text == "yesterday"


def test_chosen_times_hold_the_event_and_begin_after_the_floor() -> None:
    """500 draws: the interval holds the event and starts after the floor; untimed turns get absolute dates."""
    draw = Draw(5)
    said = date(2024, 3, 6)
    for _ in range(500):
        event = said - timedelta(days=draw.between(0, 900))
        floor = event - timedelta(days=draw.between(1, 60))
        for when in (choose(draw, event, said, floor, must=True), since(draw, event, floor)):
            assert when.interval is not None
            assert floor < when.interval.start <= event <= when.interval.end
        assert choose(draw, event, None, floor).absolute


def test_vague_times_mean_no_interval() -> None:
    """Both "" and "recently" leave the fact time empty."""
    draw = Draw(8)
    seen = {choose(draw, date(2024, 3, 1), date(2024, 3, 6), None, silence=1.0) for _ in range(100)}
    assert {w.interval for w in seen} == {None}
    assert "" in {w.text for w in seen}
    assert len(seen) > 3


@pytest.mark.parametrize("name", sorted(RELATIONS))
def test_every_template_renders_and_says_what_it_must(name: str) -> None:
    """All wordings of a relation: no slot is left over; values and times stand where the claim needs them."""
    relation = RELATIONS[name]
    draw = Draw(derive(1, name))
    for first in (True, False):
        for field in ("say", "since", "change", "past", "never", "doing", "ask", "short", "q_now", "q_then", "q_when",
                      "end", "react", "picture"):  # fmt: skip
            templates: tuple[str, ...] = getattr(relation, field)
            for template in templates:
                value = relation.value(draw)
                slots = person_slots("Zola", "she") | value_slots(value)
                slots |= {"when": "in WHEN", "point": "POINT", "then": "in THEN"}
                text = render(template, first, draw, slots)
                assert not set("{}<>[]|@") & set(text), (field, text)
                if field in ("say", "since", "change", "past", "never", "end", "short"):
                    assert all(part in text for part in value.split(" named ")), (field, text)
                if field in ("say", "since", "change", "past", "never", "end") and not first:
                    assert any(word in text for word in ("Zola", "her ")), (field, text)
                required = {"since": "POINT", "past": "WHEN", "end": "WHEN", "q_then": "THEN", "change": "WHEN"}
                assert required.get(field, "") in text, (field, text)


def test_relations_are_many_and_of_both_sorts() -> None:
    """At least twelve, with functional and multi-valued ones told apart."""
    assert len(RELATIONS) == 22
    assert sum(r.functional for r in RELATIONS.values()) == 14
    several = {r.name for r in RELATIONS.values() if not r.functional}
    assert {"hobby", "pet", "language", "allergy", "friend", "plan", "possession"} < several
