"""What the triple rules read, and above all what they leave unread."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from qgmem.construction.triples import Reading, ReadTurn, SessionReader, claims_of, introduced, read_session

SAID = datetime(2024, 5, 10, 12)  # a Friday


def read(text: str, role: str = "user") -> list[tuple[str, str, str, str]]:
    """(subject, predicate, object, kind) of what Ana says."""
    found = SessionReader().read(text, "Ana", role, SAID)  # type: ignore[arg-type]
    return [(r.triple.subject, r.predicate, r.object, r.kind) for r in found]


@pytest.mark.parametrize(
    ("text", "subject", "predicate", "value", "kind"),
    [
        ("I'm based in Oslo these days.", "Ana", "lives in", "Oslo", "state"),
        ("Well, by the way, I've moved to São Paulo!", "Ana", "moved to", "São Paulo", "state"),
        ("I rent a small flat in Porto.", "Ana", "lives in", "Porto", "state"),
        ("Kiran moved from Whitefield to Electronic City", "Kiran", "moved to", "Electronic City", "state"),
        ("My sister Lena works at Acme Corp as a nurse.", "Lena", "works at", "Acme Corp", "state"),
        ("My sister works as a nurse.", "Ana's sister", "works as", "nurse", "state"),
        ("I'm a teacher.", "Ana", "works as", "teacher", "state"),
        ("Tom is an electrician by trade", "Tom", "works as", "electrician", "state"),
        ("I have a dog called Rex.", "Ana", "has pet", "dog named Rex", "state"),
        ("My cat Miso sleeps all day.", "Ana", "has pet", "cat named Miso", "state"),
        ("My cat Miso died.", "Ana", "has pet", "cat named Miso", "end"),
        ("I'm married to Tom Weber.", "Ana", "is married to", "Tom Weber", "state"),
        ("Tom Weber and I are a couple.", "Ana", "is together with", "Tom Weber", "state"),
        ("Tom and I broke up.", "Ana", "is together with", "Tom", "end"),
        ("Lena Weiss's favourite food is pad thai", "Lena Weiss", "favourite food is", "pad thai", "state"),
        ("My favorite color is dark blue.", "Ana", "favourite color is", "dark blue", "state"),
        ("I love Chinese food", "Ana", "loves", "Chinese food", "state"),
        ("I can't stand Mondays.", "Ana", "hates", "Mondays", "state"),
        ("I don't like olives.", "Ana", "dislikes", "olives", "state"),
        ("I bought a red bike yesterday.", "Ana", "owns", "red bike", "state"),
        ("I sold the red bike.", "Ana", "owns", "red bike", "end"),
        ("I don't live in Oslo any more.", "Ana", "lives in", "Oslo", "end"),
        ("Lena no longer lives in Oslo.", "Lena", "lives in", "Oslo", "end"),
        ("I moved out of Oslo last week.", "Ana", "lives in", "Oslo", "end"),
        ("I never moved to Lagos.", "Ana", "moved to", "Lagos", "retraction"),
        ("I was never allergic to kiwi.", "Ana", "is allergic to", "kiwi", "retraction"),
        ("As for John Smith from Acme: he moved to Bonn.", "John Smith from Acme", "moved to", "Bonn", "state"),
        ("I was diagnosed with coeliac disease in March", "Ana", "was diagnosed with", "coeliac disease", "state"),
        ("My doctor is Dr. Okafor.", "Ana", "is a patient of", "Dr Okafor", "state"),
    ],
)  # fmt: skip
def test_plain_statements(text: str, subject: str, predicate: str, value: str, kind: str) -> None:
    """One sentence, one triple."""
    assert read(text) == [(subject, predicate, value, kind)]


@pytest.mark.parametrize(
    "text",
    [
        "Do I live in Oslo?",
        "Where does Lena work?",
        "I'd love to live in Paris.",
        "I would work at Acme.",
        "If I lived in Rome, I would work at Acme.",
        "I might move to Oslo.",
        "I'm thinking of moving to Oslo.",
        "Maybe I live in a dream.",
        "Imagine I moved to Mars.",
        "I could eat pizza every day.",
        "I want to work at Acme.",
        "I almost moved to Oslo.",
        "I should be a doctor.",
        "Apparently Lena moved to Oslo.",
        "They say Acme moved to Oslo.",
        "I heard that Lena joined Acme.",
        "She bought a red bike.",
        "I lived in Oslo.",
        "I worked at Acme.",
        "I live in fear.",
        "I love it.",
        "I hate that.",
        "I'm a big fan.",
        "I'm a member of the club.",
        "It works as a charm.",
        "I like you.",
        "I joined a group for chess.",
        "Everyone lives in Oslo.",
        "You live in Oslo.",
        "I drive a lot.",
        "I have a question.",
        "I have a cold beer.",
        "I speak fast.",
        "",
        "   ",
        "?!.",
        "Thanks!",
        "I",
        "I am",
        "My",
        "東京に住んでいる",
    ],
)
def test_what_cannot_be_read_makes_no_triple(text: str) -> None:
    """Questions, wishes, conditions, rumours, an unknown "she", a past without a time, and objects that are none."""
    assert read(text) == []


def test_what_the_assistant_proposes_is_not_what_anybody_did() -> None:
    """CASES 11: roles are kept."""
    assert read("I moved to Oslo and I live in Oslo.", role="assistant") == []
    turns = [
        ("How do I implement LeetCode 25?", "Ana", "user", SAID),
        (
            "You reverse the nodes in groups. I work at it recursively. I implemented it so.",
            "Assistant",
            "assistant",
            SAID,
        ),
        ("Thanks, I live in Oslo.", "Ana", "user", SAID),
    ]
    assert [[r.predicate for r in readings] for readings in read_session(turns)] == [[], [], ["lives in"]]  # type: ignore[arg-type]


def test_reported_speech_names_its_source() -> None:
    """Who is quoted is kept; "she" of a quoted sentence is whoever was named."""
    (one,) = SessionReader().read("Rhys told me that my sister Lena moved to Lagos.", "Ana", "user", SAID)
    assert (one.source, one.subject.name, one.object) == ("Rhys", "Lena", "Lagos")
    (two,) = SessionReader().read("According to my uncle Bo, Lena works at Acme.", "Ana", "user", SAID)
    assert (two.source, two.subject.name) == ("Bo", "Lena")
    (own,) = SessionReader().read("I moved to Lagos.", "Ana", "user", SAID)
    assert own.source is None


def test_times_are_resolved_against_the_day_of_speaking_and_never_copied() -> None:
    """Without a time in the words there is no fact time; with two there is none either."""

    def when(text: str) -> date | None:
        (found,) = SessionReader().read(text, "Ana", "user", SAID)
        return found.fact_time.start if found.fact_time else None

    assert when("I moved to Porto last month.") == date(2024, 4, 1)
    assert when("In 2021 I lived in Oslo.") == date(2021, 1, 1)
    assert when("I have lived in Oslo since March 2020.") == date(2020, 3, 1)
    assert when("I moved to Porto.") is None
    assert when("I recently moved to Porto.") is None
    span = SessionReader().read("I worked at Acme from 2019 to 2021.", "Ana", "user", SAID)
    assert [(r.kind, r.fact_time.start) for r in span if r.fact_time] == [
        ("state", date(2019, 1, 1)),
        ("end", date(2022, 1, 1)),
    ]


def test_short_answers_take_subject_and_predicate_from_the_question() -> None:
    """Only by the other speaker, only at once, only as a noun phrase."""

    def dialogue(question: str, answer: str, speaker: str = "Ana") -> list[Reading]:
        turns = [(question, "Bo", "user", SAID), (answer, speaker, "user", SAID)]
        return [r for readings in read_session(turns) for r in readings]  # type: ignore[arg-type]

    (home,) = dialogue("So, where do you live now?", "Lisbon, since March.")
    assert (home.subject.name, home.predicate, home.object) == ("Ana", "lives in", "Lisbon")
    assert home.fact_time is not None
    assert home.fact_time.start == date(2024, 3, 1)
    (work,) = dialogue("And where does your sister Lena work?", "At Acme.")
    assert (work.subject.name, work.predicate, work.object) == ("Lena", "works at", "Acme")
    assert [r.object for r in dialogue("Which languages do you speak?", "Polish and some Thai.")] == [
        "Polish",
        "Thai",
    ]
    assert dialogue("Where do you live now?", "Why do you ask?") == []
    assert dialogue("Where do you live now?", "It's complicated.") == []
    assert dialogue("Where do you live now?", "Lisbon.", speaker="Bo") == []
    assert dialogue("How was your week?", "Lisbon.") == []


def test_she_is_who_was_named_last_and_is_forgotten() -> None:
    """Named in the turn before: read. Two named, or named long ago: not read."""
    reader = SessionReader()
    reader.read("I spoke to Lena again.", "Ana", "user", SAID)
    (found,) = reader.read("She moved to Oslo.", "Ana", "user", SAID)
    assert found.subject.name == "Lena"
    for _ in range(6):
        reader.read("The weather is fine.", "Ana", "user", SAID)
    assert reader.read("She moved to Bergen.", "Ana", "user", SAID) == ()
    other = SessionReader()
    other.read("I met Lena and Mia.", "Ana", "user", SAID)
    assert other.read("She moved to Oslo.", "Ana", "user", SAID) == ()


def test_claims_get_subjects_by_what_the_whole_memory_says() -> None:
    """ "My sister" is Lena because another turn, a question, says "my sister Lena"."""
    texts = ["My sister moved to Oslo.", "Do you remember my sister Lena Weiss?", "Lena works at Acme."]
    turns = [
        ReadTurn(f"u{n}", "s1", n, "Ana", SAID, SessionReader().read(t, "Ana", "user", SAID), introduced(t, "Ana"))
        for n, t in enumerate(texts)
    ]
    claims = claims_of(turns, ("Ana",))
    assert [(c.subject_id, c.object) for c in claims] == [("lena weiss", "Oslo"), ("lena weiss", "Acme")]
    assert claims[0].text == "My sister moved to Oslo."


def test_very_long_and_odd_texts_are_read_in_time() -> None:
    """No pattern goes wild: 200 kB of words, of capitals, and of openers."""
    for text in (
        "I live in " + "a " * 100_000,
        "Lena Weiss " * 15_000,
        "well, " * 30_000,
        "I moved to Oslo and " * 10_000,
    ):
        started = datetime.now()
        read(text)
        assert (datetime.now() - started).total_seconds() < 10
