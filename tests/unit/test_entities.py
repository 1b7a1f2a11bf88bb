"""Entities and locations by rules, on sentences written for this test."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qgmem.construction.entities import RuleExtractor
from qgmem.construction.entities.spacy_extractor import SpacyExtractor
from qgmem.errors import MissingExtra
from qgmem.protocols import AttributeExtractor

extractor = RuleExtractor()

SENTENCES: list[tuple[str, set[str]]] = [
    ("Hey Mel! Good to see you! How have you been?", {"Mel:Who"}),
    ("I joined an LGBTQ support group yesterday and it was so powerful.", {"LGBTQ support group:What"}),
    ("Wow, that's cool, Caroline! What happened?", {"Caroline:Who"}),
    (
        "We watched Eternal Sunshine of the Spotless Mind in San Francisco.",
        {"Eternal Sunshine of the Spotless Mind:What", "San Francisco:Where"},
    ),
    ("I'm researching adoption agencies and it's a dream.", {"adoption agencies:What"}),
    (
        "Kiran moved from Whitefield to Electronic City last year.",
        {"Kiran:Who", "Whitefield:Where", "Electronic City:Where"},
    ),
    ("My order ZX-4471 cost $1,200.50.", {"ZX-4471:What", "$1,200.50:How much"}),
    (
        "Mail anna.b@example.org or @anna_b, see https://example.org/x?y=1, #gardening.",
        {"anna.b@example.org:What", "@anna_b:What", "https://example.org/x?y=1:What", "#gardening:What"},
    ),
    (
        "We love going camping in the mountains and painting sunsets.",
        {"camping:What", "mountains:Where", "sunsets:What"},
    ),
    (
        "I bought an iPhone 14 and The Witcher 3 at Target for 60 dollars.",
        {"iPhone 14:What", "Witcher 3:What", "Target:What", "60 dollars:How much"},
    ),
    ('I\'ve been reading "The Glass Tide" by Amy Ellis Nutt.', {"The Glass Tide:What", "Amy Ellis Nutt:Who"}),
    ("Jolene's mother passed away in Connecticut.", {"Jolene:Who", "mother:Who", "Connecticut:Where"}),
    (
        "i love chinese food and playing video games with my roommate",
        {"chinese food:What", "video games:What", "roommate:Who"},
    ),
    ("Thanks, Mark. Will said the charity race was great.", {"Mark:Who", "charity race:What"}),
    (
        "She raised 500 pounds for cancer research, 20% more than before.",
        {"500 pounds:How much", "cancer research:What", "20%:How much"},
    ),
    ("The dice method is 5d3+5", {"dice method:What"}),
    (
        "The editor, Ann Lee, works at Goldman Sachs near Hyde Park.",
        {"editor:Who", "Ann Lee:Who", "Goldman Sachs:What", "Hyde Park:Where"},
    ),
]


def found(text: str, speaker: str = "Sam") -> set[str]:
    return {f"{entity.text}:{entity.type}" for entity in extractor.extract(text, speaker).entities}


@pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=[text[:30] for text, _ in SENTENCES])
def test_entities_of_a_sentence(text: str, expected: set[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Wow! Thanks! Great!",
        "Talk to you later.",
        "I'm so happy and excited!",
        "Did you see that?",
        "",
        "Yesterday was Monday, 5 May.",
        "LOL OMG THIS IS SO COOL I AM SO HAPPY FOR YOU",
        " " * 1000,
        "😀😀",
    ],
)
def test_talk_about_nothing_gives_nothing(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "東京に住んでいる",
        "Я живу в Москве с женой.",
        "أسكن في القاهرة",
        "मैं दिल्ली में रहता हूँ",
        "ฉันอยู่กรุงเทพ",
        "Ich habe gestern meine Schwester in Berlin besucht und wir haben Kuchen gegessen.",
        "Ayer fui con mi hermana a la playa y comimos una paella muy buena.",
        "Hier je suis allé avec ma sœur à la plage et nous avons mangé des crêpes.",
    ],
)
def test_other_languages_are_left_alone(text: str) -> None:
    assert extractor.extract(text, "Sam").entities == ()
    assert extractor.extract(text, "Sam").locations == ()


def test_what_needs_no_grammar_is_found_in_any_language() -> None:
    assert found("Meine Bestellung ZX-4471 ist nicht da, bitte an anna@example.org schreiben.") == {
        "ZX-4471:What",
        "anna@example.org:What",
    }


def test_locations_are_places_one_is_at_or_goes_to() -> None:
    text = "I took the kids to the park, then we flew from Oslo to Bergen. The park bench was wet."
    assert extractor.extract(text, "Sam").locations == ("park", "Oslo", "Bergen")


def test_a_country_that_is_also_a_name() -> None:
    assert "Jordan:Who" in found("Jordan said hello.")
    assert "Jordan:Where" in found("We spent a week in Jordan.")


def test_headings_give_no_names() -> None:
    assert found("## Communicate Your Reasons\nTell Anna.") == {"Reasons:What", "Anna:Who"} - {"Reasons:What"}


def test_code_blocks_are_skipped() -> None:
    assert found("Look:\n```\nclass Foo(Bar): pass\n```\nIt uses `fetch_rows` for Anna.") == {
        "fetch_rows:What",
        "Anna:Who",
    }


def test_one_entity_per_normal_form_at_its_first_mention() -> None:
    dogs = [e for e in extractor.extract("My dog met a Dog and a dog.", "Sam").entities if e.text.lower() == "dog"]
    assert [(e.text, e.start) for e in dogs] == [("dog", 3)]


def test_the_speakers_own_name_is_a_person() -> None:
    assert "Zorblax:Who" in found("Zorblax here, reporting.", speaker="Zorblax")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_offsets_hold_the_text_on_anything(text: str) -> None:
    for entity in extractor.extract(text, "Sam").entities:
        assert entity.text
        assert entity.start is not None
        assert text[entity.start : entity.end] == entity.text


def test_offsets_hold_beyond_the_block_border() -> None:
    text = "The red dog barked. " * 4000 + "Then Anna arrived in Oslo."
    anna = next(e for e in extractor.extract(text, "Sam").entities if e.text == "Anna")
    assert anna.start == text.index("Anna")


@pytest.mark.parametrize(
    "unit", ["a", "a.", '"', " ", "A-", "@a ", "a_", "1-a", "# ", "\n", "of Ice ", "**", "a@", "`", "$1", "Aa_a."]
)
def test_time_is_linear_in_length(unit: str) -> None:
    """CPU time for 200 kB of the worst repetitions known; a quadratic rule would take minutes."""
    text = unit * (200_000 // len(unit))
    start = time.process_time()
    extractor.extract(text, "Sam")
    assert time.process_time() - start < 5


def test_a_turn_takes_well_under_three_milliseconds() -> None:
    """20,000 turns a CPU-minute leave 3 ms a turn for all of construction; measured here: about 0.2 ms."""
    turns = [text for text, _ in SENTENCES] * 20
    start = time.process_time()
    for text in turns:
        extractor.extract(text, "Sam")
    assert (time.process_time() - start) / len(turns) < 0.0015


def test_is_an_attribute_extractor() -> None:
    assert isinstance(extractor, AttributeExtractor)
    assert isinstance(SpacyExtractor(), AttributeExtractor)


def test_spacy_missing_is_said_on_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match=r"qgmem\[spacy\]"):
        SpacyExtractor().extract("Anna", "Sam")
