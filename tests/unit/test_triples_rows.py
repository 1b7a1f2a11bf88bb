"""Sentences with the readings they must give: "subject | predicate | object | kind", parted by "&"; "" is none.

A value is right if a reader who knows nothing else would say so; where two readings are possible there must be none.
"""

from __future__ import annotations

from datetime import date, datetime

import pytest

from qgmem.construction.triples import SessionReader

SAID = datetime(2024, 5, 10, 12)  # a Friday

PAST = (
    ("I moved to Rome when I was 20.", ""),
    ("I moved to Rome in 2020 and back in 2021.", "Ana | moved to | Rome | state & Ana | moved to | Rome | end"),
    ("I moved to York in 2015 and left in 2018.", "Ana | moved to | York | state & Ana | moved to | York | end"),
    ("I joined Heron when I was 25.", ""),
    ("I moved to Rome years ago.", ""),
    ("I moved to Rome as a child.", ""),
    ("I moved to Rome in my twenties.", ""),
    ("Back then I moved to Rome.", ""),
    ("I was 20 and I moved to Rome.", ""),
    ("I moved to Rome after college.", ""),
    ("I moved to Rome for two years.", ""),
    ("I joined Heron at 25.", ""),
    ("I joined Heron straight out of university.", ""),
    ("I moved to Rome but came back.", ""),
    ("I moved to Rome in 2015, but I left in 2018.", "Ana | moved to | Rome | state & Ana | moved to | Rome | end"),
    ("I moved to Rome and then to Pisa.", ""),
    ("I moved to Rome before I met Tom.", ""),
    ("I joined Heron in 2015 and quit in 2018.", "Ana | works at | Heron | state & Ana | works at | Heron | end"),
    ("I adopted a dog when I was ten.", ""),
    ("I bought a red bike as a kid.", ""),
    ("I got married to Tom when I was 20.", ""),
    ("I became a nurse in my twenties.", ""),
    ("I moved to Rome in 2020 and to Pisa in 2021.", ""),
    ("I moved to Rome in 2010 when I was 20.", "Ana | moved to | Rome | state"),
    ("I moved to Rome last year in March.", "Ana | moved to | Rome | state"),
    ("My sister Lena moved to Rome when she was 20.", ""),
    ("When I was 20, I moved to Rome.", ""),
    ("I started at Heron a long time ago.", ""),
    ("I moved to Rome until 2020.", ""),
    ("I moved to Rome in March.", "Ana | moved to | Rome | state"),
    ("I moved to Rome for work.", "Ana | moved to | Rome | state"),
)

BORROWED = (
    ("Translate into French: I live in Lima.", ""),
    ("Please proofread this: I work at Robin.", ""),
    ("Zed: I live in York.", ""),
    ("My friend Zoe says: I live in Rome.", ""),
    ("Lyrics: I live in Tokyo.", ""),
    ("My character sheet: I live in Gondor.", ""),
    ("I moved to Rome in my dream.", ""),
    ("I moved to Pisa in a computer game.", ""),
    ("I moved to Accounting.", ""),
    ('"I live in Rome."', ""),
    ('She said, "I live in Rome. I work at Acme."', ""),
    ("He wrote “Hello. I live in Rome. Bye.” and left.", ""),
    ("Translate this:\nI live in Lima. I work at Robin.", ""),
    ("Can you translate this into French? I live in Lima.", ""),
    ("> I live in Lima", ""),
    ("```\nI live in Lima\n```", ""),
    ("Last night I dreamed I lived in Rome. I worked at Acme.", ""),
    ("Let's role-play. I live in Gondor.", ""),
    ("I moved to Linux.", ""),
    ("I moved to the marketing team.", ""),
    ("I moved to Level 3.", ""),
    ("I joined Facebook.", ""),
    ("In the novel I live in Rome.", ""),
    ("For example, I live in Rome.", ""),
    ("Zed: I live in York.\nAmy: I work at Acme.", ""),
    ("Subject line: I moved to Rome", ""),
    ("'I live in Rome.'", ""),
    ('I am reading "The Name of the Rose"', "Ana | is reading | Name of the Rose | state"),
    ("Big news: I moved to Rome!", "Ana | moved to | Rome | state"),
    ("Ana: I moved to Rome.", "Ana | moved to | Rome | state"),
    ("Good news everyone: I moved to Rome", ""),
    ("About me: I live in Rome. I work at Acme.", "Ana | lives in | Rome | state & Ana | works at | Acme | state"),
    ("I moved to Minecraft", ""),
    ("I had a weird dream. I lived in Rome. I work at Acme.", ""),
    ('He told me "I live in Rome"', ""),
    ("Rewrite the sentence below. I live in Lima.", ""),
    ("I moved to Tuesday.", ""),
    ("I moved to Tom's.", ""),
    ("I joined the design team.", ""),
    ("I moved to São Paulo: I love it", ""),
    ("As for John Smith from Acme: he moved to Bonn.", "John Smith from Acme | moved to | Bonn | state"),
    ("My motto is I live in Rome", ""),
    ("Correct my grammar: I has moved to Rome. I live in Rome.", ""),
    ("Dear diary: I live in Rome", ""),
    ("News from Zoe: I moved to Rome", ""),
    ("In The Sims I live in Rome.", ""),
    ("I live in Rome in the game.", ""),
    ("I work at Acme in my story.", ""),
)

HEARSAY = (
    ("Mia lives in York, according to Carl.", "Mia | lives in | York | state"),
    ("Mia lives in York, or so they say.", ""),
    ("Mia lives in York, I guess.", ""),
    ("Carl told me that Ana moved to Rome.", "Ana | moved to | Rome | state"),
    ("Carl was wrong, Ana never moved to Rome.", "Ana | moved to | Rome | retraction"),
    ("Mia lives in York, I think.", ""),
    ("Mia lives in York (I think).", ""),
    ("Mia lives in York, Carl says.", "Mia | lives in | York | state"),
    ("Mia lives in York, says Carl.", "Mia | lives in | York | state"),
    ("Mia lives in York, if I remember rightly.", ""),
    ("Mia lives in York, apparently.", ""),
    ("Mia probably lives in York.", ""),
    ("Mia lives in York as far as I know.", ""),
    ("Mia lives in York, Carl thinks.", ""),
    ("I was told Mia lives in York.", ""),
    ("Rumour has it that Mia lives in York.", ""),
    ("Carl said Mia lives in York, but she does not.", ""),
    ("Carl says Mia lives in York, but that is not true.", ""),
    ("According to the papers, Mia lives in York.", ""),
    ("Supposedly Mia lives in York.", ""),
    ("Carl was lying. Ana never moved to Rome.", "Ana | moved to | Rome | retraction"),
    ("Carl was mistaken: Ana never moved to Rome.", "Ana | moved to | Rome | retraction"),
    ("They were wrong, Ana did not move to Rome.", "Ana | moved to | Rome | retraction"),
    ("Mia lives in York, not sure though.", ""),
    ("I think Mia lives in York.", ""),
    ("Mia lives in York, so I hear.", ""),
    ("Carl heard that Mia lives in York.", ""),
    ("Mia told me she moved to York.", "Mia | moved to | York | state"),
    ("Mia moved to York, my brother Tom told me.", "Mia | moved to | York | state"),
)

ENDS = (
    ("I quit my job.", "Ana | works at |  | end & Ana | works as |  | end"),
    ("I got fired, so I am unemployed.", "Ana | works at |  | end & Ana | works as |  | end"),
    ("I've just started at Globex!", "Ana | works at | Globex | state"),
    (
        "I was joking, I never worked at Acme.",
        "Ana | works at | Acme | retraction & Ana | works as | Acme | retraction",
    ),
    ("I've just moved to Nice!", "Ana | moved to | Nice | state"),
    ("i moved to nice yesterday", "Ana | moved to | nice | state"),
    ("I left Lyon in May.", "Ana | lives in | Lyon | end"),
    ("I am CTO at Acme.", "Ana | works as | CTO at Acme | state & Ana | works at | Acme | state"),
    ("I left Acme.", "Ana | works at | Acme | end & Ana | works as | Acme | end & Ana | lives in | Acme | end"),
    ("I don't live in Leeds, I live in York.", "Ana | lives in | Leeds | end & Ana | lives in | York | state"),
    ("I was laid off last week.", "Ana | works at |  | end & Ana | works as |  | end"),
    ("I lost my job.", "Ana | works at |  | end & Ana | works as |  | end"),
    ("I resigned.", "Ana | works at |  | end & Ana | works as |  | end"),
    ("I retired in March.", "Ana | works at |  | end & Ana | works as |  | end"),
    ("I'm unemployed now.", "Ana | works at |  | end & Ana | works as |  | end"),
    ("I'm between jobs.", "Ana | works at |  | end & Ana | works as |  | end"),
    ("I have left Acme.", "Ana | works at | Acme | end & Ana | works as | Acme | end & Ana | lives in | Acme | end"),
    ("I'm no longer at Acme.", "Ana | works at | Acme | end & Ana | works as | Acme | end"),
    ("I'm not at Acme anymore.", "Ana | works at | Acme | end & Ana | works as | Acme | end"),
    ("I stopped working at Acme.", "Ana | works at | Acme | end & Ana | works as | Acme | end"),
    ("Acme fired me.", "Ana | works at | Acme | end & Ana | works as | Acme | end"),
    ("Acme laid me off in April.", "Ana | works at | Acme | end & Ana | works as | Acme | end"),
    ("I left my job at Acme.", "Ana | works at | Acme | end & Ana | works as | Acme | end"),
    ("I got sacked from Acme.", "Ana | works at | Acme | end & Ana | works as | Acme | end"),
    (
        "I left Acme and joined Globex.",
        "Ana | works at | Acme | end & Ana | works as | Acme | end & "
        "Ana | lives in | Acme | end & Ana | works at | Globex | state",
    ),
    (
        "I no longer work at Acme, I work at Globex.",
        "Ana | works at | Acme | end & Ana | works as | Acme | end & Ana | works at | Globex | state",
    ),
    ("I didn't move to Rome.", "Ana | moved to | Rome | retraction"),
    ("I have never worked at Acme.", "Ana | works at | Acme | retraction & Ana | works as | Acme | retraction"),
    ("Just kidding, I never moved to Rome.", "Ana | moved to | Rome | retraction"),
    ("I lied, I never worked at Acme.", "Ana | works at | Acme | retraction & Ana | works as | Acme | retraction"),
    ("Scratch that, I live in York.", "Ana | lives in | York | state"),
    ("She's just moved to Nice.", ""),
    ("My sister Lena just started at Globex.", "Lena | works at | Globex | state"),
    ("i live in york", "Ana | lives in | york | state"),
    ("i work at acme", "Ana | works at | acme | state"),
    ("i live in fear", ""),
    ("i moved to bed", ""),
    ("i live in a small town", ""),
    ("i'm based in lisbon now", "Ana | lives in | lisbon | state"),
    ("I am now at Globex.", ""),
    ("I just got a new job at Globex.", "Ana | works at | Globex | state"),
    ("My new job is at Globex.", "Ana | works at | Globex | state"),
    ("I've recently relocated to Nice.", "Ana | moved to | Nice | state"),
    ("I have now moved to Nice.", "Ana | moved to | Nice | state"),
    ("I work at Globex now.", "Ana | works at | Globex | state"),
    ("My last day at Acme was Friday.", "Ana | works at | Acme | end & Ana | works as | Acme | end"),
    ("I got divorced.", "Ana | is together with |  | end"),
    ("I quit the gym.", "Ana | trains at |  | end"),
    ("I left work early.", ""),
    ("I quit smoking.", ""),
    ("I got fired up.", ""),
    ("I left early.", ""),
    ("I quit my job at Acme to join Globex.", "Ana | works at | Acme | end & Ana | works as | Acme | end"),
    ("I am president of Acme.", "Ana | works as | president of Acme | state"),
    ("I don't work at Acme anymore.", "Ana | works at | Acme | end & Ana | works as | Acme | end"),
    ("Lena quit her job.", "Lena | works at |  | end & Lena | works as |  | end"),
    ("I moved out of Lyon.", "Ana | lives in | Lyon | end"),
    ("I took early retirement", "Ana | works at |  | end & Ana | works as |  | end"),
)

VALUES = (
    ("I moved to Nice on 31 February 2024.", "Ana | moved to | Nice | state"),
    ("I moved to Rome for two weeks.", "Ana | moved to | Rome | state"),
    ("I live in Rome with me.", "Ana | lives in | Rome | state"),
    ("I live in Rome with Tom.", "Ana | lives in | Rome | state"),
    ("I work at Globex in Berlin.", "Ana | works at | Globex | state"),
    ("I live in Rome near the station.", "Ana | lives in | Rome | state"),
    ("I live in Rome, Italy.", "Ana | lives in | Rome | state"),
    ("I work for Globex part-time.", "Ana | works at | Globex | state"),
    ("I joined Globex as a designer.", "Ana | works at | Globex | state"),
    ("I work at Marks and Spencer in Leeds.", "Ana | works at | Marks and Spencer | state"),
    ("I live in Newcastle upon Tyne.", "Ana | lives in | Newcastle upon Tyne | state"),
    ("I work at Bank of America.", "Ana | works at | Bank of America | state"),
    ("I moved to Oslo together with Lena.", "Ana | moved to | Oslo | state"),
    ("I am married to Tom from work.", "Ana | is married to | Tom | state"),
    ("I live in New York City right now.", "Ana | lives in | New York City | state"),
    ("I work at the University of Leeds under Dr. Okafor.", "Ana | works at | University of Leeds | state"),
    ("I work as a nurse in Leeds.", "Ana | works as | nurse | state"),
    ("I live in Rome alone.", "Ana | lives in | Rome | state"),
    ("I'm reading The Name of the Rose.", "Ana | is reading | Name of the Rose | state"),
    ("I live in the Netherlands at the moment.", "Ana | lives in | Netherlands | state"),
    ("I moved to Berlin because of work.", "Ana | moved to | Berlin | state"),
    ("I live in Rome by the way.", "Ana | lives in | Rome | state"),
    ("I love pizza with Tom.", "Ana | loves | pizza | state"),
    ("I work at Globex on weekends.", "Ana | works at | Globex | state"),
    ("I live in Bosnia and Herzegovina.", "Ana | lives in | Bosnia and Herzegovina | state"),
    ("I train at Kettle Climbing Hall three times a week.", "Ana | trains at | Kettle Climbing Hall | state"),
    ("I live in Rome temporarily.", "Ana | lives in | Rome | state"),
    ("I live in Rio de Janeiro!", "Ana | lives in | Rio de Janeiro | state"),
    ("I live in St. Louis.", "Ana | lives in | St Louis | state"),
)
PRONOUNS = (
    (("My brother Tom lives in Leeds.", "Maria lives in York.", "He moved to Bath."), ""),
    (("My brother Tom lives in Leeds.", "My sister Maria lives in York.", "He moved to Bath."), "Tom"),
    (("My brother Tom lives in Leeds.", "My sister Maria lives in York.", "She moved to Bath."), "Maria"),
    (("My brother Tom lives in Leeds.", "My uncle Bo lives in York.", "He moved to Bath."), ""),
    (("My sister Maria lives in York.", "He moved to Bath."), ""),
    (("Maria lives in York.", "He moved to Bath."), "Maria"),
    (("My mother lives in Leeds.", "She moved to Bath."), "Ana's mother"),
    (("Mr. Smith lives in Leeds.", "Maria visited me.", "She moved to Bath."), "Maria"),
    (("I'm married to Tom Weber.", "He moved to Bath."), "Tom Weber"),
    (("Tom Weber lives in Leeds.", "Tom works at Acme.", "He moved to Bath."), "Tom Weber"),
    (("I met Lena and Mia.", "She moved to Bath."), ""),
    (("Do you know Tom and Bo?", "He moved to Bath."), ""),
    (("Tom lives in Leeds.", "As for Lena: she moved to Bath."), "Lena"),
)


def read(text: str, speaker: str = "Ana") -> str:
    """The readings of one sentence, in a row's words."""
    found = SessionReader().read(text, speaker, "user", SAID)
    return " & ".join(f"{r.triple.subject} | {r.predicate} | {r.object} | {r.kind}" for r in found)


@pytest.mark.parametrize(("text", "expected"), PAST)
def test_a_past_that_is_not_dated_makes_no_state_and_two_dates_make_a_stay(text: str, expected: str) -> None:
    """It would stand from the day of speaking and hide what holds."""
    assert read(text) == expected


@pytest.mark.parametrize(("text", "expected"), BORROWED)
def test_quoted_pasted_made_up_or_dreamt_words_are_not_the_speakers(text: str, expected: str) -> None:
    """Nor what a colon hands to somebody else, nor a department for a home."""
    assert read(text) == expected


@pytest.mark.parametrize(("text", "expected"), HEARSAY)
def test_hedges_before_and_behind_make_no_triple_and_a_named_source_is_hearsay(text: str, expected: str) -> None:
    """What is taken back is read, whoever had said it."""
    assert read(text, "Zed") == expected


@pytest.mark.parametrize(("text", "expected"), ENDS)
def test_ordinary_ends_moves_and_retractions(text: str, expected: str) -> None:
    """An end without a value ends what holds; the post goes with the firm."""
    assert read(text) == expected


@pytest.mark.parametrize(("text", "expected"), VALUES)
def test_values_end_where_the_name_ends(text: str, expected: str) -> None:
    """No time, company, or town on a firm."""
    assert read(text) == expected


@pytest.mark.parametrize(("turns", "who"), PRONOUNS)
def test_he_and_she_are_read_where_only_one_can_be_meant(turns: tuple[str, ...], who: str) -> None:
    """Kinship and titles tell; two who fit make no triple."""
    reader = SessionReader()
    for text in turns[:-1]:
        reader.read(text, "Ana", "user", SAID)
    reader = SessionReader.restored(reader.state())
    found = reader.read(turns[-1], "Ana", "user", SAID)
    assert [r.triple.subject for r in found] == ([who] if who else [])


def test_a_question_on_about_somebody_is_answered_of_them() -> None:
    """ "I ran into Lena." "How is she?" "She lives in Bath.": though Mia was named two turns before."""
    reader = SessionReader()
    for text, speaker in (("I met Mia.", "Ana"), ("Nice.", "Bo"), ("I ran into Lena.", "Ana"), ("How is she?", "Bo")):
        reader.read(text, speaker, "user", SAID)
    (found,) = reader.read("She lives in Bath.", "Ana", "user", SAID)
    assert found.subject.name == "Lena"


def test_nobody_is_quoted_about_one_who_speaks_himself() -> None:
    """Mia said where she lives; what Carl says of it makes no triple."""
    reader = SessionReader()
    assert len(reader.read("I live in Leeds.", "Mia", "user", SAID)) == 1
    reader = SessionReader.restored(reader.state())
    assert reader.read("Mia lives in York, according to Carl.", "Zed", "user", SAID) == ()
    assert reader.read("Carl told me that Mia moved to Rome.", "Zed", "user", SAID) == ()
    assert len(reader.read("Carl told me that Rob moved to Rome.", "Zed", "user", SAID)) == 1


def test_a_stay_of_two_dates_ends_on_the_second() -> None:
    """From the first day of 2015 to the first of 2018."""
    found = SessionReader().read("I moved to York in 2015 and left in 2018.", "Ana", "user", SAID)
    assert [(r.kind, r.fact_time.start) for r in found if r.fact_time] == [
        ("state", date(2015, 1, 1)),
        ("end", date(2018, 1, 1)),
    ]
